//! How a page was fetched: the rungs of the ladder, and one `Attempt` per try, so that "why" is
//! answered by the result itself.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ErrorCode;

/// A rung of the ladder: one way to fetch a page. The order is the order of climbing.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FetchMode {
    /// Plain HTTP, shaped like Chrome's.
    Http,
    /// Headless Chromium.
    Browser,
    /// Headless Chromium with a coherent identity and the proxy pool.
    Stealth,
}

impl FetchMode {
    /// The wire name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Browser => "browser",
            Self::Stealth => "stealth",
        }
    }
}

/// What a response is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Good to read.
    Usable,
    /// HTML with almost no visible text, or an empty root of a script application.
    Thin,
    /// The reading lost what the page plainly holds.
    Lossy,
    /// An anti-bot page instead of the page.
    Blocked,
    /// 429, or 503 with `Retry-After`.
    RateLimited,
    /// 404 or 410.
    NotFound,
    /// Another status of 400 to 499.
    ClientError,
    /// A status of 500 or more.
    ServerError,
    /// The validators still hold: the cached page is the page.
    NotModified,
    /// No response: the connection, the deadline or a rule of ours ended it.
    Failed,
    /// This rung does not exist on this machine.
    Unavailable,
}

/// One try on one rung.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Attempt {
    /// The rung.
    pub mode: FetchMode,
    /// What came of it.
    pub verdict: Verdict,
    /// Status of the final response, if there was one.
    pub http_status: Option<u16>,
    /// The typed error, if the verdict is one.
    pub error: Option<ErrorCode>,
    /// The proxy's label; never its address or credentials.
    pub proxy: Option<String>,
    /// RFC 3339, UTC.
    #[schema(value_type = String, format = DateTime)]
    pub started_at: jiff::Timestamp,
    /// Milliseconds from start to verdict.
    pub duration_ms: u64,
    /// One sentence: why this try was made or why it ended so.
    pub why: String,
}
