//! What happens in a job, as a stream that can be taken up again: the facts are in the database,
//! so nothing is lost when a server restarts, and nothing comes twice.

use std::{collections::VecDeque, time::Duration};

use futures_util::stream::{self, Stream};
use tokio::{sync::watch, time::Instant};
use trawls_contract::{Job, JobPage};
use trawls_store::PageFilter;

use super::runner::stopped;
use crate::{Engine, EngineError};

/// Pages read at once.
const PAGES: u32 = 200;
/// Between two looks at a job that another process works on: at first, and when it has long been
/// quiet.
const LOOK_EVERY: Duration = Duration::from_millis(500);
const LOOK_AT_LEAST_EVERY: Duration = Duration::from_secs(2);
/// Least time between two looks, however much happens.
const LOOK_GAP: Duration = Duration::from_millis(100);
/// Between two reports of progress.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);

/// Something that happened in a job.
#[derive(Debug, Clone, PartialEq)]
pub enum JobEvent {
    /// A page has its outcome. Its number is the event's id.
    Page(JobPage),
    /// Where the job stands. A state, not a fact: it has no id and is never sent again.
    Progress(Job),
    /// The job is over. The last event, with the id after the last page's.
    Done(u64, Job),
}

struct Follower {
    engine: Engine,
    id: String,
    after: u64,
    signs: watch::Receiver<()>,
    stops: watch::Receiver<bool>,
    waiting: VecDeque<JobEvent>,
    progress_at: Option<Instant>,
    last_progress: Option<Job>,
    /// Until the next look, if there is no sign before.
    patience: Duration,
    is_over: bool,
}

impl Engine {
    /// Events of a job after the page of number `after`, until it is over or this process stops;
    /// `None` when there is no such job.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn job_events(
        &self,
        id: &str,
        after: u64,
    ) -> Result<Option<impl Stream<Item = JobEvent> + Send + 'static>, EngineError> {
        if self.job(id).await?.is_none() {
            return Ok(None);
        }
        let follower = Follower {
            signs: self.rooms().signs.of_job(id),
            stops: self.rooms().stops.subscribe(),
            engine: self.clone(),
            id: id.to_owned(),
            after,
            waiting: VecDeque::new(),
            progress_at: None,
            last_progress: None,
            patience: LOOK_EVERY,
            is_over: false,
        };
        Ok(Some(stream::unfold(follower, |mut follower| async move {
            let event = follower.next().await?;
            Some((event, follower))
        })))
    }
}

impl Follower {
    async fn next(&mut self) -> Option<JobEvent> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Some(event);
            }
            if self.is_over || *self.stops.borrow() {
                return None;
            }
            match self.look().await {
                Ok(true) => self.patience = LOOK_EVERY,
                Ok(false) => self.rest().await,
                Err(error) => {
                    tracing::warn!(%error, job.id = self.id, "a job cannot be followed");
                    return None;
                }
            }
        }
    }

    /// Reads what happened since; says whether anything did. The job is read before its pages: when
    /// it is over by then, all its pages are there.
    async fn look(&mut self) -> Result<bool, EngineError> {
        self.signs.mark_unchanged();
        let Some(job) = self.engine.job(&self.id).await? else {
            self.is_over = true;
            return Ok(true);
        };
        let all = PageFilter::default();
        let pages = self
            .engine
            .job_pages(&self.id, &all, self.after, PAGES)
            .await?;
        let pages = pages.map(|list| list.items).unwrap_or_default();
        let (is_last, is_final) = (pages.is_empty(), job.status.is_final());
        for page in pages {
            self.after = page.number;
            self.waiting.push_back(JobEvent::Page(page));
        }
        if is_last && is_final {
            self.is_over = true;
            let id = self.after.saturating_add(1);
            self.waiting.push_back(JobEvent::Done(id, job));
        } else {
            self.report(job);
        }
        Ok(!self.waiting.is_empty())
    }

    fn report(&mut self, job: Job) {
        let is_due = self.progress_at.is_none_or(|at| at <= Instant::now());
        if is_due && self.last_progress.as_ref() != Some(&job) {
            self.progress_at = Some(Instant::now() + PROGRESS_EVERY);
            self.last_progress = Some(job.clone());
            self.waiting.push_back(JobEvent::Progress(job));
        }
    }

    async fn rest(&mut self) {
        tokio::time::sleep(LOOK_GAP).await;
        tokio::select! {
            _ = self.signs.changed() => {}
            () = stopped(&mut self.stops) => {}
            () = tokio::time::sleep(self.patience) => {
                self.patience = (2 * self.patience).min(LOOK_AT_LEAST_EVERY);
            }
        }
    }
}
