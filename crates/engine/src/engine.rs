//! The rooms behind one handle.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use jiff::Timestamp;
use tokio::{
    sync::watch,
    task::AbortHandle,
    time::{Instant, timeout},
};
use trawls_content::Selector;
use trawls_contract::{
    InvalidOption, PageResult, PartState, Readiness, RequestRecord, ScrapeOptions, ScrapeRequest,
    SystemInfo,
};
use trawls_fetch::Fetcher;
use trawls_store::{Blob, Store};
use url::Url;

use crate::{
    EngineError, error, flights::Flights, jobs::Worker, reader::Reader, scrape, signs::Signs,
    sweep, system, webhooks,
};

/// How long `close` waits for the browser, and for the last commits.
const CLOSE_PATIENCE: Duration = Duration::from_secs(10);
/// How long `ready` waits for a probing write.
const PROBE_PATIENCE: Duration = Duration::from_secs(2);

/// What the operator decided.
#[derive(Debug, Clone)]
pub struct EngineConfig {
    /// Version of the binary, for `system`.
    pub version: String,
    /// How long results are kept.
    pub result_ttl: Duration,
    /// Pages read at once; the number of cores.
    pub reading_threads: usize,
    /// Ceiling of a decoded body.
    pub max_body_bytes: usize,
    /// Whether this process does jobs and sweeps; otherwise another one on the same store does.
    pub works: bool,
    /// Pages of one job at once, if the job does not say.
    pub pages_per_job: usize,
    /// Whether the fetcher may reach private addresses; logged with each page.
    pub allows_private_targets: bool,
    /// The address that callers use, if it is known: results name their blobs with it.
    pub public_url: Option<Url>,
}

/// Scrapes pages and answers for them. Cheap to clone.
#[derive(Clone)]
pub struct Engine(Arc<Inner>);

struct Inner {
    rooms: Arc<Rooms>,
    started: Instant,
    running: AtomicU64,
    work: Option<Work>,
    /// The one job that this process does, when it does no others.
    errand: OnceLock<Worker>,
}

/// What this process does while nobody waits for it.
struct Work {
    worker: Worker,
    webhooks: AbortHandle,
    sweeper: AbortHandle,
}

/// What the corridor walks through.
pub(crate) struct Rooms {
    pub(crate) fetcher: Arc<Fetcher>,
    pub(crate) reader: Reader,
    pub(crate) store: Store,
    pub(crate) flights: Flights,
    pub(crate) signs: Signs,
    /// True when this process stops.
    pub(crate) stops: watch::Sender<bool>,
    pub(crate) config: EngineConfig,
}

impl Engine {
    /// Takes over the store, and does its jobs if it is to work. Needs a running tokio runtime.
    pub fn new(fetcher: Arc<Fetcher>, store: Store, config: EngineConfig) -> Self {
        let rooms = Arc::new(Rooms {
            fetcher,
            reader: Reader::new(config.reading_threads),
            store,
            flights: Flights::default(),
            signs: Signs::default(),
            stops: watch::Sender::new(false),
            config,
        });
        let work = rooms.config.works.then(|| Work {
            worker: Worker::start(Arc::clone(&rooms), None),
            webhooks: webhooks::start(Arc::clone(&rooms)).abort_handle(),
            sweeper: sweep::start(rooms.store.clone(), rooms.config.result_ttl).abort_handle(),
        });
        Self(Arc::new(Inner {
            rooms,
            started: Instant::now(),
            running: AtomicU64::new(0),
            work,
            errand: OnceLock::new(),
        }))
    }

    pub(crate) fn rooms(&self) -> &Arc<Rooms> {
        &self.0.rooms
    }

    /// Understands a URL and options.
    ///
    /// # Errors
    /// The first mistake, naming its field.
    pub fn admit(&self, url: &str, options: ScrapeOptions) -> Result<ScrapeRequest, InvalidOption> {
        ScrapeRequest::parse(url, options, |css| Selector::parse(css).map(drop))
    }

    /// One page. Whatever goes wrong is in the result. When this returns, the page is committed
    /// to the store, or a warning says that it is not.
    pub async fn scrape(&self, request: &ScrapeRequest) -> PageResult {
        self.scrape_at(request, Timestamp::now()).await
    }

    pub(crate) async fn scrape_at(&self, request: &ScrapeRequest, now: Timestamp) -> PageResult {
        let _running = Running::enter(&self.0.running);
        scrape::scrape(&self.0.rooms, request, now).await
    }

    /// A document that the caller already has: no network, and nothing is kept.
    pub async fn read(
        &self,
        body: Bytes,
        content_type: Option<String>,
        request: &ScrapeRequest,
    ) -> PageResult {
        let _running = Running::enter(&self.0.running);
        scrape::read_document(&self.0.rooms, body, content_type, request).await
    }

    /// A kept page.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn page(&self, id: &str) -> Result<Option<Arc<PageResult>>, EngineError> {
        Ok(self.0.rooms.store.page(id).await?)
    }

    /// A kept blob.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn blob(&self, id: &str) -> Result<Option<Blob>, EngineError> {
        Ok(self.0.rooms.store.blob(id).await?)
    }

    /// State of the whole process. A store that does not answer counts as empty.
    pub async fn system(&self) -> SystemInfo {
        let rooms = &self.0.rooms;
        let figures = rooms.store.figures().await;
        if let Err(error) = &figures {
            tracing::warn!(%error, "the database's figures were not read");
        }
        SystemInfo {
            version: rooms.config.version.clone(),
            uptime_s: self.0.started.elapsed().as_secs(),
            rss_bytes: system::rss_bytes().await,
            browser: system::browser(rooms.fetcher.browser()),
            pages_running: self.0.running.load(Ordering::Relaxed),
            pages_stored: figures.as_ref().map_or(0, |figures| figures.pages),
            database_bytes: figures.as_ref().map_or(0, |figures| figures.database_bytes),
            breakers_open: rooms.fetcher.open_breakers(),
        }
    }

    /// Can this process do its work? Proves it with a write.
    pub async fn ready(&self) -> Readiness {
        let check = self.0.rooms.store.check();
        let database = match timeout(PROBE_PATIENCE, check).await {
            Ok(Ok(())) => part(true, "takes writes"),
            Ok(Err(error)) => {
                tracing::error!(%error, "the database takes no writes");
                part(false, &error::of_store(&error))
            }
            Err(_) => part(false, "does not answer"),
        };
        Readiness {
            ready: database.ok,
            database,
            browser: system::browser(self.0.rooms.fetcher.browser()),
            worker: match &self.0.work {
                Some(_) => part(true, "works in this process"),
                None => part(true, "left to another process"),
            },
        }
    }

    /// Adds a call to the request log; losing one is no failure of the call.
    pub async fn record_request(&self, record: RequestRecord) {
        if let Err(error) = self.0.rooms.store.record_request(record).await {
            tracing::warn!(%error, "a request record was not written");
        }
    }

    /// The latest calls, newest first.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn requests(&self, limit: u32) -> Result<Vec<RequestRecord>, EngineError> {
        Ok(self.0.rooms.store.requests(limit).await?)
    }

    /// Says that this process stops: no new job or page is begun, and whoever follows a job is
    /// let go.
    pub fn announce_stop(&self) {
        self.rooms().stops.send_replace(true);
    }

    /// Does one job in this process, when it does no others. The first one that is named.
    pub fn work_on(&self, id: &str) {
        let start = || Worker::start(Arc::clone(self.rooms()), Some(id.to_owned()));
        self.0.errand.get_or_init(start);
    }

    /// Waits until running pages have ended, within bounds, and the jobs are given back.
    pub async fn stop_working(&self) {
        self.announce_stop();
        if let Some(work) = &self.0.work {
            work.worker.ended().await;
        }
        if let Some(errand) = self.0.errand.get() {
            errand.ended().await;
        }
    }

    /// Ends the browser, commits what is queued and closes the database, within bounds. Call it when no page runs.
    pub async fn close(&self) {
        self.stop_working().await;
        if let Some(work) = &self.0.work {
            work.webhooks.abort();
            work.sweeper.abort();
        }
        let rooms = &self.0.rooms;
        if timeout(CLOSE_PATIENCE, rooms.fetcher.close())
            .await
            .is_err()
        {
            tracing::error!("the browser did not close in time");
        }
        if timeout(CLOSE_PATIENCE, rooms.store.close()).await.is_err() {
            tracing::error!("the database did not close in time");
        }
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.webhooks.abort();
        self.sweeper.abort();
    }
}

fn part(ok: bool, detail: &str) -> PartState {
    PartState {
        ok,
        detail: detail.into(),
    }
}

/// Counts a page while it runs, however it ends.
struct Running<'a>(&'a AtomicU64);

impl<'a> Running<'a> {
    fn enter(counter: &'a AtomicU64) -> Self {
        counter.fetch_add(1, Ordering::Relaxed);
        Self(counter)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
