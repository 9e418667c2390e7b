//! What a caller writes to start a job, and what it means. As with `ScrapeRequest`, the parsed
//! form cannot be built unless it is valid. A job is kept as its body: it is parsed again by the
//! worker that takes it.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

use crate::{Format, InvalidOption, Job, Login, ScrapeOptions, ScrapeRequest, Webhook, parse_url};

/// Ceiling of `max_pages`.
const MAX_PAGES: u64 = 10_000_000;
/// Ceiling of `concurrency`.
const MAX_CONCURRENCY: u32 = 1000;
/// Ceiling of `delay_ms`: a page a minute is as slow as a crawl can sensibly be.
const MAX_DELAY_MS: u64 = 60_000;
/// Ceiling of `max_duration_s`: thirty days.
const MAX_DURATION_S: u64 = 30 * 86_400;
/// Ceiling of the globs of one list.
const MAX_GLOBS: usize = 200;
/// Ceiling of the URLs of a batch.
const MAX_BATCH: usize = 10_000;

/// In which order a crawl follows links.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// Level by level.
    #[default]
    Bfs,
    /// The newest link first.
    Dfs,
    /// The link first whose URL and text fit `search` best.
    BestFirst,
}

/// The body of `POST /v1/crawl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CrawlBody {
    /// Where to start; always fetched, whatever the globs say.
    pub url: String,
    /// In which order links are followed.
    #[serde(default)]
    pub strategy: Strategy,
    /// What `best_first` looks for.
    #[serde(default)]
    pub search: Option<String>,
    /// Links away from the start; 0 is the start alone, absent is without limit.
    #[serde(default)]
    pub max_depth: Option<u32>,
    /// Most pages that may come back with an outcome other than skipped. A hard cap.
    #[serde(default = "default_max_pages")]
    pub max_pages: u64,
    /// Globs on the path, or on the whole URL when they begin with a scheme: follow only these.
    #[serde(default)]
    pub include_paths: Vec<String>,
    /// The same: never follow these.
    #[serde(default)]
    pub exclude_paths: Vec<String>,
    /// Follow links to subdomains of the start's host.
    #[serde(default)]
    pub allow_subdomains: bool,
    /// Follow links to other sites.
    #[serde(default)]
    pub allow_external_links: bool,
    /// URLs that differ in their query alone are one page.
    #[serde(default)]
    pub ignore_query: bool,
    /// Do not look for sitemaps.
    #[serde(default)]
    pub ignore_sitemap: bool,
    /// Least time between the starts of two requests to one host.
    #[serde(default)]
    pub delay_ms: u64,
    /// Pages at once; the worker's own limit when absent.
    #[serde(default)]
    pub concurrency: Option<u32>,
    /// The job ends with what it has when workers were at it for so many seconds; a retry has as
    /// much again.
    #[serde(default)]
    pub max_duration_s: Option<u64>,
    /// How each page is scraped.
    #[serde(default)]
    pub scrape: ScrapeOptions,
    /// Who is told of the job's events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<Webhook>,
}

/// The body of `POST /v1/batch`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BatchBody {
    /// The pages, at most 10,000. Invalid ones are listed as failed pages.
    pub urls: Vec<String>,
    /// Pages at once; the worker's own limit when absent.
    #[serde(default)]
    pub concurrency: Option<u32>,
    /// How each page is scraped.
    #[serde(default)]
    pub scrape: ScrapeOptions,
    /// Who is told of the job's events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<Webhook>,
}

/// The body of `POST /v1/jobs/{id}/reprocess`: how pages are read from now on. What is absent stays
/// as the job has it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReprocessBody {
    /// What to return.
    #[serde(default)]
    pub formats: Option<Vec<Format>>,
    /// Only the main content.
    #[serde(default)]
    pub only_main_content: Option<bool>,
    /// CSS selectors: keep only what matches.
    #[serde(default)]
    pub include_tags: Option<Vec<String>>,
    /// CSS selectors: drop what matches.
    #[serde(default)]
    pub exclude_tags: Option<Vec<String>>,
    /// Drop `data:` images.
    #[serde(default)]
    pub remove_base64_images: Option<bool>,
    /// Links as numbered references at the end.
    #[serde(default)]
    pub citations: Option<bool>,
}

impl ReprocessBody {
    /// The options of a job with these instead.
    pub fn over(self, options: &mut ScrapeOptions) {
        fn set<T>(option: &mut T, wanted: Option<T>) {
            if let Some(wanted) = wanted {
                *option = wanted;
            }
        }
        set(&mut options.formats, self.formats);
        set(&mut options.only_main_content, self.only_main_content);
        set(&mut options.include_tags, self.include_tags);
        set(&mut options.exclude_tags, self.exclude_tags);
        set(&mut options.remove_base64_images, self.remove_base64_images);
        set(&mut options.citations, self.citations);
    }
}

/// The answer to `POST /v1/batch`: the job, and which URLs of the list are not scraped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BatchJob {
    /// The job.
    #[serde(flatten)]
    pub job: Job,
    /// URLs that cannot be fetched; they are failed pages of the job.
    pub invalid_urls: Vec<ListedUrl>,
    /// URLs whose page is in the list already, in whatever spelling; they are no pages of the job.
    pub duplicate_urls: Vec<ListedUrl>,
}

/// A URL of a list, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ListedUrl {
    /// Its place in `urls`, from 0.
    pub index: usize,
    /// As it was written.
    pub url: String,
    /// One sentence.
    pub problem: String,
}

fn default_max_pages() -> u64 {
    1000
}

/// What this crate cannot check itself: it knows no CSS and no globs.
#[derive(Clone, Copy)]
pub struct Checks {
    /// Is this a CSS selector list?
    pub selector: fn(&str) -> Result<(), String>,
    /// Is this a glob?
    pub glob: fn(&str) -> Result<(), String>,
}

/// A valid crawl.
#[derive(Debug, Clone)]
pub struct CrawlRequest {
    /// How every page is scraped; its URL is the start.
    pub scrape: ScrapeRequest,
    /// In which order.
    pub strategy: Strategy,
    /// What `BestFirst` looks for.
    pub search: Option<String>,
    /// Which links.
    pub scope: ScopeOptions,
    /// How much.
    pub bounds: Bounds,
    /// Look for sitemaps?
    pub uses_sitemap: bool,
}

/// Which links belong to a crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeOptions {
    /// Valid globs.
    pub include: Vec<String>,
    /// Valid globs.
    pub exclude: Vec<String>,
    /// Subdomains of the start's host belong.
    pub subdomains: bool,
    /// Other sites belong.
    pub external: bool,
    /// The query does not choose the page.
    pub ignore_query: bool,
    /// Links away from the start.
    pub max_depth: Option<u32>,
}

/// How much a job may do, and how fast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Pages with an outcome other than skipped.
    pub max_pages: u64,
    /// Pages at once; `None` is the worker's own limit.
    pub concurrency: Option<usize>,
    /// Of the time that workers are at it.
    pub max_duration: Option<Duration>,
}

impl CrawlRequest {
    /// Understands a body.
    ///
    /// # Errors
    /// The first mistake found, naming its field.
    pub fn parse(body: CrawlBody, checks: Checks) -> Result<Self, InvalidOption> {
        for (field, globs) in [
            ("include_paths", &body.include_paths),
            ("exclude_paths", &body.exclude_paths),
        ] {
            check_range(field, globs.len() as u64, 0, MAX_GLOBS as u64, "entries")?;
            for (index, glob) in globs.iter().enumerate() {
                (checks.glob)(glob)
                    .map_err(|problem| InvalidOption::new(format!("{field}[{index}]"), problem))?;
            }
        }
        check_range("max_pages", body.max_pages, 1, MAX_PAGES, "pages")?;
        check_range("delay_ms", body.delay_ms, 0, MAX_DELAY_MS, "ms")?;
        if let Some(seconds) = body.max_duration_s {
            check_range("max_duration_s", seconds, 1, MAX_DURATION_S, "s")?;
        }
        if body.strategy == Strategy::BestFirst && body.search.as_deref().is_none_or(is_blank) {
            return Err(InvalidOption::new(
                "search",
                "best_first needs words to look for",
            ));
        }
        let concurrency = parse_concurrency(body.concurrency)?;
        body.webhook.as_ref().map_or(Ok(()), Webhook::check)?;
        let mut scrape =
            ScrapeRequest::parse(&body.url, body.scrape, checks.selector).map_err(in_scrape)?;
        scrape.fetch.delay = Duration::from_millis(body.delay_ms);
        scrape.content.gather_links = true;
        scrape.fetch.home = Some(scrape.url.clone());
        Ok(Self {
            scrape,
            strategy: body.strategy,
            search: body.search,
            scope: ScopeOptions {
                include: body.include_paths,
                exclude: body.exclude_paths,
                subdomains: body.allow_subdomains,
                external: body.allow_external_links,
                ignore_query: body.ignore_query,
                max_depth: body.max_depth,
            },
            bounds: Bounds {
                max_pages: body.max_pages,
                concurrency,
                max_duration: body.max_duration_s.map(Duration::from_secs),
            },
            uses_sitemap: !body.ignore_sitemap,
        })
    }
}

/// A valid batch.
#[derive(Debug, Clone)]
pub struct BatchRequest {
    /// How every page is scraped; its URL is the first good one.
    pub scrape: ScrapeRequest,
    /// The pages, in order: what was written, and its URL or why it is none; user and password are
    /// in neither.
    pub pages: Vec<(String, Result<Url, InvalidOption>)>,
    /// Pages at once; `None` is the worker's own limit.
    pub concurrency: Option<usize>,
}

impl BatchRequest {
    /// Understands a body.
    ///
    /// # Errors
    /// The first mistake found, naming its field; a list without one good URL is a mistake.
    pub fn parse(body: BatchBody, checks: Checks) -> Result<Self, InvalidOption> {
        check_range(
            "urls",
            body.urls.len() as u64,
            1,
            MAX_BATCH as u64,
            "entries",
        )?;
        let concurrency = parse_concurrency(body.concurrency)?;
        body.webhook.as_ref().map_or(Ok(()), Webhook::check)?;
        let mut logins = Vec::new();
        let pages: Vec<_> = body
            .urls
            .into_iter()
            .map(|text| {
                let mut url = parse_url(&text);
                if let Ok(url) = &mut url {
                    logins.extend(Login::take(url));
                }
                (shown(text), url)
            })
            .collect();
        let Some(first) = pages.iter().find_map(|(_, url)| url.as_ref().ok()) else {
            return Err(InvalidOption::new(
                "urls",
                "none of them is a URL that can be fetched",
            ));
        };
        let mut scrape = ScrapeRequest::parse(first.as_str(), body.scrape, checks.selector)
            .map_err(in_scrape)?;
        scrape.fetch.logins = logins;
        Ok(Self {
            scrape,
            pages,
            concurrency,
        })
    }
}

/// A URL of a list as it was written, but without user and password.
fn shown(text: String) -> String {
    let Ok(mut url) = Url::parse(&text) else {
        return text;
    };
    match Login::take(&mut url) {
        Some(_) => url.into(),
        None => text,
    }
}

fn parse_concurrency(pages: Option<u32>) -> Result<Option<usize>, InvalidOption> {
    if let Some(pages) = pages {
        let most = u64::from(MAX_CONCURRENCY);
        check_range("concurrency", u64::from(pages), 1, most, "pages")?;
    }
    Ok(pages.map(|pages| pages as usize))
}

pub(crate) fn check_range(
    field: &str,
    value: u64,
    least: u64,
    most: u64,
    unit: &str,
) -> Result<(), InvalidOption> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(InvalidOption::new(
        field,
        format!("must be {least} to {most} {unit}"),
    ))
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// The options of a page are in `scrape`, its URL is not.
fn in_scrape(mut mistake: InvalidOption) -> InvalidOption {
    if mistake.field != "url" {
        mistake.field = format!("scrape.{}", mistake.field);
    }
    mistake
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const CHECKS: Checks = Checks {
        selector: |_| Ok(()),
        glob: |text| match text {
            "[" => Err("is no glob".into()),
            _ => Ok(()),
        },
    };

    fn crawl(body: Value) -> Result<CrawlRequest, String> {
        let body =
            crate::read_body(body.to_string().as_bytes()).map_err(|fault| fault.to_string())?;
        CrawlRequest::parse(body, CHECKS).map_err(|mistake| mistake.to_string())
    }

    #[test]
    fn a_url_alone_is_a_crawl() {
        let request = crawl(json!({"url": "http://a.example/"})).unwrap();
        assert_eq!(request.bounds.max_pages, 1000);
        assert_eq!(request.strategy, Strategy::Bfs);
        assert!(request.uses_sitemap);
    }

    #[test]
    fn mistakes_name_their_field() {
        for (body, field) in [
            (json!({"url": "ftp://a.example/"}), "url"),
            (
                json!({"url": "http://a.example/", "max_pages": 0}),
                "max_pages",
            ),
            (
                json!({"url": "http://a.example/", "maxPages": 1}),
                "maxPages",
            ),
            (
                json!({"url": "http://a.example/", "include_paths": ["/a", "["]}),
                "include_paths[1]",
            ),
            (
                json!({"url": "http://a.example/", "strategy": "best_first"}),
                "search",
            ),
            (
                json!({"url": "http://a.example/", "strategy": "x"}),
                "strategy",
            ),
            (
                json!({"url": "http://a.example/", "concurrency": 0}),
                "concurrency",
            ),
            (
                json!({"url": "http://a.example/", "scrape": {"timeout_ms": 0}}),
                "scrape.timeout_ms",
            ),
            (
                json!({"url": "http://a.example/", "scrape": {"formats": ["x"]}}),
                "scrape.formats[0]",
            ),
        ] {
            let problem = crawl(body).unwrap_err();
            assert!(problem.contains(field), "{problem}");
        }
    }

    #[test]
    fn users_and_passwords_of_a_list_are_kept_apart_from_its_urls() {
        let body = BatchBody {
            urls: vec![
                "http://u:secret@a.example/".into(),
                "ftp://u:secret@b/".into(),
            ],
            concurrency: None,
            scrape: ScrapeOptions::default(),
            webhook: None,
        };
        let batch = BatchRequest::parse(body, CHECKS).unwrap();
        assert_eq!(batch.scrape.fetch.logins.len(), 1);
        assert!(!format!("{batch:?}").contains("secret"));
    }

    #[test]
    fn a_batch_keeps_its_bad_urls_in_their_place() {
        let body = BatchBody {
            urls: vec!["nonsense".into(), "http://a.example/".into()],
            concurrency: None,
            scrape: ScrapeOptions::default(),
            webhook: None,
        };
        let batch = BatchRequest::parse(body.clone(), CHECKS).unwrap();
        assert!(batch.pages[0].1.is_err() && batch.pages[1].1.is_ok());
        let none = BatchBody {
            urls: vec!["nonsense".into()],
            ..body
        };
        assert_eq!(BatchRequest::parse(none, CHECKS).unwrap_err().field, "urls");
    }
}
