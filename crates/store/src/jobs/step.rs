//! What a job commits together: pages with their outcome, URLs that were found, and the counts with
//! all of this.

use std::sync::Arc;

use sqlx::SqliteConnection;
use trawls_contract::JobCounts;

use super::{
    change::Lease,
    frontier::{self, NewEntry},
    pages::{InJob, JobPageRow},
    rows,
};
use crate::{Keep, StoreError, cache::CacheRow, pages, pages::PageRow};

/// What is committed together. Shared, so that a commit that failed can be tried again.
#[derive(Debug)]
pub struct Step {
    /// Number of the first page; the others follow.
    pub first_page: u64,
    /// Pages with an outcome.
    pub pages: Vec<NewPage>,
    /// URLs that were found.
    pub entries: Vec<NewEntry>,
    /// The job's counts with all of this.
    pub counts: JobCounts,
}

/// A page of a step.
#[derive(Debug)]
pub struct NewPage {
    pub(super) packed: PageRow,
    cache: Option<CacheRow>,
    pub(super) in_job: JobPageRow,
    body_of: Option<String>,
}

impl NewPage {
    /// The same with the body and the blobs of a page that is kept already.
    #[must_use]
    pub fn with_body_of(self, page_id: Option<String>) -> Self {
        Self {
            body_of: page_id,
            ..self
        }
    }

    /// Compresses a page. CPU work: not for an async thread when the page is large.
    ///
    /// # Errors
    /// The page cannot be packed.
    pub fn pack(keep: Keep, in_job: InJob) -> Result<Self, StoreError> {
        let Keep {
            page,
            body,
            blobs,
            cache,
        } = keep;
        let packed = PageRow::pack(&page, body.as_ref(), blobs)?;
        let in_job = JobPageRow::new(&page, in_job);
        let cache = cache.map(|(key, validators)| CacheRow::of(&page, key, validators));
        Ok(Self {
            packed,
            cache,
            in_job,
            body_of: None,
        })
    }
}

/// Pages, new URLs and counts of one job.
#[derive(Debug)]
pub(crate) struct StepRow {
    pub(crate) lease: Lease,
    /// JSON.
    pub(crate) counts: String,
    pub(crate) step: Arc<Step>,
}

impl StepRow {
    /// By how much the number of stored pages changed.
    pub(super) async fn apply(&self, db: &mut SqliteConnection) -> Result<i64, StoreError> {
        let (job, step) = (self.lease.job, &self.step);
        let last_page = (step.first_page + step.pages.len() as u64).saturating_sub(1);
        rows::renew(db, &self.lease, Some((&self.counts, last_page))).await?;
        for (number, page) in (step.first_page..).zip(&step.pages) {
            page.packed.insert(db, Some(job)).await?;
            if let Some(kept_as) = &page.body_of {
                pages::copy_raw(db, kept_as, &page.packed.id).await?;
            }
            if let Some(cache) = &page.cache {
                cache.upsert(db).await?;
            }
            page.in_job.insert(db, (job, number), &page.packed).await?;
            frontier::mark(db, (job, page.in_job.entry), true).await?;
        }
        frontier::insert(db, job, &step.entries).await?;
        Ok(i64::try_from(step.pages.len()).unwrap_or(i64::MAX))
    }
}
