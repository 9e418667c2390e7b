//! `trawls worker`: the background work of a server that leaves it to another process, on the same
//! data folder.

use clap::Args;

use super::{Ended, Refusal, stop::stop_signal};
use crate::{config::Config, wiring};

/// Arguments of `trawls worker`: none.
#[derive(Debug, Args)]
pub(crate) struct Worker {}

impl Worker {
    /// Works until SIGINT or SIGTERM.
    pub(crate) async fn run(self, config: &Config) -> Result<Ended, Refusal> {
        let stop = stop_signal()?;
        let engine = wiring::engine(config, true).await?;
        tracing::info!(
            data_dir = %config.storage.data_dir.display(),
            version = env!("CARGO_PKG_VERSION"),
            "working"
        );
        stop.await;
        engine.close().await;
        tracing::info!("stopped");
        Ok(Ended::Well)
    }
}
