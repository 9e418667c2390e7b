//! What a caller's options mean. `ScrapeRequest` is the parsed form: it cannot be built unless it
//! is valid, and nothing is checked again later.

mod browser;
mod mistake;
mod place;
mod visitor;

use std::{collections::BTreeSet, time::Duration};

use http::HeaderMap;
use url::Url;

pub(crate) use self::visitor::parse_headers;
pub use self::{browser::BrowserOptions, mistake::InvalidOption};
use self::{
    browser::parse_browser,
    mistake::{check_count, check_css},
    place::parse_place,
    visitor::{check_cookies, parse_proxy},
};
use crate::{CacheMode, Format, Login, Mode, ScrapeOptions};

/// Default of `timeout_ms`.
pub const SCRAPE_TIMEOUT_MS: u64 = 30_000;
/// Ceiling of `timeout_ms`: ten minutes hold the slowest page with fifty actions.
const MAX_TIMEOUT_MS: u64 = 600_000;
/// Ceiling of a URL's length; longer ones are traps or attacks (browsers stop far below).
pub const MAX_URL_BYTES: usize = 16_384;
/// A valid request for one page.
#[derive(Debug, Clone)]
pub struct ScrapeRequest {
    /// Absolute, http or https, with a host.
    pub url: Url,
    /// What to return.
    pub formats: Formats,
    /// How to fetch.
    pub fetch: FetchOptions,
    /// How to read.
    pub content: ContentOptions,
    /// How to use the page cache.
    pub cache: CachePolicy,
}

/// How to fetch.
#[derive(Debug, Clone)]
pub struct FetchOptions {
    /// Which rungs may be used.
    pub mode: Mode,
    /// Budget of the whole request.
    pub timeout: Duration,
    /// Least time between two tries of the page; a job's, zero for one page.
    pub delay: Duration,
    /// Laid over the identity's own headers.
    pub headers: HeaderMap,
    /// Name and value.
    pub cookies: Vec<(String, String)>,
    /// Of the URLs that had user and password in them; each is for its own server.
    pub logins: Vec<Login>,
    /// The server that cookies and private headers are for, when it is not that of the URL.
    pub home: Option<Url>,
    /// With credentials, if any: never log it.
    pub proxy: Option<Url>,
    /// Who seems to come.
    pub visitor: Visitor,
    /// What to do on a rung that is a browser.
    pub browser: BrowserOptions,
    /// Refuse bad certificates.
    pub verify_ssl: bool,
    /// Obey robots.txt.
    pub respect_robots: bool,
}

/// Who seems to come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Visitor {
    /// BCP 47 tags, best first; empty means the identity's own.
    pub languages: Vec<String>,
    /// IANA name; the identity's own when there is none.
    pub timezone: Option<String>,
    /// Come as a phone.
    pub mobile: bool,
}

/// How to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentOptions {
    /// Only the main content.
    pub only_main_content: bool,
    /// Valid CSS selectors: keep only what matches.
    pub include_tags: Vec<String>,
    /// Valid CSS selectors: drop what matches.
    pub exclude_tags: Vec<String>,
    /// Drop `data:` images.
    pub remove_base64_images: bool,
    /// Links as numbered references at the end.
    pub citations: bool,
    /// Read the links though nobody wants to see them: a crawl follows them.
    pub gather_links: bool,
}

/// How to use the page cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CachePolicy {
    /// Serve, fill, both or neither.
    pub mode: CacheMode,
    /// Oldest page that will do.
    pub max_age: Duration,
}

/// A set of formats, never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formats(BTreeSet<Format>);

impl Formats {
    /// Was this one asked for?
    pub fn contains(&self, format: Format) -> bool {
        self.0.contains(&format)
    }

    /// In declaration order.
    pub fn iter(&self) -> impl Iterator<Item = Format> + '_ {
        self.0.iter().copied()
    }
}

impl ScrapeRequest {
    /// The same request for another page.
    #[must_use]
    pub fn with_url(&self, url: Url) -> Self {
        Self {
            url,
            ..self.clone()
        }
    }

    /// Understands a URL and options. `check_selector` says whether a CSS selector is valid (the
    /// reader's own parser; this crate knows no CSS).
    ///
    /// # Errors
    /// The first mistake found, naming its field.
    pub fn parse(
        url: &str,
        mut options: ScrapeOptions,
        check_selector: impl Fn(&str) -> Result<(), String>,
    ) -> Result<Self, InvalidOption> {
        let mut url = parse_url(url)?;
        let login = Login::take(&mut url);
        refuse_unbuilt(&options)?;
        if options.formats.is_empty() {
            return Err(InvalidOption::new(
                "formats",
                "must name at least one format",
            ));
        }
        if !(1..=MAX_TIMEOUT_MS).contains(&options.timeout_ms) {
            return Err(InvalidOption::new(
                "timeout_ms",
                format!("must be 1 to {MAX_TIMEOUT_MS}"),
            ));
        }
        for (field, selectors) in [
            ("include_tags", &options.include_tags),
            ("exclude_tags", &options.exclude_tags),
        ] {
            check_count(field, selectors.len())?;
            for (index, selector) in selectors.iter().enumerate() {
                check_css(|| format!("{field}[{index}]"), selector, &check_selector)?;
            }
        }
        let browser = parse_browser(&mut options, check_selector)?;
        Ok(Self {
            url,
            formats: Formats(options.formats.iter().copied().collect()),
            cache: CachePolicy {
                mode: options.cache,
                max_age: Duration::from_secs(options.max_age_s),
            },
            content: ContentOptions {
                only_main_content: options.only_main_content,
                include_tags: options.include_tags.clone(),
                exclude_tags: options.exclude_tags.clone(),
                remove_base64_images: options.remove_base64_images,
                citations: options.citations,
                gather_links: false,
            },
            fetch: FetchOptions {
                logins: login.into_iter().collect(),
                ..parse_fetch(options, browser)?
            },
        })
    }
}

/// Options whose parts are not built yet are refused by name, never silently ignored.
fn refuse_unbuilt(options: &ScrapeOptions) -> Result<(), InvalidOption> {
    let chunks = options.formats.iter().position(|f| *f == Format::Chunks);
    let unbuilt = [
        chunks.map(|index| format!("formats[{index}]")),
        options.chunk.is_some().then(|| "chunk".to_owned()),
        options.extract.is_some().then(|| "extract".to_owned()),
    ];
    match unbuilt.into_iter().flatten().next() {
        Some(field) => Err(InvalidOption::new(
            field,
            "is not built yet in this version",
        )),
        None => Ok(()),
    }
}

/// A page's URL: absolute, http or https, with a host.
///
/// # Errors
/// What is wrong with it.
pub fn parse_url(text: &str) -> Result<Url, InvalidOption> {
    if text.len() > MAX_URL_BYTES {
        return Err(InvalidOption::url(format!(
            "is longer than {MAX_URL_BYTES} bytes"
        )));
    }
    let url = Url::parse(text).map_err(|error| match error {
        url::ParseError::RelativeUrlWithoutBase => {
            InvalidOption::url("must be absolute and start with http:// or https://")
        }
        other => InvalidOption::url(format!("is not a URL: {other}")),
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(InvalidOption::url("the scheme must be http or https"));
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err(InvalidOption::url("has no host"));
    }
    Ok(url)
}

fn parse_fetch(
    options: ScrapeOptions,
    browser: BrowserOptions,
) -> Result<FetchOptions, InvalidOption> {
    let headers = parse_headers(&options.headers)?;
    check_cookies(&options.cookies)?;
    let proxy = options.proxy.as_deref().map(parse_proxy).transpose()?;
    let (languages, timezone) = parse_place(options.location)?;
    Ok(FetchOptions {
        mode: options.mode,
        timeout: Duration::from_millis(options.timeout_ms),
        delay: Duration::ZERO,
        headers,
        cookies: options.cookies.into_iter().collect(),
        logins: Vec::new(),
        home: None,
        proxy,
        visitor: Visitor {
            languages,
            timezone,
            mobile: options.mobile,
        },
        browser,
        verify_ssl: options.verify_ssl,
        respect_robots: options.respect_robots,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ErrorCode;

    fn parse(url: &str, options: serde_json::Value) -> Result<ScrapeRequest, InvalidOption> {
        let options = serde_json::from_value(options).unwrap();
        ScrapeRequest::parse(url, options, |selector| {
            if selector.contains("[[") {
                Err("is not a selector".into())
            } else {
                Ok(())
            }
        })
    }

    #[track_caller]
    fn refused(options: serde_json::Value, field: &str) {
        let error = parse("http://example.com/", options).unwrap_err();
        assert_eq!(error.field, field, "{error}");
        assert_eq!(error.info().details.unwrap()["field"], field);
    }

    #[test]
    fn defaults_are_a_valid_request() {
        let request = parse("http://example.com", json!({})).unwrap();
        assert_eq!(request.url.as_str(), "http://example.com/");
        assert!(request.formats.contains(Format::Markdown));
        assert!(request.content.only_main_content);
        assert_eq!(request.fetch.timeout, Duration::from_secs(30));
        assert!(request.fetch.browser.block_ads);
    }

    #[test]
    fn a_bad_url_is_refused_with_its_own_code() {
        for url in [
            "",
            "example.com",
            "/x",
            "ftp://example.com",
            "file:///etc/passwd",
            "http://",
            "javascript:1",
        ] {
            let error = parse(url, json!({})).unwrap_err();
            assert_eq!(
                (error.code, error.field.as_str()),
                (ErrorCode::InvalidUrl, "url"),
                "{url}"
            );
        }
        assert!(
            parse(
                &format!("http://example.com/{}", "a".repeat(20_000)),
                json!({})
            )
            .is_err()
        );
    }

    #[test]
    fn every_mistake_names_its_field() {
        refused(json!({"formats": []}), "formats");
        refused(json!({"timeout_ms": 0}), "timeout_ms");
        refused(json!({"timeout_ms": 600_001}), "timeout_ms");
        refused(json!({"include_tags": ["p", "[["]}), "include_tags[1]");
        refused(json!({"headers": {"a b": "c"}}), "headers.a b");
        refused(json!({"headers": {"Host": "x"}}), "headers.Host");
        refused(json!({"headers": {"x": "a\nb"}}), "headers.x");
        refused(json!({"cookies": {"a": "b;c"}}), "cookies.a");
        let long = "x".repeat(10_000);
        refused(json!({"headers": {"x": long}}), "headers.x");
        refused(json!({"cookies": {"x": long}}), "cookies.x");
        refused(json!({"exclude_tags": ["p", long]}), "exclude_tags[1]");
        refused(json!({"proxy": "nonsense"}), "proxy");
        refused(json!({"proxy": "ftp://host:1"}), "proxy");
        refused(
            json!({"location": {"languages": ["de", "not a tag"]}}),
            "location.languages[1]",
        );
        refused(json!({"location": {"country": "UK"}}), "location.country");
        for timezone in ["Berlin", "Europe/", "../etc/passwd", "Europe/Ber lin", ""] {
            refused(
                json!({"location": {"timezone": timezone}}),
                "location.timezone",
            );
        }
        refused(
            json!({"actions": [{"type": "click", "selector": "[["}]}),
            "actions[0].selector",
        );
    }

    #[test]
    fn what_is_not_built_is_refused_by_name() {
        refused(json!({"formats": ["markdown", "chunks"]}), "formats[1]");
        refused(json!({"chunk": {}}), "chunk");
        refused(json!({"extract": {"css": {}}}), "extract");
    }
}
