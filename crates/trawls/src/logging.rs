//! The log: lines or JSON objects on stderr.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use crate::config::Log;

/// Starts logging. `quiet_level` is what is shown when `RUST_LOG` says nothing.
pub(crate) fn start(log: &Log, quiet_level: &str) {
    let filter = log
        .filter
        .as_deref()
        .and_then(|filter| EnvFilter::try_new(filter).ok())
        .unwrap_or_else(|| EnvFilter::new(quiet_level));
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    // A second start (tests) keeps the first.
    let _ = if log.as_json {
        lines
            .json()
            .with_current_span(false)
            .flatten_event(true)
            .try_init()
    } else {
        lines.with_target(false).try_init()
    };
}
