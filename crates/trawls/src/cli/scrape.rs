//! `trawls scrape`: one page, without a server.

use clap::Args;
use trawls_contract::{Action, CacheMode, Mode, SCRAPE_TIMEOUT_MS, ScrapeOptions, WaitFor};
use trawls_engine::Engine;

use super::{
    Ended, Refusal, address,
    options::{Reading, wire},
    output,
    pictures::Pictures,
};
use crate::{config::Config, wiring};

/// Arguments of `trawls scrape`.
#[derive(Debug, Args)]
pub(crate) struct Scrape {
    /// The page; https:// is assumed when no scheme is given
    url: String,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    fetching: Fetching,
    #[command(flatten)]
    pictures: Pictures,
}

/// How to fetch.
#[derive(Debug, Args)]
pub(super) struct Fetching {
    /// auto, http, browser or stealth
    #[arg(long, default_value = "auto", value_parser = wire::<Mode>)]
    mode: Mode,
    /// Budget of the whole page
    #[arg(long, value_name = "MS", default_value_t = SCRAPE_TIMEOUT_MS)]
    timeout_ms: u64,
    /// A request header, as in 'Accept-Language: de'; repeatable
    #[arg(long = "header", short = 'H', value_name = "NAME: VALUE", value_parser = header)]
    headers: Vec<(String, String)>,
    /// A cookie, as in 'name=value'; repeatable
    #[arg(long = "cookie", short = 'b', value_name = "NAME=VALUE", value_parser = cookie)]
    cookies: Vec<(String, String)>,
    /// Proxy URL: http, https, socks5 or socks5h
    #[arg(long, value_name = "URL")]
    proxy: Option<String>,
    /// Come as a phone
    #[arg(long)]
    mobile: bool,
    /// In the browser: wait for an element, or for milliseconds
    #[arg(long, value_name = "CSS|MS", value_parser = wait_for)]
    wait_for: Option<WaitFor>,
    /// In the browser: scroll to the bottom, to load what comes late
    #[arg(long)]
    scroll: bool,
    /// In the browser, before the page is read: an action as JSON, as in
    /// '{"type": "click", "selector": "#more"}'; repeatable
    #[arg(long = "action", value_name = "JSON", value_parser = action)]
    actions: Vec<Action>,
    /// use, bypass or refresh the page cache
    #[arg(long, default_value = "use", value_parser = wire::<CacheMode>)]
    cache: CacheMode,
    /// Ignore robots.txt
    #[arg(long)]
    no_robots: bool,
    /// Accept bad certificates
    #[arg(long)]
    insecure: bool,
    /// Also fetch loopback and private addresses
    #[arg(long)]
    pub(super) allow_private: bool,
}

impl Scrape {
    /// Scrapes the page and prints it.
    pub(crate) async fn run(self, config: &mut Config) -> Result<Ended, Refusal> {
        config.fetch.allow_private_targets |= self.fetching.allow_private;
        let options = self.fetching.over(self.reading.options());
        let options = self.pictures.over(options);
        let engine = engine(config).await?;
        let request = engine
            .admit(&address::complete(&self.url), options)
            .map_err(Refusal::from_option)?;
        let page = tokio::select! {
            page = engine.scrape(&request) => Some(page),
            _ = tokio::signal::ctrl_c() => None,
        };
        let drawn = match &page {
            Some(page) => self.pictures.write(&engine, page).await,
            None => Ok(()),
        };
        engine.close().await;
        drawn?;
        match page {
            Some(page) => output::print_page(&page, &self.reading),
            None => Ok(Ended::Interrupted),
        }
    }
}

/// A page that cannot be kept can still be had.
async fn engine(config: &Config) -> anyhow::Result<Engine> {
    match wiring::engine(config, config.storage.embedded_worker).await {
        Ok(engine) => Ok(engine),
        Err(error) => {
            output::complain_as("warning", &format!("nothing is kept: {error:#}"));
            wiring::engine_without_disk(config).await
        }
    }
}

impl Fetching {
    pub(super) fn over(self, options: ScrapeOptions) -> ScrapeOptions {
        ScrapeOptions {
            mode: self.mode,
            timeout_ms: self.timeout_ms,
            headers: self.headers.into_iter().collect(),
            cookies: self.cookies.into_iter().collect(),
            proxy: self.proxy,
            mobile: self.mobile,
            wait_for: self.wait_for,
            scroll: self.scroll,
            actions: self.actions,
            cache: self.cache,
            respect_robots: !self.no_robots,
            verify_ssl: !self.insecure,
            ..options
        }
    }
}

fn header(text: &str) -> Result<(String, String), String> {
    pair(text, ':').ok_or_else(|| "must look like 'Name: value'".into())
}

fn cookie(text: &str) -> Result<(String, String), String> {
    pair(text, '=').ok_or_else(|| "must look like 'name=value'".into())
}

#[expect(clippy::unnecessary_wraps, reason = "the shape of a parser")]
fn wait_for(text: &str) -> Result<WaitFor, String> {
    Ok(match text.trim().parse() {
        Ok(milliseconds) => WaitFor::Milliseconds(milliseconds),
        Err(_) => WaitFor::Selector(text.to_owned()),
    })
}

fn action(text: &str) -> Result<Action, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

fn pair(text: &str, between: char) -> Option<(String, String)> {
    let (name, value) = text.split_once(between)?;
    Some((name.trim().to_owned(), value.trim().to_owned()))
}
