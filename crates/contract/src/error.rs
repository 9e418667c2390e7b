//! The closed set of error codes, and the two shapes that carry them: `ErrorInfo` inside a page,
//! `ApiError` as the body of a non-2xx answer.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

macro_rules! error_codes {
    ($( $(#[$doc:meta])* $name:ident = $wire:literal, retryable: $retryable:literal; )*) => {
        /// Why something failed. A closed set: callers may match on it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
        pub enum ErrorCode {
            $( $(#[$doc])* #[serde(rename = $wire)] $name, )*
        }

        impl ErrorCode {
            /// Every code, in the order of their declaration.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The wire name.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $wire),* }
            }

            /// May the same request succeed later, without a change?
            pub fn retryable(self) -> bool {
                match self { $(Self::$name => $retryable),* }
            }
        }
    };
}

error_codes! {
    /// Not a URL that can be fetched.
    InvalidUrl = "INVALID_URL", retryable: false;
    /// An option is unknown, malformed, contradicts another, or is not built yet.
    InvalidOptions = "INVALID_OPTIONS", retryable: false;
    /// The target is not a public address.
    SsrfBlocked = "SSRF_BLOCKED", retryable: false;
    /// robots.txt forbids it.
    RobotsDenied = "ROBOTS_DENIED", retryable: false;
    /// The host name has no address.
    DnsFailure = "DNS_FAILURE", retryable: true;
    /// The connection was refused or broke.
    ConnectFailed = "CONNECT_FAILED", retryable: true;
    /// The certificate or the handshake is not acceptable.
    TlsError = "TLS_ERROR", retryable: false;
    /// The proxy failed.
    ProxyError = "PROXY_ERROR", retryable: true;
    /// No connection in time.
    TimeoutConnect = "TIMEOUT_CONNECT", retryable: true;
    /// No response head in time.
    TimeoutTtfb = "TIMEOUT_TTFB", retryable: true;
    /// The body came too slowly.
    TimeoutRead = "TIMEOUT_READ", retryable: true;
    /// The browser did not finish in time.
    TimeoutRender = "TIMEOUT_RENDER", retryable: true;
    /// The whole request ran out of time.
    TimeoutTotal = "TIMEOUT_TOTAL", retryable: true;
    /// More than ten redirects, or a loop.
    TooManyRedirects = "TOO_MANY_REDIRECTS", retryable: false;
    /// 404 or 410, or a page that says so.
    NotFound = "NOT_FOUND", retryable: false;
    /// Another status of 400 to 499.
    HttpClientError = "HTTP_CLIENT_ERROR", retryable: false;
    /// A status of 500 or more.
    HttpServerError = "HTTP_SERVER_ERROR", retryable: true;
    /// 429 (or 503 with `Retry-After`), still so after waiting.
    RateLimited = "RATE_LIMITED", retryable: true;
    /// An anti-bot system refused every rung.
    Blocked = "BLOCKED", retryable: false;
    /// Fetched, but nothing usable in it.
    EmptyContent = "EMPTY_CONTENT", retryable: false;
    /// The body exceeds the size limit.
    TooLarge = "TOO_LARGE", retryable: false;
    /// A kind of content that cannot be read.
    UnsupportedContent = "UNSUPPORTED_CONTENT", retryable: false;
    /// The body's coding is broken.
    DecodeError = "DECODE_ERROR", retryable: false;
    /// The PDF needs a password.
    PdfEncrypted = "PDF_ENCRYPTED", retryable: false;
    /// The PDF is damaged.
    PdfCorrupt = "PDF_CORRUPT", retryable: false;
    /// A scan, and no OCR is installed.
    OcrUnavailable = "OCR_UNAVAILABLE", retryable: false;
    /// No browser on this machine.
    BrowserUnavailable = "BROWSER_UNAVAILABLE", retryable: false;
    /// The browser died under the page.
    BrowserCrashed = "BROWSER_CRASHED", retryable: true;
    /// A browser action failed.
    ActionFailed = "ACTION_FAILED", retryable: false;
    /// What `wait_for` names did not appear.
    WaitForTimeout = "WAIT_FOR_TIMEOUT", retryable: true;
    /// A field could not be extracted.
    FieldError = "FIELD_ERROR", retryable: false;
    /// No model provider answers.
    LlmUnavailable = "LLM_UNAVAILABLE", retryable: true;
    /// The model's answer does not fit the schema.
    LlmInvalidOutput = "LLM_INVALID_OUTPUT", retryable: true;
    /// The budget is used up.
    BudgetExceeded = "BUDGET_EXCEEDED", retryable: false;
    /// The host failed too often; it rests for a minute.
    BreakerOpen = "BREAKER_OPEN", retryable: true;
    /// The same content as another page.
    Duplicate = "DUPLICATE", retryable: false;
    /// Outside of the crawl's scope.
    OutOfScope = "OUT_OF_SCOPE", retryable: false;
    /// The job was cancelled.
    Cancelled = "CANCELLED", retryable: false;
    /// A fault of ours.
    Internal = "INTERNAL", retryable: true;
}

/// Why a page failed or was skipped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ErrorInfo {
    /// The code.
    pub code: ErrorCode,
    /// One sentence for the caller: no internal addresses, no SQL.
    pub message: String,
    /// May the same request succeed later?
    pub retryable: bool,
    /// How many tries were made.
    pub attempts: u32,
    /// What else is known: `field`, `vendor`, `limit_bytes` and the like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
}

impl ErrorInfo {
    /// An error with the code's own retryability and no details.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            retryable: code.retryable(),
            attempts: 0,
            details: None,
        }
    }
}

/// The body of every non-2xx answer: `{"error": {…}}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ApiError {
    /// What went wrong.
    pub error: ErrorBody,
}

/// What went wrong with a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ErrorBody {
    /// One of the page error codes, or one of the HTTP face's own (`UNAUTHORIZED`, `NOT_FOUND`, …).
    pub code: String,
    /// One sentence that says what to do.
    pub message: String,
    /// May the same call succeed later?
    pub retryable: bool,
    /// `field` names the faulty field as a path, when there is one; `request_id` finds the log line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
}
