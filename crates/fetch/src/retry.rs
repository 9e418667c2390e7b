//! Whether to try again on the same rung, and after how long. Pure: the caller waits, and gives up
//! when the wait would reach beyond its deadline.

use std::time::Duration;

use http::{HeaderMap, header::RETRY_AFTER};
use jiff::{Timestamp, fmt::rfc2822};
use trawls_contract::{ErrorCode, Verdict};

/// Tries after the first, on one rung.
const MAX_RETRIES: u32 = 3;
/// The first wait; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// Random part of each wait, so that many callers do not come back together.
const MAX_JITTER_MS: u64 = 500;
/// `Retry-After: 0` and dates in the past are read as this, so that nobody is hammered.
const MIN_REST: Duration = Duration::from_secs(1);
/// A longer `Retry-After` says no more than this one.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(24 * 3600);
/// Obeyed `Retry-After`s cost no try; a server that goes on like this will never serve the page.
const MAX_RESTS: u32 = 10;

/// How a try ended, as far as trying again is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct End {
    /// What came of it.
    pub(crate) verdict: Verdict,
    /// The error, if there was no response.
    pub(crate) error: Option<ErrorCode>,
    /// What the server asked for.
    pub(crate) retry_after: Option<Duration>,
}

/// The tries spent on one rung.
#[derive(Debug, Default)]
pub(crate) struct Tries {
    retries: u32,
    rests: u32,
}

impl Tries {
    /// How long to wait before the next try; `None` means that this end is final.
    pub(crate) fn wait_after(&mut self, end: End) -> Option<Duration> {
        if end.verdict == Verdict::RateLimited
            && let Some(rest) = end.retry_after
        {
            self.rests += 1;
            return (self.rests <= MAX_RESTS).then_some(rest);
        }
        if self.retries >= allowance(end) {
            return None;
        }
        let wait = FIRST_WAIT * 2_u32.pow(self.retries);
        self.retries += 1;
        Some(wait + Duration::from_millis(rand::random_range(0..=MAX_JITTER_MS)))
    }
}

/// Retries that an end deserves.
fn allowance(end: End) -> u32 {
    match (end.verdict, end.error) {
        (Verdict::RateLimited | Verdict::ServerError, _) => MAX_RETRIES,
        // Its time is over, or will be before its turn comes.
        (_, Some(ErrorCode::TimeoutTotal)) => 0,
        // The resolver has asked several times already, and most such names are typing errors.
        (_, Some(ErrorCode::DnsFailure)) => 1,
        // One more endpoint; when that fails too, it is not the endpoint.
        (_, Some(ErrorCode::ProxyError)) => 1,
        // A page that kills its browser twice is to blame itself.
        (_, Some(ErrorCode::BrowserCrashed | ErrorCode::TimeoutRender)) => 1,
        (_, Some(error)) if error.retryable() => MAX_RETRIES,
        _ => 0,
    }
}

/// `Retry-After` in seconds or as a date, with its extremes cut off.
pub(crate) fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let wait = if value.bytes().all(|byte| byte.is_ascii_digit()) && !value.is_empty() {
        value.parse().map_or(MAX_RETRY_AFTER, Duration::from_secs)
    } else {
        let at = rfc2822::parse(value).ok()?.timestamp();
        Duration::try_from(at.duration_since(now)).unwrap_or_default()
    };
    Some(wait.clamp(MIN_REST, MAX_RETRY_AFTER))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(verdict: Verdict, error: Option<ErrorCode>) -> End {
        End {
            verdict,
            error,
            retry_after: None,
        }
    }

    fn waits(end: End) -> Vec<u64> {
        let mut tries = Tries::default();
        std::iter::from_fn(|| tries.wait_after(end))
            .map(|wait| wait.as_millis() as u64)
            .take(99)
            .collect()
    }

    #[test]
    fn waits_double_from_a_second_with_up_to_half_a_second_of_chance() {
        let waits = waits(end(Verdict::Failed, Some(ErrorCode::ConnectFailed)));
        assert_eq!(waits.len(), 3);
        for (wait, base) in waits.iter().zip([1000, 2000, 4000]) {
            assert!((base..=base + 500).contains(wait), "{wait}");
        }
    }

    #[test]
    fn only_what_may_pass_is_tried_again() {
        for code in ErrorCode::ALL {
            let tried = !waits(end(Verdict::Failed, Some(*code))).is_empty();
            let may_pass = code.retryable() && *code != ErrorCode::TimeoutTotal;
            assert_eq!(tried, may_pass, "{code:?}");
        }
        for verdict in [
            Verdict::Usable,
            Verdict::Thin,
            Verdict::Blocked,
            Verdict::NotFound,
            Verdict::ClientError,
            Verdict::NotModified,
        ] {
            assert!(waits(end(verdict, None)).is_empty(), "{verdict:?}");
        }
        assert_eq!(waits(end(Verdict::ServerError, None)).len(), 3);
        assert_eq!(waits(end(Verdict::RateLimited, None)).len(), 3);
    }

    #[test]
    fn a_retry_after_is_obeyed_and_costs_no_try() {
        let mut tries = Tries::default();
        let limited = End {
            retry_after: Some(Duration::from_secs(7)),
            ..end(Verdict::RateLimited, None)
        };
        for _ in 0..MAX_RESTS {
            assert_eq!(tries.wait_after(limited), Some(Duration::from_secs(7)));
        }
        assert_eq!(tries.wait_after(limited), None);
        assert!(
            tries
                .wait_after(end(Verdict::ServerError, None))
                .is_some_and(|wait| wait.as_secs() < 2)
        );
    }

    #[test]
    fn retry_after_is_read_in_seconds_and_as_a_date() {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        for (written, seconds) in [
            ("120", Some(120)),
            (" 3 ", Some(3)),
            ("0", Some(1)),
            ("99999999999999999999999", Some(86_400)),
            ("Thu, 01 Jan 2026 00:00:30 GMT", Some(30)),
            ("Wed, 31 Dec 2025 00:00:30 GMT", Some(1)),
            ("soon", None),
            ("-5", None),
            ("", None),
        ] {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, written.parse().unwrap())]);
            let read = retry_after(&headers, now).map(|wait| wait.as_secs());
            assert_eq!(read, seconds, "{written}");
        }
    }
}
