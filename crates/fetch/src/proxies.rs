//! The proxy pool: endpoints in turn, the failed ones last. Only labels leave this file's values;
//! addresses and credentials stay in the URL.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::time::Instant;
use url::Url;

/// How long a failed endpoint is passed over.
const COOL_DOWN: Duration = Duration::from_secs(60);

/// The pool.
pub(crate) struct Proxies {
    endpoints: Vec<Endpoint>,
    turn: AtomicUsize,
}

struct Endpoint {
    url: Url,
    /// Not before this it is chosen again, unless there is no other.
    rests_until: Mutex<Option<Instant>>,
}

/// The endpoint of one fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chosen {
    /// Holds credentials.
    pub(crate) url: Url,
    /// For the trace.
    pub(crate) label: String,
    number: usize,
}

impl Proxies {
    /// A pool of these endpoints.
    pub(crate) fn new(urls: &[Url]) -> Self {
        let endpoint = |url: &Url| Endpoint {
            url: url.clone(),
            rests_until: Mutex::default(),
        };
        Self {
            endpoints: urls.iter().map(endpoint).collect(),
            turn: AtomicUsize::new(0),
        }
    }

    /// The next endpoint in good health, else the one that has rested longest; `None` if the pool
    /// is empty.
    pub(crate) fn choose(&self, now: Instant) -> Option<Chosen> {
        let first = self.turn.fetch_add(1, Ordering::Relaxed);
        let count = self.endpoints.len();
        let number = (0..count)
            .map(|step| (first.wrapping_add(step)) % count)
            .min_by_key(|number| self.endpoints[*number].rest(now))?;
        Some(Chosen {
            url: self.endpoints[number].url.clone(),
            label: format!("pool-{}", number + 1),
            number,
        })
    }

    /// The endpoint failed: pass it over for a while.
    pub(crate) fn failed(&self, endpoint: &Chosen, now: Instant) {
        if let Some(failed) = self.endpoints.get(endpoint.number) {
            let mut rest = failed
                .rests_until
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            *rest = Some(now + COOL_DOWN);
        }
    }
}

impl Endpoint {
    fn rest(&self, now: Instant) -> Duration {
        let until = *self
            .rests_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(count: usize) -> Proxies {
        let urls: Vec<_> = (0..count)
            .map(|number| Url::parse(&format!("http://user:secret@10.0.0.{number}:3128")).unwrap())
            .collect();
        Proxies::new(&urls)
    }

    #[test]
    fn endpoints_take_turns_and_show_only_a_label() {
        let (pool, now) = (pool(3), Instant::now());
        let labels: Vec<_> = (0..4)
            .filter_map(|_| pool.choose(now))
            .map(|chosen| chosen.label)
            .collect();
        assert_eq!(labels, ["pool-1", "pool-2", "pool-3", "pool-1"]);
    }

    #[test]
    fn a_failed_endpoint_is_passed_over_until_it_has_rested() {
        let (pool, now) = (pool(2), Instant::now());
        let failed = pool.choose(now).unwrap();
        pool.failed(&failed, now);
        for _ in 0..4 {
            assert_ne!(pool.choose(now).unwrap().label, failed.label);
        }
        let later = now + COOL_DOWN;
        assert!((0..2).any(|_| pool.choose(later).unwrap().label == failed.label));
    }

    #[test]
    fn when_all_have_failed_the_one_that_rested_longest_is_tried() {
        let (pool, now) = (pool(2), Instant::now());
        let first = pool.choose(now).unwrap();
        pool.failed(&first, now);
        let second = pool.choose(now).unwrap();
        pool.failed(&second, now + Duration::from_secs(1));
        assert_eq!(pool.choose(now + Duration::from_secs(2)), Some(first));
    }

    #[test]
    fn an_empty_pool_means_no_proxy() {
        assert_eq!(pool(0).choose(Instant::now()), None);
    }
}
