//! The corridor: cache → plan → fetch → read → judge → result → keep. One page walks through once.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use jiff::Timestamp;
use tokio::time::{Instant, timeout};
use trawls_content::{Page, RawDocument};
use trawls_contract::{Link, PageResult, ScrapeRequest, Verdict};
use trawls_fetch::{FetchPlan, FetchReport, Fetched};
use trawls_store::{Blob, CacheKey, CachedPage, Keep, RawBody, StoreError, Validators};
use url::Url;

use crate::{
    engine::Rooms,
    error,
    flights::Flight,
    host_memory,
    outcome::{Evidence, Judgement, judge},
    page_cache, plan,
    reader::ReadFailure,
    rendered::Album,
    result::{Visit, Watch, content_type, from_cache, page_result},
};

/// A page in hand is not held back longer than this for a database that does not take it.
const KEEP_PATIENCE: Duration = Duration::from_secs(5);
/// Larger bodies are not kept for reading again: they would fill the disk, not serve anybody.
const MAX_KEPT_BODY: usize = 16 * 1024 * 1024;

/// A page in hand, not kept yet.
pub(crate) struct Visited {
    pub(crate) page: PageResult,
    /// What to keep with it; nothing of a page that the cache answered.
    pub(crate) keepsake: Option<Keepsake>,
    /// Others who want the same page wait until this is dropped.
    _flight: Option<Flight>,
}

/// What is kept beside the result.
#[derive(Default)]
pub(crate) struct Keepsake {
    pub(crate) body: Option<RawBody>,
    pub(crate) blobs: Vec<Blob>,
    pub(crate) cache: Option<(CacheKey, Validators)>,
}

/// One page from its URL.
pub(crate) async fn scrape(rooms: &Rooms, request: &ScrapeRequest, now: Timestamp) -> PageResult {
    let visited = visit(rooms, request, now).await;
    match visited.keepsake {
        Some(keepsake) => keep(rooms, visited.page, keepsake).await,
        None => visited.page,
    }
}

/// The same, but the caller keeps it.
pub(crate) async fn visit(rooms: &Rooms, request: &ScrapeRequest, now: Timestamp) -> Visited {
    let mut watch = Watch::start(now);
    let deadline = watch.started + request.fetch.timeout;
    log_unsafe_choices(rooms, request);
    let key = page_cache::key(request);

    let (stale, flight) = match look_up(rooms, request, key, &watch).await {
        Known::Fresh(cached) => return Visited::known(from_cache(request, &watch, &cached.page)),
        Known::Stale(cached, flight) => (Some(cached), flight),
        Known::Nothing(flight) => (None, flight),
    };

    let validators = stale.as_ref().map(|cached| &cached.validators);
    let remaining = deadline.saturating_duration_since(Instant::now());
    let plan = FetchPlan {
        lowest: host_memory::lowest(rooms, request, now).await,
        ..plan::fetch_plan(request, validators, remaining, rooms.config.max_body_bytes)
    };
    let FetchReport {
        attempts,
        result,
        warnings,
    } = rooms.fetcher.fetch(&plan).await;
    watch.fetch = Some(watch.started.elapsed());
    let fetched = match result {
        Ok(fetched) => fetched,
        Err(error) => {
            let judgement = Judgement::of_error(error::of_fetch(&error, &attempts));
            let visit = Visit::without_response(attempts, warnings);
            let page = page_result(request, &watch, visit, None, judgement);
            return Visited::to_keep(page, Keepsake::default(), flight);
        }
    };
    if let (Verdict::NotModified, Some(cached)) = (fetched.verdict, &stale) {
        confirm(rooms, key, cached, now).await;
        let page = from_cache(request, &watch, &cached.page);
        return Visited::known(PageResult {
            trace: attempts,
            ..page
        });
    }

    let reading = read(rooms, request, &fetched, deadline).await;
    watch.process = Some(watch.since_fetch());
    let judgement = judge(Evidence::of(&fetched), reading.as_ref()).after(error::tries(&attempts));
    host_memory::learn(rooms, &plan, &fetched, judgement.outcome, now).await;
    let (visit, blobs) = illustrate(rooms, request, &fetched);
    let visit = Visit {
        trace: attempts,
        warnings,
        ..visit
    };
    let page = reading.and_then(Result::ok);
    let page = page_result(request, &watch, visit, page, judgement);
    let key = page_cache::fills(request).then_some(key);
    let keepsake = Keepsake {
        blobs,
        ..Keepsake::of(&page, &fetched, key)
    };
    Visited::to_keep(page, keepsake, flight)
}

/// What is said of a response, with the pictures that the browser made.
fn illustrate(rooms: &Rooms, request: &ScrapeRequest, fetched: &Fetched) -> (Visit, Vec<Blob>) {
    let mut album = Album::new(rooms.config.public_url.as_ref());
    let shown = fetched.rendered.as_ref().map(|rendered| {
        let actions = &request.fetch.browser.actions;
        album.show(rendered, actions)
    });
    let visit = Visit {
        shown: shown.unwrap_or_default(),
        ..Visit::of(fetched)
    };
    (visit, album.into_blobs())
}

impl Visited {
    fn to_keep(page: PageResult, keepsake: Keepsake, flight: Option<Flight>) -> Self {
        Self {
            page,
            keepsake: Some(keepsake),
            _flight: flight,
        }
    }

    fn known(page: PageResult) -> Self {
        Self {
            page,
            keepsake: None,
            _flight: None,
        }
    }
}

impl Keepsake {
    fn of(page: &PageResult, fetched: &Fetched, key: Option<CacheKey>) -> Self {
        let keeps_body = (1..=MAX_KEPT_BODY).contains(&fetched.body.len());
        let key = key.filter(|_| page_cache::is_worth_keeping(page, fetched));
        Self {
            body: keeps_body.then(|| RawBody {
                bytes: fetched.body.clone(),
                content_type: page.content_type.clone(),
            }),
            blobs: Vec::new(),
            cache: key.map(|key| (key, page_cache::validators(fetched))),
        }
    }
}

/// The links of a kept page that was kept without them, from its kept body.
pub(crate) async fn links_again(
    rooms: &Rooms,
    request: &ScrapeRequest,
    page: &PageResult,
) -> Option<Vec<Link>> {
    let body = rooms.store.body(&page.id).await.ok().flatten()?;
    let document = RawDocument {
        body: body.bytes,
        content_type: body.content_type,
        url: Url::parse(&page.final_url).ok()?,
    };
    let deadline = Instant::now() + request.fetch.timeout;
    let read = read_raw(rooms, request, document, deadline).await;
    read.ok()?.links
}

/// A document that is already here: the same result, without network, cache and keeping.
pub(crate) async fn read_document(
    rooms: &Rooms,
    body: Bytes,
    content_type: Option<String>,
    request: &ScrapeRequest,
) -> PageResult {
    let mut watch = Watch::start(Timestamp::now());
    let document = RawDocument {
        body,
        content_type: content_type.clone(),
        url: request.url.clone(),
    };
    let reading = read_raw(
        rooms,
        request,
        document,
        watch.started + request.fetch.timeout,
    )
    .await;
    watch.process = Some(watch.started.elapsed());
    let judgement = judge(Evidence::of_file(), Some(&reading));
    let visit = Visit {
        content_type,
        ..Visit::default()
    };
    page_result(request, &watch, visit, reading.ok(), judgement)
}

/// What the cache knows of a request. A flight is held by the one that fetches for others.
enum Known {
    Fresh(CachedPage),
    Stale(CachedPage, Option<Flight>),
    Nothing(Option<Flight>),
}

async fn look_up(rooms: &Rooms, request: &ScrapeRequest, key: CacheKey, watch: &Watch) -> Known {
    if !page_cache::serves(request) {
        return Known::Nothing(None);
    }
    let mut found = cached(rooms, key).await;
    if let Some(fresh) = found.take_if(|page| page_cache::is_fresh(page, request, watch.now)) {
        return Known::Fresh(fresh);
    }
    let mut flight = None;
    if !request.cache.max_age.is_zero() {
        flight = rooms
            .flights
            .board(key, watch.started + request.fetch.timeout)
            .await;
        if flight.is_none() {
            found = cached(rooms, key).await;
        }
    }
    match found {
        Some(page) if page_cache::is_fresh(&page, request, watch.now) => Known::Fresh(page),
        Some(page) if page_cache::has_validators(&page.validators) => Known::Stale(page, flight),
        _ => Known::Nothing(flight),
    }
}

async fn cached(rooms: &Rooms, key: CacheKey) -> Option<CachedPage> {
    match rooms.store.cached(key).await {
        Ok(found) => found,
        Err(error) => {
            tracing::warn!(%error, "the page cache was not read");
            None
        }
    }
}

async fn confirm(rooms: &Rooms, key: CacheKey, cached: &CachedPage, now: Timestamp) {
    if let Err(error) = patiently(rooms.store.confirm(key, cached, now)).await {
        tracing::warn!(%error, "a cached page was not confirmed");
    }
}

async fn read(
    rooms: &Rooms,
    request: &ScrapeRequest,
    fetched: &Fetched,
    deadline: Instant,
) -> Option<Result<Page, ReadFailure>> {
    if !Evidence::of(fetched).is_readable() {
        return None;
    }
    let document = RawDocument {
        body: fetched.body.clone(),
        content_type: content_type(&fetched.headers),
        url: fetched.final_url.clone(),
    };
    Some(read_raw(rooms, request, document, deadline).await)
}

pub(crate) async fn read_raw(
    rooms: &Rooms,
    request: &ScrapeRequest,
    document: RawDocument,
    deadline: Instant,
) -> Result<Page, ReadFailure> {
    let options = plan::read_options(request).map_err(ReadFailure::Options)?;
    rooms.reader.read(document, options, deadline).await
}

/// Commits the page before it is answered. A page that cannot be kept is answered all the same,
/// with a warning.
async fn keep(rooms: &Rooms, page: PageResult, keepsake: Keepsake) -> PageResult {
    let page = Arc::new(page);
    let kept = patiently(rooms.store.keep(Keep {
        page: page.clone(),
        body: keepsake.body,
        blobs: keepsake.blobs,
        cache: keepsake.cache,
    }))
    .await;
    let mut result = Arc::unwrap_or_clone(page);
    if let Err(error) = kept {
        tracing::error!(%error, page.id = result.id, "a page was not kept");
        let why = error::of_store(&error);
        let warning = format!("The page was not kept, so its id opens nothing: {why}.");
        result.warnings.push(warning);
    }
    result
}

async fn patiently(work: impl Future<Output = Result<(), StoreError>>) -> Result<(), StoreError> {
    match timeout(KEEP_PATIENCE, work).await {
        Ok(result) => result,
        Err(_) => Err(StoreError::Busy),
    }
}

/// Each time, so that the log answers who looked away and when.
fn log_unsafe_choices(rooms: &Rooms, request: &ScrapeRequest) {
    let host = request.url.host_str().unwrap_or_default();
    if !request.fetch.verify_ssl {
        tracing::warn!(url.host = host, "unsafe: certificates are not verified");
    }
    if !request.fetch.respect_robots {
        tracing::warn!(url.host = host, "unsafe: robots.txt is not respected");
    }
    if rooms.config.allows_private_targets {
        tracing::warn!(url.host = host, "unsafe: private targets are allowed");
    }
}
