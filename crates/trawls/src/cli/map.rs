//! `trawls map`: the URLs of a site, without a server.

use clap::Args;
use trawls_contract::{MapBody, MapLink, SitemapUse};
use trawls_engine::NoMap;

use super::{Ended, Refusal, address, options::wire, output};
use crate::{config::Config, wiring};

/// Arguments of `trawls map`.
#[derive(Debug, Args)]
pub(crate) struct Map {
    /// Any page of the site; https:// is assumed when no scheme is given
    url: String,
    /// Best first for these words
    #[arg(long, value_name = "WORDS")]
    search: Option<String>,
    /// Most URLs
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    limit: u32,
    /// Subdomains belong
    #[arg(long)]
    subdomains: bool,
    /// include, skip or only
    #[arg(long, default_value = "include", value_parser = wire::<SitemapUse>)]
    sitemap: SitemapUse,
    /// Read pages for their titles
    #[arg(long)]
    titles: bool,
    /// URLs that differ in their query alone are one
    #[arg(long)]
    ignore_query: bool,
    /// Time for all of it
    #[arg(long, value_name = "MS", default_value_t = 60_000)]
    timeout_ms: u64,
    /// Also fetch loopback and private addresses
    #[arg(long)]
    allow_private: bool,
    /// Print sources, depth, date, title and score as JSON
    #[arg(long)]
    json: bool,
}

impl Map {
    /// Prints one URL a line.
    pub(crate) async fn run(self, config: &mut Config) -> Result<Ended, Refusal> {
        config.fetch.allow_private_targets |= self.allow_private;
        let engine = wiring::engine(config, false).await?;
        let body = MapBody {
            url: Some(address::complete(&self.url)),
            search: self.search,
            limit: self.limit.into(),
            include_subdomains: self.subdomains,
            sitemap: self.sitemap,
            include_titles: self.titles,
            ignore_query: self.ignore_query,
            timeout_ms: self.timeout_ms,
            cursor: None,
        };
        let map = tokio::select! {
            map = engine.map(body) => Some(map),
            _ = tokio::signal::ctrl_c() => None,
        };
        engine.close().await;
        let map = match map {
            None => return Ok(Ended::Interrupted),
            Some(Ok(map)) => map,
            Some(Err(NoMap::Invalid(mistake))) => return Err(Refusal::from_option(mistake)),
            Some(Err(NoMap::Engine(error))) => return Err(error.into()),
            Some(Err(NoMap::Dead(error))) => {
                output::complain_as(error.code.as_str(), &error.message);
                return Ok(Ended::PageFailed);
            }
        };
        map.warnings
            .iter()
            .for_each(|warning| output::note(warning));
        if map.truncated {
            output::note("the map ended before the site did");
        }
        let text = match self.json {
            true => serde_json::to_string_pretty(&map)?,
            false => lines(&map.links),
        };
        output::write(&(text + "\n"), None)?;
        Ok(Ended::Well)
    }
}

fn lines(links: &[MapLink]) -> String {
    let urls: Vec<&str> = links.iter().map(|link| link.url.as_str()).collect();
    urls.join("\n")
}
