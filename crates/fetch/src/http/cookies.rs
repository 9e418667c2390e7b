//! The cookie jar of one fetch (RFC 6265): it sees each `Set-Cookie` of a chain of redirects and
//! says what the next request carries. It is dropped with the fetch.

use std::net::IpAddr;

use http::HeaderValue;
use jiff::Timestamp;
use url::Url;

/// Cookies kept; browsers stop near here per site.
const MAX_COOKIES: usize = 180;
/// Longest `Set-Cookie` that is read, as in browsers.
const MAX_COOKIE_BYTES: usize = 4096;

/// What has been set so far.
#[derive(Debug, Default)]
pub(super) struct Jar(Vec<Cookie>);

#[derive(Debug)]
struct Cookie {
    name: String,
    value: String,
    domain: String,
    /// Only for `domain` itself, not for the hosts below it.
    is_host_only: bool,
    path: String,
    is_secure: bool,
}

impl Jar {
    /// A caller's own cookie: for every path of the URL's host, and no other host.
    pub(super) fn add(&mut self, url: &Url, name: &str, value: &str) {
        let Some(host) = host_of(url) else { return };
        self.put(Cookie {
            name: name.trim().to_owned(),
            value: value.trim().to_owned(),
            domain: host,
            is_host_only: true,
            path: "/".into(),
            is_secure: url.scheme() == "https",
        });
    }

    /// Obeys one `Set-Cookie` of a response from `url`.
    pub(super) fn set(&mut self, url: &Url, header: &HeaderValue, now: Timestamp) {
        let text = String::from_utf8_lossy(header.as_bytes());
        if text.len() > MAX_COOKIE_BYTES {
            return;
        }
        let (Some(host), Some(parsed)) = (host_of(url), Parsed::read(&text, now)) else {
            return;
        };
        let domain = match parsed.domain {
            None => None,
            Some(domain) if domain == host => is_name(&host).then_some(domain),
            Some(domain) if is_below(&host, &domain) && !is_public_suffix(&domain) => Some(domain),
            Some(_) => return,
        };
        if parsed.is_secure && url.scheme() != "https" {
            return;
        }
        let cookie = Cookie {
            name: parsed.name,
            value: parsed.value,
            is_host_only: domain.is_none(),
            domain: domain.unwrap_or(host),
            path: parsed.path.unwrap_or_else(|| default_path(url).to_owned()),
            is_secure: parsed.is_secure,
        };
        if parsed.is_expired {
            self.0.retain(|other| !other.is_same(&cookie));
        } else {
            self.put(cookie);
        }
    }

    /// The `Cookie` header for a request to `url`, longest path first.
    pub(super) fn header(&self, url: &Url) -> Option<HeaderValue> {
        let host = host_of(url)?;
        let mut matching: Vec<&Cookie> = self
            .0
            .iter()
            .filter(|cookie| cookie.goes_to(url, &host))
            .collect();
        matching.sort_by_key(|cookie| std::cmp::Reverse(cookie.path.len()));
        let pairs: Vec<String> = matching
            .iter()
            .map(|cookie| match cookie.name.as_str() {
                "" => cookie.value.clone(),
                name => format!("{name}={}", cookie.value),
            })
            .collect();
        if pairs.is_empty() {
            return None;
        }
        HeaderValue::from_bytes(pairs.join("; ").as_bytes()).ok()
    }

    fn put(&mut self, cookie: Cookie) {
        match self.0.iter().position(|other| other.is_same(&cookie)) {
            Some(at) => self.0[at] = cookie,
            None if self.0.len() < MAX_COOKIES => self.0.push(cookie),
            None => {}
        }
    }
}

impl Cookie {
    fn is_same(&self, other: &Self) -> bool {
        self.name == other.name && self.domain == other.domain && self.path == other.path
    }

    fn goes_to(&self, url: &Url, host: &str) -> bool {
        let is_host = host == self.domain || (!self.is_host_only && is_below(host, &self.domain));
        let is_path = url
            .path()
            .strip_prefix(self.path.as_str())
            .is_some_and(|rest| {
                rest.is_empty() || self.path.ends_with('/') || rest.starts_with('/')
            });
        is_host && is_path && (!self.is_secure || url.scheme() == "https")
    }
}

/// A `Set-Cookie` as it was written.
struct Parsed {
    name: String,
    value: String,
    domain: Option<String>,
    path: Option<String>,
    is_secure: bool,
    is_expired: bool,
}

impl Parsed {
    fn read(text: &str, now: Timestamp) -> Option<Self> {
        let mut parts = text.split(';');
        let pair = parts.next()?;
        let (name, value) = pair.split_once('=').unwrap_or(("", pair));
        let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
        if name.is_empty() && value.is_empty() {
            return None;
        }
        let mut parsed = Self {
            name,
            value,
            domain: None,
            path: None,
            is_secure: false,
            is_expired: false,
        };
        let mut max_age = None;
        for part in parts {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let value = value.trim();
            match key.trim().to_ascii_lowercase().as_str() {
                "domain" => {
                    let domain = value.trim_start_matches('.').to_ascii_lowercase();
                    parsed.domain = (!domain.is_empty()).then_some(domain);
                }
                "path" => parsed.path = value.starts_with('/').then(|| value.to_owned()),
                "secure" => parsed.is_secure = true,
                "max-age" => max_age = value.parse::<i64>().ok().or(max_age),
                "expires" => parsed.is_expired = http_date(value).is_some_and(|at| at <= now),
                _ => {}
            }
        }
        if let Some(seconds) = max_age {
            parsed.is_expired = seconds <= 0;
        }
        Some(parsed)
    }
}

/// `Wed, 21 Oct 2015 07:28:00 GMT`, also with dashes in the date as Netscape wrote it.
fn http_date(text: &str) -> Option<Timestamp> {
    let spaced = text.replace('-', " ");
    let date = jiff::fmt::rfc2822::parse(&spaced).ok()?;
    Some(date.timestamp())
}

fn host_of(url: &Url) -> Option<String> {
    url.host_str()
        .map(|host| host.trim_end_matches('.').to_owned())
}

fn is_name(host: &str) -> bool {
    !host.starts_with('[') && host.parse::<IpAddr>().is_err()
}

fn is_below(host: &str, domain: &str) -> bool {
    is_name(host)
        && host
            .strip_suffix(domain)
            .is_some_and(|rest| rest.ends_with('.') && rest.len() > 1)
}

/// A cookie for all of `co.uk` would reach strangers.
fn is_public_suffix(domain: &str) -> bool {
    psl::suffix_str(domain).is_none_or(|suffix| suffix == domain)
}

/// RFC 6265 §5.1.4: the directory of the URL's path, without its last slash.
fn default_path(url: &Url) -> &str {
    match url.path().rfind('/') {
        None | Some(0) => "/",
        Some(end) => &url.path()[..end],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Visit(Jar);

    impl Visit {
        fn new() -> Self {
            Self(Jar::default())
        }

        fn set(mut self, url: &str, cookie: &str) -> Self {
            let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
            let header = HeaderValue::from_str(cookie).unwrap();
            self.0.set(&Url::parse(url).unwrap(), &header, now);
            self
        }

        fn sent(&self, url: &str) -> String {
            let header = self.0.header(&Url::parse(url).unwrap());
            header.map_or(String::new(), |value| value.to_str().unwrap().to_owned())
        }
    }

    #[test]
    fn a_later_value_replaces_the_earlier() {
        let visit = Visit::new()
            .set("http://a.example/", "step=one; Path=/")
            .set("http://a.example/b", "step=two; Path=/");
        assert_eq!(visit.sent("http://a.example/c"), "step=two");
    }

    #[test]
    fn a_host_cookie_stays_on_its_host_and_a_domain_cookie_below_its_domain() {
        let visit = Visit::new()
            .set("http://www.a.example/", "host=1")
            .set("http://www.a.example/", "site=2; domain=.A.example");
        assert_eq!(visit.sent("http://www.a.example/"), "host=1; site=2");
        assert_eq!(visit.sent("http://b.a.example/"), "site=2");
        assert_eq!(visit.sent("http://xa.example/"), "");
    }

    #[test]
    fn foreign_and_public_suffix_domains_are_refused() {
        let visit = Visit::new()
            .set("http://a.co.uk/", "x=1; Domain=co.uk")
            .set("http://a.co.uk/", "y=1; Domain=b.co.uk")
            .set("http://127.0.0.1/", "z=1; Domain=0.0.1");
        for url in ["http://a.co.uk/", "http://b.co.uk/", "http://127.0.0.1/"] {
            assert_eq!(visit.sent(url), "", "{url}");
        }
    }

    #[test]
    fn paths_match_whole_segments_and_longest_first() {
        let visit = Visit::new()
            .set("http://a.example/docs/page", "deep=1")
            .set("http://a.example/docs/page", "top=2; path=/");
        assert_eq!(visit.sent("http://a.example/docs/other"), "deep=1; top=2");
        assert_eq!(visit.sent("http://a.example/docsier"), "top=2");
    }

    #[test]
    fn expiry_in_the_past_removes() {
        for end in [
            "Max-Age=0",
            "expires=Thu, 01 Jan 1970 00:00:00 GMT",
            "expires=Thu, 01-Jan-1970 00:00:00 GMT",
        ] {
            let visit = Visit::new()
                .set("http://a.example/", "x=1; path=/")
                .set("http://a.example/", &format!("x=; path=/; {end}"));
            assert_eq!(visit.sent("http://a.example/"), "", "{end}");
        }
        let visit = Visit::new().set(
            "http://a.example/",
            "x=1; expires=Thu, 01 Jan 2099 00:00:00 GMT",
        );
        assert_eq!(visit.sent("http://a.example/"), "x=1");
    }

    #[test]
    fn secure_cookies_need_tls() {
        let visit = Visit::new().set("https://a.example/", "x=1; Secure");
        assert_eq!(visit.sent("https://a.example/"), "x=1");
        assert_eq!(visit.sent("http://a.example/"), "");
        assert_eq!(
            Visit::new()
                .set("http://a.example/", "x=1; secure")
                .sent("https://a.example/"),
            ""
        );
    }
}
