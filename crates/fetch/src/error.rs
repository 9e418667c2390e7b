//! Why there is no response, in this crate's own terms. The messages are the caller's: they name
//! no address and no library; what the log needs is traced where the error is made.

use std::time::Duration;

use thiserror::Error;
use trawls_contract::ErrorCode;

/// Why there is no response.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FetchError {
    /// Not a URL that can be fetched.
    #[error("the URL cannot be fetched: {0}")]
    InvalidUrl(String),
    /// The egress door refused the target.
    #[error("the target is refused: {0}")]
    SsrfBlocked(String),
    /// robots.txt forbids the page, or one that it redirects to.
    #[error("{0}")]
    RobotsDenied(String),
    /// The name has no address.
    #[error("the host name cannot be resolved")]
    Dns,
    /// No connection, or it broke before a response.
    #[error("the connection failed: {0}")]
    Connect(String),
    /// The certificate or the handshake is not acceptable.
    #[error("TLS failed: {0}")]
    Tls(String),
    /// The proxy failed.
    #[error("the proxy failed: {0}")]
    Proxy(String),
    /// No connection in time.
    #[error("no connection within {}", seconds(.0))]
    TimeoutConnect(Duration),
    /// No response head in time.
    #[error("no response within {}", seconds(.0))]
    TimeoutTtfb(Duration),
    /// The body stopped coming.
    #[error("the response fell silent for {}", seconds(.0))]
    TimeoutRead(Duration),
    /// The body came, but so slowly that it was not complete in time.
    #[error("the response came too slowly: not complete within {}", seconds(.0))]
    TooSlow(Duration),
    /// The whole fetch ran out of time.
    #[error("not complete within {}", seconds(.0))]
    TimeoutTotal(Duration),
    /// Too many redirects, or a loop.
    #[error("more than {0} redirects")]
    TooManyRedirects(usize),
    /// The decoded body exceeds the limit in bytes.
    #[error("the response is larger than {0} bytes")]
    TooLarge(usize),
    /// The content coding is broken from its first byte, or unknown.
    #[error("the response cannot be decoded: {0}")]
    Decode(String),
    /// This rung does not exist on this machine.
    #[error("no browser is available")]
    BrowserUnavailable,
    /// The browser died, or hung until it was killed.
    #[error("the browser failed: {0}")]
    BrowserCrashed(String),
    /// All of the browser's places were taken.
    #[error("no browser was free within {}", seconds(.0))]
    BrowserBusy(Duration),
    /// The page was not rendered in time.
    #[error("not rendered within {}", seconds(.0))]
    TimeoutRender(Duration),
    /// An action could not be done; the number is its place in the plan.
    #[error("actions[{0}] failed: {1}")]
    ActionFailed(usize, String),
    /// The host failed too often and rests.
    #[error("the host failed too often and rests for {}", seconds(.0))]
    BreakerOpen(Duration),
    /// A fault of ours.
    #[error("internal fault while fetching: {0}")]
    Internal(String),
}

impl FetchError {
    /// The wire code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::InvalidUrl(_) => ErrorCode::InvalidUrl,
            Self::SsrfBlocked(_) => ErrorCode::SsrfBlocked,
            Self::RobotsDenied(_) => ErrorCode::RobotsDenied,
            Self::Dns => ErrorCode::DnsFailure,
            Self::Connect(_) => ErrorCode::ConnectFailed,
            Self::Tls(_) => ErrorCode::TlsError,
            Self::Proxy(_) => ErrorCode::ProxyError,
            Self::TimeoutConnect(_) => ErrorCode::TimeoutConnect,
            Self::TimeoutTtfb(_) => ErrorCode::TimeoutTtfb,
            Self::TimeoutRead(_) | Self::TooSlow(_) => ErrorCode::TimeoutRead,
            Self::TimeoutTotal(_) | Self::BrowserBusy(_) => ErrorCode::TimeoutTotal,
            Self::TooManyRedirects(_) => ErrorCode::TooManyRedirects,
            Self::TooLarge(_) => ErrorCode::TooLarge,
            Self::Decode(_) => ErrorCode::DecodeError,
            Self::BrowserUnavailable => ErrorCode::BrowserUnavailable,
            Self::BrowserCrashed(_) => ErrorCode::BrowserCrashed,
            Self::TimeoutRender(_) => ErrorCode::TimeoutRender,
            Self::ActionFailed(..) => ErrorCode::ActionFailed,
            Self::BreakerOpen(_) => ErrorCode::BreakerOpen,
            Self::Internal(_) => ErrorCode::Internal,
        }
    }

    /// How long to wait before another try, when that is known.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::BreakerOpen(rest) => Some(*rest),
            _ => None,
        }
    }
}

/// `1.5 s`, `10 s`: durations as callers read them.
fn seconds(duration: &Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds.fract() == 0.0 {
        format!("{seconds:.0} s")
    } else {
        format!("{seconds:.1} s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_like_a_sentence() {
        let error = FetchError::TimeoutTtfb(Duration::from_millis(1500));
        assert_eq!(error.to_string(), "no response within 1.5 s");
        let error = FetchError::BreakerOpen(Duration::from_secs(60));
        assert_eq!(
            error.to_string(),
            "the host failed too often and rests for 60 s"
        );
        assert_eq!(error.retry_after(), Some(Duration::from_secs(60)));
    }
}
