//! When a kept page may answer a request: the same page, read in the same way, young enough.

use jiff::Timestamp;
use serde::Serialize;
use trawls_contract::{CacheMode, Login, Outcome, PageResult, ScrapeRequest, WaitFor};
use trawls_fetch::Fetched;
use trawls_store::{CacheKey, CachedPage, Validators};

use crate::address;

/// All that can change the answer. The version is in it because a newer reader reads better.
#[derive(Serialize)]
struct KeyText<'a> {
    version: &'static str,
    url: &'a str,
    formats: Vec<&'static str>,
    mode: trawls_contract::Mode,
    headers: Vec<(&'a str, &'a [u8])>,
    cookies: &'a [(String, String)],
    logins: Vec<(String, &'a [u8])>,
    proxy: Option<&'a str>,
    languages: &'a [String],
    timezone: Option<&'a str>,
    wait_for: Option<&'a WaitFor>,
    /// scroll, block_ads
    browser: [bool; 2],
    /// mobile, verify_ssl, respect_robots: a page fetched against these rules must not answer a
    /// caller who keeps them.
    visitor: [bool; 3],
    /// only_main_content, remove_base64_images, citations
    reading: [bool; 3],
    selectors: [&'a [String]; 2],
}

/// Equal requests have equal keys. Callers with different credentials never share one.
pub(crate) fn key(request: &ScrapeRequest) -> CacheKey {
    let (fetch, content) = (&request.fetch, &request.content);
    let url = address::canonical(&request.url);
    let headers = fetch.headers.iter();
    let mut headers: Vec<_> = headers
        .map(|(name, value)| (name.as_str(), value.as_bytes()))
        .collect();
    headers.sort_unstable();
    let text = serde_json::to_string(&KeyText {
        version: env!("CARGO_PKG_VERSION"),
        url: url.as_str(),
        formats: request
            .formats
            .iter()
            .map(|format| format.as_str())
            .collect(),
        mode: fetch.mode,
        headers,
        cookies: &fetch.cookies,
        logins: fetch
            .logins
            .iter()
            .map(|login| (server(login), login.authorization.as_bytes()))
            .collect(),
        proxy: fetch.proxy.as_ref().map(|proxy| proxy.as_str()),
        languages: &fetch.visitor.languages,
        timezone: fetch.visitor.timezone.as_deref(),
        wait_for: fetch.browser.wait_for.as_ref(),
        browser: [fetch.browser.scroll, fetch.browser.block_ads],
        visitor: [fetch.visitor.mobile, fetch.verify_ssl, fetch.respect_robots],
        reading: [
            content.only_main_content,
            content.remove_base64_images,
            content.citations,
        ],
        selectors: [&content.include_tags, &content.exclude_tags],
    });
    // Plain data with string keys always serialises; a shared key would be wrong, a unique one is
    // only useless.
    CacheKey::of(&text.unwrap_or_else(|_| uuid::Uuid::new_v4().to_string()))
}

fn server(login: &Login) -> String {
    login.server.origin().ascii_serialization()
}

/// May the cache answer this request?
pub(crate) fn serves(request: &ScrapeRequest) -> bool {
    request.cache.mode == CacheMode::Use && !acts(request)
}

/// May this request's page go into the cache?
pub(crate) fn fills(request: &ScrapeRequest) -> bool {
    request.cache.mode != CacheMode::Bypass && !acts(request)
}

/// What actions do on a page is done for each caller anew.
fn acts(request: &ScrapeRequest) -> bool {
    !request.fetch.browser.actions.is_empty()
}

/// Young enough for this request? `max_age_s=0` always asks the server.
pub(crate) fn is_fresh(cached: &CachedPage, request: &ScrapeRequest, now: Timestamp) -> bool {
    let age = now.duration_since(cached.confirmed_at).unsigned_abs();
    age < request.cache.max_age || now < cached.confirmed_at && !request.cache.max_age.is_zero()
}

/// Only whole successes answer others.
pub(crate) fn is_worth_keeping(result: &PageResult, fetched: &Fetched) -> bool {
    result.outcome == Outcome::Success && fetched.truncated.is_none()
}

/// What to revalidate with. After a redirect they belong to another URL than the one that will be
/// asked.
pub(crate) fn validators(fetched: &Fetched) -> Validators {
    if !fetched.redirects.is_empty() {
        return Validators::default();
    }
    let text = |name| {
        let value = fetched.headers.get(name)?.to_str().ok()?;
        Some(value.to_owned()).filter(|value| !value.is_empty())
    };
    Validators {
        etag: text(http::header::ETAG),
        last_modified: text(http::header::LAST_MODIFIED),
    }
}

/// Can the server be asked whether its page has changed?
pub(crate) fn has_validators(validators: &Validators) -> bool {
    validators.etag.is_some() || validators.last_modified.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn request(url: &str, options: serde_json::Value) -> ScrapeRequest {
        let options = serde_json::from_value(options).unwrap();
        ScrapeRequest::parse(url, options, |_| Ok(())).unwrap()
    }

    fn key_of(url: &str, options: serde_json::Value) -> CacheKey {
        key(&request(url, options))
    }

    #[test]
    fn a_page_that_was_acted_upon_is_nobody_elses() {
        let acting = request("http://a.b/", json!({"actions": [{"type": "scrape"}]}));
        assert!(!serves(&acting) && !fills(&acting));
        let looking = request("http://a.b/", json!({"formats": ["screenshot"]}));
        assert!(serves(&looking) && fills(&looking));
    }

    #[test]
    fn what_matters_makes_another_key() {
        let plain = key_of("http://a.b/", json!({}));
        for options in [
            json!({"formats": ["html"]}),
            json!({"only_main_content": false}),
            json!({"exclude_tags": ["p"]}),
            json!({"include_tags": ["p"]}),
            json!({"headers": {"authorization": "x"}}),
            json!({"cookies": {"a": "b"}}),
            json!({"mobile": true}),
            json!({"verify_ssl": false}),
            json!({"respect_robots": false}),
            json!({"mode": "http"}),
            json!({"citations": true}),
            json!({"proxy": "http://p:1"}),
            json!({"location": {"languages": ["de"]}}),
            json!({"location": {"timezone": "Europe/Berlin"}}),
            json!({"formats": ["markdown", "screenshot"]}),
            json!({"formats": ["markdown", "screenshot_full"]}),
            json!({"formats": ["markdown", "pdf"]}),
            json!({"wait_for": "main"}),
            json!({"wait_for": 10}),
            json!({"scroll": true}),
            json!({"block_ads": false}),
        ] {
            assert_ne!(key_of("http://a.b/", options.clone()), plain, "{options}");
        }
        assert_ne!(key_of("http://a.b/c", json!({})), plain);
        assert_ne!(key_of("http://u:p@a.b/", json!({})), plain);
    }

    #[test]
    fn what_does_not_matter_makes_the_same_key() {
        let plain = key_of("http://a.b/", json!({}));
        assert_eq!(key_of("http://a.b/?utm_source=x#top", json!({})), plain);
        assert_eq!(
            key_of("http://a.b/", json!({"timeout_ms": 5, "max_age_s": 1})),
            plain
        );
        assert_eq!(
            key_of(
                "http://a.b/",
                json!({"formats": ["html", "links"], "headers": {"a": "1", "b": "2"}})
            ),
            key_of(
                "http://a.b/",
                json!({"formats": ["links", "html"], "headers": {"b": "2", "a": "1"}})
            ),
        );
    }
}
