//! What this process says about itself.

use trawls_contract::BrowserState;
use trawls_fetch::BrowserFigures;

/// Linux counts resident memory in pages of this size on every architecture that we build for
/// (arm64 kernels with larger pages are not among them).
const MEMORY_PAGE_BYTES: u64 = 4096;

/// Resident memory, where the operating system tells it.
pub(crate) async fn rss_bytes() -> Option<u64> {
    let statm = tokio::fs::read_to_string("/proc/self/statm").await.ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * MEMORY_PAGE_BYTES)
}

/// The browser behind rungs two and three.
pub(crate) fn browser(figures: Option<BrowserFigures>) -> BrowserState {
    let detail = match &figures {
        None => {
            "No Chromium: pages are fetched over plain HTTP alone. Install one, or set \
             TRAWLS_BROWSER_PATH or TRAWLS_BROWSER_WS_URL."
        }
        Some(BrowserFigures { product: None, .. }) => {
            "It starts with the first page that needs it."
        }
        Some(_) => "It renders the pages that need it.",
    };
    let available = figures.is_some();
    let figures = figures.unwrap_or_default();
    BrowserState {
        available,
        detail: detail.into(),
        product: figures.product,
        pages_running: figures.pages_running as u64,
        pages_rendered: figures.pages_rendered,
        crashes: figures.crashes,
    }
}

#[cfg(test)]
mod tests {
    #[tokio::test]
    async fn memory_is_counted() {
        assert!(
            super::rss_bytes()
                .await
                .is_none_or(|bytes| bytes > 1_000_000)
        );
    }
}
