//! What a response is worth, and a sentence why. Pure: status, headers and a glance at the body.

use std::time::Duration;

use http::{HeaderMap, header::CONTENT_TYPE};
use jiff::Timestamp;
use trawls_contract::{ErrorCode, Verdict};

use crate::{
    antibot::{self, Suspect},
    glance::Glance,
    retry::retry_after,
    rung::Exchange,
};

/// HTML with fewer visible characters beside a script is thin: the script is likely to bring the
/// rest. From SPEC; the median page of any kind has fifty times as many.
const THIN_CHARS: usize = 200;

/// An application's shell with an empty root may carry this much around it: a header, a footer, a
/// consent banner.
const SHELL_CHARS: usize = 600;

/// HTML of this size with fewer visible characters keeps its text in its scripts.
const LARGE_BYTES: usize = 200 * 1024;
const LARGE_CHARS: usize = 600;

/// The worth of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Judgement {
    pub(crate) verdict: Verdict,
    /// One sentence; names the anti-bot vendor.
    pub(crate) why: String,
    /// Whose anti-bot page it is.
    pub(crate) vendor: Option<&'static str>,
    /// What the server asked for, when it limits the rate.
    pub(crate) retry_after: Option<Duration>,
}

impl Judgement {
    fn new(verdict: Verdict, why: impl Into<String>) -> Self {
        Self {
            verdict,
            why: why.into(),
            vendor: None,
            retry_after: None,
        }
    }
}

/// Judges a response; `now` turns a `Retry-After` date into a duration.
pub(crate) fn judge(exchange: &Exchange, now: Timestamp) -> Judgement {
    if exchange.status == 304 {
        return Judgement::new(Verdict::NotModified, "the cached page is still the page");
    }
    let glance = is_html(&exchange.headers, &exchange.body).then(|| Glance::at(&exchange.body));
    let vendor = antibot::recognise(Suspect {
        status: exchange.status,
        headers: &exchange.headers,
        body: &exchange.body,
        glance: glance.as_ref(),
    });
    if let Some(vendor) = vendor {
        let why = format!(
            "an anti-bot page of {vendor} with status {}",
            exchange.status
        );
        return Judgement {
            vendor: Some(vendor),
            ..Judgement::new(Verdict::Blocked, why)
        };
    }
    if matches!(exchange.status, 301 | 302 | 303 | 307 | 308) {
        let why = format!(
            "the server answered {} and does not say where the page is",
            exchange.status
        );
        return Judgement::new(Verdict::ClientError, why);
    }
    if exchange.status >= 400 {
        return of_status(exchange.status, retry_after(&exchange.headers, now));
    }
    match glance {
        // What a browser has drawn is all that there is; but of a host where that is next to nothing
        // it does not prove that a browser is needed.
        Some(glance) if exchange.rendered.is_some() && glance.chars >= THIN_CHARS => {
            Judgement::new(Verdict::Usable, "HTML as a browser drew it")
        }
        Some(glance) if exchange.rendered.is_some() => {
            let why = format!("only {} visible characters in a browser too", glance.chars);
            Judgement::new(Verdict::Thin, why)
        }
        Some(glance) => of_html(&glance, exchange.body.len()),
        None => Judgement::new(Verdict::Usable, "a body that is not HTML"),
    }
}

fn of_status(status: u16, retry_after: Option<Duration>) -> Judgement {
    let why = format!("the server answered {status}");
    match (status, retry_after) {
        (404 | 410, _) => Judgement::new(Verdict::NotFound, why),
        (429, None) => Judgement::new(Verdict::RateLimited, why),
        (429 | 503, Some(rest)) => Judgement {
            retry_after,
            ..Judgement::new(
                Verdict::RateLimited,
                format!("{why} and asked to come back in {} s", rest.as_secs()),
            )
        },
        (500.., _) => Judgement::new(Verdict::ServerError, why),
        _ => Judgement::new(Verdict::ClientError, why),
    }
}

fn of_html(glance: &Glance, bytes: usize) -> Judgement {
    let chars = glance.chars;
    if glance.has_scripts && glance.has_empty_root && chars < SHELL_CHARS {
        Judgement::new(Verdict::Thin, "the root of a script application is empty")
    } else if glance.has_scripts && chars < THIN_CHARS {
        Judgement::new(
            Verdict::Thin,
            format!("scripts, and only {chars} visible characters"),
        )
    } else if glance.has_scripts && bytes >= LARGE_BYTES && chars < LARGE_CHARS {
        Judgement::new(
            Verdict::Lossy,
            format!("{bytes} bytes of HTML, and only {chars} visible characters"),
        )
    } else if glance.has_priced_data && !glance.says_enough() && !glance.shows_money() {
        Judgement::new(Verdict::Lossy, "a price in its data, and none in its text")
    } else {
        Judgement::new(Verdict::Usable, "HTML with something to read")
    }
}

/// The error that a verdict on a response stands for.
pub(crate) fn error_of(verdict: Verdict) -> Option<ErrorCode> {
    match verdict {
        Verdict::Blocked => Some(ErrorCode::Blocked),
        Verdict::RateLimited => Some(ErrorCode::RateLimited),
        Verdict::NotFound => Some(ErrorCode::NotFound),
        Verdict::ClientError => Some(ErrorCode::HttpClientError),
        Verdict::ServerError => Some(ErrorCode::HttpServerError),
        Verdict::Unavailable => Some(ErrorCode::BrowserUnavailable),
        Verdict::Usable
        | Verdict::Thin
        | Verdict::Lossy
        | Verdict::NotModified
        | Verdict::Failed => None,
    }
}

/// Declared so, or undeclared and beginning like it.
fn is_html(headers: &HeaderMap, body: &[u8]) -> bool {
    match headers.get(CONTENT_TYPE) {
        Some(declared) => {
            let declared = declared.as_bytes().to_ascii_lowercase();
            memchr::memmem::find(&declared, b"html").is_some()
        }
        None => {
            let start = body
                .strip_prefix(b"\xEF\xBB\xBF")
                .unwrap_or(body)
                .trim_ascii_start();
            let start = start[..start.len().min(14)].to_ascii_lowercase();
            start.starts_with(b"<!doctype html") || start.starts_with(b"<html")
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use url::Url;

    use super::*;

    fn response(status: u16, headers: &[(&'static str, &'static str)], body: &str) -> Exchange {
        let headers = headers.iter().map(|(name, value)| {
            (
                http::HeaderName::from_static(name),
                http::HeaderValue::from_static(value),
            )
        });
        Exchange {
            final_url: Url::parse("https://a.example/").unwrap(),
            status,
            headers: headers.collect(),
            body: Bytes::copy_from_slice(body.as_bytes()),
            truncated: None,
            redirects: Vec::new(),
            ttfb: Duration::ZERO,
            elapsed: Duration::ZERO,
            warnings: Vec::new(),
            rendered: None,
        }
    }

    fn verdict(status: u16, headers: &[(&'static str, &'static str)], body: &str) -> Verdict {
        judge(&response(status, headers, body), Timestamp::UNIX_EPOCH).verdict
    }

    const HTML: (&str, &str) = ("content-type", "text/html; charset=utf-8");

    #[test]
    fn statuses_have_their_verdicts() {
        let wait = ("retry-after", "7");
        for (status, headers, expected) in [
            (200, vec![], Verdict::Usable),
            (204, vec![], Verdict::Usable),
            (304, vec![], Verdict::NotModified),
            (400, vec![], Verdict::ClientError),
            (401, vec![], Verdict::ClientError),
            (403, vec![], Verdict::ClientError),
            (404, vec![], Verdict::NotFound),
            (410, vec![], Verdict::NotFound),
            (429, vec![], Verdict::RateLimited),
            (429, vec![wait], Verdict::RateLimited),
            (500, vec![], Verdict::ServerError),
            (503, vec![], Verdict::ServerError),
            (503, vec![wait], Verdict::RateLimited),
            (500, vec![wait], Verdict::ServerError),
            (599, vec![], Verdict::ServerError),
        ] {
            assert_eq!(verdict(status, &headers, "a body"), expected, "{status}");
        }
    }

    #[test]
    fn retry_after_is_passed_on() {
        let judgement = judge(
            &response(429, &[("retry-after", "7")], ""),
            Timestamp::UNIX_EPOCH,
        );
        assert_eq!(judgement.retry_after, Some(Duration::from_secs(7)));
        assert_eq!(
            judgement.why,
            "the server answered 429 and asked to come back in 7 s"
        );
    }

    #[test]
    fn little_text_beside_scripts_is_thin_and_without_scripts_is_a_short_page() {
        let text = "<div>The ferry leaves from <b>Norwick</b>.</div>";
        assert_eq!(verdict(200, &[HTML], text), Verdict::Usable);
        assert_eq!(
            verdict(200, &[HTML], &format!("{text}<script src=x></script>")),
            Verdict::Thin
        );
        let long = format!("{}<script src=x></script>", text.repeat(10));
        assert_eq!(verdict(200, &[HTML], &long), Verdict::Usable);
    }

    #[test]
    fn an_empty_application_root_is_thin_though_a_banner_stands_beside_it() {
        let banner = "<p>We use cookies to make this site better for you. </p>".repeat(6);
        let shell = format!("{banner}<div id=\"root\"></div><script src=app.js></script>");
        assert_eq!(verdict(200, &[HTML], &shell), Verdict::Thin);
        let article = format!("{}{shell}", banner.repeat(10));
        assert_eq!(verdict(200, &[HTML], &article), Verdict::Usable);
        assert_eq!(
            verdict(200, &[HTML], "<p>Hello</p><div id=app></div>"),
            Verdict::Usable
        );
    }

    #[test]
    fn only_html_can_be_thin() {
        let script = "{\"a\": \"<script>\"}";
        assert_eq!(
            verdict(200, &[("content-type", "application/json")], script),
            Verdict::Usable
        );
        assert_eq!(verdict(200, &[], "<script>"), Verdict::Usable);
        assert_eq!(
            verdict(200, &[], "\u{feff}\n<!DOCTYPE HTML><script>"),
            Verdict::Thin
        );
    }

    #[test]
    fn a_challenge_is_blocked_whatever_its_status_and_the_vendor_is_named() {
        for status in [200, 403, 429, 503] {
            let challenge = response(
                status,
                &[HTML, ("cf-mitigated", "challenge"), ("retry-after", "5")],
                "<title>Just a moment...</title>",
            );
            let judgement = judge(&challenge, Timestamp::UNIX_EPOCH);
            assert_eq!(judgement.verdict, Verdict::Blocked);
            assert!(judgement.why.contains("Cloudflare"), "{}", judgement.why);
        }
    }

    /// A render costs a hundred times an HTTP page: of pages whose content is in their HTML, at most
    /// two in a hundred may be sent there.
    #[test]
    fn pages_with_content_are_hardly_ever_sent_to_a_browser() {
        let skipped = "the count of needless renders";
        let Some(files) = trawls_testkit::sample("corpora/wcxb-dev/html", skipped, 5) else {
            return;
        };
        let (mut full, mut sent) = (0, Vec::new());
        for file in files {
            let html = unpacked(&file);
            let truth = file.to_string_lossy().replace("/html/", "/ground-truth/");
            let truth = unpacked(truth.replace(".html.gz", ".json.gz").as_ref());
            let truth: serde_json::Value = serde_json::from_slice(&truth).unwrap();
            let content = truth["ground_truth"]["main_content"]
                .as_str()
                .unwrap_or_default();
            if !holds(&String::from_utf8_lossy(&html), content) {
                continue;
            }
            full += 1;
            let exchange = Exchange {
                body: html.into(),
                ..response(200, &[("content-type", "text/html")], "")
            };
            let judged = judge(&exchange, Timestamp::now());
            if !matches!(judged.verdict, Verdict::Usable | Verdict::Blocked) {
                sent.push(format!("{}: {}", file.display(), judged.why));
            }
        }
        eprintln!(
            "{} of {full} pages with content are sent to a browser: {sent:#?}",
            sent.len()
        );
        assert!(full > 200, "{full} pages with content");
        assert!(
            sent.len() * 50 <= full,
            "{} of {full}: {sent:#?}",
            sent.len()
        );
    }

    fn unpacked(file: &std::path::Path) -> Vec<u8> {
        let mut bytes = Vec::new();
        let packed = std::fs::File::open(file).unwrap();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(packed), &mut bytes).unwrap();
        bytes
    }

    /// Are most words of the content in the HTML?
    fn holds(html: &str, content: &str) -> bool {
        let words: Vec<_> = content.split_whitespace().take(20).collect();
        let found = words.iter().filter(|word| html.contains(**word)).count();
        !words.is_empty() && found * 10 >= words.len() * 8
    }
}
