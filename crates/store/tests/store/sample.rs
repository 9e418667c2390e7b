//! Small pages to keep, and folders that vanish.

use std::{path::PathBuf, sync::Arc};

use jiff::Timestamp;
use trawls_contract::PageResult;
use trawls_store::{Keep, Store};

/// A folder of its own, removed when dropped.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        let path = std::env::temp_dir().join(format!("trawls-store-{}", uuid::Uuid::new_v4()));
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.0.join("trawls.db")
    }

    pub(crate) fn path(&self) -> &std::path::Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _gone = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_790_000_000 + seconds).unwrap()
}

pub(crate) fn page(id: &str, fetched_at: Timestamp) -> Arc<PageResult> {
    let json = serde_json::json!({
        "id": id,
        "url": "http://example.com/",
        "final_url": "http://example.com/",
        "status": "ok",
        "outcome": "success",
        "http_status": 200,
        "content_type": "text/html",
        "fetch_mode_used": "http",
        "markdown": format!("# Page {id}\n\nThe ferry leaves at nine."),
        "quality": {"confidence": 0.75, "main_content_ratio": 0.5},
        "warnings": [],
        "error": null,
        "trace": [],
        "timings": {"ttfb_ms": 1, "fetch_ms": 2, "render_ms": null, "process_ms": 3, "total_ms": 6},
        "fetched_at": fetched_at,
        "depth": null,
        "referrer": null,
        "from_cache": false,
    });
    Arc::new(serde_json::from_value(json).unwrap())
}

pub(crate) async fn keep(store: &Store, id: &str, fetched_at: Timestamp) {
    let keep = Keep {
        page: page(id, fetched_at),
        body: None,
        blobs: Vec::new(),
        cache: None,
    };
    store.keep(keep).await.unwrap();
}
