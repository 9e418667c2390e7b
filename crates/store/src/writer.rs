//! The one writer: takes changes from a bounded queue and commits them in batches, as many as are
//! waiting. Whoever sent a change is told after its commit. A change that fails alone does not
//! take the others of its batch with it.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use sqlx::{SqliteConnection, SqlitePool};
use tokio::sync::{mpsc, oneshot};
use trawls_contract::RequestRecord;

use crate::{
    StoreError,
    cache::CacheRow,
    condition::Condition,
    host_rungs::HostRung,
    jobs::{JobAnswer, JobChange},
    maps::MapRow,
    pages,
    pages::PageRow,
    requests,
};

/// Changes that may wait; a sender beyond that waits too.
const QUEUE: usize = 256;
/// Changes in one transaction. At 500 pages a second a batch of this size is a quarter second of
/// work, far more than ever waits.
const BATCH: usize = 128;
/// Pages of the file that one sweep gives back to the file system.
const VACUUM: &str = "PRAGMA incremental_vacuum(2000)";

/// Something to write.
#[derive(Debug)]
pub(crate) enum Change {
    /// A page, and the cache entry that points to it.
    Keep(Box<PageRow>, Option<Arc<CacheRow>>),
    /// A cached page was found unchanged.
    Confirm(Arc<CacheRow>),
    /// A call of the API.
    Log(Box<RequestRecord>),
    /// Remove what is older than `before` (milliseconds), at most `limit` rows of each kind.
    Sweep { before: i64, limit: i64 },
    /// A map, for its next pieces.
    KeepMap(Box<MapRow>),
    /// The rung that a host needs.
    RememberRung(Box<HostRung>),
    /// A transition of a job.
    Job(JobChange),
    /// Write nothing, but prove that writing works.
    Probe,
}

/// What a change did.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// Ids of removed pages.
    pub(crate) removed_pages: Vec<String>,
    /// Number of removed request records.
    pub(crate) removed_requests: u64,
    /// What a transition of a job answers.
    pub(crate) job: JobAnswer,
    new_pages: i64,
}

type Answer = oneshot::Sender<Result<Written, StoreError>>;

struct Order {
    change: Change,
    answer: Option<Answer>,
}

/// The sending end.
#[derive(Debug, Clone)]
pub(crate) struct Writer {
    orders: mpsc::Sender<Order>,
    condition: Arc<Mutex<Condition>>,
}

impl Writer {
    /// The writer and its task, which ends when every `Writer` is gone and all is committed.
    pub(crate) fn start(pool: SqlitePool) -> (Self, tokio::task::JoinHandle<()>) {
        let (orders, queue) = mpsc::channel(QUEUE);
        let condition = Arc::default();
        let work = work(pool, queue, Arc::clone(&condition));
        (Self { orders, condition }, tokio::spawn(work))
    }

    /// Proves that writing works; with a write only if the last ones say nothing.
    pub(crate) async fn check(&self) -> Result<(), StoreError> {
        let known = lock(&self.condition).known(Instant::now());
        match known {
            Some(known) => known,
            None => self.write(Change::Probe).await.map(drop),
        }
    }

    /// Returns after the commit.
    pub(crate) async fn write(&self, change: Change) -> Result<Written, StoreError> {
        let (answer, written) = oneshot::channel();
        let order = Order {
            change,
            answer: Some(answer),
        };
        let sent = self.orders.send(order).await;
        sent.map_err(|_| StoreError::Closed)?;
        written.await.map_err(|_| StoreError::Closed)?
    }

    /// Returns when the change is queued; a failure is logged by the writer.
    pub(crate) async fn post(&self, change: Change) -> Result<(), StoreError> {
        let order = Order {
            change,
            answer: None,
        };
        let sent = self.orders.send(order).await;
        sent.map_err(|_| StoreError::Closed)
    }
}

async fn work(
    pool: SqlitePool,
    mut queue: mpsc::Receiver<Order>,
    condition: Arc<Mutex<Condition>>,
) {
    let mut batch = Vec::with_capacity(BATCH);
    while queue.recv_many(&mut batch, BATCH).await > 0 {
        let changes: Vec<&Change> = batch.iter().map(|order| &order.change).collect();
        let results: Vec<_> = match commit(&pool, &changes).await {
            Ok(written) => written.into_iter().map(Ok).collect(),
            Err(error) if batch.len() == 1 => vec![Err(error)],
            Err(_) => commit_one_by_one(&pool, &changes).await,
        };
        for (order, result) in batch.drain(..).zip(results) {
            lock(&condition).note(&result, Instant::now());
            match order.answer {
                // The asker may have gone; the change is committed all the same.
                Some(answer) => drop(answer.send(result)),
                None => {
                    if let Err(error) = result {
                        tracing::warn!(%error, "a request record was not written");
                    }
                }
            }
        }
    }
}

/// What a panic would leave behind is as good as before.
fn lock(condition: &Mutex<Condition>) -> MutexGuard<'_, Condition> {
    condition.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn commit_one_by_one(
    pool: &SqlitePool,
    changes: &[&Change],
) -> Vec<Result<Written, StoreError>> {
    let mut results = Vec::with_capacity(changes.len());
    for change in changes {
        let result = commit(pool, &[*change]).await;
        results.push(result.map(|mut written| written.pop().unwrap_or_default()));
    }
    results
}

/// All of them or none. The transaction is spelled out: when the disk is full SQLite rolls back by
/// itself, and sqlx's `Transaction` would then count one too many and refuse all later ones.
async fn commit(pool: &SqlitePool, changes: &[&Change]) -> Result<Vec<Written>, StoreError> {
    let mut db = pool.acquire().await?;
    sqlx::query("BEGIN IMMEDIATE").execute(&mut *db).await?;
    let written = match apply_all(&mut db, changes).await {
        Ok(written) => written,
        Err(error) => {
            // Fails when SQLite was faster, and then nothing is left to roll back.
            let _already = sqlx::query("ROLLBACK").execute(&mut *db).await;
            return Err(error);
        }
    };
    if written.iter().any(|one| !one.removed_pages.is_empty())
        && let Err(error) = sqlx::query(VACUUM).execute(&mut *db).await
    {
        tracing::warn!(%error, "freed space was not given back");
    }
    Ok(written)
}

async fn apply_all(
    db: &mut SqliteConnection,
    changes: &[&Change],
) -> Result<Vec<Written>, StoreError> {
    let mut written = Vec::with_capacity(changes.len());
    for change in changes {
        written.push(apply(db, change).await?);
    }
    let delta: i64 = written.iter().map(|one| one.new_pages).sum();
    if delta != 0 {
        pages::count(db, delta).await?;
    }
    sqlx::query("COMMIT").execute(db).await?;
    Ok(written)
}

async fn apply(db: &mut SqliteConnection, change: &Change) -> Result<Written, StoreError> {
    let mut written = Written::default();
    match change {
        Change::Keep(page, entry) => {
            page.insert(db, None).await?;
            if let Some(entry) = entry {
                entry.upsert(db).await?;
            }
            written.new_pages = 1;
        }
        Change::Confirm(entry) => entry.confirm(db).await?,
        Change::Log(record) => requests::insert(db, record).await?,
        Change::KeepMap(map) => map.insert(db).await?,
        Change::RememberRung(host) => host.upsert(db).await?,
        Change::Sweep { before, limit } => {
            written.removed_pages = pages::sweep(db, *before, *limit).await?;
            written.removed_requests = requests::sweep(db, *before, *limit).await?;
            written.new_pages = -i64::try_from(written.removed_pages.len()).unwrap_or(i64::MAX);
        }
        Change::Job(change) => (written.job, written.new_pages) = change.apply(db).await?,
        Change::Probe => pages::count(db, 0).await?,
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::Database;

    async fn writer_with(pragma: &'static str) -> Writer {
        let database = Database::open_in_memory().await.unwrap();
        sqlx::query(pragma).execute(&database.writer).await.unwrap();
        Writer::start(database.writer).0
    }

    fn record(path: String) -> Change {
        Change::Log(Box::new(RequestRecord {
            id: uuid::Uuid::new_v4().to_string(),
            received_at: jiff::Timestamp::UNIX_EPOCH,
            method: "GET".into(),
            path,
            status: 200,
            duration_ms: 1,
            key_label: None,
            code: None,
        }))
    }

    #[tokio::test]
    async fn a_full_disk_is_a_typed_error_and_what_fits_is_still_written() {
        let writer = writer_with("PRAGMA max_page_count = 40").await;
        let large = writer.write(record("x".repeat(1_000_000))).await;
        assert_eq!(large.unwrap_err(), StoreError::Full);
        writer.write(record("small".into())).await.unwrap();
        assert_eq!(writer.check().await.unwrap_err(), StoreError::Full);
    }

    #[tokio::test]
    async fn a_read_only_database_is_a_typed_error() {
        let writer = writer_with("PRAGMA query_only = 1").await;
        let refused = writer.write(Change::Probe).await;
        assert_eq!(refused.unwrap_err(), StoreError::ReadOnly);
    }
}
