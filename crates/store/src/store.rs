//! The narrow door to all that is kept.

use std::{
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use jiff::Timestamp;
use tokio::task::JoinHandle;
use trawls_contract::{PageResult, RequestRecord};

use crate::{
    Blob, CacheKey, CachedPage, Figures, RawBody, StoreError, Validators,
    cache::{self, CacheRow},
    codec,
    database::Database,
    hot::Hot,
    jobs::Silence,
    pages::{self, PageRow},
    requests,
    writer::{Change, Writer},
};

/// Rows of each kind that one step of a sweep removes; small, so that pages can be kept between
/// two steps.
const SWEEP_STEP: i64 = 500;

/// Pages, page cache and request log in one database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    pub(crate) database: Database,
    pub(crate) hot: Hot,
    /// Of those who hold jobs, and of those who hold webhooks.
    pub(crate) silence: Arc<[Mutex<Silence>; 2]>,
    /// Where the database file is; `None` in memory.
    folder: Option<Arc<Path>>,
    /// Taken by `close`; the writer's task ends when the last sender is gone.
    writer: Arc<Mutex<Running>>,
}

/// The writer and its task, until they are taken.
type Running = Option<(Writer, JoinHandle<()>)>;

/// A page to keep.
#[derive(Debug)]
pub struct Keep {
    /// The result, as it will be shown again.
    pub page: Arc<PageResult>,
    /// The bytes it was read from.
    pub body: Option<RawBody>,
    /// What a browser made of it.
    pub blobs: Vec<Blob>,
    /// Answer later requests of this key with it.
    pub cache: Option<(CacheKey, Validators)>,
}

impl Store {
    /// Opens the database file, creates it if it is missing, and migrates it forward.
    ///
    /// # Errors
    /// `Open` when that is impossible, `ReadOnly` or `Full` when a migration cannot be written.
    pub async fn open(path: &Path) -> Result<Self, StoreError> {
        let folder = path.parent().unwrap_or(Path::new(".")).into();
        Ok(Self::on(Database::open(path).await?, Some(folder)))
    }

    /// A store that is gone when it is dropped.
    ///
    /// # Errors
    /// `Open` when there is no memory for it.
    pub async fn open_in_memory() -> Result<Self, StoreError> {
        Ok(Self::on(Database::open_in_memory().await?, None))
    }

    fn on(database: Database, folder: Option<Arc<Path>>) -> Self {
        let writer = Writer::start(database.writer.clone());
        Self {
            database,
            folder,
            hot: Hot::new(),
            silence: Arc::default(),
            writer: Arc::new(Mutex::new(Some(writer))),
        }
    }

    /// Keeps a page. When this returns `Ok`, the page is committed.
    ///
    /// # Errors
    /// The page is not kept.
    pub async fn keep(&self, keep: Keep) -> Result<(), StoreError> {
        let Keep {
            page,
            body,
            blobs,
            cache,
        } = keep;
        let size = codec::size_hint(&page) + body.as_ref().map_or(0, |body| body.bytes.len());
        let packing = page.clone();
        let row = codec::run(size, move || PageRow::pack(&packing, body.as_ref(), blobs)).await?;
        let json_bytes = row.plain_bytes;
        let entry = cache.map(|(key, validators)| Arc::new(CacheRow::of(&page, key, validators)));
        let change = Change::Keep(Box::new(row), entry.clone());
        self.writer()?.write(change).await?;
        self.hot.put_page(page, json_bytes);
        if let Some(entry) = entry {
            self.hot.put_entry(entry);
        }
        Ok(())
    }

    /// A kept page.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn page(&self, id: &str) -> Result<Option<Arc<PageResult>>, StoreError> {
        if let Some(page) = self.hot.page(id) {
            return Ok(Some(page));
        }
        let Some(packed) = pages::find(&self.database.readers, id).await? else {
            return Ok(None);
        };
        let size = packed.len().saturating_mul(4);
        let (page, json_bytes) = codec::run(size, move || codec::unpack_page(&packed)).await?;
        let page = Arc::new(page);
        self.hot.put_page(page.clone(), json_bytes);
        Ok(Some(page))
    }

    /// The bytes a page was read from.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn body(&self, id: &str) -> Result<Option<RawBody>, StoreError> {
        let Some((content_type, packed)) = pages::find_body(&self.database.readers, id).await?
        else {
            return Ok(None);
        };
        let size = packed.len().saturating_mul(4);
        let bytes = codec::run(size, move || codec::unpack(&packed)).await?;
        Ok(Some(RawBody {
            bytes: Bytes::from(bytes),
            content_type,
        }))
    }

    /// The page that answers a key, however old.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn cached(&self, key: CacheKey) -> Result<Option<CachedPage>, StoreError> {
        let row = match self.hot.entry(key) {
            Some(row) => row,
            None => match cache::find(&self.database.readers, key).await? {
                Some(row) => Arc::new(row),
                None => return Ok(None),
            },
        };
        let Some(page) = self.page(&row.page_id).await? else {
            self.hot.remove_entry(key);
            return Ok(None);
        };
        self.hot.put_entry(row.clone());
        Ok(Some(CachedPage {
            page,
            confirmed_at: row.confirmed_at,
            validators: row.validators.clone(),
        }))
    }

    /// The server says that the cached page is still the page: it lives on as of `now`.
    ///
    /// # Errors
    /// The confirmation is not kept; the entry stays as it was.
    pub async fn confirm(
        &self,
        key: CacheKey,
        cached: &CachedPage,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let row = Arc::new(CacheRow {
            key,
            page_id: cached.page.id.clone(),
            confirmed_at: now,
            validators: cached.validators.clone(),
        });
        self.writer()?.write(Change::Confirm(row.clone())).await?;
        self.hot.put_entry(row);
        Ok(())
    }

    /// Queues a record of the request log; waits only when the queue is full.
    ///
    /// # Errors
    /// The store is closed.
    pub async fn record_request(&self, record: RequestRecord) -> Result<(), StoreError> {
        self.writer()?.post(Change::Log(Box::new(record))).await
    }

    /// The latest calls, newest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn requests(&self, limit: u32) -> Result<Vec<RequestRecord>, StoreError> {
        requests::latest(&self.database.readers, limit).await
    }

    /// One step of a sweep: removes some of the rows from before `before`. Returns whether more
    /// may be left.
    ///
    /// # Errors
    /// Nothing was removed.
    pub async fn sweep(&self, before: Timestamp) -> Result<bool, StoreError> {
        let change = Change::Sweep {
            before: before.as_millisecond(),
            limit: SWEEP_STEP,
        };
        let written = self.writer()?.write(change).await?;
        for id in &written.removed_pages {
            self.hot.remove_page(id);
        }
        let most = written
            .removed_requests
            .max(written.removed_pages.len() as u64);
        Ok(most >= SWEEP_STEP.unsigned_abs())
    }

    /// Sizes; cheap at any size of the database.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn figures(&self) -> Result<Figures, StoreError> {
        self.database.figures().await
    }

    /// Proves that writes can be committed: by one of the last, or by one that changes nothing.
    ///
    /// # Errors
    /// Why it cannot.
    pub async fn check(&self) -> Result<(), StoreError> {
        self.writer()?.check().await
    }

    /// Commits what is queued and closes the file. Later calls answer `Closed`.
    pub async fn close(&self) {
        let taken = self.lock().take();
        if let Some((writer, task)) = taken {
            drop(writer);
            if let Err(error) = task.await {
                tracing::error!(%error, "the writer ended badly");
            }
        }
        self.database.close().await;
    }

    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    pub(crate) fn writer(&self) -> Result<Writer, StoreError> {
        match self.lock().as_ref() {
            Some((writer, _)) => Ok(writer.clone()),
            None => Err(StoreError::Closed),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Running> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
