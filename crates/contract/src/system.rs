//! What the server says about itself (`GET /v1/system`).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// State of the whole server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SystemInfo {
    /// Version of the binary.
    pub version: String,
    /// Seconds since start.
    pub uptime_s: u64,
    /// Resident memory of this process.
    pub rss_bytes: Option<u64>,
    /// The browser behind rungs two and three.
    pub browser: BrowserState,
    /// Pages being scraped now.
    pub pages_running: u64,
    /// Pages kept in the database.
    pub pages_stored: u64,
    /// Size of the database file.
    pub database_bytes: u64,
    /// Hosts whose breaker is open now.
    pub breakers_open: Vec<String>,
}

/// The browser behind rungs two and three.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BrowserState {
    /// Can pages be rendered?
    pub available: bool,
    /// What was found, or what to do.
    pub detail: String,
}
