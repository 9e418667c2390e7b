//! What is remembered of each host: its places, when it may be asked next, its breaker.
//!
//! One map, bounded: hosts at rest are forgotten when it is full. No lock outlives a call.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::{sync::Semaphore, time::Instant};
use url::Url;

use crate::{breaker::Breaker, sign::Sign, window::Window};

/// Hosts remembered before the first sweep; about a megabyte.
const SWEEP_AT: usize = 4096;

/// All hosts.
pub(crate) struct Hosts {
    places: usize,
    table: Mutex<Table>,
}

struct Table {
    hosts: HashMap<String, Arc<Host>>,
    sweep_at: usize,
}

/// One host.
pub(crate) struct Host {
    /// Exchanges that may run at once; waiters are served in order.
    pub(crate) places: Arc<Semaphore>,
    places_in_all: usize,
    book: Mutex<Book>,
}

#[derive(Default)]
struct Book {
    breaker: Breaker,
    next_start: Option<Instant>,
    /// Between two starts, when the last exchange started.
    delay: std::time::Duration,
    window: Window,
}

/// What a crawl may ask of a host now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Exchanges under way.
    pub at_once: usize,
    /// No start before then.
    pub rests_until: Option<Instant>,
}

impl Hosts {
    /// Every host has `places` places.
    pub(crate) fn new(places: usize) -> Self {
        Self {
            places: places.max(1),
            table: Mutex::new(Table {
                hosts: HashMap::new(),
                sweep_at: SWEEP_AT,
            }),
        }
    }

    /// The host of a URL; ports are hosts of their own, but not schemes.
    pub(crate) fn of(&self, url: &Url, now: Instant) -> Arc<Host> {
        let mut table = lock(&self.table);
        if table.hosts.len() >= table.sweep_at {
            table.sweep(now);
        }
        let host = table.hosts.entry(name(url)).or_insert_with(|| {
            Arc::new(Host {
                places: Arc::new(Semaphore::new(self.places)),
                places_in_all: self.places,
                book: Mutex::default(),
            })
        });
        Arc::clone(host)
    }

    /// What a crawl may ask of the host of this URL now.
    pub(crate) fn allowance(&self, url: &Url, now: Instant) -> Allowance {
        let table = lock(&self.table);
        let Some(host) = table.hosts.get(&name(url)) else {
            return Allowance {
                at_once: 1,
                rests_until: None,
            };
        };
        let book = lock(&host.book);
        // With a delay a second exchange would only wait in line, at the cost of its own time.
        let has_delay = !book.delay.is_zero();
        Allowance {
            at_once: if has_delay {
                1
            } else {
                book.window.size(self.places)
            },
            rests_until: book.next_start.filter(|at| *at > now),
        }
    }

    /// Names of the hosts whose breaker is open, sorted.
    pub(crate) fn open_breakers(&self, now: Instant) -> Vec<String> {
        let table = lock(&self.table);
        let open = table
            .hosts
            .iter()
            .filter(|(_, host)| lock(&host.book).breaker.is_open(now));
        let mut names: Vec<_> = open.map(|(name, _)| name.clone()).collect();
        names.sort();
        names
    }
}

impl Table {
    /// Forgets hosts at rest; if all have a history, forgets every host that is not in use.
    fn sweep(&mut self, now: Instant) {
        let is_used = |host: &Arc<Host>| Arc::strong_count(host) > 1;
        self.hosts
            .retain(|_, host| is_used(host) || !host.is_at_rest(now));
        if self.hosts.len() >= SWEEP_AT {
            self.hosts.retain(|_, host| is_used(host));
        }
        // When thousands are in use, a sweep for each new host would be quadratic.
        self.sweep_at = SWEEP_AT.max(self.hosts.len() * 2);
    }
}

impl Host {
    /// Starts an exchange now and keeps the next one `delay` away, or says when to ask again.
    pub(crate) fn start(&self, now: Instant, delay: std::time::Duration) -> Result<(), Instant> {
        let mut book = lock(&self.book);
        book.delay = delay;
        match book.next_start {
            Some(at) if at > now => Err(at),
            _ => {
                book.next_start = (!delay.is_zero()).then(|| now + delay);
                Ok(())
            }
        }
    }

    /// Takes note of how an exchange went.
    pub(crate) fn learn(&self, sign: Sign) {
        lock(&self.book).window.learn(sign, self.places_in_all);
    }

    /// Nobody starts before `at`.
    pub(crate) fn rest_until(&self, at: Instant) {
        let mut book = lock(&self.book);
        book.next_start = book.next_start.max(Some(at));
    }

    /// Lets a page through, or says how long the host rests.
    pub(crate) fn admit(&self, now: Instant) -> Result<(), std::time::Duration> {
        lock(&self.book).breaker.admit(now)
    }

    /// Takes note of how a page ended.
    pub(crate) fn record(&self, sign: Sign, now: Instant) {
        lock(&self.book).breaker.record(sign, now);
    }

    fn is_at_rest(&self, now: Instant) -> bool {
        let book = lock(&self.book);
        book.breaker.is_clean() && book.next_start.is_none_or(|at| at <= now)
    }
}

/// `example.com`, or `example.com:8080` when the port is not the scheme's own.
pub(crate) fn name(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// A panic while holding it leaves plain numbers behind, which are as good as before.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn schemes_share_a_host_and_ports_do_not() {
        let (hosts, now) = (Hosts::new(1), Instant::now());
        let host = hosts.of(&url("http://a.example/x"), now);
        assert!(Arc::ptr_eq(
            &host,
            &hosts.of(&url("https://a.example/y"), now)
        ));
        assert!(!Arc::ptr_eq(
            &host,
            &hosts.of(&url("http://a.example:81/"), now)
        ));
    }

    #[test]
    fn a_delay_keeps_the_next_start_away() {
        let now = Instant::now();
        let host = Hosts::new(1).of(&url("http://a.example/"), now);
        let delay = Duration::from_secs(2);
        assert_eq!(host.start(now, delay), Ok(()));
        assert_eq!(host.start(now, delay), Err(now + delay));
        assert_eq!(host.start(now + delay, delay), Ok(()));
    }

    #[test]
    fn a_rest_is_only_ever_extended() {
        let now = Instant::now();
        let host = Hosts::new(1).of(&url("http://a.example/"), now);
        host.rest_until(now + Duration::from_secs(5));
        host.rest_until(now + Duration::from_secs(2));
        assert_eq!(
            host.start(now, Duration::ZERO),
            Err(now + Duration::from_secs(5))
        );
    }

    #[test]
    fn idle_hosts_are_forgotten_and_busy_or_broken_ones_are_not() {
        let (hosts, now) = (Hosts::new(1), Instant::now());
        let busy = hosts.of(&url("http://busy.example/"), now);
        let broken = hosts.of(&url("http://broken.example/"), now);
        for _ in 0..5 {
            broken.record(Sign::Failing, now);
        }
        drop(broken);
        for number in 0..SWEEP_AT * 2 {
            hosts.of(&url(&format!("http://h{number}.example/")), now);
        }
        assert!(lock(&hosts.table).hosts.len() <= SWEEP_AT);
        assert!(Arc::ptr_eq(
            &busy,
            &hosts.of(&url("http://busy.example/"), now)
        ));
        assert_eq!(hosts.open_breakers(now), ["broken.example"]);
    }

    #[test]
    fn the_map_stays_bounded_even_when_every_host_fails() {
        let (hosts, now) = (Hosts::new(1), Instant::now());
        for number in 0..SWEEP_AT * 3 {
            let host = hosts.of(&url(&format!("http://h{number}.example/")), now);
            host.record(Sign::Failing, now);
        }
        assert!(lock(&hosts.table).hosts.len() <= SWEEP_AT);
    }
}
