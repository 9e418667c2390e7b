//! The front door of this crate: one `Fetcher` for the whole process, shared behind `Arc`.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use http::HeaderMap;
use url::Url;

use crate::{
    Allowance, BrowserFigures, Door, FetchConfig, FetchError, FetchPlan, FetchReport, Resolve,
    SystemResolver, climb::Climb, rungs::AllRungs,
};

/// Fetches pages. All fetches share its connections, caches, pace and breakers.
pub struct Fetcher {
    climb: Climb<AllRungs>,
}

impl Fetcher {
    /// A fetcher that asks the system for addresses.
    ///
    /// # Errors
    /// The TLS client cannot be built, or a proxy of the pool cannot be used.
    pub fn new(config: FetchConfig) -> Result<Self, FetchError> {
        Self::with_resolver(config, Arc::new(SystemResolver))
    }

    /// A fetcher that asks `resolver` for addresses.
    ///
    /// # Errors
    /// The TLS client cannot be built, or a proxy of the pool cannot be used.
    pub fn with_resolver(
        config: FetchConfig,
        resolver: Arc<dyn Resolve>,
    ) -> Result<Self, FetchError> {
        let door = Arc::new(Door::new(resolver, config.allow_private_targets));
        let rungs = AllRungs::new(door, &config)?;
        Ok(Self {
            climb: Climb::new(rungs, &config),
        })
    }

    /// Fetches one page within the plan's limits, waits and retries included. Never panics, never
    /// outlives the deadline; dropping the future stops it.
    pub async fn fetch(&self, plan: &FetchPlan) -> FetchReport {
        self.climb.fetch(plan).await
    }

    /// The sitemaps that robots.txt of the plan's origin names, as written; none when it cannot be
    /// had.
    pub async fn sitemaps(&self, plan: &FetchPlan) -> Vec<String> {
        self.climb.sitemaps(plan).await
    }

    /// Posts a body and returns the status of the answer. Redirects are not followed, and nothing is
    /// tried again.
    ///
    /// # Errors
    /// There is no answer within `limit`, or the address is refused.
    pub async fn post(
        &self,
        url: &Url,
        headers: HeaderMap,
        body: Bytes,
        limit: Duration,
    ) -> Result<u16, FetchError> {
        self.climb
            .rungs()
            .http
            .post(url, headers, body, limit)
            .await
    }

    /// May an address be called?
    ///
    /// # Errors
    /// `SsrfBlocked` when it is refused, `Dns` when its name says nothing.
    pub async fn admits(&self, url: &Url) -> Result<(), FetchError> {
        self.climb.rungs().http.admits(url).await
    }

    /// Whether there is a browser, and what it does.
    pub fn browser(&self) -> Option<BrowserFigures> {
        self.climb.rungs().browser_figures()
    }

    /// Ends the browser and removes what it left. Pages that it renders fail.
    pub async fn close(&self) {
        self.climb.rungs().close().await;
    }

    /// What a crawl may ask of the host of this URL now.
    pub fn allowance(&self, url: &Url) -> Allowance {
        self.climb.allowance(url)
    }

    /// Names of the hosts whose breaker is open now, sorted.
    pub fn open_breakers(&self) -> Vec<String> {
        self.climb.open_breakers()
    }
}
