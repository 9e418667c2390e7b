//! `trawls serve`: the server, until it is told to stop.

use anyhow::Context;
use clap::Args;
use tokio::net::TcpListener;
use trawls_server::ServerConfig;

use super::{Ended, Refusal, stop::stop_signal};
use crate::{config::Config, wiring};

/// Pages that may wait for each of the requests that may run: pages spend most of their time on
/// pace, retries and reading.
const PAGES_PER_REQUEST_SLOT: usize = 4;

/// Arguments of `trawls serve`.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Address to listen on, over TRAWLS_HOST
    #[arg(long)]
    host: Option<String>,
    /// Port to listen on, over TRAWLS_PORT
    #[arg(long, short)]
    port: Option<u16>,
}

impl Serve {
    /// Serves until SIGINT or SIGTERM.
    pub(crate) async fn run(self, config: &mut Config) -> Result<Ended, Refusal> {
        config.listen.host = self.host.unwrap_or(std::mem::take(&mut config.listen.host));
        config.listen.port = self.port.unwrap_or(config.listen.port);
        // Before the database is opened, so that a signal during the start is obeyed too.
        let stop = stop_signal()?;
        let host = config.listen.host.trim_matches(['[', ']']);
        let listener = TcpListener::bind((host, config.listen.port))
            .await
            .with_context(|| format!("cannot listen on {host}, port {}", config.listen.port))?;
        let address = listener.local_addr()?;
        let access = config.listen.access(address.ip()).map_err(Refusal::Usage)?;
        let engine = wiring::engine(config, config.storage.embedded_worker).await?;
        let server = ServerConfig {
            access,
            public_url: config.listen.public_url.clone(),
            max_pages_running: config.fetch.global.saturating_mul(PAGES_PER_REQUEST_SLOT),
        };
        let router = trawls_server::router(engine.clone(), server);
        tracing::info!(
            url = %format_args!("http://{address}"),
            data_dir = %config.storage.data_dir.display(),
            version = env!("CARGO_PKG_VERSION"),
            "listening"
        );
        let stop = async {
            stop.await;
            engine.announce_stop();
        };
        trawls_server::serve(listener, router, stop).await;
        engine.close().await;
        tracing::info!("stopped");
        Ok(Ended::Well)
    }
}
