//! The rungs of this process: plain HTTP always, and a browser where there is one.

use std::sync::Arc;

use tokio::time::Instant;
use trawls_contract::FetchMode;

use crate::{
    BrowserFigures, FetchConfig, FetchError, FetchPlan,
    browser::BrowserFetch,
    egress::Door,
    http::HttpFetch,
    rung::{Exchange, Hops, Rungs},
};

/// All that there are.
pub(crate) struct AllRungs {
    /// The lowest; also for what is no page.
    pub(crate) http: HttpFetch,
    browser: Option<BrowserFetch>,
}

impl AllRungs {
    /// All behind one door. A browser is started when the first page needs it.
    pub(crate) fn new(door: Arc<Door>, config: &FetchConfig) -> Result<Self, FetchError> {
        let browser = config.browser.clone();
        Ok(Self {
            http: HttpFetch::new(Arc::clone(&door), &config.proxies)?,
            browser: browser.map(|browser| BrowserFetch::new(door, browser, &config.proxies)),
        })
    }

    pub(crate) fn browser_figures(&self) -> Option<BrowserFigures> {
        self.browser.as_ref().map(BrowserFetch::figures)
    }

    pub(crate) async fn close(&self) {
        if let Some(browser) = &self.browser {
            browser.close().await;
        }
    }
}

impl Rungs for AllRungs {
    fn has(&self, rung: FetchMode) -> bool {
        rung == FetchMode::Http || self.browser.is_some()
    }

    async fn exchange(
        &self,
        rung: FetchMode,
        plan: &FetchPlan,
        hops: &impl Hops,
        deadline: Instant,
    ) -> Result<Exchange, FetchError> {
        match (rung, &self.browser) {
            (FetchMode::Http, _) => self.http.exchange(plan, hops, deadline).await,
            (_, Some(browser)) => browser.exchange(rung, plan, hops, deadline).await,
            (_, None) => Err(FetchError::BrowserUnavailable),
        }
    }

    async fn prefix(&self, plan: &FetchPlan, deadline: Instant) -> Result<Exchange, FetchError> {
        self.http.prefix(plan, deadline).await
    }
}
