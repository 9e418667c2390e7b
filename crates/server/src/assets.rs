//! Pages and files of `static/`, from inside the binary (a debug build reads them from disk).
//!
//! `/static/{path}` is `static/{path}`; a page is one row of `PAGES`. Names carry no hash, so
//! browsers revalidate by ETag each time. A file kept as `{name}.gz` is served as `{name}`.

use std::{borrow::Cow, io::Read, sync::LazyLock};

use axum::{
    Router,
    extract::Path,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Redirect, Response},
    routing::get,
};
use bytes::Bytes;
use flate2::read::GzDecoder;
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::{
    App,
    error::HttpError,
    headers::{CSP_DOCS, CSP_PAGE},
    openapi::openapi_json,
};

/// Address, file and Content-Security-Policy of each page.
const PAGES: [(&str, &str, &str); 3] = [
    ("/playground", "playground/index.html", CSP_PAGE),
    ("/crawls", "crawls/index.html", CSP_PAGE),
    ("/docs", "docs/index.html", CSP_DOCS),
];
/// Ask every time, send the file only when it changed.
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../../static"]
struct Static;

static OPENAPI: LazyLock<Bytes> = LazyLock::new(|| Bytes::from(openapi_json()));

/// Everything that a browser shows. Open to all; it holds no data.
pub(crate) fn routes() -> Router<App> {
    let mut router = Router::new()
        .route("/", get(async || Redirect::to("/playground")))
        .route("/openapi.json", get(openapi))
        .route("/static/{*path}", get(file));
    for (address, file, policy) in PAGES {
        router = router.route(
            address,
            get(async move |headers: HeaderMap| page(file, policy, &headers)),
        );
    }
    router
}

async fn openapi() -> Response {
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        ),
        (header::CACHE_CONTROL, REVALIDATE),
    ];
    (headers, OPENAPI.clone()).into_response()
}

async fn file(
    path: Result<Path<String>, axum::extract::rejection::PathRejection>,
    headers: HeaderMap,
) -> Result<Response, HttpError> {
    // A path that isn't text is no file's.
    let Path(path) = path.map_err(|_| HttpError::NoRoute)?;
    if let Some(file) = Static::get(&path) {
        return Ok(answer(&path, file, &headers));
    }
    match Static::get(&format!("{path}.gz")) {
        Some(packed) => packed_answer(&path, packed, &headers).await,
        None => Err(HttpError::NoRoute),
    }
}

fn page(
    file: &'static str,
    policy: &'static str,
    headers: &HeaderMap,
) -> Result<Response, HttpError> {
    let found = Static::get(file).ok_or(HttpError::NoRoute)?;
    let mut response = answer(file, found, headers);
    response.headers_mut().insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(policy),
    );
    Ok(response)
}

fn answer(path: &str, file: EmbeddedFile, headers: &HeaderMap) -> Response {
    let etag = etag(&file, "");
    if has_it(headers, &etag) {
        return not_modified(etag);
    }
    respond(path, etag, bytes(file.data))
}

async fn packed_answer(
    path: &str,
    packed: EmbeddedFile,
    headers: &HeaderMap,
) -> Result<Response, HttpError> {
    let as_is = accepts_gzip(headers);
    let etag = etag(&packed, if as_is { "-gzip" } else { "" });
    let vary = [(header::VARY, HeaderValue::from_static("Accept-Encoding"))];
    if has_it(headers, &etag) {
        return Ok((vary, not_modified(etag)).into_response());
    }
    let packed = bytes(packed.data);
    if as_is {
        let encoding = [(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"))];
        return Ok((vary, encoding, respond(path, etag, packed)).into_response());
    }
    // Rare: every browser takes gzip.
    let plain = tokio::task::spawn_blocking(move || unpack(&packed)).await;
    match plain {
        Ok(Ok(plain)) => Ok((vary, respond(path, etag, Bytes::from(plain))).into_response()),
        _ => {
            tracing::error!(file = path, "an embedded file cannot be unpacked");
            Err(HttpError::Internal)
        }
    }
}

fn respond(path: &str, etag: HeaderValue, body: Bytes) -> Response {
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static(media_type(path)),
        ),
        (header::CACHE_CONTROL, REVALIDATE),
        (header::ETAG, etag),
        // A file opened by itself (an SVG, say) may run and load nothing.
        (
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static(
                "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
            ),
        ),
    ];
    (headers, body).into_response()
}

fn not_modified(etag: HeaderValue) -> Response {
    let headers = [(header::CACHE_CONTROL, REVALIDATE), (header::ETAG, etag)];
    (StatusCode::NOT_MODIFIED, headers).into_response()
}

fn unpack(packed: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut plain)?;
    Ok(plain)
}

fn bytes(data: Cow<'static, [u8]>) -> Bytes {
    match data {
        Cow::Borrowed(data) => Bytes::from_static(data),
        Cow::Owned(data) => Bytes::from(data),
    }
}

/// From the hash of the content: 16 bytes of it cannot collide by chance.
fn etag(file: &EmbeddedFile, variant: &str) -> HeaderValue {
    let hash: String = file.metadata.sha256_hash()[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    HeaderValue::try_from(format!("\"{hash}{variant}\""))
        .unwrap_or(HeaderValue::from_static("\"\""))
}

fn has_it(headers: &HeaderMap, etag: &HeaderValue) -> bool {
    let Some(held) = headers
        .get(header::IF_NONE_MATCH)
        .and_then(|v| v.to_str().ok())
    else {
        return false;
    };
    held.split(',')
        .map(|tag| tag.trim().trim_start_matches("W/"))
        .any(|tag| tag == "*" || tag.as_bytes() == etag.as_bytes())
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    let Some(accepted) = headers
        .get(header::ACCEPT_ENCODING)
        .and_then(|v| v.to_str().ok())
    else {
        return false;
    };
    accepted.split(',').any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let is_gzip = parts
            .next()
            .is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        let is_refused = parts.any(|p| matches!(p, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"));
        is_gzip && !is_refused
    })
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json" | "map") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(name: header::HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn gzip_is_sent_only_to_those_who_take_it() {
        for takes in ["gzip", "br, GZIP;q=0.5", "gzip, deflate, br, zstd"] {
            assert!(
                accepts_gzip(&sent(header::ACCEPT_ENCODING, takes)),
                "{takes}"
            );
        }
        for refuses in ["", "br", "gzip;q=0", "identity", "x-gzip"] {
            assert!(
                !accepts_gzip(&sent(header::ACCEPT_ENCODING, refuses)),
                "{refuses}"
            );
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }

    #[test]
    fn a_held_file_is_known_by_its_etag() {
        let etag = HeaderValue::from_static("\"abc\"");
        for held in ["\"abc\"", "W/\"abc\"", "\"x\", \"abc\"", "*"] {
            assert!(has_it(&sent(header::IF_NONE_MATCH, held), &etag), "{held}");
        }
        assert!(!has_it(&sent(header::IF_NONE_MATCH, "\"abcd\""), &etag));
    }

    #[test]
    fn every_page_and_the_reference_bundle_are_embedded() {
        for (_, file, _) in PAGES {
            assert!(Static::get(file).is_some(), "{file}");
        }
        let packed = Static::get("vendor/scalar/standalone.js.gz").unwrap();
        let plain = unpack(&packed.data).unwrap();
        assert!(plain.len() > 1_000_000);
    }
}
