//! Security headers of every answer. Handlers may set a narrower or wider policy of their own; what
//! they set stays.

use axum::{
    extract::Request,
    http::{HeaderName, HeaderValue, header},
    middleware::Next,
    response::Response,
};

/// An API answer loads nothing and is shown nowhere.
const CSP_DATA: &str =
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
/// What a browser made of a stranger's page: nothing in it runs.
pub(crate) const CSP_BLOB: &str = "default-src 'none'; sandbox";
/// Our pages: everything from this server, no inline script, no inline style.
pub(crate) const CSP_PAGE: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; \
    frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
/// The API reference: its bundle writes style elements and attributes, and draws into blobs.
pub(crate) const CSP_DOCS: &str = "default-src 'none'; script-src 'self'; \
    style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; \
    connect-src 'self'; worker-src 'self' blob:; \
    frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const DEFAULTS: [(HeaderName, &str); 7] = [
    (header::CONTENT_SECURITY_POLICY, CSP_DATA),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
];

/// Adds what the answer doesn't say itself.
pub(crate) async fn secure(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    for (name, value) in DEFAULTS {
        response
            .headers_mut()
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    response
}
