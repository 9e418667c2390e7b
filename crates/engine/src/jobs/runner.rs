//! Runs one job to its end: takes entries, does their pages side by side, commits what came of them
//! in steps. One step is committed while the next is gathered; a page is out of the frontier only
//! with its commit, so that whoever takes the job up after a crash finds nothing lost, nothing double.

use std::{collections::HashMap, sync::Arc, time::Duration};

use futures_util::future::{BoxFuture, FutureExt};
use tokio::{
    sync::watch,
    task::{Id, JoinSet},
    time::{Instant, sleep_until},
};
use trawls_contract::{ErrorCode, ErrorInfo, JobStatus};
use trawls_store::{Entry, OwnedJob, Step, StoreError};

use super::{
    lanes::{Lanes, Next},
    ledger::{Closed, Ledger},
    page::{Brief, Done},
    plan::Plan,
    seeds::Seeds,
    traps::Traps,
};
use crate::engine::Rooms;

/// Between two signs of life; also the longest time that a cancellation goes unnoticed.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// How long running pages may take to end when the process stops.
const STOP_PATIENCE: Duration = Duration::from_secs(10);
/// A commit is tried again after so long, so often.
const RETRY_WAIT: Duration = Duration::from_secs(1);
const COMMIT_TRIES: u32 = 20;
/// Between two tries to write down that a job failed.
const FAIL_WAIT: Duration = Duration::from_secs(5);

/// Why a job no longer runs here.
#[derive(Debug)]
pub(super) enum Ended {
    /// Its last state is committed.
    Finished(JobStatus),
    /// Back in the queue: this process stops.
    Released,
    /// Another process has it.
    Lost,
}

/// A job under way.
pub(super) struct Runner {
    rooms: Arc<Rooms>,
    job: Arc<OwnedJob>,
    brief: Arc<Brief>,
    plan: Plan,
    ledger: Ledger,
    lanes: Lanes,
    running: JoinSet<Done>,
    under_way: HashMap<Id, (Entry, i64)>,
    commit: Option<Commit>,
    seeds: Seeds,
}

/// What there is to do beside what runs.
#[derive(Debug, Clone, Copy)]
enum Ahead {
    /// Something, when a page ends or at this time.
    Later(Option<Instant>),
    /// Nothing that may be done.
    Nothing,
}

impl Ahead {
    fn wakes_at(self) -> Option<Instant> {
        match self {
            Self::Later(at) => at,
            Self::Nothing => None,
        }
    }
}

/// A step on its way into the database.
struct Commit {
    ends: BoxFuture<'static, Result<(), StoreError>>,
    entries: Vec<i64>,
    has_new: bool,
}

impl Runner {
    /// Takes up a job where it stands.
    ///
    /// # Errors
    /// The database cannot be read.
    pub(super) async fn new(
        rooms: Arc<Rooms>,
        job: Arc<OwnedJob>,
        plan: Plan,
    ) -> Result<Self, StoreError> {
        let known = rooms.store.known(&job).await?;
        let brief = plan.brief(Arc::clone(&job), &known.marked);
        let traps = Traps::recall(&rooms.store, &job).await?;
        Ok(Self {
            lanes: Lanes::new(plan.is_ranked(), plan.scrape.fetch.delay),
            ledger: Ledger::open(&plan, &job, known, traps),
            running: JoinSet::new(),
            under_way: HashMap::new(),
            commit: None,
            seeds: Seeds::new(&rooms, &plan),
            brief: Arc::new(brief),
            rooms,
            job,
            plan,
        })
    }

    /// Runs until the job is over or `stop` says so.
    pub(super) async fn run(mut self, mut stop: watch::Receiver<bool>) -> Ended {
        let result = self.work(&mut stop).await;
        self.running.abort_all();
        match result {
            Ok(ended) => ended,
            Err(StoreError::LeaseLost) => Ended::Lost,
            Err(error) => self.fail(&error, &mut stop).await,
        }
    }

    async fn work(&mut self, stop: &mut watch::Receiver<bool>) -> Result<Ended, StoreError> {
        let mut heartbeat = tokio::time::interval(HEARTBEAT);
        heartbeat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            let next = self.start_pages().await?;
            if self.is_over(next) {
                return self.finish(JobStatus::Completed).await;
            }
            self.sow();
            self.start_commit();
            // A commit under way holds the next one up, whatever the time.
            let step_at = self.ledger.due_at().filter(|_| self.commit.is_none());
            tokio::select! {
                Some(joined) = self.running.join_next_with_id() => self.take(joined),
                () = self.seeds.come() => {}
                result = ends(&mut self.commit) => {
                    result?;
                    self.committed();
                }
                () = until(step_at) => {}
                () = until(next.wakes_at()) => {}
                _ = heartbeat.tick() => {
                    match self.rooms.store.renew_job(&self.job).await {
                        Ok(false) => {}
                        Ok(true) => return self.finish(JobStatus::Cancelled).await,
                        Err(StoreError::LeaseLost) => return Err(StoreError::LeaseLost),
                        // What is to be committed will say whether it lasts.
                        Err(error) => tracing::warn!(%error, "no sign of life was given"),
                    }
                    if self.is_out_of_time() {
                        return self.finish(JobStatus::Completed).await;
                    }
                }
                () = stopped(stop) => return self.release().await,
            }
        }
    }

    /// Starts as many pages as may run.
    async fn start_pages(&mut self) -> Result<Ahead, StoreError> {
        while self.running.len() < self.plan.concurrency && self.has_budget() {
            let rooms = &self.rooms;
            match self
                .lanes
                .next(&rooms.store, &self.job, &rooms.fetcher)
                .await?
            {
                Next::Page(entry, host) => {
                    let page = Arc::clone(&self.brief).page(Arc::clone(rooms), entry.clone(), host);
                    let task = self.running.spawn(page);
                    self.under_way.insert(task.id(), (entry, host));
                }
                Next::Wait(ready_at) => return Ok(Ahead::Later(ready_at)),
                Next::Nothing => return Ok(Ahead::Nothing),
            }
        }
        Ok(match self.has_budget() {
            true => Ahead::Later(None),
            false => Ahead::Nothing,
        })
    }

    fn has_budget(&self) -> bool {
        self.ledger.has_budget(self.running.len())
    }

    fn is_over(&self, ahead: Ahead) -> bool {
        let is_still = self.running.is_empty() && self.commit.is_none();
        let is_sown = self.seeds.is_over() || !self.has_budget();
        is_still && is_sown && self.ledger.is_closed() && matches!(ahead, Ahead::Nothing)
    }

    /// Takes a handful of what the sitemaps list, so that no step becomes large.
    fn sow(&mut self) {
        if self.commit.is_some() || !self.has_budget() {
            return;
        }
        for page in self.seeds.handful() {
            match self.brief.seed(&page.url) {
                Ok(found) => self.ledger.discover(found, 1, None),
                Err(rule) => self.ledger.cut(rule),
            }
        }
    }

    fn is_out_of_time(&self) -> bool {
        let most = self.plan.max_duration;
        most.is_some_and(|most| self.job.spent() >= most)
    }

    fn take(&mut self, joined: Result<(Id, Done), tokio::task::JoinError>) {
        let done = match joined {
            Ok((id, done)) => {
                self.under_way.remove(&id);
                done
            }
            Err(error) => {
                let Some((entry, host)) = self.under_way.remove(&error.id()) else {
                    return;
                };
                tracing::error!(%error, "a page of a job panicked");
                let fault = ErrorInfo::new(ErrorCode::Internal, "a fault of ours ended this page");
                self.brief.broken(entry, host, fault)
            }
        };
        self.lanes.left(done.host);
        let done = match &done.page {
            Ok(_) => done,
            Err(error) => {
                tracing::error!(%error, "a page of a job was not packed");
                let fault = ErrorInfo::new(ErrorCode::Internal, "the page cannot be kept");
                self.brief.broken(done.entry, done.host, fault)
            }
        };
        self.ledger.take(done);
    }

    /// Sends what is gathered on its way, if it is enough or has waited long enough, or if there is
    /// nothing else to do.
    fn start_commit(&mut self) {
        let is_due = self.ledger.is_due() || self.running.is_empty();
        if self.commit.is_some() || self.ledger.is_closed() || !is_due {
            return;
        }
        let Closed { step, entries } = self.ledger.close();
        let has_new = !step.entries.is_empty();
        let (rooms, job) = (Arc::clone(&self.rooms), Arc::clone(&self.job));
        self.commit = Some(Commit {
            ends: async move { commit(&rooms, &job, step).await }.boxed(),
            entries,
            has_new,
        });
    }

    fn committed(&mut self) {
        if let Some(commit) = self.commit.take() {
            self.lanes
                .committed(commit.entries.into_iter(), commit.has_new);
        }
        self.rooms.signs.committed(&self.job.id);
    }

    /// Waits until everything gathered is committed.
    async fn settle(&mut self) -> Result<(), StoreError> {
        loop {
            if self.commit.is_some() {
                ends(&mut self.commit).await?;
                self.committed();
            }
            if self.ledger.is_closed() {
                return Ok(());
            }
            // Everything that runs is over: what is gathered is all there will be.
            self.start_commit();
        }
    }

    async fn finish(&mut self, status: JobStatus) -> Result<Ended, StoreError> {
        self.running.shutdown().await;
        self.settle().await?;
        self.rooms.store.finish_job(&self.job, status, None).await?;
        Ok(Ended::Finished(status))
    }

    /// Lets running pages end, within bounds, and gives the job back.
    async fn release(&mut self) -> Result<Ended, StoreError> {
        let deadline = Instant::now() + STOP_PATIENCE;
        while let Ok(Some(joined)) =
            tokio::time::timeout_at(deadline, self.running.join_next_with_id()).await
        {
            self.take(joined);
        }
        self.running.shutdown().await;
        self.settle().await?;
        self.rooms.store.release_job(&self.job).await?;
        Ok(Ended::Released)
    }

    /// The database does not take any more: the job ends with what it has.
    async fn fail(&mut self, error: &StoreError, stop: &mut watch::Receiver<bool>) -> Ended {
        tracing::error!(%error, job.id = self.job.id, "a job failed");
        let why = crate::error::of_store(error);
        let info = ErrorInfo::new(
            ErrorCode::Internal,
            format!("Its pages could not be kept: {why}. Those that it has are good."),
        );
        let (store, status) = (&self.rooms.store, JobStatus::Failed);
        loop {
            match store.finish_job(&self.job, status, Some(&info)).await {
                Ok(()) => return Ended::Finished(status),
                Err(StoreError::LeaseLost) => return Ended::Lost,
                Err(error) => tracing::warn!(%error, job.id = self.job.id, "its end was not kept"),
            }
            tokio::select! {
                () = tokio::time::sleep(FAIL_WAIT) => {}
                // Whoever claims it next goes on where it stands.
                () = stopped(stop) => return Ended::Lost,
            }
        }
    }
}

async fn commit(rooms: &Rooms, job: &OwnedJob, step: Arc<Step>) -> Result<(), StoreError> {
    persistently(|| rooms.store.step_job(job, Arc::clone(&step))).await
}

/// Tries a write again and again: a busy database recovers, a full disk may.
pub(super) async fn persistently<F>(write: impl Fn() -> F) -> Result<(), StoreError>
where
    F: Future<Output = Result<(), StoreError>>,
{
    let mut tries = 1;
    loop {
        match write().await {
            Ok(()) => return Ok(()),
            Err(StoreError::LeaseLost) => return Err(StoreError::LeaseLost),
            Err(error) if tries >= COMMIT_TRIES => return Err(error),
            Err(error) => tracing::warn!(%error, "a step of a job is tried again"),
        }
        tries += 1;
        tokio::time::sleep(RETRY_WAIT).await;
    }
}

/// Ready when the commit under way is over; never, if there is none.
async fn ends(commit: &mut Option<Commit>) -> Result<(), StoreError> {
    match commit {
        Some(commit) => (&mut commit.ends).await,
        None => std::future::pending().await,
    }
}

/// Ready when this process stops.
pub(crate) async fn stopped(stop: &mut watch::Receiver<bool>) {
    // An error is the end of the sender, and so of the process.
    let _stops = stop.wait_for(|stops| *stops).await;
}

async fn until(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}
