//! Pages and cache entries in memory, bounded in bytes, so that a cache hit needs neither the
//! database nor decompression nor parsing. Holds only what was committed.

use std::{sync::Arc, time::Duration};

use moka::sync::Cache;
use trawls_contract::PageResult;

use crate::{
    cache::{CacheKey, CacheRow},
    host_rungs::KnownRung,
};

/// Memory for pages: some 1,500 pages of 40 KB.
const PAGES_BYTES: u64 = 64 * 1024 * 1024;
/// Memory for entries: some 20,000.
const ENTRIES_BYTES: u64 = 8 * 1024 * 1024;
/// Hosts whose rung is held.
const HOSTS: u64 = 20_000;
/// What another process finds out about a host is heard of after this.
const HOST_LIFE: Duration = Duration::from_secs(60);
/// What a value costs beside its texts, in this cache's own tables.
const OVERHEAD_BYTES: usize = 256;

#[derive(Debug, Clone)]
pub(crate) struct Hot {
    pages: Cache<String, HotPage>,
    entries: Cache<CacheKey, Arc<CacheRow>>,
    /// That nothing is known of a host, too.
    rungs: Cache<String, Option<KnownRung>>,
}

#[derive(Debug, Clone)]
struct HotPage {
    page: Arc<PageResult>,
    bytes: u32,
}

impl Hot {
    pub(crate) fn new() -> Self {
        Self {
            pages: Cache::builder()
                .max_capacity(PAGES_BYTES)
                .weigher(|_, page: &HotPage| page.bytes)
                .build(),
            entries: Cache::builder()
                .max_capacity(ENTRIES_BYTES)
                .weigher(|_, row: &Arc<CacheRow>| entry_bytes(row))
                .build(),
            rungs: Cache::builder()
                .max_capacity(HOSTS)
                .time_to_live(HOST_LIFE)
                .build(),
        }
    }

    pub(crate) fn page(&self, id: &str) -> Option<Arc<PageResult>> {
        self.pages.get(id).map(|hot| hot.page)
    }

    /// `json_bytes` is the size of the page as JSON, close to what it takes in memory.
    pub(crate) fn put_page(&self, page: Arc<PageResult>, json_bytes: usize) {
        let bytes = u32::try_from(json_bytes + OVERHEAD_BYTES).unwrap_or(u32::MAX);
        self.pages.insert(page.id.clone(), HotPage { page, bytes });
    }

    pub(crate) fn remove_page(&self, id: &str) {
        self.pages.invalidate(id);
    }

    pub(crate) fn entry(&self, key: CacheKey) -> Option<Arc<CacheRow>> {
        self.entries.get(&key)
    }

    pub(crate) fn put_entry(&self, row: Arc<CacheRow>) {
        self.entries.insert(row.key, row);
    }

    pub(crate) fn rung(&self, host: &str) -> Option<Option<KnownRung>> {
        self.rungs.get(host)
    }

    pub(crate) fn put_rung(&self, host: &str, known: Option<KnownRung>) {
        self.rungs.insert(host.to_owned(), known);
    }

    pub(crate) fn forget_rung(&self, host: &str) {
        self.rungs.invalidate(host);
    }

    pub(crate) fn remove_entry(&self, key: CacheKey) {
        self.entries.invalidate(&key);
    }
}

fn entry_bytes(row: &CacheRow) -> u32 {
    let validators = [&row.validators.etag, &row.validators.last_modified];
    let texts: usize = validators.into_iter().flatten().map(String::len).sum();
    u32::try_from(texts + OVERHEAD_BYTES).unwrap_or(u32::MAX)
}
