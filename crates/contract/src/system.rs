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
    /// Name and version, once it was started.
    pub product: Option<String>,
    /// Pages being rendered now.
    pub pages_running: u64,
    /// Pages rendered since this process began.
    pub pages_rendered: u64,
    /// Times that it died or had to be ended.
    pub crashes: u64,
}

/// Can this server do its work (`GET /readyz`)? The browser may be missing: the http rung works
/// without it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Readiness {
    /// Database and worker are well.
    pub ready: bool,
    /// Can the database be read and written?
    pub database: PartState,
    /// The browser behind rungs two and three.
    pub browser: BrowserState,
    /// Are pages being taken?
    pub worker: PartState,
}

/// State of one part of the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PartState {
    /// Does it work?
    pub ok: bool,
    /// What it is, or what is wrong.
    pub detail: String,
}

/// The process answers (`GET /healthz`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// Always true; a server that is not alive doesn't answer.
    pub alive: bool,
}
