//! `trawls crawl`: a site, without a server.

use clap::Args;
use trawls_contract::{CrawlBody, Strategy};

use super::{
    Ended, Refusal, address,
    destination::Destination,
    job,
    options::{Reading, wire},
    scrape::Fetching,
};
use crate::config::Config;

/// Arguments of `trawls crawl`.
#[derive(Debug, Args)]
#[command(mut_arg("out", |out| out.help(super::OUT_HELP).value_name("PATH")))]
#[command(mut_arg("json", |json| json.help(super::JSON_HELP)))]
pub(crate) struct Crawl {
    /// Where to start; https:// is assumed when no scheme is given
    url: String,
    /// Most pages
    #[arg(long, value_name = "N", default_value_t = 1000)]
    max_pages: u64,
    /// Links away from the start; 0 is the start alone
    #[arg(long, value_name = "N")]
    max_depth: Option<u32>,
    /// Follow only what matches a glob on the path, or on the URL; repeatable
    #[arg(long = "include", value_name = "GLOB")]
    include: Vec<String>,
    /// Never follow what matches; repeatable
    #[arg(long = "exclude", value_name = "GLOB")]
    exclude: Vec<String>,
    /// Follow links to subdomains
    #[arg(long)]
    subdomains: bool,
    /// Follow links to other sites
    #[arg(long)]
    external: bool,
    /// URLs that differ in their query alone are one page
    #[arg(long)]
    ignore_query: bool,
    /// Do not look for sitemaps
    #[arg(long)]
    no_sitemap: bool,
    /// bfs, dfs or best_first
    #[arg(long, default_value = "bfs", value_parser = wire::<Strategy>)]
    strategy: Strategy,
    /// What best_first looks for
    #[arg(long, value_name = "WORDS")]
    search: Option<String>,
    /// Least time between two requests to one host
    #[arg(long, value_name = "MS", default_value_t = 0)]
    delay_ms: u64,
    /// Pages at once
    #[arg(long, value_name = "N")]
    concurrency: Option<u32>,
    /// End after so many seconds with what there is
    #[arg(long, value_name = "S")]
    max_duration_s: Option<u64>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    fetching: Fetching,
}

impl Crawl {
    /// Crawls the site and writes its pages.
    pub(crate) async fn run(self, config: &mut Config) -> Result<Ended, Refusal> {
        let json = self.reading.json;
        let destination = Destination::of(self.reading.out.as_deref(), json)?;
        destination.try_for(None)?;
        config.fetch.allow_private_targets |= self.fetching.allow_private;
        let body = CrawlBody {
            url: address::complete(&self.url),
            strategy: self.strategy,
            search: self.search,
            max_depth: self.max_depth,
            max_pages: self.max_pages,
            include_paths: self.include,
            exclude_paths: self.exclude,
            allow_subdomains: self.subdomains,
            allow_external_links: self.external,
            ignore_query: self.ignore_query,
            ignore_sitemap: self.no_sitemap,
            delay_ms: self.delay_ms,
            concurrency: self.concurrency,
            max_duration_s: self.max_duration_s,
            scrape: self.fetching.over(self.reading.options()),
            webhook: None,
        };
        job::run(config, &destination, json, async |engine| {
            engine.start_crawl(body, None).await.map_err(job::refusal)
        })
        .await
    }
}
