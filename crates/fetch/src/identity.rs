//! Whom the http rung plays: one Chrome, the same major version in TLS, HTTP/2, user agent and
//! client hints. Header names, values and their order are ours, because sites look at the order;
//! only TLS and HTTP/2 settings come from the profile.

use http::{HeaderMap, HeaderName, HeaderValue, header};
use url::Url;
use wreq::header::OrigHeaderMap;
use wreq_util::{Emulation, Platform, Profile};

use crate::Identity;

/// The browser whose TLS and HTTP/2 we send. `MAJOR` must say the same version.
const PROFILE: Profile = Profile::Chrome149;

/// The version in user agent and client hints.
macro_rules! major {
    () => {
        "149"
    };
}

const DESKTOP: Device = Device {
    user_agent: concat!(
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/",
        major!(),
        ".0.0.0 Safari/537.36"
    ),
    is_mobile: "?0",
    platform: "\"Linux\"",
};

/// Chrome on Android names no model and no version since its user-agent reduction.
const PHONE: Device = Device {
    user_agent: concat!(
        "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/",
        major!(),
        ".0.0.0 Mobile Safari/537.36"
    ),
    is_mobile: "?1",
    platform: "\"Android\"",
};

const BRANDS: &str = concat!(
    "\"Google Chrome\";v=\"",
    major!(),
    "\", \"Chromium\";v=\"",
    major!(),
    "\", \"Not)A;Brand\";v=\"24\""
);
const ACCEPT: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,\
                      image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7";
const LANGUAGES: &str = "en-US,en;q=0.9";

/// The order of Chrome's navigation requests, spelled as in its HTTP/1.1. What a caller adds and
/// is not named here goes to `CALLERS_PLACE`.
const ORDER: [&str; 26] = [
    "Host",
    "Connection",
    "Pragma",
    "Cache-Control",
    "sec-ch-ua",
    "sec-ch-ua-mobile",
    "sec-ch-ua-platform",
    "Authorization",
    "DNT",
    "Upgrade-Insecure-Requests",
    "Origin",
    "User-Agent",
    "Accept",
    "Sec-Fetch-Site",
    "Sec-Fetch-Mode",
    "Sec-Fetch-User",
    "Sec-Fetch-Dest",
    "Referer",
    CALLERS_PLACE,
    "Accept-Encoding",
    "Accept-Language",
    "Cookie",
    "If-None-Match",
    "If-Modified-Since",
    "Range",
    "Priority",
];
const CALLERS_PLACE: &str = "";

struct Device {
    user_agent: &'static str,
    is_mobile: &'static str,
    platform: &'static str,
}

/// TLS and HTTP/2 of the browser we play; no headers.
pub(crate) fn emulation() -> Emulation {
    Emulation::builder()
        .profile(PROFILE)
        .platform(Platform::Linux)
        .headers(false)
        .build()
}

/// The headers of one request, and their order and spelling on the wire.
#[derive(Debug)]
pub(crate) struct RequestHead {
    pub(crate) headers: HeaderMap,
    pub(crate) order: OrigHeaderMap,
}

impl RequestHead {
    /// What Chrome sends when its user opens `url`, with the caller's headers laid over it.
    /// `callers` are those that may go to this URL; `own` are the exchange's: cookies, validators.
    pub(crate) fn new(url: &Url, identity: &Identity, callers: &HeaderMap, own: HeaderMap) -> Self {
        let mut headers = HeaderMap::with_capacity(24);
        let is_secure = url.scheme() == "https";
        let device = if identity.mobile { &PHONE } else { &DESKTOP };
        let mut put = |name: &'static str, value: &'static str| {
            headers.insert(
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            );
        };
        put("connection", "keep-alive");
        put("upgrade-insecure-requests", "1");
        put("user-agent", device.user_agent);
        put("accept", ACCEPT);
        put("accept-language", LANGUAGES);
        // Chrome tells sites without TLS neither hints nor fetch metadata, and offers them only
        // the codings that no middlebox breaks.
        if is_secure {
            put("sec-ch-ua", BRANDS);
            put("sec-ch-ua-mobile", device.is_mobile);
            put("sec-ch-ua-platform", device.platform);
            put("sec-fetch-site", "none");
            put("sec-fetch-mode", "navigate");
            put("sec-fetch-user", "?1");
            put("sec-fetch-dest", "document");
            put("accept-encoding", "gzip, deflate, br, zstd");
            put("priority", "u=0, i");
        } else {
            put("accept-encoding", "gzip, deflate");
        }
        if let Some(languages) = accept_language(&identity.languages) {
            headers.insert(header::ACCEPT_LANGUAGE, languages);
        }
        lay_over(&mut headers, callers);
        headers.extend(own);
        let order = order_of(&headers, callers);
        Self { headers, order }
    }
}

/// A caller who names another browser must not be contradicted by our client hints.
fn lay_over(headers: &mut HeaderMap, callers: &HeaderMap) {
    if let Some(user_agent) = callers.get(header::USER_AGENT) {
        let is_ours = user_agent
            .to_str()
            .is_ok_and(|text| text.contains(concat!("Chrome/", major!(), ".")));
        if !is_ours {
            for hint in ["sec-ch-ua", "sec-ch-ua-mobile", "sec-ch-ua-platform"] {
                headers.remove(hint);
            }
        }
    }
    for name in callers.keys() {
        headers.remove(name);
    }
    for (name, value) in callers {
        headers.append(name, value.clone());
    }
}

fn order_of(headers: &HeaderMap, callers: &HeaderMap) -> OrigHeaderMap {
    let mut order = OrigHeaderMap::with_capacity(headers.len() + 1);
    for name in ORDER {
        if name != CALLERS_PLACE {
            order.insert(name);
            continue;
        }
        for name in callers.keys() {
            let is_known = ORDER
                .iter()
                .any(|known| known.eq_ignore_ascii_case(name.as_str()));
            if !is_known {
                order.insert(title_case(name.as_str()));
            }
        }
    }
    order
}

/// `x-request-id` as `X-Request-Id`.
fn title_case(name: &str) -> String {
    let mut is_start = true;
    name.chars()
        .map(|letter| {
            let shown = if is_start {
                letter.to_ascii_uppercase()
            } else {
                letter
            };
            is_start = letter == '-';
            shown
        })
        .collect()
}

/// Chrome's `Accept-Language` for a list of languages: each region is followed by its bare
/// language unless the list goes on with it, and the weights fall by tenths down to 0.1.
fn accept_language(languages: &[String]) -> Option<HeaderValue> {
    let mut expanded: Vec<&str> = Vec::new();
    for (index, tag) in languages.iter().enumerate() {
        let bare = bare_language(tag);
        expanded.push(tag);
        let goes_on = languages[index + 1..]
            .iter()
            .any(|next| bare_language(next) == bare);
        if bare != tag && !goes_on {
            expanded.push(bare);
        }
    }
    let mut seen: Vec<&str> = Vec::new();
    expanded.retain(|tag| {
        !seen.contains(tag) && {
            seen.push(tag);
            true
        }
    });
    let value = expanded
        .iter()
        .enumerate()
        .map(|(index, tag)| match index {
            0 => (*tag).to_owned(),
            _ => format!("{tag};q=0.{}", 10_usize.saturating_sub(index).max(1)),
        })
        .collect::<Vec<_>>()
        .join(",");
    (!value.is_empty())
        .then(|| HeaderValue::try_from(value).ok())
        .flatten()
}

fn bare_language(tag: &str) -> &str {
    tag.split('-').next().unwrap_or(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(url: &str, identity: &Identity) -> RequestHead {
        RequestHead::new(
            &Url::parse(url).unwrap(),
            identity,
            &identity.headers,
            HeaderMap::new(),
        )
    }

    #[test]
    fn tls_profile_user_agent_and_hints_claim_one_version() {
        assert_eq!(format!("{PROFILE:?}"), concat!("Chrome", major!()));
        for device in [DESKTOP, PHONE] {
            assert!(
                device
                    .user_agent
                    .contains(concat!(" Chrome/", major!(), ".0.0.0 "))
            );
        }
        assert_eq!(BRANDS.matches(concat!("v=\"", major!(), "\"")).count(), 2);
    }

    #[test]
    fn a_phone_says_so_everywhere() {
        let identity = Identity {
            mobile: true,
            ..Identity::default()
        };
        let headers = head("https://a.example/", &identity).headers;
        assert_eq!(headers["sec-ch-ua-mobile"], "?1");
        assert_eq!(headers["sec-ch-ua-platform"], "\"Android\"");
        assert!(
            headers["user-agent"]
                .to_str()
                .unwrap()
                .contains("Mobile Safari")
        );
    }

    #[test]
    fn a_site_without_tls_gets_no_hints() {
        let headers = head("http://a.example/", &Identity::default()).headers;
        assert!(!headers.contains_key("sec-ch-ua") && !headers.contains_key("sec-fetch-mode"));
        assert_eq!(headers["accept-encoding"], "gzip, deflate");
    }

    #[test]
    fn a_callers_user_agent_is_not_contradicted() {
        let mut identity = Identity::default();
        identity
            .headers
            .insert("user-agent", HeaderValue::from_static("curl/8"));
        let headers = head("https://a.example/", &identity).headers;
        assert_eq!(headers["user-agent"], "curl/8");
        assert!(!headers.contains_key("sec-ch-ua"));
    }

    #[test]
    fn languages_are_weighted_as_chrome_does() {
        let value = |tags: &[&str]| {
            let tags: Vec<String> = tags.iter().map(|tag| (*tag).to_owned()).collect();
            accept_language(&tags).map(|value| value.to_str().unwrap().to_owned())
        };
        assert_eq!(value(&[]), None);
        assert_eq!(value(&["de-DE", "fr"]).unwrap(), "de-DE,de;q=0.9,fr;q=0.8");
        assert_eq!(
            value(&["en-GB", "en-US", "en"]).unwrap(),
            "en-GB,en-US;q=0.9,en;q=0.8"
        );
        assert!(value(&["a1"; 1]).unwrap().starts_with("a1"));
        let many: Vec<String> = (0..20).map(|n| format!("a{n:02}")).collect();
        let last = accept_language(&many).unwrap();
        assert!(last.to_str().unwrap().ends_with(";q=0.1"));
    }
}
