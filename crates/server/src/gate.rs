//! Who may come in: the key when there is one, and otherwise nobody who was sent by a web page.
//!
//! Without a key, any page in a browser on this machine could try to use the server: by a name that
//! it rebinds to 127.0.0.1 (so `Host` is checked), or by a plain cross-origin POST (so `Origin` is
//! checked, bodies must be declared JSON, which browsers ask about first, and no CORS header is
//! ever sent).

use std::net::IpAddr;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, Uri, header, uri::Authority},
    middleware::Next,
    response::Response,
};
use url::Url;

use crate::{App, config::Access, error::HttpError};

/// Checks the key. Laid over what only key holders may use.
pub(crate) async fn require_key(
    State(app): State<App>,
    request: Request,
    next: Next,
) -> Result<Response, HttpError> {
    match &app.config.access {
        Access::Key(key) if !presented_key(request.headers()).is_some_and(|k| key.is(k)) => {
            Err(HttpError::Unauthorized)
        }
        _ => Ok(next.run(request).await),
    }
}

/// Refuses what a foreign web page may have sent. Laid over everything but the health checks,
/// which orchestrators ask by any name.
pub(crate) async fn refuse_foreign_pages(
    State(app): State<App>,
    request: Request,
    next: Next,
) -> Result<Response, HttpError> {
    if !matches!(app.config.access, Access::Key(_)) {
        check_provenance(&app, request.uri(), request.headers())?;
    }
    Ok(next.run(request).await)
}

fn check_provenance(app: &App, uri: &Uri, headers: &HeaderMap) -> Result<(), HttpError> {
    let public = app.config.public_url.as_ref();
    let host = match headers.get(header::HOST) {
        Some(value) => {
            Some(Authority::try_from(value.as_bytes()).map_err(|_| HttpError::ForeignHost)?)
        }
        // No browser leaves `Host` out.
        None => None,
    };
    for authority in host.as_ref().into_iter().chain(uri.authority()) {
        if !is_own_name(authority.host(), &app.config.access, public) {
            return Err(HttpError::ForeignHost);
        }
    }
    match headers.get(header::ORIGIN) {
        Some(origin) if !is_own_origin(origin.as_bytes(), host.as_ref(), public) => {
            Err(HttpError::ForeignOrigin)
        }
        _ => Ok(()),
    }
}

/// A browser can be led to us by any name its attacker owns in the DNS, but not by an address, by
/// `localhost`, or by a name without a dot.
fn is_own_name(host: &str, access: &Access, public: Option<&Url>) -> bool {
    let host = host.trim_end_matches('.');
    if public
        .and_then(Url::host_str)
        .is_some_and(|own| own.eq_ignore_ascii_case(host))
    {
        return true;
    }
    let address = host
        .trim_start_matches('[')
        .trim_end_matches(']')
        .parse::<IpAddr>();
    match (address, access) {
        (Ok(address), Access::Loopback) => address.is_loopback(),
        (Ok(_), _) => true,
        (Err(_), Access::Loopback) => host.eq_ignore_ascii_case("localhost"),
        (Err(_), _) => !host.is_empty() && !host.contains('.'),
    }
}

/// The origin of a page that we served ourselves. `null` is nobody's.
fn is_own_origin(origin: &[u8], host: Option<&Authority>, public: Option<&Url>) -> bool {
    let Some(origin) = std::str::from_utf8(origin)
        .ok()
        .and_then(|o| Url::parse(o).ok())
    else {
        return false;
    };
    if public.is_some_and(|own| own.origin() == origin.origin()) {
        return true;
    }
    let Some(host) = host else { return false };
    let same_host = origin
        .host_str()
        .is_some_and(|name| name.eq_ignore_ascii_case(host.host()));
    same_host && origin.port_or_known_default() == host.port_u16().or(default_port(&origin))
}

fn default_port(origin: &Url) -> Option<u16> {
    match origin.scheme() {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    }
}

fn presented_key(headers: &HeaderMap) -> Option<&[u8]> {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| {
        let (scheme, key) = value.as_bytes().split_at_checked(b"Bearer ".len())?;
        scheme
            .eq_ignore_ascii_case(b"Bearer ")
            .then(|| key.trim_ascii())
    });
    bearer.or_else(|| headers.get("x-api-key").map(|value| value.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(host: &str, access: &Access) -> bool {
        let public = Url::parse("https://trawls.example.org/").unwrap();
        is_own_name(host, access, Some(&public))
    }

    #[test]
    fn a_loopback_server_answers_only_to_loopback_names() {
        for host in [
            "127.0.0.1",
            "127.8.9.1",
            "[::1]",
            "localhost",
            "LOCALHOST",
            "localhost.",
            "Trawls.example.org",
        ] {
            assert!(own(host, &Access::Loopback), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "192.168.1.5",
            "0.0.0.0",
            "intranet",
            "",
        ] {
            assert!(!own(host, &Access::Loopback), "{host}");
        }
    }

    #[test]
    fn an_open_server_answers_to_what_nobody_can_rebind() {
        for host in [
            "192.168.1.5",
            "[fd00::1]",
            "localhost",
            "api",
            "trawls.example.org",
        ] {
            assert!(own(host, &Access::Open), "{host}");
        }
        for host in ["evil.example", "192.168.1.5.evil.example", ""] {
            assert!(!own(host, &Access::Open), "{host}");
        }
    }

    #[test]
    fn an_origin_is_ours_only_with_host_and_port() {
        let host = Authority::from_static("localhost:8180");
        let public = Url::parse("https://trawls.example.org/").unwrap();
        let own = |origin: &str| is_own_origin(origin.as_bytes(), Some(&host), Some(&public));
        assert!(own("http://localhost:8180"));
        assert!(own("https://trawls.example.org"));
        for origin in [
            "null",
            "",
            "http://localhost:3000",
            "http://localhost",
            "http://127.0.0.1:8180",
            "http://trawls.example.org",
            "https://evil.example",
            "file://",
        ] {
            assert!(!own(origin), "{origin}");
        }
    }

    #[test]
    fn a_key_comes_as_bearer_or_in_its_own_header() {
        let headers = |name: &'static str, value: &'static str| {
            HeaderMap::from_iter([(
                header::HeaderName::from_static(name),
                header::HeaderValue::from_static(value),
            )])
        };
        assert_eq!(
            presented_key(&headers("authorization", "Bearer abc")),
            Some(&b"abc"[..])
        );
        assert_eq!(
            presented_key(&headers("authorization", "bearer  abc")),
            Some(&b"abc"[..])
        );
        assert_eq!(
            presented_key(&headers("x-api-key", "abc")),
            Some(&b"abc"[..])
        );
        assert_eq!(presented_key(&headers("authorization", "Basic abc")), None);
        assert_eq!(presented_key(&headers("authorization", "Bearer")), None);
    }
}
