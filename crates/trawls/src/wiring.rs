//! Builds the rooms out of the configuration.

use std::{path::Path, sync::Arc};

use anyhow::{Context, Result};
use trawls_engine::{Engine, EngineConfig};
use trawls_fetch::{FetchConfig, Fetcher};
use trawls_store::Store;

use crate::config::Config;

/// Name of the database in the data folder.
const DATABASE: &str = "trawls.db";

/// An engine that keeps its pages in the data folder, and does the background work if it `works`.
pub(crate) async fn engine(config: &Config, works: bool) -> Result<Engine> {
    let folder = &config.storage.data_dir;
    create_private(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let store = Store::open(&folder.join(DATABASE)).await?;
    engine_on(store, config, works)
}

/// An engine that keeps nothing.
pub(crate) async fn engine_without_disk(config: &Config) -> Result<Engine> {
    engine_on(Store::open_in_memory().await?, config, false)
}

fn engine_on(store: Store, config: &Config, works: bool) -> Result<Engine> {
    let fetch = &config.fetch;
    let fetcher = Fetcher::new(FetchConfig {
        allow_private_targets: fetch.allow_private_targets,
        proxies: fetch.proxies.clone(),
        per_host: fetch.per_host,
        global: fetch.global,
        max_body_bytes: fetch.max_body_bytes,
        browser: None,
    })?;
    let engine = EngineConfig {
        version: env!("CARGO_PKG_VERSION").into(),
        result_ttl: config.storage.result_ttl,
        reading_threads: std::thread::available_parallelism().map_or(2, usize::from),
        max_body_bytes: fetch.max_body_bytes,
        works,
        pages_per_job: fetch.pages_per_job,
        allows_private_targets: fetch.allow_private_targets,
    };
    Ok(Engine::new(Arc::new(fetcher), store, engine))
}

/// Pages may hold what only their reader should see.
fn create_private(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
}
