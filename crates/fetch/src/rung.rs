//! The seam between policy and transport: a rung does one whole exchange, redirects included, and
//! has no opinion on retries, robots or what the response is worth.

use std::{future::Future, time::Duration};

use bytes::Bytes;
use http::HeaderMap;
use tokio::time::Instant;
use trawls_contract::FetchMode;
use url::Url;

use crate::{FetchError, FetchPlan, Rendered};

/// The ways to fetch a page.
pub(crate) trait Rungs: Send + Sync {
    /// Is there this one here?
    fn has(&self, rung: FetchMode) -> bool;

    /// One exchange on a rung that there is: the response of the last hop, of any status. `hops` is
    /// asked before each redirect is followed.
    fn exchange(
        &self,
        rung: FetchMode,
        plan: &FetchPlan,
        hops: &impl Hops,
        deadline: Instant,
    ) -> impl Future<Output = Result<Exchange, FetchError>> + Send;

    /// The same over plain HTTP, but wherever it leads, and of a body beyond the limit the first
    /// bytes are kept.
    fn prefix(
        &self,
        plan: &FetchPlan,
        deadline: Instant,
    ) -> impl Future<Output = Result<Exchange, FetchError>> + Send;
}

/// Which redirects an exchange may follow.
pub(crate) trait Hops: Sync {
    /// Says no by an error, which ends the exchange.
    fn admit(&self, next: &Url) -> impl Future<Output = Result<(), FetchError>> + Send;
}

/// The response of the last hop.
#[derive(Debug, Clone)]
pub(crate) struct Exchange {
    /// After all redirects; keeps its fragment.
    pub(crate) final_url: Url,
    /// Of the last hop.
    pub(crate) status: u16,
    /// Of the last hop, as received.
    pub(crate) headers: HeaderMap,
    /// Content-decoded; the charset is untouched.
    pub(crate) body: Bytes,
    /// Why the body is not whole, if it is not.
    pub(crate) truncated: Option<String>,
    /// The URLs that redirected, in order.
    pub(crate) redirects: Vec<Url>,
    /// From the request to the head of the last hop's response.
    pub(crate) ttfb: Duration,
    /// The whole exchange.
    pub(crate) elapsed: Duration,
    /// What the caller should know, a sentence each.
    pub(crate) warnings: Vec<String>,
    /// What the browser made beside the document.
    pub(crate) rendered: Option<Rendered>,
}
