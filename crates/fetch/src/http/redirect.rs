//! Where a response sends its reader: `Location` as it comes in the wild, resolved as browsers do.

use http::{HeaderMap, StatusCode, header::LOCATION};
use url::Url;

use crate::FetchError;

/// The URL a response redirects to; `None` if it is the final one.
///
/// # Errors
/// `InvalidUrl` if the location cannot be resolved.
pub(super) fn target(
    status: StatusCode,
    headers: &HeaderMap,
    url: &Url,
) -> Result<Option<Url>, FetchError> {
    if !matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let Some(location) = headers.get(LOCATION) else {
        return Ok(None);
    };
    let mut next = url
        .join(&text(location.as_bytes()))
        .map_err(|error| FetchError::InvalidUrl(format!("a redirect leads nowhere: {error}")))?;
    if next.fragment().is_none() {
        next.set_fragment(url.fragment());
    }
    Ok(Some(next))
}

/// UTF-8 where it is, otherwise Latin-1, as browsers read header values.
fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[track_caller]
    fn follow(from: &str, location: &[u8]) -> String {
        let mut headers = HeaderMap::new();
        headers.insert(LOCATION, HeaderValue::from_bytes(location).unwrap());
        let url = Url::parse(from).unwrap();
        target(StatusCode::FOUND, &headers, &url)
            .unwrap()
            .unwrap()
            .into()
    }

    #[test]
    fn locations_are_resolved_and_their_escapes_kept() {
        let from = "http://a.example/dir/page?q#top";
        for (location, to) in [
            (&b"next"[..], "http://a.example/dir/next#top"),
            (b"/x%252Fy?a=%23#end", "http://a.example/x%252Fy?a=%23#end"),
            (b"//b.example/", "http://b.example/#top"),
            (b"?p=2", "http://a.example/dir/page?p=2#top"),
            (
                "/caf\u{e9}?q=\u{e9}".as_bytes(),
                "http://a.example/caf%C3%A9?q=%C3%A9#top",
            ),
            (b"/caf\xe9", "http://a.example/caf%C3%A9#top"),
            (b" /trim ", "http://a.example/trim#top"),
            (b"/a b", "http://a.example/a%20b#top"),
        ] {
            assert_eq!(follow(from, location), to);
        }
    }

    #[test]
    fn only_redirects_with_a_location_redirect() {
        let url = Url::parse("http://a.example/").unwrap();
        let mut headers = HeaderMap::new();
        assert_eq!(target(StatusCode::FOUND, &headers, &url), Ok(None));
        headers.insert(LOCATION, HeaderValue::from_static("/x"));
        for status in [
            StatusCode::OK,
            StatusCode::MULTIPLE_CHOICES,
            StatusCode::NOT_MODIFIED,
        ] {
            assert_eq!(target(status, &headers, &url), Ok(None));
        }
        headers.insert(LOCATION, HeaderValue::from_static("http://[bad"));
        assert!(target(StatusCode::FOUND, &headers, &url).is_err());
    }
}
