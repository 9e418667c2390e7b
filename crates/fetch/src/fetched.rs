//! What came back: immutable, content-decoded, charset untouched.

use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use serde_json::Value;
use trawls_contract::{Attempt, FetchMode, Verdict};
use url::Url;

use crate::FetchError;

/// The final response of the rung that won.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// After all redirects; keeps its fragment.
    pub final_url: Url,
    /// Of the last hop.
    pub status: u16,
    /// Of the last hop, as received.
    pub headers: HeaderMap,
    /// Content-decoded; the charset is untouched.
    pub body: Bytes,
    /// Why the body is not whole, if it is not.
    pub truncated: Option<String>,
    /// The rung that won.
    pub mode: FetchMode,
    /// What the response is worth.
    pub verdict: Verdict,
    /// One sentence behind the verdict.
    pub why: String,
    /// Whose anti-bot page it is, when the verdict is `Blocked`.
    pub vendor: Option<&'static str>,
    /// The URLs that redirected, in order.
    pub redirects: Vec<Url>,
    /// From the request to the head of the last hop's response.
    pub ttfb: Duration,
    /// The whole exchange.
    pub elapsed: Duration,
    /// What the browser made beside the document.
    pub rendered: Option<Rendered>,
}

/// What a browser made beside the document.
#[derive(Debug, Clone, Default)]
pub struct Rendered {
    /// PNG.
    pub screenshot: Option<Bytes>,
    /// PDF.
    pub pdf: Option<Bytes>,
    /// In the order of the plan.
    pub actions: Vec<ActionDone>,
    /// From the head of the response to the finished document.
    pub elapsed: Duration,
}

/// One action that was done.
#[derive(Debug, Clone)]
pub struct ActionDone {
    /// How long it took.
    pub elapsed: Duration,
    /// What it brought.
    pub yielded: Yield,
}

/// What an action brings.
#[derive(Debug, Clone)]
pub enum Yield {
    /// Nothing but its effect.
    Nothing,
    /// The value of a script.
    Value(Value),
    /// PNG.
    Screenshot(Bytes),
    /// The document as it was.
    Html(String),
}

/// All tries, and what they came to.
#[derive(Debug)]
pub struct FetchReport {
    /// One row per try, in order.
    pub attempts: Vec<Attempt>,
    /// A response of any status, or why there is none.
    pub result: Result<Fetched, FetchError>,
    /// What the caller should know, a sentence each.
    pub warnings: Vec<String>,
}
