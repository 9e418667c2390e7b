//! The pages that a site's sitemaps list: those that robots.txt names, or those at the usual
//! places; index after index, within bounds of depth, number and time.

use std::{collections::HashSet, time::Duration};

use futures_util::stream::{self, StreamExt};
use tokio::sync::mpsc;
use trawls_content::{ListedPage, Sitemap};
use trawls_contract::{Mode, ScrapeRequest};
use trawls_fetch::{BrowserWork, FetchPlan};
use url::Url;

use crate::{engine::Rooms, plan};

/// Where a site without `Sitemap:` lines may have one.
const USUAL: [&str; 2] = ["/sitemap.xml", "/sitemap_index.xml"];
/// An index of an index of an index; more than that leads nowhere.
const MAX_LEVELS: usize = 4;
/// Sitemaps of one site.
const MAX_SITEMAPS: usize = 300;
/// Sitemaps fetched at once; one of 50,000 URLs takes some 20 MB while it is read.
const AT_ONCE: usize = 3;
/// Sitemaps that were read and wait to be taken.
pub(crate) const WAITING: usize = 1;
/// For one of them.
const MAX_FETCH: Duration = Duration::from_secs(30);
/// Size of one on the wire, as sitemaps.org has it.
const MAX_BYTES: usize = 50 * 1024 * 1024;

/// What a site's sitemaps list.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    /// In the order of the sitemaps.
    pub(crate) pages: Vec<ListedPage>,
    /// There is more, but time or number were up.
    pub(crate) is_cut: bool,
}

/// The pages of one sitemap.
pub(crate) struct Sheet {
    /// Among all sitemaps of the site.
    place: (usize, usize),
    pub(crate) pages: Vec<ListedPage>,
}

/// At most `limit` pages of the site of `request`, which says how to fetch, within `time`.
pub(crate) async fn gather(
    rooms: &Rooms,
    request: &ScrapeRequest,
    limit: usize,
    time: Duration,
) -> Listed {
    let (sender, mut sheets) = mpsc::channel::<Sheet>(WAITING);
    let (mut found, mut count) = (Vec::new(), 0);
    let gathering = async {
        let collecting = async {
            while let Some(sheet) = sheets.recv().await {
                count += sheet.pages.len();
                found.push(sheet);
                if count > limit {
                    sheets.close();
                }
            }
        };
        tokio::join!(walk(rooms, request, sender), collecting);
    };
    let is_late = tokio::time::timeout(time, gathering).await.is_err();
    found.sort_by_key(|sheet| sheet.place);
    let mut pages: Vec<ListedPage> = found.into_iter().flat_map(|sheet| sheet.pages).collect();
    let is_cut = is_late || pages.len() > limit;
    pages.truncate(limit);
    Listed { pages, is_cut }
}

/// Sends what the sitemaps list, one by one, as fast as it is taken: all of them never are in memory
/// together. Ends when nobody takes any more.
pub(crate) async fn walk(rooms: &Rooms, request: &ScrapeRequest, sheets: mpsc::Sender<Sheet>) {
    let mut level = first(rooms, request).await;
    let mut known = HashSet::new();
    for depth in 0..MAX_LEVELS {
        level.retain(|url| known.len() < MAX_SITEMAPS && known.insert(url.clone()));
        let reading = level.drain(..).enumerate();
        let reading = reading.map(async |(place, url)| (place, read(rooms, request, url).await));
        let mut reading = stream::iter(reading).buffer_unordered(AT_ONCE);
        let mut next = Vec::new();
        while let Some((place, sitemap)) = reading.next().await {
            next.push((place, sitemap.sitemaps));
            let sheet = Sheet {
                place: (depth, place),
                pages: sitemap.pages,
            };
            if sheets.send(sheet).await.is_err() {
                return;
            }
        }
        drop(reading);
        next.sort_by_key(|(place, _)| *place);
        level = next
            .into_iter()
            .flat_map(|(_, sitemaps)| sitemaps)
            .collect();
    }
}

/// As the pages are asked for, but no browser has anything to render.
fn plan_for(request: &ScrapeRequest) -> FetchPlan {
    FetchPlan {
        mode: Mode::Http,
        browser: BrowserWork::default(),
        ..plan::fetch_plan(request, None, MAX_FETCH, MAX_BYTES)
    }
}

async fn first(rooms: &Rooms, request: &ScrapeRequest) -> Vec<Url> {
    let plan = plan_for(request);
    let named = rooms.fetcher.sitemaps(&plan).await;
    let names: Vec<&str> = match named.is_empty() {
        true => USUAL.to_vec(),
        false => named.iter().map(String::as_str).collect(),
    };
    let urls = names
        .into_iter()
        .filter_map(|name| request.url.join(name.trim()).ok());
    urls.filter(|url| matches!(url.scheme(), "http" | "https"))
        .collect()
}

async fn read(rooms: &Rooms, request: &ScrapeRequest, url: Url) -> Sitemap {
    let plan = plan_for(&request.with_url(url));
    let Ok(fetched) = rooms.fetcher.fetch(&plan).await.result else {
        return Sitemap::default();
    };
    if fetched.status != 200 {
        return Sitemap::default();
    }
    let reading =
        tokio::task::spawn_blocking(move || Sitemap::parse(&fetched.body, &fetched.final_url));
    reading.await.unwrap_or_default()
}
