//! What a try says about the host that was asked: the one judgement that both the breaker and the
//! window go by.

use std::time::Duration;

use trawls_contract::Verdict;

use crate::{FetchError, Fetched};

/// A timeout says something about the host only if the caller was this patient.
const PATIENCE: Duration = Duration::from_secs(5);

/// A sign of a host's health.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    /// It answered, in so much time.
    Answered(Duration),
    /// It answered, in a way that says nothing of its strength.
    Alive,
    /// It answered that it has too much to do.
    Strained,
    /// The transport failed or the server did.
    Failing,
    /// Nothing was learnt: a rule of ours, the caller's haste or the proxy ended it.
    Nothing,
}

impl Sign {
    /// Of a response.
    pub(crate) fn of(fetched: &Fetched) -> Self {
        match fetched.verdict {
            Verdict::ServerError => Self::Failing,
            Verdict::RateLimited => Self::Strained,
            _ => Self::Answered(fetched.ttfb),
        }
    }

    /// Of an error, when the host was asked.
    pub(crate) fn of_error(error: &FetchError) -> Self {
        match error {
            FetchError::Dns | FetchError::Connect(_) => Self::Failing,
            FetchError::TimeoutConnect(limit)
            | FetchError::TimeoutTtfb(limit)
            | FetchError::TimeoutRead(limit)
            | FetchError::TooSlow(limit)
            | FetchError::TimeoutTotal(limit)
                if *limit >= PATIENCE =>
            {
                Self::Failing
            }
            FetchError::TooManyRedirects(_) | FetchError::TooLarge(_) | FetchError::Decode(_) => {
                Self::Alive
            }
            _ => Self::Nothing,
        }
    }
}
