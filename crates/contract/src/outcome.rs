//! What became of a page, and the one test of success.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The coarse status of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PageStatus {
    /// Usable content.
    Ok,
    /// No usable content; `error` says why.
    Failed,
    /// Not fetched on purpose; `error` says why.
    Skipped,
}

/// What became of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Usable extracted content, on whichever rung.
    Success,
    /// Fetched, but no rung produced usable content.
    Empty,
    /// Invalid URL, refusal, error status, or every rung failed.
    Failed,
    /// Out of scope, robots, or duplicate.
    Skipped,
}

impl Outcome {
    /// The wire name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Empty => "empty",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }

    /// The only test of success: usage, quotas, counters and webhooks use it and nothing else.
    pub fn is_success(self) -> bool {
        matches!(self, Self::Success)
    }

    /// The status that callers see for this outcome.
    pub fn status(self) -> PageStatus {
        match self {
            Self::Success => PageStatus::Ok,
            Self::Empty | Self::Failed => PageStatus::Failed,
            Self::Skipped => PageStatus::Skipped,
        }
    }
}
