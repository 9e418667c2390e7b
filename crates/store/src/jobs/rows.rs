//! The rows of jobs: making, claiming, renewing, ending, removing.

use jiff::Timestamp;
use sqlx::{FromRow, QueryBuilder, Row, Sqlite, SqliteConnection, SqlitePool, sqlite::SqliteRow};
use trawls_contract::{Job, JobCounts, JobKind, JobStatus, List, Outcome};

use super::{
    change::{Claim, Finish, Lease},
    frontier::{self, NewEntry},
    hooks,
    silence::Held,
};
use crate::{StoreError, codec, pages};

/// How long an idempotency key is remembered: a day.
const IDEMPOTENCY_MS: i64 = 86_400_000;

/// A job to be made.
#[derive(Debug)]
pub(crate) struct NewJob {
    pub(crate) id: String,
    pub(crate) kind: JobKind,
    pub(crate) url: String,
    pub(crate) now: i64,
    /// The body of the call, packed.
    pub(crate) request: Vec<u8>,
    pub(crate) entries: Vec<NewEntry>,
    pub(crate) has_webhook: bool,
    /// Hashes of the idempotency key and of the body.
    pub(crate) idempotency: Option<(Vec<u8>, Vec<u8>)>,
}

/// A job as its worker takes it.
#[derive(Debug)]
pub(crate) struct ClaimedJob {
    pub(crate) number: i64,
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) request: Vec<u8>,
    pub(crate) counts: String,
    pub(crate) last_page: i64,
    pub(crate) worked_ms: i64,
    pub(crate) budget_from_ms: i64,
    pub(crate) reread_until: Option<i64>,
    pub(crate) ended_as: Option<String>,
}

impl NewJob {
    /// Its number, or that of the job that its idempotency key made.
    pub(super) async fn insert(&self, db: &mut SqliteConnection) -> Result<i64, StoreError> {
        if let Some((key, body)) = &self.idempotency {
            sqlx::query("DELETE FROM idempotency_keys WHERE used_at < ?")
                .bind(self.now.saturating_sub(IDEMPOTENCY_MS))
                .execute(&mut *db)
                .await?;
            let used: Option<(i64, Vec<u8>)> =
                sqlx::query_as("SELECT job, body FROM idempotency_keys WHERE idempotency_key = ?")
                    .bind(key)
                    .fetch_optional(&mut *db)
                    .await?;
            match used {
                Some((job, used_for)) if used_for == *body => return Ok(job),
                Some(_) => return Err(StoreError::KeyReused),
                None => {}
            }
        }
        let number: i64 = sqlx::query_scalar(
            "INSERT INTO jobs (id, kind, status, url, created_at, request, counts) \
             VALUES (?, ?, 'queued', ?, ?, ?, ?) RETURNING number",
        )
        .bind(&self.id)
        .bind(self.kind.as_str())
        .bind(&self.url)
        .bind(self.now)
        .bind(&self.request)
        .bind(format!("{{\"total\":{}}}", self.entries.len()))
        .fetch_one(&mut *db)
        .await?;
        frontier::insert(db, number, &self.entries).await?;
        if self.has_webhook {
            hooks::insert(db, number).await?;
        }
        if let Some((key, body)) = &self.idempotency {
            sqlx::query(
                "INSERT INTO idempotency_keys (idempotency_key, body, job, used_at) \
                 VALUES (?, ?, ?, ?)",
            )
            .bind(key)
            .bind(body)
            .bind(number)
            .bind(self.now)
            .execute(db)
            .await?;
        }
        Ok(number)
    }
}

impl FromRow<'_, SqliteRow> for ClaimedJob {
    fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        Ok(Self {
            number: row.try_get("number")?,
            id: row.try_get("id")?,
            kind: row.try_get("kind")?,
            request: row.try_get("request")?,
            counts: row.try_get("counts")?,
            last_page: row.try_get("last_page")?,
            worked_ms: row.try_get("worked_ms")?,
            budget_from_ms: row.try_get("budget_from_ms")?,
            reread_until: row.try_get("reread_until")?,
            ended_as: row.try_get("ended_as")?,
        })
    }
}

/// The oldest job that waits, or whose owner is dead or silent.
pub(super) async fn claim(
    db: &mut SqliteConnection,
    claim: &Claim,
) -> Result<Option<Box<ClaimedJob>>, StoreError> {
    let mut query =
        QueryBuilder::new("UPDATE jobs SET status = 'running', started_at = coalesce(started_at, ");
    query.push_bind(claim.now);
    query.push("), owner = ").push_bind(&claim.owner);
    query.push(", alive_at = ").push_bind(claim.now);
    query.push(
        " WHERE number = (SELECT number FROM jobs WHERE (status = 'queued' \
         OR (status = 'running' AND ",
    );
    claim.push_orphaned(&mut query, "number, owner, alive_at");
    query.push("))");
    if let Some(only) = &claim.only {
        query.push(" AND id = ").push_bind(only);
    }
    query.push(
        " ORDER BY number LIMIT 1) \
         RETURNING number, id, kind, request, counts, last_page, worked_ms, budget_from_ms, \
         reread_until, ended_as",
    );
    let claimed = query.build_query_as().fetch_optional(db).await?;
    Ok(claimed.map(Box::new))
}

/// Proves that the job is the lease's, and gives a sign of life; with new counts and the number of the last
/// page if there are some. Returns whether somebody asked for the job to be stopped.
pub(super) async fn renew(
    db: &mut SqliteConnection,
    lease: &Lease,
    counts: Option<(&str, u64)>,
) -> Result<bool, StoreError> {
    let (counts, last_page) = counts.unzip();
    let last_page = last_page.map(|number| i64::try_from(number).unwrap_or(i64::MAX));
    let cancelling: Option<i64> = sqlx::query_scalar(
        "UPDATE jobs SET alive_at = ?, worked_ms = ?, counts = coalesce(?, counts), \
         last_page = coalesce(?, last_page) \
         WHERE number = ? AND owner = ? AND status = 'running' RETURNING cancelling",
    )
    .bind(lease.alive_at)
    .bind(lease.worked_ms)
    .bind(counts)
    .bind(last_page)
    .bind(lease.job)
    .bind(&lease.owner)
    .fetch_optional(db)
    .await?;
    cancelling
        .map(|asked| asked != 0)
        .ok_or(StoreError::LeaseLost)
}

pub(super) async fn finish(db: &mut SqliteConnection, finish: &Finish) -> Result<(), StoreError> {
    let ended = sqlx::query(
        "UPDATE jobs SET status = ?, error = coalesce(?, error), finished_at = ?, worked_ms = ?, \
         cancelling = 0, owner = NULL, alive_at = NULL, reread_until = NULL, ended_as = NULL \
         WHERE number = ? AND owner = ? AND status = 'running'",
    )
    .bind(finish.status.as_str())
    .bind(&finish.error)
    .bind(finish.now)
    .bind(finish.lease.worked_ms)
    .bind(finish.lease.job)
    .bind(&finish.lease.owner)
    .execute(db)
    .await?;
    match ended.rows_affected() {
        0 => Err(StoreError::LeaseLost),
        _ => Ok(()),
    }
}

pub(super) async fn release(db: &mut SqliteConnection, lease: &Lease) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE jobs SET status = 'queued', worked_ms = ?, owner = NULL, alive_at = NULL \
         WHERE number = ? AND owner = ? AND status = 'running'",
    )
    .bind(lease.worked_ms)
    .bind(lease.job)
    .bind(&lease.owner)
    .execute(db)
    .await?;
    Ok(())
}

/// A job that waits ends now; one that runs is ended by its owner.
pub(super) async fn cancel(
    db: &mut SqliteConnection,
    job: i64,
    now: i64,
) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE jobs SET cancelling = (status = 'running'), \
         reread_until = CASE status WHEN 'queued' THEN NULL ELSE reread_until END, \
         ended_as = CASE status WHEN 'queued' THEN NULL ELSE ended_as END, \
         finished_at = CASE status WHEN 'queued' THEN ? END, \
         status = CASE status WHEN 'queued' THEN coalesce(ended_as, 'cancelled') ELSE status END \
         WHERE number = ? AND status IN ('queued', 'running')",
    )
    .bind(now)
    .bind(job)
    .execute(db)
    .await?;
    Ok(())
}

/// Takes the failed and empty pages out of an ended job, and queues it again to do them, if there
/// are any. One that failed itself is queued in any case: it could not go on, so it goes on now; of
/// any other the entries that it left over stay undone. Returns the ids of removed pages.
pub(super) async fn retry(db: &mut SqliteConnection, job: i64) -> Result<Vec<String>, StoreError> {
    let (status, counts) = ended_job(db, job).await?;
    let mut counts: JobCounts = serde_json::from_str(&counts).unwrap_or_default();
    let again: Vec<(i64, String, String, Option<String>, i64)> = sqlx::query_as(
        "DELETE FROM job_pages WHERE job = ? AND outcome IN (?, ?) \
         RETURNING entry, page_id, outcome, code, bytes",
    )
    .bind(job)
    .bind(Outcome::Failed.as_str())
    .bind(Outcome::Empty.as_str())
    .fetch_all(&mut *db)
    .await?;
    let goes_on = status == JobStatus::Failed;
    if again.is_empty() && !goes_on {
        return Ok(Vec::new());
    }
    if !goes_on {
        frontier::leave(db, job).await?;
    }
    let mut removed = Vec::with_capacity(again.len());
    for (entry, page, outcome, code, bytes) in again {
        counts.remove(codec::from_name(&outcome)?, code.as_deref(), None);
        counts.bytes = counts.bytes.saturating_sub(bytes.unsigned_abs());
        pages::remove(db, &page).await?;
        frontier::mark(db, (job, entry), false).await?;
        removed.push(page);
    }
    counts.total = counts.done + frontier::waiting(db, job).await?;
    sqlx::query(
        "UPDATE jobs SET status = 'queued', finished_at = NULL, error = NULL, counts = ?, \
         budget_from_ms = worked_ms WHERE number = ?",
    )
    .bind(serde_json::to_string(&counts).unwrap_or_default())
    .bind(job)
    .execute(&mut *db)
    .await?;
    hooks::reopen(db, job).await?;
    Ok(removed)
}

/// Removes up to `limit` pages of an ended job, and the job when none is left. Returns the ids of
/// removed pages.
pub(super) async fn erase(
    db: &mut SqliteConnection,
    job: i64,
    limit: i64,
) -> Result<Vec<String>, StoreError> {
    ended_job(db, job).await?;
    let removed: Vec<String> = sqlx::query_scalar(
        "DELETE FROM job_pages WHERE job = ? AND number IN \
         (SELECT number FROM job_pages WHERE job = ? ORDER BY number LIMIT ?) RETURNING page_id",
    )
    .bind(job)
    .bind(job)
    .bind(limit)
    .fetch_all(&mut *db)
    .await?;
    for page in &removed {
        pages::remove(db, page).await?;
    }
    if removed.is_empty() {
        // Its frontier goes with it.
        sqlx::query("DELETE FROM jobs WHERE number = ?")
            .bind(job)
            .execute(db)
            .await?;
    }
    Ok(removed)
}

/// Status and counts of a job that is over, or gone meanwhile.
pub(super) async fn ended_job(
    db: &mut SqliteConnection,
    job: i64,
) -> Result<(JobStatus, String), StoreError> {
    let found: Option<(String, String)> =
        sqlx::query_as("SELECT status, counts FROM jobs WHERE number = ?")
            .bind(job)
            .fetch_optional(db)
            .await?;
    let Some((status, counts)) = found else {
        return Ok((JobStatus::Completed, "{}".into()));
    };
    let status: JobStatus = codec::from_name(&status)?;
    match status.is_final() {
        true => Ok((status, counts)),
        false => Err(StoreError::JobRuns),
    }
}

struct JobRow {
    number: i64,
    id: String,
    kind: String,
    status: String,
    url: String,
    created_at: i64,
    started_at: Option<i64>,
    finished_at: Option<i64>,
    worked_ms: i64,
    counts: String,
    error: Option<String>,
}

impl FromRow<'_, SqliteRow> for JobRow {
    fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        Ok(Self {
            number: row.try_get("number")?,
            id: row.try_get("id")?,
            kind: row.try_get("kind")?,
            status: row.try_get("status")?,
            url: row.try_get("url")?,
            created_at: row.try_get("created_at")?,
            started_at: row.try_get("started_at")?,
            finished_at: row.try_get("finished_at")?,
            worked_ms: row.try_get("worked_ms")?,
            counts: row.try_get("counts")?,
            error: row.try_get("error")?,
        })
    }
}

impl JobRow {
    fn job(self) -> Result<(i64, Job), StoreError> {
        let damaged = |error: &dyn std::fmt::Display| StoreError::Damaged(error.to_string());
        let time = |at| Timestamp::from_millisecond(at).map_err(|error| damaged(&error));
        let error = self
            .error
            .map(|json| serde_json::from_str(&json))
            .transpose();
        let status: JobStatus = codec::from_name(&self.status)?;
        let mut counts: JobCounts =
            serde_json::from_str(&self.counts).map_err(|error| damaged(&error))?;
        if status.is_final() {
            // What is left in the frontier will not be done.
            counts.total = counts.done;
        }
        let job = Job {
            id: self.id,
            kind: codec::from_name(&self.kind)?,
            status,
            url: self.url,
            created_at: time(self.created_at)?,
            started_at: self.started_at.map(time).transpose()?,
            finished_at: self.finished_at.map(time).transpose()?,
            worked_ms: self.worked_ms.unsigned_abs(),
            counts,
            pages_per_s: 0.0,
            eta_s: None,
            error: error.map_err(|error| damaged(&error))?,
        };
        Ok((self.number, job))
    }
}

const COLUMNS: &str = "SELECT number, id, kind, status, url, created_at, started_at, finished_at, \
                       worked_ms, counts, error FROM jobs";

/// How a job is named.
#[derive(Clone, Copy)]
pub(super) enum Named<'a> {
    Id(&'a str),
    Number(i64),
}

/// A job and its number.
pub(super) async fn find(
    db: &SqlitePool,
    named: Named<'_>,
) -> Result<Option<(i64, Job)>, StoreError> {
    let mut query = QueryBuilder::new(COLUMNS);
    match named {
        Named::Id(id) => query.push(" WHERE id = ").push_bind(id),
        Named::Number(number) => query.push(" WHERE number = ").push_bind(number),
    };
    let row: Option<JobRow> = query.build_query_as().fetch_optional(db).await?;
    row.map(JobRow::job).transpose()
}

/// Newest first, before number `before`.
pub(super) async fn list(
    db: &SqlitePool,
    kind: Option<JobKind>,
    status: Option<JobStatus>,
    before: i64,
    limit: u32,
) -> Result<List<Job>, StoreError> {
    let mut query = QueryBuilder::new(COLUMNS);
    query.push(" WHERE number < ").push_bind(before);
    if let Some(kind) = kind {
        query.push(" AND kind = ").push_bind(kind.as_str());
    }
    if let Some(status) = status {
        query.push(" AND status = ").push_bind(status.as_str());
    }
    query
        .push(" ORDER BY number DESC LIMIT ")
        .push_bind(i64::from(limit) + 1);
    let rows: Vec<JobRow> = query.build_query_as().fetch_all(db).await?;
    let jobs: Vec<_> = rows
        .into_iter()
        .map(JobRow::job)
        .collect::<Result<_, _>>()?;
    Ok(List::cut(jobs, limit, |(number, _)| number.to_string()).map(|(_, job)| job))
}

/// Jobs that run.
pub(super) async fn held(db: &SqlitePool) -> Result<Vec<Held>, sqlx::Error> {
    let running =
        "SELECT number, owner, alive_at FROM jobs WHERE status = 'running' AND owner IS NOT NULL";
    Held::all(db, running).await
}

/// Numbers of the jobs that ended before `before`.
pub(super) async fn ended(db: &SqlitePool, before: i64) -> Result<Vec<i64>, StoreError> {
    let mut query = QueryBuilder::new("SELECT number FROM jobs WHERE finished_at < ");
    query.push_bind(before).push(" AND ");
    push_is_final(&mut query);
    query.push(" ORDER BY number LIMIT 100");
    Ok(query.build_query_scalar().fetch_all(db).await?)
}

/// The condition that a job is over.
pub(super) fn push_is_final(query: &mut QueryBuilder<Sqlite>) {
    query.push("jobs.status IN (");
    let mut list = query.separated(", ");
    for status in JobStatus::FINAL {
        list.push_bind(status.as_str());
    }
    query.push(")");
}
