//! Orders the rooms: fetch brings bytes, content reads them into a page, store keeps the result.
//!
//! `scrape` is the corridor and the only place that knows the order. A page that fails is a
//! `PageResult`, never an `Err`; errors are for broken infrastructure. No HTTP face, no environment.

mod address;
mod bm25;
#[cfg(test)]
mod corridor_tests;
mod engine;
mod error;
mod export;
mod flights;
mod host_memory;
mod jobs;
mod map;
mod outcome;
mod page_cache;
mod plan;
mod reader;
mod rendered;
mod result;
mod scrape;
mod signs;
mod sitemaps;
mod soft_404;
mod sweep;
mod system;
mod webhooks;

pub use engine::{Engine, EngineConfig};
pub use error::EngineError;
pub use export::file_name;
pub use jobs::{JobEvent, NoJob};
pub use map::NoMap;
pub use trawls_store::{Blob, BlobKind, PageFilter};
