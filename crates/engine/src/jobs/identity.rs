//! When two URLs of a crawl are the same page: one step further than `address::canonical`, because
//! a crawl meets every spelling that a site has for a page.

use sha2::{Digest, Sha256};
use url::Url;

use crate::address;

/// Parameters that carry a visit, not a page.
const SESSIONS: [&str; 10] = [
    "jsessionid",
    "phpsessid",
    "aspsessionid",
    "sessionid",
    "session_id",
    "sid",
    "cfid",
    "cftoken",
    "zenid",
    "oscsid",
];

/// What makes a URL the same page within one job.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Identities {
    /// The query does not choose the page.
    pub(crate) ignore_query: bool,
}

impl Identities {
    /// Equal for all spellings of one page: order of the query, sessions, an empty last segment's
    /// parameters, tracking.
    pub(crate) fn of(self, url: &Url) -> i64 {
        let mut url = address::canonical(url);
        if let Some(path) = without_path_session(url.path()) {
            url.set_path(&path);
        }
        match url.query() {
            Some(_) if self.ignore_query => url.set_query(None),
            Some(query) => {
                let query = sorted(query);
                url.set_query(Some(query.as_str()).filter(|query| !query.is_empty()));
            }
            None => {}
        }
        hash(url.as_str())
    }
}

/// The host's share of the frontier.
pub(super) fn host_of(url: &Url) -> i64 {
    let port = url.port().map_or(String::new(), |port| format!(":{port}"));
    hash(&format!("{}{port}", url.host_str().unwrap_or_default()))
}

/// 64 bits of SHA-256: of a million URLs two share theirs once in tens of millions of crawls.
pub(super) fn hash(text: &str) -> i64 {
    let digest = Sha256::digest(text.as_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    i64::from_be_bytes(first)
}

fn sorted(query: &str) -> String {
    let mut pairs: Vec<&str> = query.split('&').filter(|pair| !is_session(pair)).collect();
    pairs.sort_unstable();
    pairs.join("&")
}

fn is_session(pair: &str) -> bool {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    let name = name.to_ascii_lowercase();
    let looks_random = value.len() >= 16 && value.bytes().any(|byte| byte.is_ascii_digit());
    pair.is_empty() || looks_random && SESSIONS.iter().any(|session| name.starts_with(session))
}

/// Java and ASP.NET write sessions into the path: `/page;jsessionid=…`, `/(S(…))/page`.
fn without_path_session(path: &str) -> Option<String> {
    let lower = path.to_ascii_lowercase();
    if let Some(at) = lower.find(";jsessionid=") {
        let rest = &path[at + 1..];
        let end = rest.find(['/', ';']).map_or("", |end| &rest[end..]);
        return Some(format!("{}{end}", &path[..at]));
    }
    let at = lower.find("/(s(")?;
    let end = lower[at..].find("))/")?;
    Some(format!("{}{}", &path[..at], &path[at + end + 2..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(url: &str) -> i64 {
        let all = Identities {
            ignore_query: false,
        };
        all.of(&Url::parse(url).unwrap())
    }

    #[test]
    fn spellings_of_one_page_are_one() {
        let page = of("http://a.example/p?a=1&b=2");
        for spelling in [
            "http://a.example/p?b=2&a=1",
            "HTTP://A.example:80/x/../p?a=1&b=2#top",
            "http://a.example/p?a=1&utm_source=mail&b=2",
            "http://a.example/p?a=1&b=2&PHPSESSID=0123456789abcdef0123",
            "http://a.example/p;jsessionid=8F3A1B?a=1&b=2",
            "http://a.example/(S(lit3py55t21z5v55vlm25s55))/p?a=1&b=2",
        ] {
            assert_eq!(of(spelling), page, "{spelling}");
        }
    }

    #[test]
    fn different_pages_are_different() {
        let page = of("http://a.example/p?a=1");
        for other in [
            "https://a.example/p?a=1",
            "http://a.example/p?a=2",
            "http://a.example/P?a=1",
            "http://a.example/p",
            "http://a.example/p/?a=1",
            "http://a.example/p?a=1&sid=7",
            "http://www.a.example/p?a=1",
        ] {
            assert_ne!(of(other), page, "{other}");
        }
    }

    #[test]
    fn without_the_query_only_the_path_counts() {
        let all = Identities { ignore_query: true };
        let one = Url::parse("http://a.example/p?a=1").unwrap();
        let other = Url::parse("http://a.example/p?b").unwrap();
        assert_eq!(all.of(&one), all.of(&other));
    }
}
