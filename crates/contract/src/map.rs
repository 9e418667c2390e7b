//! What a caller writes to have the URLs of a site, and what comes back.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{ErrorCode, InvalidOption, ScrapeOptions, ScrapeRequest, crawl::check_range};

/// URLs of one answer when the caller does not say.
const LIMIT: i64 = 5000;
/// Most URLs of one answer.
const MAX_LIMIT: u64 = 100_000;
/// Time for a whole map when the caller does not say.
const TIMEOUT_MS: u64 = 60_000;
/// Most time for a whole map.
const MAX_TIMEOUT_MS: u64 = 300_000;
/// Longest `search`.
const MAX_SEARCH_BYTES: usize = 1000;

/// What sitemaps are to a map.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SitemapUse {
    /// One source beside the links of the first pages.
    #[default]
    Include,
    /// Not asked for.
    Skip,
    /// The only source.
    Only,
}

/// The body of `POST /v1/map`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MapBody {
    /// Any page of the site. Must be there, unless `cursor` is.
    #[serde(default)]
    pub url: Option<String>,
    /// Order the URLs by how well they fit these words, best first.
    #[serde(default)]
    pub search: Option<String>,
    /// URLs of this answer, 1 to 100,000. The others come with `cursor`.
    #[serde(default = "default_limit")]
    #[schema(minimum = 1, maximum = 100_000)]
    pub limit: i64,
    /// Subdomains of the site's host belong.
    #[serde(default)]
    pub include_subdomains: bool,
    /// What sitemaps are to the map.
    #[serde(default)]
    pub sitemap: SitemapUse,
    /// Read pages for their titles, within the time there is.
    #[serde(default)]
    pub include_titles: bool,
    /// URLs that differ in their query alone are one.
    #[serde(default)]
    pub ignore_query: bool,
    /// Time for the whole map; when it is up, the map is what was found.
    #[serde(default = "default_timeout")]
    pub timeout_ms: u64,
    /// `next_cursor` of the last answer: its map goes on, without a request to the site. The other
    /// fields but `limit` may be left out, and say nothing.
    #[serde(default)]
    pub cursor: Option<String>,
}

fn default_limit() -> i64 {
    LIMIT
}

fn default_timeout() -> u64 {
    TIMEOUT_MS
}

/// A valid map.
#[derive(Debug, Clone)]
pub struct MapRequest {
    /// How its pages are fetched; its URL is the start.
    pub scrape: ScrapeRequest,
    /// What is looked for.
    pub search: Option<String>,
    /// URLs of one answer.
    pub limit: usize,
    /// Subdomains belong.
    pub subdomains: bool,
    /// What sitemaps are to it.
    pub sitemap: SitemapUse,
    /// Read pages for their titles.
    pub titles: bool,
    /// The query does not choose the page.
    pub ignore_query: bool,
    /// For all of it.
    pub timeout: Duration,
}

/// What a body asks for.
#[derive(Debug, Clone)]
pub enum MapCall {
    /// A map.
    New(Box<MapRequest>),
    /// The next URLs of an earlier one.
    Next {
        /// Which map goes on, and where.
        cursor: String,
        /// URLs of the answer.
        limit: usize,
    },
}

impl MapCall {
    /// Understands a body.
    ///
    /// # Errors
    /// The first mistake found, naming its field.
    pub fn parse(body: MapBody) -> Result<Self, InvalidOption> {
        // What is below 0 is as wrong as 0.
        let limit = u64::try_from(body.limit).unwrap_or(0);
        check_range("limit", limit, 1, MAX_LIMIT, "URLs")?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        if let Some(cursor) = body.cursor {
            return Ok(Self::Next { cursor, limit });
        }
        let Some(url) = body.url else {
            let code = ErrorCode::InvalidUrl;
            return Err(InvalidOption {
                code,
                ..InvalidOption::new("url", "is missing")
            });
        };
        check_range("timeout_ms", body.timeout_ms, 1, MAX_TIMEOUT_MS, "ms")?;
        let search = body.search.filter(|search| !search.trim().is_empty());
        if search
            .as_ref()
            .is_some_and(|search| search.len() > MAX_SEARCH_BYTES)
        {
            let problem = format!("is longer than {MAX_SEARCH_BYTES} bytes");
            return Err(InvalidOption::new("search", problem));
        }
        Ok(Self::New(Box::new(MapRequest {
            scrape: ScrapeRequest::parse(&url, ScrapeOptions::default(), |_| Ok(()))?,
            search,
            limit,
            subdomains: body.include_subdomains,
            sitemap: body.sitemap,
            titles: body.include_titles,
            ignore_query: body.ignore_query,
            timeout: Duration::from_millis(body.timeout_ms),
        })))
    }
}

/// How a map came to know a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MapSource {
    /// It is the one that was asked about.
    Start,
    /// A sitemap lists it.
    Sitemap,
    /// A page links to it.
    Link,
}

/// One URL of a map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MapLink {
    /// Absolute, without fragment and tracking.
    pub url: String,
    /// How it became known.
    pub sources: Vec<MapSource>,
    /// Links away from the start; absent for what only a sitemap lists.
    pub depth: Option<u32>,
    /// Last change, as the sitemap says it.
    pub lastmod: Option<String>,
    /// Title of the page, if it was read.
    pub title: Option<String>,
    /// How well it fits `search`; 0 is not at all.
    pub score: Option<f64>,
}

/// The answer of `POST /v1/map`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MapResult {
    /// Best first with `search`; otherwise the nearest to the start, then as sitemaps list them.
    pub links: Vec<MapLink>,
    /// URLs of the whole map.
    pub total: u64,
    /// Give it as `cursor` to go on, within an hour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Is there more of this map?
    pub has_more: bool,
    /// Did the map end before the site did: at its time, or at its number of URLs?
    pub truncated: bool,
    /// What was lost or doubtful, one sentence each.
    pub warnings: Vec<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn mistakes_name_their_field() {
        for (body, field) in [
            (json!({"url": "nonsense"}), "url"),
            (json!({}), "url"),
            (json!({"url": "http://a.example/", "limit": -1}), "limit"),
            (json!({"cursor": "a.1", "limit": 0}), "limit"),
            (json!({"url": "http://a.example/", "limit": 0}), "limit"),
            (
                json!({"url": "http://a.example/", "limit": 100_001}),
                "limit",
            ),
            (
                json!({"url": "http://a.example/", "timeout_ms": 0}),
                "timeout_ms",
            ),
            (
                json!({"url": "http://a.example/", "search": "x".repeat(2000)}),
                "search",
            ),
        ] {
            let body: MapBody = serde_json::from_value(body).unwrap();
            assert_eq!(MapCall::parse(body).unwrap_err().field, field);
        }
    }
}
