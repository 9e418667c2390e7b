//! What the writer does to jobs, one variant per transition. Every transition of a running job
//! proves first that the job is still its owner's: whoever lost it cannot write.

use sqlx::{QueryBuilder, Sqlite, SqliteConnection};
use trawls_contract::JobStatus;

use super::{
    deliveries::DeliveredAgain,
    hooks::{self, ClaimedHook, HookRelease, HookStep},
    reread::{self, RereadRow},
    rows::{self, ClaimedJob, NewJob},
    silence::Held,
    step::StepRow,
};
use crate::StoreError;

/// A transition.
#[derive(Debug)]
pub(crate) enum JobChange {
    /// A new job with its first URLs, unless its idempotency key was used.
    Create(Box<NewJob>),
    /// The next job that nobody works on goes to `owner`.
    Claim(Claim),
    /// A sign of life.
    Renew(Lease),
    /// Pages, new URLs and counts together.
    Step(Box<StepRow>),
    /// The end of a job.
    Finish(Finish),
    /// Back into the queue, for any worker.
    Release(Lease),
    /// Stop a job: at once if nobody works on it.
    Cancel { job: i64, now: i64 },
    /// Failed and empty pages of an ended job are to be done again.
    Retry { job: i64 },
    /// All pages that have a body are to be read again.
    Reprocess { job: i64, request: Vec<u8> },
    /// Pages that were read again, in the place of what they were.
    Reread(Box<RereadRow>),
    /// Removes up to `limit` pages of an ended job, then the job itself.
    Erase { job: i64, limit: i64 },
    /// The next webhook that nobody takes care of goes to the claimer.
    ClaimHook(Claim),
    /// Past an event.
    HookStep(Box<HookStep>),
    /// Anybody may tell.
    ReleaseHook(HookRelease),
    /// A delivery was sent again.
    DeliveredAgain(Box<DeliveredAgain>),
}

/// The present owner of a running job, with a sign of life.
#[derive(Debug, Clone)]
pub(crate) struct Lease {
    pub(crate) job: i64,
    pub(crate) owner: String,
    pub(crate) alive_at: i64,
    /// How long the job was worked at in all.
    pub(crate) worked_ms: i64,
}

/// Who takes a job or a webhook, and what is free to take.
#[derive(Debug)]
pub(crate) struct Claim {
    pub(crate) owner: String,
    pub(crate) now: i64,
    /// What others hold who are dead or silent.
    pub(crate) orphans: Vec<Held>,
    /// Id of the only job that is wanted.
    pub(crate) only: Option<String>,
}

impl Claim {
    /// The condition that a row is still what an orphan was seen to be. `columns` are those of its
    /// job, its owner and the owner's sign of life.
    pub(super) fn push_orphaned(&self, query: &mut QueryBuilder<Sqlite>, columns: &str) {
        if self.orphans.is_empty() {
            query.push("1 = 0");
            return;
        }
        query.push(format_args!("({columns}) IN ("));
        query.push_values(&self.orphans, |mut row, orphan| {
            row.push_bind(orphan.job)
                .push_bind(orphan.owner.clone())
                .push_bind(orphan.alive_at);
        });
        query.push(")");
    }
}

/// How a job ends.
#[derive(Debug)]
pub(crate) struct Finish {
    pub(crate) lease: Lease,
    pub(crate) status: JobStatus,
    pub(crate) error: Option<String>,
    pub(crate) now: i64,
}

/// What a transition answers.
#[derive(Debug, Default)]
pub(crate) enum JobAnswer {
    #[default]
    Done,
    /// Number of the new job, or of the one that its idempotency key made.
    Created(i64),
    Claimed(Option<Box<ClaimedJob>>),
    /// Somebody asked for the job to be stopped.
    Renewed {
        is_cancelling: bool,
    },
    /// Ids of removed pages, which will be done again.
    Retried(Vec<String>),
    /// Ids of removed pages; of an erasure empty when the job is gone.
    Erased(Vec<String>),
    Hook(Option<Box<ClaimedHook>>),
}

impl JobChange {
    /// The answer, and by how much the number of stored pages changed.
    pub(crate) async fn apply(
        &self,
        db: &mut SqliteConnection,
    ) -> Result<(JobAnswer, i64), StoreError> {
        let answer = match self {
            Self::Create(job) => JobAnswer::Created(job.insert(db).await?),
            Self::Claim(claim) => JobAnswer::Claimed(rows::claim(db, claim).await?),
            Self::Renew(lease) => JobAnswer::Renewed {
                is_cancelling: rows::renew(db, lease, None).await?,
            },
            Self::Step(step) => return Ok((JobAnswer::Done, step.apply(db).await?)),
            Self::Finish(finish) => {
                rows::finish(db, finish).await?;
                JobAnswer::Done
            }
            Self::Release(lease) => {
                rows::release(db, lease).await?;
                JobAnswer::Done
            }
            Self::Cancel { job, now } => {
                rows::cancel(db, *job, *now).await?;
                JobAnswer::Done
            }
            Self::Retry { job } => {
                let removed = rows::retry(db, *job).await?;
                let delta = -i64::try_from(removed.len()).unwrap_or(i64::MAX);
                return Ok((JobAnswer::Retried(removed), delta));
            }
            Self::Erase { job, limit } => {
                let removed = rows::erase(db, *job, *limit).await?;
                let delta = -i64::try_from(removed.len()).unwrap_or(i64::MAX);
                return Ok((JobAnswer::Erased(removed), delta));
            }
            Self::Reprocess { job, request } => {
                reread::reprocess(db, *job, request).await?;
                JobAnswer::Done
            }
            Self::Reread(reread) => JobAnswer::Erased(reread.apply(db).await?),
            Self::ClaimHook(claim) => JobAnswer::Hook(hooks::claim(db, claim).await?),
            Self::HookStep(step) => {
                step.apply(db).await?;
                JobAnswer::Done
            }
            Self::ReleaseHook(release) => {
                release.apply(db).await?;
                JobAnswer::Done
            }
            Self::DeliveredAgain(again) => {
                again.apply(db).await?;
                JobAnswer::Done
            }
        };
        Ok((answer, 0))
    }
}
