//! What Chromium and DevTools say, in this crate's own terms.

use super::cdp::CdpError;
use crate::FetchError;

/// A tab did not answer as it should.
pub(super) fn of_tab(error: CdpError) -> FetchError {
    FetchError::BrowserCrashed(error.to_string())
}

/// Why a navigation failed, from Chromium's `net::ERR_…`.
pub(super) fn of_navigation(text: &str) -> FetchError {
    let name = text.trim_start_matches("net::ERR_");
    match name {
        "NAME_NOT_RESOLVED" => FetchError::Dns,
        "TOO_MANY_REDIRECTS" => FetchError::TooManyRedirects(crate::MAX_REDIRECTS),
        "UNSAFE_REDIRECT" => {
            FetchError::SsrfBlocked("a redirect leads to a scheme that is not fetched".into())
        }
        "INVALID_REDIRECT" => FetchError::InvalidUrl("a redirect leads nowhere".into()),
        _ if name.starts_with("CERT_") || name.starts_with("SSL_") => {
            FetchError::Tls(in_words(name))
        }
        _ if name.starts_with("CONTENT_DECODING") => FetchError::Decode(in_words(name)),
        _ => FetchError::Connect(in_words(name)),
    }
}

/// `CERT_DATE_INVALID` as `cert date invalid`.
fn in_words(name: &str) -> String {
    name.to_ascii_lowercase().replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chromiums_errors_are_ours() {
        assert_eq!(of_navigation("net::ERR_NAME_NOT_RESOLVED"), FetchError::Dns);
        assert_eq!(
            of_navigation("net::ERR_CERT_DATE_INVALID"),
            FetchError::Tls("cert date invalid".into())
        );
        assert_eq!(
            of_navigation("net::ERR_CONNECTION_REFUSED"),
            FetchError::Connect("connection refused".into())
        );
    }
}
