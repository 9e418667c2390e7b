//! `trawls batch`: the pages of a list, without a server.

use std::io::Read as _;

use anyhow::Context;
use clap::Args;
use trawls_contract::BatchBody;

use super::{
    Ended, Refusal, address, destination::Destination, job, options::Reading, scrape::Fetching,
};
use crate::config::Config;

/// Arguments of `trawls batch`.
#[derive(Debug, Args)]
#[command(mut_arg("out", |out| out.help(super::OUT_HELP).value_name("PATH")))]
#[command(mut_arg("json", |json| json.help(super::JSON_HELP)))]
pub(crate) struct Batch {
    /// A file with one URL a line; - is stdin. Empty lines and lines with # are left out
    file: String,
    /// Pages at once
    #[arg(long, value_name = "N")]
    concurrency: Option<u32>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    fetching: Fetching,
}

impl Batch {
    /// Scrapes the pages and writes them.
    pub(crate) async fn run(self, config: &mut Config) -> Result<Ended, Refusal> {
        let json = self.reading.json;
        let destination = Destination::of(self.reading.out.as_deref(), json)?;
        destination.try_for(None)?;
        config.fetch.allow_private_targets |= self.fetching.allow_private;
        let file = self.file.clone();
        let loading = tokio::task::spawn_blocking(move || load(&file));
        let text = tokio::select! {
            text = loading => text??,
            _ = tokio::signal::ctrl_c() => return Ok(Ended::Interrupted),
        };
        let lines = text.lines().map(str::trim);
        let urls = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let urls: Vec<String> = urls.map(address::complete).collect();
        if urls.is_empty() {
            return Err(Refusal::Usage(format!(
                "{}: there is no URL in it",
                self.file
            )));
        }
        let body = BatchBody {
            urls,
            concurrency: self.concurrency,
            scrape: self.fetching.over(self.reading.options()),
            webhook: None,
        };
        job::run(config, &destination, json, async |engine| {
            let made = engine.start_batch(body, None).await;
            made.map(|made| made.job).map_err(job::refusal)
        })
        .await
    }
}

fn load(file: &str) -> anyhow::Result<String> {
    if file != "-" {
        return std::fs::read_to_string(file).with_context(|| format!("cannot read {file}"));
    }
    let mut text = String::new();
    let read = std::io::stdin().lock().read_to_string(&mut text);
    read.context("cannot read stdin")?;
    Ok(text)
}
