//! Broken infrastructure, and the one translation of the rooms' errors into the caller's.

use serde_json::json;
use trawls_contract::{Attempt, ErrorCode, ErrorInfo, Verdict};
use trawls_fetch::FetchError;
use trawls_store::StoreError;

/// What is no page's fault.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// What is asked needs the job to be over.
    #[error("the job is not over")]
    JobRuns,
    /// The database takes or gives nothing now. The text is for callers too.
    #[error("{0}")]
    Unavailable(StoreError),
    /// The job was removed while it was read.
    #[error("the job was removed")]
    Removed,
    /// A fault of ours. The text is for the log only.
    #[error("a fault of ours: {0}")]
    Fault(String),
    /// The rest. The text is for the log only.
    #[error(transparent)]
    Store(StoreError),
}

impl From<StoreError> for EngineError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::JobRuns => Self::JobRuns,
            StoreError::Full | StoreError::ReadOnly | StoreError::Busy | StoreError::Closed => {
                Self::Unavailable(error)
            }
            _ => Self::Store(error),
        }
    }
}

/// What a caller is told of a database that fails: no SQL, no paths.
pub(crate) fn of_store(error: &StoreError) -> String {
    match EngineError::from(error.clone()) {
        EngineError::Store(_) => "the database failed; the log has the cause".into(),
        told => told.to_string(),
    }
}

/// Why there is no response, as the caller sees it. `FetchError` speaks for callers: its text has
/// no addresses, and its code is one exhaustive match.
pub(crate) fn of_fetch(error: &FetchError, trace: &[Attempt]) -> ErrorInfo {
    let mut info = ErrorInfo::new(error.code(), sentence(&error.to_string()));
    info.attempts = tries(trace);
    if let Some(wait) = error.retry_after() {
        info.details = Some(json!({ "retry_after_s": wait.as_secs() }));
    }
    info
}

/// How many tries left the machine: a rung that doesn't exist was not tried.
pub(crate) fn tries(trace: &[Attempt]) -> u32 {
    let made = |attempt: &&Attempt| attempt.verdict != Verdict::Unavailable;
    u32::try_from(trace.iter().filter(made).count()).unwrap_or(u32::MAX)
}

/// Nobody but us can repair this; the details are in the log.
pub(crate) fn internal() -> ErrorInfo {
    ErrorInfo::new(
        ErrorCode::Internal,
        "A fault of ours while reading this page; it is logged.",
    )
}

/// With a capital and a full stop.
pub(crate) fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let mut sentence: String = match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => return String::new(),
    };
    if !sentence.ends_with(['.', '!', '?']) {
        sentence.push('.');
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_fetch_error_becomes_a_sentence_with_its_code() {
        let info = of_fetch(&FetchError::BreakerOpen(Duration::from_secs(60)), &[]);
        assert_eq!(info.code, ErrorCode::BreakerOpen);
        assert!(info.retryable);
        assert_eq!(info.details.unwrap()["retry_after_s"], 60);
        assert!(info.message.ends_with('.') && info.message.starts_with('T'));
    }
}
