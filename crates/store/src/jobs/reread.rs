//! Reading the pages of a job again from their kept bodies. A page that was read again takes the
//! place of the one that it was in one transaction, with a new number: those that are left are the
//! ones with old numbers, so that a crash loses nothing and does nothing twice.

use std::sync::Arc;

use bytes::Bytes;
use sqlx::SqliteConnection;
use trawls_contract::{Job, JobCounts, JobStatus, PageResult};

use super::{
    JobCall, NewPage, OwnedJob,
    change::{JobAnswer, JobChange, Lease},
    hooks,
    rows::{self, Named},
    to_json, unexpected,
};
use crate::{RawBody, Store, StoreError, codec, pages};

/// What a job that is read again has to do.
#[derive(Debug, Clone, Copy)]
pub struct ToReread {
    /// Number of the last page.
    pub until: u64,
    /// The job's status before, and after.
    pub ended_as: JobStatus,
}

/// A page that can be read again.
#[derive(Debug)]
pub struct Rereadable {
    /// Its number now.
    pub number: u64,
    /// Its entry in the frontier.
    pub entry: i64,
    /// Of the body, as the job counted it.
    pub bytes: u64,
    /// As it is.
    pub page: PageResult,
    /// What it is read from.
    pub body: RawBody,
}

/// Pages that were read again. Shared, so that a commit that failed can be tried again.
#[derive(Debug)]
pub struct Reread {
    /// Number of the first one now; the others follow.
    pub first_page: u64,
    /// The numbers that they had, and what they are now.
    pub pages: Vec<(u64, NewPage)>,
    /// The job's counts with all of this.
    pub counts: JobCounts,
}

/// The same, ready for the writer.
#[derive(Debug)]
pub(crate) struct RereadRow {
    pub(crate) lease: Lease,
    /// JSON.
    pub(crate) counts: String,
    pub(crate) reread: Arc<Reread>,
}

impl Store {
    /// Queues an ended job for reading its pages again, with a new body of its call. Returns the
    /// job, the number of pages that can be read again and that of the others; `None` when the job
    /// was removed.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn reprocess_job(
        &self,
        call: &JobCall,
        request: &impl serde::Serialize,
    ) -> Result<Option<(Job, u64, u64)>, StoreError> {
        let (db, job) = (&self.database.readers, call.number);
        let (all, raw): (i64, i64) = sqlx::query_as(
            "SELECT count(*), count(raw.page_id) FROM job_pages AS page \
             LEFT JOIN page_bodies AS raw ON raw.page_id = page.page_id \
             AND page.outcome <> 'skipped' WHERE page.job = ?",
        )
        .bind(job)
        .fetch_one(db)
        .await?;
        let request = codec::pack_json(request)?;
        let answer = self
            .change_job(JobChange::Reprocess { job, request })
            .await?;
        let JobAnswer::Done = answer else {
            return Err(unexpected(&answer));
        };
        let now = rows::find(db, Named::Number(job)).await?;
        Ok(now.map(|(_, job)| (job, raw.unsigned_abs(), (all - raw).unsigned_abs())))
    }

    /// The next pages after number `after` that can be read again, at most `limit`.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn rereadable(
        &self,
        job: &OwnedJob,
        after: u64,
        limit: u32,
    ) -> Result<Vec<Rereadable>, StoreError> {
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let rows: Vec<RereadableRow> = sqlx::query_as(
            "SELECT page.number, page.entry, page.bytes, pages.result, raw.content_type, raw.body \
             FROM job_pages AS page JOIN pages ON pages.id = page.page_id \
             JOIN page_bodies AS raw ON raw.page_id = page.page_id \
             WHERE page.job = ? AND page.number > ? AND page.number <= ? \
             AND page.outcome <> 'skipped' ORDER BY page.number LIMIT ?",
        )
        .bind(job.number)
        .bind(number(after))
        .bind(number(job.reread.map_or(0, |reread| reread.until)))
        .bind(i64::from(limit))
        .fetch_all(&self.database.readers)
        .await?;
        let size = rows.iter().map(|row| 4 * (row.3.len() + row.5.len())).sum();
        codec::run(size, move || rows.into_iter().map(unpack).collect()).await
    }

    /// Commits pages that were read again, in the place of what they were.
    ///
    /// # Errors
    /// Nothing was committed. `LeaseLost` when the job is another's.
    pub async fn reread_job(&self, job: &OwnedJob, reread: Arc<Reread>) -> Result<(), StoreError> {
        let row = RereadRow {
            lease: job.lease(jiff::Timestamp::now()),
            counts: to_json(&reread.counts)?,
            reread,
        };
        let change = JobChange::Reread(Box::new(row));
        match self.change_job(change).await? {
            JobAnswer::Erased(replaced) => {
                replaced.iter().for_each(|id| self.hot.remove_page(id));
                Ok(())
            }
            other => Err(unexpected(&other)),
        }
    }
}

/// Number, entry, bytes, result, content type, body.
type RereadableRow = (i64, i64, i64, Vec<u8>, Option<String>, Vec<u8>);

fn unpack(
    (number, entry, bytes, result, content_type, body): RereadableRow,
) -> Result<Rereadable, StoreError> {
    Ok(Rereadable {
        number: number.unsigned_abs(),
        entry,
        bytes: bytes.unsigned_abs(),
        page: codec::unpack_page(&result)?.0,
        body: RawBody {
            bytes: Bytes::from(codec::unpack(&body)?),
            content_type,
        },
    })
}

impl RereadRow {
    /// The ids of the pages that were replaced.
    pub(super) async fn apply(&self, db: &mut SqliteConnection) -> Result<Vec<String>, StoreError> {
        let (job, reread) = (self.lease.job, &self.reread);
        let last_page = (reread.first_page + reread.pages.len() as u64).saturating_sub(1);
        rows::renew(db, &self.lease, Some((&self.counts, last_page))).await?;
        let mut replaced = Vec::with_capacity(reread.pages.len());
        for (number, (before, page)) in (reread.first_page..).zip(&reread.pages) {
            let old: Option<String> = sqlx::query_scalar(
                "DELETE FROM job_pages WHERE job = ? AND number = ? RETURNING page_id",
            )
            .bind(job)
            .bind(i64::try_from(*before).unwrap_or(i64::MAX))
            .fetch_optional(&mut *db)
            .await?;
            let Some(old) = old else {
                return Err(StoreError::Damaged("a page to read again is gone".into()));
            };
            page.packed.insert(db, Some(job)).await?;
            page.in_job.insert(db, (job, number), &page.packed).await?;
            pages::move_raw(db, &old, &page.packed.id).await?;
            pages::remove(db, &old).await?;
            replaced.push(old);
        }
        Ok(replaced)
    }
}

/// Queues an ended job for reading its pages again.
pub(super) async fn reprocess(
    db: &mut SqliteConnection,
    job: i64,
    request: &[u8],
) -> Result<(), StoreError> {
    rows::ended_job(db, job).await?;
    sqlx::query(
        "UPDATE jobs SET status = 'queued', finished_at = NULL, request = ?, \
         reread_until = last_page, ended_as = status WHERE number = ?",
    )
    .bind(request)
    .bind(job)
    .execute(&mut *db)
    .await?;
    hooks::reopen(db, job).await?;
    Ok(())
}
