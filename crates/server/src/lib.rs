//! The HTTP face: routes, access, limits, OpenAPI, static pages.
//!
//! A call passes `observe` (request id, log, error bodies), the panic wall, the gate, then its
//! handler. Handlers translate between HTTP and the engine and decide nothing else; statuses are
//! decided in `error`.

use std::sync::Arc;

use tokio::sync::Semaphore;
use trawls_engine::Engine;

mod access;
mod address;
mod assets;
mod body;
mod config;
mod error;
mod gate;
mod headers;
mod openapi;
mod router;
mod routes;
mod serve;

pub use config::{Access, ApiKey, ServerConfig};
pub use openapi::openapi_json;
pub use router::router;
pub use serve::serve;

/// What every handler sees. Cheap to clone.
#[derive(Clone)]
struct App {
    engine: Engine,
    config: Arc<ServerConfig>,
    /// One permit per page that may run.
    slots: Arc<Semaphore>,
    /// One permit per event stream that may be open.
    streams: Arc<Semaphore>,
}
