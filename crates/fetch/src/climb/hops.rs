//! The way of one page through its redirects: robots.txt and the breaker have a say at each, and
//! what happens there is held against the host where it happens.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::time::Instant;
use url::Url;

use super::Climb;
use crate::{
    FetchError, FetchPlan,
    hosts::Host,
    rung::{Hops, Rungs},
    sign::Sign,
};

/// The redirects of one exchange.
pub(super) struct PageHops<'a, R> {
    climb: &'a Climb<R>,
    plan: &'a FetchPlan,
    deadline: Instant,
    asked: Mutex<Arc<Host>>,
}

impl<'a, R> PageHops<'a, R> {
    /// Begins at `host`.
    pub(super) fn new(
        climb: &'a Climb<R>,
        plan: &'a FetchPlan,
        host: Arc<Host>,
        deadline: Instant,
    ) -> Self {
        Self {
            climb,
            plan,
            deadline,
            asked: Mutex::new(host),
        }
    }

    /// The host of the last hop.
    pub(super) fn into_asked(self) -> Arc<Host> {
        self.asked
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// A host that sends its reader elsewhere is alive; the next one may be at rest.
    fn go_over(&self, next: Arc<Host>, now: Instant) -> Result<(), FetchError> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&asked, &next) {
            return Ok(());
        }
        asked.record(Sign::Alive, now);
        next.admit(now).map_err(FetchError::BreakerOpen)?;
        *asked = next;
        Ok(())
    }
}

impl<R: Rungs> Hops for PageHops<'_, R> {
    async fn admit(&self, next: &Url) -> Result<(), FetchError> {
        let now = Instant::now();
        self.go_over(self.climb.hosts.of(next, now), now)?;
        self.climb
            .permission(self.plan, next, self.deadline)
            .await
            .map(|_delay| ())
    }
}
