//! The rungs with the real Chromium against the trap site. Where there is none, the tests say so,
//! and fail in CI.

/// A browser and a site, or the end of a test where there is no Chromium.
macro_rules! setting {
    () => {
        match setting().await {
            Some(setting) => setting,
            None => return,
        }
    };
}

mod actions;
mod egress;
mod pages;
mod trouble;

use std::{path::PathBuf, sync::Arc, time::Duration};

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use trawls_contract::{Action, ErrorCode, WaitFor};
use trawls_testkit::TrapSite;

use super::*;
use crate::{BrowserSource, Frame, Limits, SystemResolver, Yield};

/// Goes everywhere.
struct Anywhere;

impl Hops for Anywhere {
    async fn admit(&self, _next: &Url) -> Result<(), FetchError> {
        Ok(())
    }
}

struct Setting {
    site: TrapSite,
    browser: BrowserFetch,
    profiles: tempfile::TempDir,
}

fn chromium() -> Option<PathBuf> {
    let found = std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join("chromium"))
        .find(|path| path.is_file());
    assert!(
        found.is_some() || std::env::var_os("CI").is_none(),
        "CI has no Chromium"
    );
    if found.is_none() {
        eprintln!("SKIPPED: no Chromium on this machine");
    }
    found
}

async fn setting_with(allow_private: bool) -> Option<Setting> {
    let binary = chromium()?;
    let profiles = tempfile::tempdir().unwrap();
    let config = BrowserConfig {
        source: BrowserSource::Local(binary),
        pool_size: 2,
        profiles: profiles.path().to_owned(),
    };
    let door = Arc::new(Door::new(Arc::new(SystemResolver), allow_private));
    Some(Setting {
        site: TrapSite::start().await.unwrap(),
        browser: BrowserFetch::new(door, config, &[]),
        profiles,
    })
}

async fn setting() -> Option<Setting> {
    setting_with(true).await
}

impl Setting {
    fn plan(&self, path: &str) -> FetchPlan {
        let url = Url::parse(&self.site.url(path)).unwrap();
        FetchPlan::to(url, Limits::within(Duration::from_secs(30), 10 << 20))
    }

    async fn get(&self, path: &str) -> Result<Exchange, FetchError> {
        self.run(&self.plan(path)).await
    }

    async fn run(&self, plan: &FetchPlan) -> Result<Exchange, FetchError> {
        self.on(FetchMode::Browser, plan).await
    }

    async fn on(&self, rung: FetchMode, plan: &FetchPlan) -> Result<Exchange, FetchError> {
        let deadline = Instant::now() + plan.limits.total;
        self.browser.exchange(rung, plan, &Anywhere, deadline).await
    }

    async fn text(&self, path: &str) -> String {
        text(&self.get(path).await.unwrap())
    }
}

fn text(exchange: &Exchange) -> String {
    String::from_utf8_lossy(&exchange.body).into_owned()
}
