//! Arguments that `scrape` and `read` share, and how they become `ScrapeOptions`.

use clap::Args;
use serde::de::DeserializeOwned;
use trawls_contract::{Format, ScrapeOptions};

/// What to return and how to read.
#[derive(Debug, Args)]
pub(crate) struct Reading {
    /// What to return: markdown, html, raw_html, json, links, images, metadata, tables; repeat it
    /// or separate by commas. One of the first three is printed as it is, all else as JSON
    #[arg(long = "format", short, value_delimiter = ',', default_value = "markdown", value_parser = wire::<Format>)]
    formats: Vec<Format>,
    /// Print the whole result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Write to a file instead of stdout
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<std::path::PathBuf>,
    /// Keep only what matches a CSS selector; repeatable
    #[arg(long = "include-tag", value_name = "CSS")]
    include_tags: Vec<String>,
    /// Drop what matches a CSS selector; repeatable
    #[arg(long = "exclude-tag", value_name = "CSS")]
    exclude_tags: Vec<String>,
    /// Keep navigation, rails and footers too
    #[arg(long, alias = "full-page-content")]
    whole_page: bool,
    /// Links as numbered references at the end
    #[arg(long)]
    citations: bool,
}

impl Reading {
    /// The options that these arguments mean.
    pub(crate) fn options(&self) -> ScrapeOptions {
        ScrapeOptions {
            formats: self.formats.clone(),
            include_tags: self.include_tags.clone(),
            exclude_tags: self.exclude_tags.clone(),
            only_main_content: !self.whole_page,
            citations: self.citations,
            ..ScrapeOptions::default()
        }
    }

    /// The one format that can be printed as it is, unless JSON was asked for.
    pub(crate) fn plain_format(&self) -> Option<Format> {
        match self.formats.as_slice() {
            [format @ (Format::Markdown | Format::Html | Format::RawHtml)] if !self.json => {
                Some(*format)
            }
            _ => None,
        }
    }
}

/// Parses a word of the API; its error lists the words there are.
pub(crate) fn wire<T: DeserializeOwned>(word: &str) -> Result<T, String> {
    serde_json::from_value(serde_json::Value::String(word.trim().to_owned()))
        .map_err(|error| error.to_string())
}
