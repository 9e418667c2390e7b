//! Who may start when: so many exchanges per host, so many in all, in the order of arrival, and
//! none before the host has rested. Dropping a waiter or a turn gives its place back.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, sleep_until, timeout_at},
};

use crate::hosts::Host;

/// A `Retry-After` slows the whole host down by no more than this. The page that got it obeys it
/// in full; but one page's "in an hour" must not make a host unreachable for every other caller.
pub(crate) const MAX_REST: Duration = Duration::from_secs(10);

/// The gate that all exchanges pass.
pub(crate) struct Pace {
    places: Arc<Semaphore>,
}

/// The right to one exchange, until it is dropped.
pub(crate) struct Turn {
    _host: OwnedSemaphorePermit,
    _global: OwnedSemaphorePermit,
}

impl Pace {
    /// `places` exchanges at once.
    pub(crate) fn new(places: usize) -> Self {
        Self {
            places: Arc::new(Semaphore::new(places.max(1))),
        }
    }

    /// Waits for a turn at `host`, whose starts are `delay` apart. `None` when there is none
    /// before the deadline; if that can be known, it is said at once.
    pub(crate) async fn turn(
        &self,
        host: &Host,
        delay: Duration,
        deadline: Instant,
    ) -> Option<Turn> {
        // The host first: whoever waits for a slow host must not hold a place that others need.
        let of_host = place(&host.places, deadline).await?;
        while let Err(at) = host.start(Instant::now(), delay) {
            if at >= deadline {
                return None;
            }
            sleep_until(at).await;
        }
        let of_all = place(&self.places, deadline).await?;
        Some(Turn {
            _host: of_host,
            _global: of_all,
        })
    }
}

async fn place(places: &Arc<Semaphore>, deadline: Instant) -> Option<OwnedSemaphorePermit> {
    timeout_at(deadline, Arc::clone(places).acquire_owned())
        .await
        .ok()?
        .ok()
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;
    use crate::hosts::Hosts;

    fn host(places: usize) -> Arc<Host> {
        Hosts::new(places).of(&Url::parse("http://a.example/").unwrap(), Instant::now())
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(30)
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_serves_no_more_than_its_places_at_once() {
        let (pace, host) = (Pace::new(10), host(2));
        let one = pace.turn(&host, Duration::ZERO, soon()).await;
        let _two = pace.turn(&host, Duration::ZERO, soon()).await;
        assert!(pace.turn(&host, Duration::ZERO, soon()).await.is_none());
        drop(one);
        assert!(pace.turn(&host, Duration::ZERO, soon()).await.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn all_hosts_together_have_no_more_than_the_global_places() {
        let pace = Pace::new(1);
        let _one = pace.turn(&host(5), Duration::ZERO, soon()).await;
        assert!(pace.turn(&host(5), Duration::ZERO, soon()).await.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn starts_keep_the_crawl_delay() {
        let (pace, host) = (Pace::new(10), host(5));
        let (start, delay) = (Instant::now(), Duration::from_secs(3));
        for turn in 0..4 {
            assert!(pace.turn(&host, delay, soon()).await.is_some());
            assert_eq!(start.elapsed().as_secs(), turn * 3);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_rest_beyond_the_deadline_is_not_waited_for() {
        let (pace, host) = (Pace::new(10), host(5));
        host.rest_until(Instant::now() + Duration::from_secs(60));
        let start = Instant::now();
        assert!(pace.turn(&host, Duration::ZERO, soon()).await.is_none());
        assert_eq!(start.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_dropped_waiter_leaves_its_place_to_the_next() {
        let (pace, host) = (Pace::new(1), host(1));
        let held = pace.turn(&host, Duration::ZERO, soon()).await;
        {
            let waiter = pace.turn(&host, Duration::ZERO, soon());
            let waiter = tokio::time::timeout(Duration::from_secs(1), waiter);
            assert!(waiter.await.is_err());
        }
        drop(held);
        assert!(pace.turn(&host, Duration::ZERO, soon()).await.is_some());
        assert_eq!(
            (
                host.places.available_permits(),
                pace.places.available_permits()
            ),
            (1, 1)
        );
    }
}
