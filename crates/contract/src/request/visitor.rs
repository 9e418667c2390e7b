//! As whom a page is fetched: headers, cookies and proxy.

use std::collections::BTreeMap;

use http::{HeaderMap, HeaderName, HeaderValue};
use url::Url;

use super::{
    InvalidOption,
    mistake::{check_count, check_length},
};

/// Ceiling of a header's or cookie's value; servers refuse longer ones.
const MAX_VALUE_BYTES: usize = 8192;
/// Headers that the connection owns; a caller who sets them would corrupt the exchange.
const CONNECTION_HEADERS: [&str; 8] = [
    "connection",
    "content-length",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Headers that a caller may send.
pub(crate) fn parse_headers(
    written: &BTreeMap<String, String>,
) -> Result<HeaderMap, InvalidOption> {
    check_count("headers", written.len())?;
    let mut headers = HeaderMap::new();
    for (name, value) in written {
        let field = || format!("headers.{name}");
        let parsed = HeaderName::try_from(name.as_str())
            .map_err(|_| InvalidOption::new(field(), "is not a header name"))?;
        if CONNECTION_HEADERS.contains(&parsed.as_str()) {
            return Err(InvalidOption::new(
                field(),
                "belongs to the connection; leave it out",
            ));
        }
        check_length(value, MAX_VALUE_BYTES)
            .map_err(|problem| InvalidOption::new(field(), problem))?;
        let value = HeaderValue::try_from(value.as_str()).map_err(|_| {
            InvalidOption::new(field(), "its value has characters no header may have")
        })?;
        headers.insert(parsed, value);
    }
    Ok(headers)
}

pub(super) fn parse_proxy(text: &str) -> Result<Url, InvalidOption> {
    let invalid = || {
        InvalidOption::new(
            "proxy",
            "must look like http://user:password@host:port (or https, socks5, socks5h)",
        )
    };
    let url = Url::parse(text).map_err(|_| invalid())?;
    let known = matches!(url.scheme(), "http" | "https" | "socks5" | "socks5h");
    let has_host = url.host_str().is_some_and(|host| !host.is_empty());
    if known && has_host {
        Ok(url)
    } else {
        Err(invalid())
    }
}

pub(super) fn check_cookies(cookies: &BTreeMap<String, String>) -> Result<(), InvalidOption> {
    check_count("cookies", cookies.len())?;
    for (name, value) in cookies {
        check_length(value, MAX_VALUE_BYTES)
            .map_err(|problem| InvalidOption::new(format!("cookies.{name}"), problem))?;
        check_cookie(name, value)?;
    }
    Ok(())
}

/// RFC 6265 §4.1.1: a token as name; no controls, spaces, quotes, commas, semicolons or
/// backslashes in the value (commas and spaces are common in the wild and harmless).
fn check_cookie(name: &str, value: &str) -> Result<(), InvalidOption> {
    let is_name = HeaderName::try_from(name).is_ok();
    let is_value = value
        .bytes()
        .all(|b| (0x20..0x7f).contains(&b) && b != b';');
    if is_name && is_value {
        return Ok(());
    }
    Err(InvalidOption::new(
        format!("cookies.{name}"),
        "is not a cookie (RFC 6265)",
    ))
}
