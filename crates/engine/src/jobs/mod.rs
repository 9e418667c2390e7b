//! Jobs: many pages under one id. `worker` claims them, `runner` runs one to its end, `page` does
//! one page of it; what is true of a job is in the database, never here alone.

mod events;
pub(crate) mod identity;
mod lanes;
mod ledger;
mod order;
mod page;
mod plan;
mod reread;
mod runner;
pub(crate) mod scope;
mod seeds;
mod simhash;
mod traps;
mod tree;
mod twins;
mod worker;

use std::time::Duration;

use serde::Serialize;
use sha2::{Digest, Sha256};
use trawls_contract::{
    BatchBody, BatchJob, BatchRequest, CrawlBody, CrawlRequest, InvalidOption, Job, JobKind,
    JobPage, JobStatus, List, Webhook,
};
use trawls_store::{JobToMake, PageFilter, StoreError};

pub use self::events::JobEvent;
pub(crate) use self::{runner::stopped, worker::Worker};
use crate::{Engine, EngineError};

/// Why a job was not made.
#[derive(Debug, thiserror::Error)]
pub enum NoJob {
    /// The body is wrong.
    #[error(transparent)]
    Invalid(#[from] InvalidOption),
    /// The idempotency key was used for another body.
    #[error("the idempotency key was used with another body")]
    KeyReused,
    /// The rest.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl Engine {
    /// Queues a crawl. `key` makes the same call the same job.
    ///
    /// # Errors
    /// What is wrong with the body, or with the database.
    pub async fn start_crawl(&self, body: CrawlBody, key: Option<String>) -> Result<Job, NoJob> {
        let request = CrawlRequest::parse(body.clone(), plan::CHECKS)?;
        self.check_webhook(body.webhook.as_ref()).await?;
        let job = JobToMake {
            kind: JobKind::Crawl,
            url: request.scrape.url.to_string(),
            idempotency: hashes(key, &body),
            has_webhook: body.webhook.is_some(),
            request: &body,
            entries: vec![plan::start_of(&request)],
        };
        self.make(job).await
    }

    /// Queues a batch, and says what of its list is not scraped. `key` makes the same call the same
    /// job.
    ///
    /// # Errors
    /// What is wrong with the body, or with the database.
    pub async fn start_batch(
        &self,
        body: BatchBody,
        key: Option<String>,
    ) -> Result<BatchJob, NoJob> {
        let request = BatchRequest::parse(body.clone(), plan::CHECKS)?;
        self.check_webhook(body.webhook.as_ref()).await?;
        let listed = plan::entries_of(&request);
        let job = JobToMake {
            kind: JobKind::Batch,
            url: request.scrape.url.to_string(),
            idempotency: hashes(key, &body),
            has_webhook: body.webhook.is_some(),
            request: &body,
            entries: listed.entries,
        };
        Ok(BatchJob {
            job: self.make(job).await?,
            invalid_urls: listed.invalid,
            duplicate_urls: listed.duplicates,
        })
    }

    async fn check_webhook(&self, webhook: Option<&Webhook>) -> Result<(), InvalidOption> {
        match webhook {
            Some(webhook) => self.admit_webhook(webhook).await,
            None => Ok(()),
        }
    }

    async fn make<R: Serialize>(&self, job: JobToMake<'_, R>) -> Result<Job, NoJob> {
        let rooms = self.rooms();
        let job = rooms
            .store
            .make_job(job)
            .await
            .map_err(|error| match error {
                StoreError::KeyReused => NoJob::KeyReused,
                error => NoJob::Engine(error.into()),
            })?;
        rooms.signs.queued(&job.id);
        Ok(job)
    }

    /// One job.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn job(&self, id: &str) -> Result<Option<Job>, EngineError> {
        let job = self.rooms().store.job(id).await?;
        Ok(job.map(with_rate))
    }

    /// Jobs, newest first. `cursor` is that of the last list.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn jobs(
        &self,
        kind: Option<JobKind>,
        status: Option<JobStatus>,
        cursor: Option<i64>,
        limit: u32,
    ) -> Result<List<Job>, EngineError> {
        let jobs = self.rooms().store.jobs(kind, status, cursor, limit).await?;
        Ok(jobs.map(with_rate))
    }

    /// The pages of a job after page number `after`, in the order of completion; `None` when there
    /// is no such job.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn job_pages(
        &self,
        id: &str,
        filter: &PageFilter,
        after: u64,
        limit: u32,
    ) -> Result<Option<List<JobPage>>, EngineError> {
        let store = &self.rooms().store;
        Ok(store.job_pages(id, filter, after, limit).await?)
    }

    /// Asks for a job to be stopped.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn cancel_job(&self, id: &str) -> Result<Option<Job>, EngineError> {
        let job = self.rooms().store.cancel_job(id).await?;
        self.rooms().signs.committed(id);
        Ok(job)
    }

    /// Queues an ended job again for its failed and empty pages, if it has some, and says how many
    /// they are. A job that failed itself also goes on where it stood; what any other one left over
    /// stays undone.
    ///
    /// # Errors
    /// `JobRuns` when the job is not over.
    pub async fn retry_job(&self, id: &str) -> Result<Option<(Job, u64)>, EngineError> {
        let job = self.rooms().store.retry_job(id).await?;
        self.rooms().signs.queued(id);
        Ok(job)
    }

    /// Removes a job with its pages. Returns what it was.
    ///
    /// # Errors
    /// `JobRuns` when the job is not over.
    pub async fn erase_job(&self, id: &str) -> Result<Option<Job>, EngineError> {
        Ok(self.rooms().store.erase_job(id).await?)
    }
}

/// Pages per second of working time, and the time left at that rate.
fn with_rate(mut job: Job) -> Job {
    let seconds = Duration::from_millis(job.worked_ms).as_secs_f64();
    if seconds > 0.0 {
        job.pages_per_s = (job.counts.done as f64 / seconds * 10.0).round() / 10.0;
    }
    if job.status == JobStatus::Running && job.pages_per_s > 0.0 {
        let left = job.counts.total.saturating_sub(job.counts.done);
        job.eta_s = Some((left as f64 / job.pages_per_s).ceil() as u64);
    }
    job
}

/// Hashes of the key, and of the body as it was understood.
fn hashes(key: Option<String>, body: &impl Serialize) -> Option<([u8; 32], [u8; 32])> {
    let body = serde_json::to_vec(body).ok()?;
    Some((Sha256::digest(key?).into(), Sha256::digest(body).into()))
}

#[cfg(test)]
mod tests;
