//! The pages that a site's sitemaps list: those that robots.txt names, or those at the usual
//! places; index after index, within bounds of depth, number and time.

use std::{collections::HashSet, sync::Arc, time::Duration};

use futures_util::stream::{self, StreamExt};
use trawls_content::{ListedPage, Sitemap};
use trawls_contract::ScrapeRequest;
use url::Url;

use crate::{engine::Rooms, plan};

/// Where a site without `Sitemap:` lines may have one.
const USUAL: [&str; 2] = ["/sitemap.xml", "/sitemap_index.xml"];
/// An index of an index of an index; more than that leads nowhere.
const MAX_LEVELS: usize = 4;
/// Sitemaps of one site.
const MAX_SITEMAPS: usize = 300;
/// Sitemaps fetched at once.
const AT_ONCE: usize = 4;
/// For all of them together.
const MAX_TIME: Duration = Duration::from_secs(120);
/// For one of them.
const MAX_FETCH: Duration = Duration::from_secs(30);
/// Size of one on the wire, as sitemaps.org has it.
const MAX_BYTES: usize = 50 * 1024 * 1024;

/// At most `limit` pages of the site of `request`, which says how to fetch.
pub(crate) async fn gather(
    rooms: Arc<Rooms>,
    request: ScrapeRequest,
    limit: usize,
) -> Vec<ListedPage> {
    let mut pages = Vec::new();
    let walk = walk(&rooms, &request, limit, &mut pages);
    if tokio::time::timeout(MAX_TIME, walk).await.is_err() {
        tracing::info!(
            url.host = request.url.host_str(),
            "its sitemaps took too long"
        );
    }
    pages.truncate(limit);
    pages
}

async fn walk(rooms: &Rooms, request: &ScrapeRequest, limit: usize, pages: &mut Vec<ListedPage>) {
    let mut level = first(rooms, request).await;
    let mut known = HashSet::new();
    for _ in 0..MAX_LEVELS {
        level.retain(|url| known.len() < MAX_SITEMAPS && known.insert(url.clone()));
        let reading = level.drain(..).map(|url| read(rooms, request, url));
        let mut reading = stream::iter(reading).buffer_unordered(AT_ONCE);
        let mut next = Vec::new();
        while let Some(sitemap) = reading.next().await {
            pages.extend(sitemap.pages);
            next.extend(sitemap.sitemaps);
            if pages.len() >= limit {
                return;
            }
        }
        drop(reading);
        level = next;
    }
}

async fn first(rooms: &Rooms, request: &ScrapeRequest) -> Vec<Url> {
    let plan = plan::fetch_plan(request, None, MAX_FETCH, MAX_BYTES);
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
    let plan = plan::fetch_plan(&request.with_url(url), None, MAX_FETCH, MAX_BYTES);
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
