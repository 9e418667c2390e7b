//! What this process says about itself.

use trawls_contract::BrowserState;

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
pub(crate) fn browser() -> BrowserState {
    BrowserState {
        available: false,
        detail: "Pages are fetched over plain HTTP; this version renders none in a browser.".into(),
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
