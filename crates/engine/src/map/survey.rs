//! A look at the first pages of a site: the start, and the pages that it links to.

use std::{collections::HashSet, pin::pin};

use futures_util::stream::{self, Stream, StreamExt};
use jiff::Timestamp;
use tokio::time::{Instant, timeout_at};
use trawls_contract::{
    ErrorCode, ErrorInfo, Link, LinkKind, MapLink, MapRequest, PageResult, ScopeOptions,
    ScrapeRequest,
};
use url::Url;

use crate::{
    engine::Rooms,
    jobs::{identity::Identities, scope::Scope},
    scrape::visit,
};

/// Pages looked at at once; the fetcher's window for the host has the last word.
const AT_ONCE: usize = 16;
/// Pages looked at beside the start: the menus and lists of a site are on its first pages.
const MAX_PAGES: usize = 200;
/// Pages read for their titles.
const MAX_TITLES: usize = 500;

/// What became of the start.
#[derive(Debug, Default)]
pub(super) enum Start {
    /// Nobody asked.
    #[default]
    Unread,
    /// It leads here, maybe by redirects.
    Read(Url),
    /// It cannot be had.
    Dead(ErrorInfo),
}

/// A page that was read.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) url: Url,
    pub(super) depth: u32,
    pub(super) title: Option<String>,
    /// Where it leads within the site, with the words of the link.
    pub(super) links: Vec<(Url, String)>,
}

/// What the look came to.
#[derive(Debug, Default)]
pub(super) struct Survey {
    pub(super) start: Start,
    /// The start first, then the pages it links to, in the order of the links.
    pub(super) seen: Vec<Seen>,
    /// Time or number were up.
    pub(super) is_cut: bool,
}

/// Reads the start and the pages that it links to, until `ends`.
pub(super) async fn survey(rooms: &Rooms, request: &MapRequest, ends: Instant) -> Survey {
    let mut survey = Survey::default();
    let Some(page) = read(rooms, &request.scrape, ends).await else {
        survey.start = Start::Dead(late());
        return survey;
    };
    survey.start = judge(&page);
    let Start::Read(home) = &survey.start else {
        return survey;
    };
    let bounds = bounds(request, home);
    let first = seen(request.scrape.url.clone(), 0, page, &bounds);
    let next = to_read(&first, request);
    survey.seen.push(first);
    survey.is_cut = next.len() > MAX_PAGES;
    let next = next.into_iter().take(MAX_PAGES).enumerate();
    let reading = stream::iter(next).map(async |(place, url)| {
        let page = read(rooms, &request.scrape.with_url(url.clone()), ends).await?;
        Some((place, seen(url, 1, page, &bounds)))
    });
    let mut found = Vec::new();
    survey.is_cut |= !gather(reading.buffer_unordered(AT_ONCE), ends, &mut found).await;
    found.sort_by_key(|(place, _)| *place);
    survey.seen.extend(found.into_iter().map(|(_, seen)| seen));
    survey
}

/// The start alone.
pub(super) async fn look_at(rooms: &Rooms, scrape: &ScrapeRequest, ends: Instant) -> Start {
    match read(rooms, scrape, ends).await {
        Some(page) => judge(&page),
        None => Start::Dead(late()),
    }
}

/// Reads pages for the titles that are not known yet, until `ends`.
pub(super) async fn read_titles(
    rooms: &Rooms,
    scrape: &ScrapeRequest,
    links: &mut [MapLink],
    ends: Instant,
) {
    let untitled = |(place, link): (usize, &MapLink)| {
        let url = Url::parse(&link.url).ok()?;
        link.title.is_none().then_some((place, url))
    };
    let untitled: Vec<_> = links.iter().enumerate().filter_map(untitled).collect();
    let reading = stream::iter(untitled.into_iter().take(MAX_TITLES)).map(async |(place, url)| {
        let page = read(rooms, &scrape.with_url(url), ends).await?;
        Some((place, title(&page)))
    });
    let mut found = Vec::new();
    gather(reading.buffer_unordered(AT_ONCE), ends, &mut found).await;
    for (place, title) in found {
        links[place].title = title;
    }
}

/// Collects what comes until `ends`; returns whether that was all. What its time ended is `None`.
async fn gather<T>(
    reading: impl Stream<Item = Option<T>>,
    ends: Instant,
    found: &mut Vec<T>,
) -> bool {
    let (mut reading, mut is_all) = (pin!(reading), true);
    loop {
        match timeout_at(ends, reading.next()).await {
            Ok(Some(Some(one))) => found.push(one),
            Ok(Some(None)) => is_all = false,
            Ok(None) => return is_all,
            Err(_) => return false,
        }
    }
}

/// `None` when the time is up.
async fn read(rooms: &Rooms, request: &ScrapeRequest, ends: Instant) -> Option<PageResult> {
    let visit = visit(rooms, request, Timestamp::now());
    Some(timeout_at(ends, visit).await.ok()?.page)
}

fn late() -> ErrorInfo {
    ErrorInfo::new(
        ErrorCode::TimeoutTotal,
        "The start page did not come within the time of the map.",
    )
}

/// Whatever has links is good enough; what has none needs a reason.
fn judge(page: &PageResult) -> Start {
    let has_links = page.links.as_ref().is_some_and(|links| !links.is_empty());
    match (&page.error, Url::parse(&page.final_url)) {
        (Some(error), _) if !has_links && error.code != ErrorCode::EmptyContent => {
            Start::Dead(error.clone())
        }
        (_, Ok(url)) => Start::Read(url),
        (_, Err(_)) => Start::Unread,
    }
}

fn title(page: &PageResult) -> Option<String> {
    page.outcome
        .is_success()
        .then(|| page.metadata.as_ref()?.title.clone())?
}

/// The site of the start, and the one that it redirects to.
pub(super) fn bounds(request: &MapRequest, home: &Url) -> Vec<Scope> {
    let options = ScopeOptions {
        include: Vec::new(),
        exclude: Vec::new(),
        subdomains: request.subdomains,
        external: false,
        ignore_query: request.ignore_query,
        max_depth: None,
    };
    let homes = [&request.scrape.url, home];
    homes
        .into_iter()
        .filter_map(|home| Scope::new(home, &options).ok())
        .collect()
}

fn seen(url: Url, depth: u32, page: PageResult, bounds: &[Scope]) -> Seen {
    let title = title(&page);
    let is_link = |link: &Link| matches!(link.kind, LinkKind::Internal | LinkKind::External);
    let links = page.links.unwrap_or_default().into_iter().filter(is_link);
    let inside = |url: &Url| bounds.iter().any(|scope| scope.admit(url, depth).is_ok());
    let links = links.filter_map(|link| Some((Url::parse(&link.url).ok()?, link.text)));
    Seen {
        url,
        depth,
        title,
        links: links.filter(|(url, _)| inside(url)).collect(),
    }
}

/// The pages that the start links to, each once.
fn to_read(start: &Seen, request: &MapRequest) -> Vec<Url> {
    let identities = Identities {
        ignore_query: request.ignore_query,
    };
    let mut known = HashSet::from([identities.of(&start.url)]);
    let links = start.links.iter().map(|(url, _)| url);
    links
        .filter(|url| known.insert(identities.of(url)))
        .cloned()
        .collect()
}
