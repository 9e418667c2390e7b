//! The front door of this crate: one `Fetcher` for the whole process, shared behind `Arc`.

use std::sync::Arc;

use url::Url;

use crate::{
    Allowance, Door, FetchConfig, FetchError, FetchPlan, FetchReport, Resolve, SystemResolver,
    climb::Climb, http::HttpFetch,
};

/// Fetches pages. All fetches share its connections, caches, pace and breakers.
pub struct Fetcher {
    climb: Climb<HttpFetch>,
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
        let rung = HttpFetch::new(door, &config.proxies)?;
        Ok(Self {
            climb: Climb::new(rung, &config),
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

    /// What a crawl may ask of the host of this URL now.
    pub fn allowance(&self, url: &Url) -> Allowance {
        self.climb.allowance(url)
    }

    /// Names of the hosts whose breaker is open now, sorted.
    pub fn open_breakers(&self) -> Vec<String> {
        self.climb.open_breakers()
    }
}
