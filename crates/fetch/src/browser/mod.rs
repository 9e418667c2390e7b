//! The rungs that are a browser.

use std::sync::Arc;

use tokio::time::Instant;
use trawls_contract::FetchMode;
use url::Url;

use crate::{
    BrowserConfig, FetchError, FetchPlan,
    egress::Door,
    rung::{Exchange, Hops},
};

/// What the browser does now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BrowserFigures {
    /// Name and version, once it has been started.
    pub product: Option<String>,
    /// Pages that it renders now.
    pub pages_running: usize,
    /// Pages that it rendered since this process began.
    pub pages_rendered: u64,
    /// Times that it had to be killed or died by itself.
    pub crashes: u64,
}

/// The browser rungs: plain and stealth.
pub(crate) struct BrowserFetch {}

impl BrowserFetch {
    pub(crate) fn new(_door: Arc<Door>, _config: BrowserConfig, _proxies: &[Url]) -> Self {
        Self {}
    }

    pub(crate) async fn exchange(
        &self,
        _rung: FetchMode,
        _plan: &FetchPlan,
        _hops: &impl Hops,
        _deadline: Instant,
    ) -> Result<Exchange, FetchError> {
        Err(FetchError::BrowserUnavailable)
    }

    pub(crate) fn figures(&self) -> BrowserFigures {
        BrowserFigures::default()
    }

    pub(crate) async fn close(&self) {}
}
