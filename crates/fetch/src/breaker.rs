//! Stops asking a host that keeps failing: after five failed pages in a row it rests for a minute,
//! then one page at a time may try. Time is an argument; nothing here waits or locks.

use std::time::Duration;

use tokio::time::Instant;

use crate::sign::Sign;

/// Failed pages in a row that open the breaker.
const FAILURES: u32 = 5;
/// How long an open breaker refuses everything.
const REST: Duration = Duration::from_secs(60);
/// Half-open, one try is let through in this time. A lease rather than a lock: a try that is
/// cancelled needs no one to report it.
const PROBE_GAP: Duration = Duration::from_secs(5);

/// The breaker of one host.
#[derive(Debug, Default)]
pub(crate) struct Breaker {
    failures: u32,
    /// Set while it is not closed: the next moment at which a try is let through.
    next_try: Option<Instant>,
}

impl Breaker {
    /// Lets a page through, or says how long to wait.
    pub(crate) fn admit(&mut self, now: Instant) -> Result<(), Duration> {
        match self.next_try {
            Some(at) if at > now => Err(at - now),
            Some(_) => {
                self.next_try = Some(now + PROBE_GAP);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Takes note of how a page ended.
    pub(crate) fn record(&mut self, sign: Sign, now: Instant) {
        match sign {
            Sign::Answered(_) | Sign::Alive => *self = Self::default(),
            Sign::Failing => {
                self.failures = self.failures.saturating_add(1);
                if self.failures >= FAILURES {
                    self.next_try = Some(now + REST);
                }
            }
            Sign::Strained | Sign::Nothing => {}
        }
    }

    /// Does it refuse pages now?
    pub(crate) fn is_open(&self, now: Instant) -> bool {
        self.next_try.is_some_and(|at| at > now)
    }

    /// Is there nothing to remember?
    pub(crate) fn is_clean(&self) -> bool {
        self.failures == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(times: u32, now: Instant) -> Breaker {
        let mut breaker = Breaker::default();
        for _ in 0..times {
            breaker.record(Sign::Failing, now);
        }
        breaker
    }

    #[test]
    fn five_failures_in_a_row_open_it_for_a_minute() {
        let now = Instant::now();
        assert!(failed(4, now).admit(now).is_ok());
        let mut breaker = failed(5, now);
        assert!(breaker.is_open(now));
        assert_eq!(
            breaker.admit(now + Duration::from_secs(20)),
            Err(Duration::from_secs(40))
        );
        assert!(breaker.admit(now + REST).is_ok());
    }

    #[test]
    fn a_success_in_between_starts_the_count_again() {
        let now = Instant::now();
        let mut breaker = failed(4, now);
        breaker.record(Sign::Alive, now);
        for _ in 0..4 {
            breaker.record(Sign::Failing, now);
        }
        assert!(breaker.admit(now).is_ok());
    }

    #[test]
    fn what_says_nothing_about_the_host_changes_nothing() {
        let now = Instant::now();
        let mut breaker = failed(4, now);
        breaker.record(Sign::Nothing, now);
        breaker.record(Sign::Failing, now);
        assert!(breaker.is_open(now));
    }

    #[test]
    fn half_open_lets_one_through_at_a_time() {
        let now = Instant::now();
        let mut breaker = failed(5, now);
        let later = now + REST;
        assert!(breaker.admit(later).is_ok());
        assert_eq!(breaker.admit(later), Err(PROBE_GAP));
        assert!(breaker.admit(later + PROBE_GAP).is_ok());
    }

    #[test]
    fn half_open_closes_on_a_success_and_opens_again_on_a_failure() {
        let now = Instant::now();
        let later = now + REST;
        let mut breaker = failed(5, now);
        assert!(breaker.admit(later).is_ok());
        breaker.record(Sign::Failing, later);
        assert_eq!(breaker.admit(later), Err(REST));
        breaker.record(Sign::Alive, later);
        assert!(breaker.admit(later).is_ok());
        assert!(breaker.is_clean());
    }
}
