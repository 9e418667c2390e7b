//! Claims jobs and runs a few of them side by side, until it is stopped. As many workers may run on
//! one database as there are processes: a job is one worker's at a time.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{Mutex, watch},
    task::{JoinHandle, JoinSet},
};
use trawls_contract::{ErrorCode, ErrorInfo, JobStatus};
use trawls_store::{OwnedJob, Owner, StoreError};

use super::{
    plan::Plan,
    reread::reread,
    runner::{Ended, Runner, stopped},
};
use crate::engine::Rooms;

/// Jobs of one process at once; their pages share the fetcher's places.
const JOBS: usize = 8;
/// How long a new job of another process may go unnoticed.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// The worker of this process.
#[derive(Debug)]
pub(crate) struct Worker(Mutex<Option<JoinHandle<()>>>);

impl Worker {
    /// Starts working: on every job, or on the one that is named.
    pub(crate) fn start(rooms: Arc<Rooms>, only: Option<String>) -> Self {
        let stop = rooms.stops.subscribe();
        Self(Mutex::new(Some(tokio::spawn(work(rooms, only, stop)))))
    }

    /// Waits until running pages have ended, within bounds, and the jobs are given back.
    pub(crate) async fn ended(&self) {
        if let Some(task) = self.0.lock().await.take()
            && let Err(error) = task.await
        {
            tracing::error!(%error, "the worker ended badly");
        }
    }
}

async fn work(rooms: Arc<Rooms>, only: Option<String>, mut stop: watch::Receiver<bool>) {
    let mut signs = rooms.signs.of_queue();
    let mut jobs = JoinSet::new();
    let mut owner: Option<Owner> = None;
    while !*stop.borrow() {
        if jobs.len() < JOBS
            && let Some(job) = claim(&rooms, &mut owner, only.as_deref()).await
        {
            jobs.spawn(run(Arc::clone(&rooms), job, stop.clone()));
            continue;
        }
        tokio::select! {
            Some(ended) = jobs.join_next() => {
                if let Err(error) = ended {
                    tracing::error!(%error, "a job panicked");
                }
            }
            _ = signs.changed() => {}
            () = tokio::time::sleep(LOOK_EVERY) => {}
            () = stopped(&mut stop) => {}
        }
    }
    while jobs.join_next().await.is_some() {}
}

async fn claim(rooms: &Rooms, owner: &mut Option<Owner>, only: Option<&str>) -> Option<OwnedJob> {
    if owner.is_none() {
        match rooms.store.owner() {
            Ok(new) => *owner = Some(new),
            Err(error) => {
                tracing::warn!(%error, "no jobs are taken");
                return None;
            }
        }
    }
    match rooms.store.claim_job(owner.as_ref()?, only).await {
        Ok(job) => job,
        Err(error) => {
            tracing::warn!(%error, "no job was taken");
            None
        }
    }
}

async fn run(rooms: Arc<Rooms>, job: OwnedJob, stop: watch::Receiver<bool>) {
    let job = Arc::new(job);
    tracing::info!(job.id, job.kind = job.kind.as_str(), "job taken");
    let plan = match Plan::of(&job, rooms.config.pages_per_job) {
        Ok(plan) => plan,
        Err(why) => return refuse(&rooms, &job, ErrorCode::InvalidOptions, &why).await,
    };
    let ended = match job.reread {
        // In a task of its own: the third wall where panics are caught.
        Some(_) => tokio::spawn(read_again(Arc::clone(&rooms), Arc::clone(&job), plan, stop)).await,
        None => match Runner::new(Arc::clone(&rooms), Arc::clone(&job), plan).await {
            Ok(runner) => tokio::spawn(runner.run(stop)).await,
            Err(error) => {
                tracing::error!(%error, job.id, "a job was not taken up");
                tokio::time::sleep(LOOK_EVERY).await;
                let _later = rooms.store.release_job(&job).await;
                return;
            }
        },
    };
    match ended {
        Ok(Ended::Finished(status)) => {
            tracing::info!(job.id, job.status = status.as_str(), "job ended");
        }
        Ok(Ended::Released) => tracing::info!(job.id, "job given back"),
        Ok(Ended::Lost) => tracing::warn!(job.id, "job lost"),
        Err(error) => {
            tracing::error!(%error, job.id, "a job panicked");
            let why = "A fault of ours ended this job.";
            refuse(&rooms, &job, ErrorCode::Internal, why).await;
        }
    }
    rooms.signs.committed(&job.id);
}

async fn read_again(
    rooms: Arc<Rooms>,
    job: Arc<OwnedJob>,
    plan: Plan,
    stop: watch::Receiver<bool>,
) -> Ended {
    let brief = plan.brief(Arc::clone(&job), &[]);
    match reread(&rooms, &job, &brief, stop).await {
        Ok(ended) => ended,
        Err(StoreError::LeaseLost) => Ended::Lost,
        Err(error) => {
            tracing::error!(%error, job.id, "a job's pages were not read again");
            let why = "Its pages could not be kept; those that it has are good.";
            refuse(&rooms, &job, ErrorCode::Internal, why).await;
            Ended::Finished(JobStatus::Failed)
        }
    }
}

/// Ends a job that cannot go on.
async fn refuse(rooms: &Rooms, job: &OwnedJob, code: ErrorCode, why: &str) {
    let error = ErrorInfo::new(code, why);
    let refused = rooms.store.finish_job(job, JobStatus::Failed, Some(&error));
    if let Err(error) = refused.await {
        tracing::error!(%error, job.id, "a job was not ended");
    }
}
