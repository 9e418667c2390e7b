//! Orders the rooms: fetch brings bytes, content reads them into a page, store keeps the result.
//!
//! `scrape` is the corridor and the only place that knows the order. A page that fails is a
//! `PageResult`, never an `Err`; errors are for broken infrastructure. No HTTP face, no environment.

mod address;
#[cfg(test)]
mod corridor_tests;
mod engine;
mod error;
mod flights;
mod jobs;
mod outcome;
mod page_cache;
mod plan;
mod reader;
mod result;
mod scrape;
mod signs;
mod sitemaps;
mod soft_404;
mod sweep;
mod system;

pub use engine::{Engine, EngineConfig};
pub use error::EngineError;
pub use jobs::{JobEvent, NoJob};
pub use trawls_store::PageFilter;
