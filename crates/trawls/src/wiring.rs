//! Builds the rooms out of the configuration.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    thread::available_parallelism,
};

use anyhow::{Context, Result};
use trawls_engine::{Engine, EngineConfig};
use trawls_fetch::{BrowserConfig, BrowserSource, FetchConfig, Fetcher};
use trawls_store::Store;

use crate::{config::Config, installed};

/// Name of the database in the data folder.
const DATABASE: &str = "trawls.db";

/// Name of the browser's folder in the data folder.
const BROWSER: &str = "browser";
/// Pages rendered at once, when nobody says: as many as there are cores, within these.
const FEWEST_TABS: usize = 2;
const MOST_TABS: usize = 8;

/// An engine that keeps its pages in the data folder, and does the background work if it `works`.
pub(crate) async fn engine(config: &Config, works: bool) -> Result<Engine> {
    let folder = &config.storage.data_dir;
    create_private(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let store = Store::open(&folder.join(DATABASE)).await?;
    engine_on(store, config, works, folder.join(BROWSER))
}

/// An engine that keeps nothing.
pub(crate) async fn engine_without_disk(config: &Config) -> Result<Engine> {
    let profiles = std::env::temp_dir().join(format!("trawls-{}", std::process::id()));
    engine_on(Store::open_in_memory().await?, config, false, profiles)
}

fn engine_on(store: Store, config: &Config, works: bool, profiles: PathBuf) -> Result<Engine> {
    let fetch = &config.fetch;
    let fetcher = Fetcher::new(FetchConfig {
        allow_private_targets: fetch.allow_private_targets,
        proxies: fetch.proxies.clone(),
        per_host: fetch.per_host,
        global: fetch.global,
        max_body_bytes: fetch.max_body_bytes,
        browser: browser(config, profiles),
    })?;
    let engine = EngineConfig {
        version: env!("CARGO_PKG_VERSION").into(),
        result_ttl: config.storage.result_ttl,
        reading_threads: cores(),
        max_body_bytes: fetch.max_body_bytes,
        works,
        pages_per_job: fetch.pages_per_job,
        allows_private_targets: fetch.allow_private_targets,
        public_url: config.listen.public_url.clone(),
    };
    Ok(Engine::new(Arc::new(fetcher), store, engine))
}

/// The browser that was named, or else the one that is installed; its profiles go into a folder.
fn browser(config: &Config, profiles: PathBuf) -> Option<BrowserConfig> {
    let source = match &config.browser.remote {
        Some(url) => BrowserSource::Remote(url.clone()),
        None => BrowserSource::Local(installed::chromium(config)?),
    };
    let tabs = config.browser.pool_size;
    Some(BrowserConfig {
        source,
        pool_size: tabs.unwrap_or_else(|| cores().clamp(FEWEST_TABS, MOST_TABS)),
        profiles,
    })
}

fn cores() -> usize {
    available_parallelism().map_or(FEWEST_TABS, usize::from)
}

/// Pages may hold what only their reader should see.
fn create_private(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
}
