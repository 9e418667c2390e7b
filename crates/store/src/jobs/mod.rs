//! Jobs: their rows, their frontier, their pages. One process owns a running job; what it writes
//! comes in steps, each of them pages, new URLs and counts in one transaction, so that at any
//! instant the three agree.

mod call;
mod change;
mod contents;
mod deliveries;
mod frontier;
mod hooks;
mod owner;
mod pages;
mod reread;
mod rows;
mod silence;
mod step;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use jiff::Timestamp;
use serde::Serialize;
use trawls_contract::{ErrorInfo, Job, JobCounts, JobKind, JobPage, JobStatus, List};

pub use self::{
    call::JobCall,
    contents::JobContent,
    frontier::{Entry, NewEntry},
    hooks::{Hook, Told},
    owner::Owner,
    pages::{InJob, Marked, Marks, PageFilter},
    reread::{Reread, Rereadable, ToReread},
    step::{NewPage, Step},
};
use self::{
    change::{Claim, Finish, Lease},
    rows::Named,
    silence::Held,
    step::StepRow,
};
pub(crate) use self::{
    change::{JobAnswer, JobChange},
    silence::Silence,
};
use crate::{Store, StoreError, codec, writer::Change};

/// Pages that one transaction removes.
const ERASE_STEP: i64 = 500;

/// A job to be made.
#[derive(Debug)]
pub struct JobToMake<'a, R> {
    /// What it does.
    pub kind: JobKind,
    /// The start URL.
    pub url: String,
    /// The body of the call; given back to the worker.
    pub request: &'a R,
    /// What to begin with.
    pub entries: Vec<NewEntry>,
    /// Is somebody to be told of its events?
    pub has_webhook: bool,
    /// Hashes of the key and of the body.
    pub idempotency: Option<([u8; 32], [u8; 32])>,
}

/// A job in the hands of its owner.
#[derive(Debug)]
pub struct OwnedJob {
    number: i64,
    owner: Owner,
    /// Its id.
    pub id: String,
    /// What it does.
    pub kind: JobKind,
    /// The body of the call, JSON.
    pub request: Vec<u8>,
    /// What it came to so far.
    pub counts: JobCounts,
    /// Number of its last page.
    pub last_page: u64,
    worked_before: Duration,
    budget_from: Duration,
    taken_at: Instant,
    /// The pages that are to be read again; without them the frontier is to be done.
    pub reread: Option<ToReread>,
}

/// What is known of a job's URLs when it is taken up.
#[derive(Debug)]
pub struct Known {
    /// Identities of all entries.
    pub identities: Vec<i64>,
    /// Number of the last entry.
    pub last_entry: i64,
    /// Entries still to do.
    pub waiting: u64,
    /// Delivered pages, which later ones are compared with.
    pub marked: Vec<Marked>,
}

impl OwnedJob {
    /// How long workers were at it: this one until now, and those before it.
    fn worked(&self) -> Duration {
        self.worked_before + self.taken_at.elapsed()
    }

    /// The same since the job was made, or since it was last retried.
    pub fn spent(&self) -> Duration {
        self.worked().saturating_sub(self.budget_from)
    }

    fn lease(&self, now: Timestamp) -> Lease {
        Lease {
            job: self.number,
            owner: self.owner.id().to_owned(),
            alive_at: now.as_millisecond(),
            worked_ms: i64::try_from(self.worked().as_millis()).unwrap_or(i64::MAX),
        }
    }
}

impl Store {
    /// A new owner of jobs.
    ///
    /// # Errors
    /// Its lock file cannot be made.
    pub fn owner(&self) -> Result<Owner, StoreError> {
        Owner::new(self.folder()).map_err(|error| StoreError::Open(error.to_string()))
    }

    /// Makes a job, or gives back the one that the same idempotency key made.
    ///
    /// # Errors
    /// `KeyReused` when the key was used for another body.
    pub async fn make_job<R: Serialize>(&self, job: JobToMake<'_, R>) -> Result<Job, StoreError> {
        let row = rows::NewJob {
            id: uuid::Uuid::now_v7().to_string(),
            kind: job.kind,
            url: job.url,
            now: Timestamp::now().as_millisecond(),
            request: codec::pack_json(job.request)?,
            entries: job.entries,
            has_webhook: job.has_webhook,
            idempotency: job
                .idempotency
                .map(|(key, body)| (key.to_vec(), body.to_vec())),
        };
        let answer = self.change_job(JobChange::Create(Box::new(row))).await?;
        let JobAnswer::Created(number) = answer else {
            return Err(unexpected(&answer));
        };
        let made = rows::find(&self.database.readers, Named::Number(number)).await?;
        made.map(|(_, job)| job).ok_or(StoreError::Busy)
    }

    /// One job.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn job(&self, id: &str) -> Result<Option<Job>, StoreError> {
        Ok(self.find_job(id).await?.map(|(_, job)| job))
    }

    /// Jobs, newest first; `cursor` is what the last list gave.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn jobs(
        &self,
        kind: Option<JobKind>,
        status: Option<JobStatus>,
        cursor: Option<i64>,
        limit: u32,
    ) -> Result<List<Job>, StoreError> {
        let before = cursor.unwrap_or(i64::MAX);
        rows::list(&self.database.readers, kind, status, before, limit).await
    }

    /// The pages of a job after number `after`; `None` when there is no such job.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn job_pages(
        &self,
        id: &str,
        filter: &PageFilter,
        after: u64,
        limit: u32,
    ) -> Result<Option<List<JobPage>>, StoreError> {
        let Some((number, _)) = self.find_job(id).await? else {
            return Ok(None);
        };
        pages::list(&self.database.readers, number, filter, after, limit)
            .await
            .map(Some)
    }

    /// Takes the oldest job that waits, or whose owner is dead or silent: of all jobs, or `only`
    /// the one that is named.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn claim_job(
        &self,
        owner: &Owner,
        only: Option<&str>,
    ) -> Result<Option<OwnedJob>, StoreError> {
        let held = rows::held(&self.database.readers).await?;
        let [silence, _] = &*self.silence;
        let claim = self.claim_of(owner, silence, held, only);
        let answer = self.change_job(JobChange::Claim(claim)).await?;
        let JobAnswer::Claimed(claimed) = answer else {
            return Err(unexpected(&answer));
        };
        let Some(job) = claimed else {
            return Ok(None);
        };
        let counts = serde_json::from_str(&job.counts)
            .map_err(|error| StoreError::Damaged(error.to_string()))?;
        Ok(Some(OwnedJob {
            number: job.number,
            owner: owner.clone(),
            kind: codec::from_name(&job.kind)?,
            request: codec::unpack(&job.request)?,
            counts,
            last_page: job.last_page.unsigned_abs(),
            worked_before: Duration::from_millis(job.worked_ms.unsigned_abs()),
            budget_from: Duration::from_millis(job.budget_from_ms.unsigned_abs()),
            taken_at: Instant::now(),
            reread: match (job.reread_until, job.ended_as) {
                (Some(until), Some(ended_as)) => Some(ToReread {
                    until: until.unsigned_abs(),
                    ended_as: codec::from_name(&ended_as)?,
                }),
                _ => None,
            },
            id: job.id,
        }))
    }

    /// A sign of life. Returns whether somebody asked for the job to be stopped.
    ///
    /// # Errors
    /// `LeaseLost` when the job is another's.
    pub async fn renew_job(&self, job: &OwnedJob) -> Result<bool, StoreError> {
        let answer = self
            .change_job(JobChange::Renew(job.lease(Timestamp::now())))
            .await?;
        match answer {
            JobAnswer::Renewed { is_cancelling } => Ok(is_cancelling),
            other => Err(unexpected(&other)),
        }
    }

    /// Commits pages, new URLs and counts together.
    ///
    /// # Errors
    /// Nothing was committed. `LeaseLost` when the job is another's.
    pub async fn step_job(&self, job: &OwnedJob, step: Arc<Step>) -> Result<(), StoreError> {
        let row = StepRow {
            lease: job.lease(Timestamp::now()),
            counts: to_json(&step.counts)?,
            step,
        };
        self.change_job(JobChange::Step(Box::new(row)))
            .await
            .map(drop)
    }

    /// Gives a job back to the queue, for any worker.
    ///
    /// # Errors
    /// The database cannot be written; the job is free when its owner is gone.
    pub async fn release_job(&self, job: &OwnedJob) -> Result<(), StoreError> {
        let lease = job.lease(Timestamp::now());
        self.change_job(JobChange::Release(lease)).await.map(drop)
    }

    /// Numbers and URLs of the entries after number `after` that some page links to, in order.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn linked_after(
        &self,
        job: &OwnedJob,
        after: i64,
        limit: u32,
    ) -> Result<Vec<(i64, String)>, StoreError> {
        frontier::linked(&self.database.readers, job.number, after, limit).await
    }

    /// The URL of an entry.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn entry_url(
        &self,
        job: &OwnedJob,
        entry: i64,
    ) -> Result<Option<String>, StoreError> {
        frontier::url(&self.database.readers, job.number, entry).await
    }

    /// Ends a job.
    ///
    /// # Errors
    /// `LeaseLost` when the job is another's.
    pub async fn finish_job(
        &self,
        job: &OwnedJob,
        status: JobStatus,
        error: Option<&ErrorInfo>,
    ) -> Result<(), StoreError> {
        let now = Timestamp::now();
        let finish = Finish {
            lease: job.lease(now),
            status,
            error: error.map(to_json).transpose()?,
            now: now.as_millisecond(),
        };
        self.change_job(JobChange::Finish(finish)).await.map(drop)
    }

    /// What is known of a job's URLs.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn known(&self, job: &OwnedJob) -> Result<Known, StoreError> {
        let db = &self.database.readers;
        let (identities, last_entry, waiting) = frontier::known(db, job.number).await?;
        Ok(Known {
            identities,
            last_entry,
            waiting,
            marked: pages::marked(db, job.number).await?,
        })
    }

    /// The next host after `host`, in no order that means anything, that has something to do.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn next_host(
        &self,
        job: &OwnedJob,
        host: Option<i64>,
    ) -> Result<Option<i64>, StoreError> {
        frontier::next_host(&self.database.readers, job.number, host).await
    }

    /// The best entries of a host that are still to do.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn best_entries(
        &self,
        job: &OwnedJob,
        host: i64,
        limit: u32,
    ) -> Result<Vec<Entry>, StoreError> {
        frontier::best(&self.database.readers, job.number, host, limit).await
    }

    /// Asks for a job to be stopped; one that waits ends at once. `None` when there is none.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn cancel_job(&self, id: &str) -> Result<Option<Job>, StoreError> {
        let Some((job, _)) = self.find_job(id).await? else {
            return Ok(None);
        };
        let now = Timestamp::now().as_millisecond();
        self.change_job(JobChange::Cancel { job, now }).await?;
        self.job(id).await
    }

    /// Queues an ended job again for its failed and empty pages, if it has some; one that could not
    /// go on also goes on where it stood. Returns the job and how many pages are done again; `None`
    /// when there is no such job.
    ///
    /// # Errors
    /// `JobRuns` when the job is not over.
    pub async fn retry_job(&self, id: &str) -> Result<Option<(Job, u64)>, StoreError> {
        let Some((number, _)) = self.find_job(id).await? else {
            return Ok(None);
        };
        let answer = self.change_job(JobChange::Retry { job: number }).await?;
        let JobAnswer::Retried(pages) = answer else {
            return Err(unexpected(&answer));
        };
        pages.iter().for_each(|id| self.hot.remove_page(id));
        Ok(self.job(id).await?.map(|job| (job, pages.len() as u64)))
    }

    /// Removes a job that is over, with its pages. Returns what it was; `None` when there is no such
    /// job.
    ///
    /// # Errors
    /// `JobRuns` when the job is not over. What was removed stays removed.
    pub async fn erase_job(&self, id: &str) -> Result<Option<Job>, StoreError> {
        match self.find_job(id).await? {
            Some((number, job)) => self.erase(number).await.map(|()| Some(job)),
            None => Ok(None),
        }
    }

    /// Removes the jobs that ended before `before`.
    ///
    /// # Errors
    /// The database cannot be written; what was removed stays removed.
    pub async fn sweep_jobs(&self, before: Timestamp) -> Result<(), StoreError> {
        let before = before.as_millisecond();
        loop {
            let ended = rows::ended(&self.database.readers, before).await?;
            if ended.is_empty() {
                return Ok(());
            }
            for job in ended {
                match self.erase(job).await {
                    // Somebody retried it just now.
                    Ok(()) | Err(StoreError::JobRuns) => {}
                    Err(error) => return Err(error),
                }
            }
        }
    }

    async fn erase(&self, job: i64) -> Result<(), StoreError> {
        loop {
            let limit = ERASE_STEP;
            match self.change_job(JobChange::Erase { job, limit }).await? {
                JobAnswer::Erased(pages) if pages.is_empty() => return Ok(()),
                JobAnswer::Erased(pages) => pages.iter().for_each(|id| self.hot.remove_page(id)),
                other => return Err(unexpected(&other)),
            }
        }
    }

    /// A claim by `owner` now, of what dead and silent ones hold too. Not of the claimer's own:
    /// whoever works for it is still at it.
    fn claim_of(
        &self,
        owner: &Owner,
        silence: &Mutex<Silence>,
        held: Vec<Held>,
        only: Option<&str>,
    ) -> Claim {
        let mut silence = silence.lock().unwrap_or_else(PoisonError::into_inner);
        let silent = silence.among(&held, Instant::now());
        let is_dead = |owner: &str| {
            self.folder()
                .is_some_and(|folder| owner::is_dead(folder, owner))
        };
        let mut orphans = held;
        orphans.retain(|held| {
            held.owner != owner.id() && (silent.contains(held) || is_dead(&held.owner))
        });
        Claim {
            owner: owner.id().to_owned(),
            now: Timestamp::now().as_millisecond(),
            orphans,
            only: only.map(str::to_owned),
        }
    }

    async fn find_job(&self, id: &str) -> Result<Option<(i64, Job)>, StoreError> {
        rows::find(&self.database.readers, Named::Id(id)).await
    }

    async fn change_job(&self, change: JobChange) -> Result<JobAnswer, StoreError> {
        let written = self.writer()?.write(Change::Job(change)).await?;
        Ok(written.job)
    }
}

fn to_json(value: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Other(error.to_string()))
}

fn unexpected(answer: &JobAnswer) -> StoreError {
    StoreError::Other(format!("a change was answered with {answer:?}"))
}

#[cfg(test)]
mod tests;
