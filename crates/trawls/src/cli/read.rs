//! `trawls read`: HTML that is already here, read as if it had been scraped. No network.

use std::{io::Read as _, path::Path};

use anyhow::Context;
use bytes::Bytes;
use clap::Args;

use super::{Ended, Refusal, address, options::Reading, output};
use crate::{config::Config, wiring};

/// Arguments of `trawls read`.
#[derive(Debug, Args)]
pub(crate) struct Read {
    /// The file; - is stdin
    file: String,
    /// Where the document came from: relative links are resolved against it
    #[arg(long)]
    url: String,
    /// Media type as its server declared it, as in 'text/html; charset=koi8-r'
    #[arg(long, value_name = "TYPE")]
    content_type: Option<String>,
    #[command(flatten)]
    reading: Reading,
}

impl Read {
    /// Reads the document and prints it.
    pub(crate) async fn run(self, config: &Config) -> Result<Ended, Refusal> {
        let engine = wiring::engine_without_disk(config).await?;
        let request = engine
            .admit(&address::complete(&self.url), self.reading.options())
            .map_err(Refusal::from_option)?;
        let file = self.file.clone();
        let limit = config.fetch.max_body_bytes;
        let load = tokio::task::spawn_blocking(move || load(&file, limit));
        let body = tokio::select! {
            body = load => body??,
            _ = tokio::signal::ctrl_c() => return Ok(Ended::Interrupted),
        };
        let content_type = self.content_type.clone().or_else(|| guess_type(&self.file));
        let page = engine.read(body, content_type, &request).await;
        engine.close().await;
        output::print_page(&page, &self.reading)
    }
}

fn load(file: &str, limit: usize) -> anyhow::Result<Bytes> {
    let source: Box<dyn std::io::Read> = match file {
        "-" => Box::new(std::io::stdin().lock()),
        path => Box::new(std::fs::File::open(path).with_context(|| format!("cannot open {path}"))?),
    };
    let mut body = Vec::new();
    source
        .take(limit as u64 + 1)
        .read_to_end(&mut body)
        .with_context(|| format!("cannot read {file}"))?;
    anyhow::ensure!(body.len() <= limit, "{file} exceeds TRAWLS_MAX_SIZE_MB");
    Ok(Bytes::from(body))
}

/// By extension, where it says more than the bytes do.
fn guess_type(file: &str) -> Option<String> {
    let extension = Path::new(file).extension()?.to_str()?.to_ascii_lowercase();
    let media_type = match extension.as_str() {
        "html" | "htm" => "text/html",
        "xhtml" => "application/xhtml+xml",
        "txt" => "text/plain",
        "md" => "text/markdown",
        "json" => "application/json",
        "xml" => "application/xml",
        "rss" => "application/rss+xml",
        "atom" => "application/atom+xml",
        "csv" => "text/csv",
        _ => return None,
    };
    Some(media_type.into())
}
