//! Who is to look again: the worker, when a job may be taken; whoever follows a job, when something
//! happened to that one. A quiet job wakes nobody, however busy the others are.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::sync::watch;

/// The signs of one process.
#[derive(Debug, Default)]
pub(crate) struct Signs {
    queue: watch::Sender<()>,
    /// Of the jobs that somebody follows.
    jobs: Mutex<HashMap<String, watch::Sender<()>>>,
}

impl Signs {
    /// Changes whenever a job may be taken.
    pub(crate) fn of_queue(&self) -> watch::Receiver<()> {
        self.queue.subscribe()
    }

    /// Changes whenever something is committed for this job.
    pub(crate) fn of_job(&self, id: &str) -> watch::Receiver<()> {
        let mut jobs = self.jobs();
        jobs.retain(|_, sender| sender.receiver_count() > 0);
        jobs.entry(id.to_owned()).or_default().subscribe()
    }

    /// A job waits for a worker.
    pub(crate) fn queued(&self, id: &str) {
        self.queue.send_replace(());
        self.committed(id);
    }

    /// Something was committed for this job.
    pub(crate) fn committed(&self, id: &str) {
        if let Some(sender) = self.jobs().get(id) {
            sender.send_replace(());
        }
    }

    /// A panic while holding it leaves a good map behind.
    fn jobs(&self) -> MutexGuard<'_, HashMap<String, watch::Sender<()>>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_concerns_a_follower_wakes_it() {
        let signs = Signs::default();
        let (queue, one, other) = (signs.of_queue(), signs.of_job("1"), signs.of_job("2"));
        signs.committed("1");
        assert!(one.has_changed().unwrap() && !other.has_changed().unwrap());
        assert!(!queue.has_changed().unwrap());
        signs.queued("2");
        assert!(queue.has_changed().unwrap() && other.has_changed().unwrap());
    }

    #[test]
    fn jobs_that_nobody_follows_any_more_are_forgotten() {
        let signs = Signs::default();
        drop(signs.of_job("1"));
        let _two = signs.of_job("2");
        assert_eq!(signs.jobs().len(), 1);
    }
}
