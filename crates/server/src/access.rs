//! The outermost layer: gives each call its request id and span, writes the body of errors, logs
//! the call once, and hands its record to the engine. Nothing here sees query strings or cookies.

use std::time::Instant;

use axum::{
    extract::{MatchedPath, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode},
    middleware::Next,
    response::Response,
};
use futures_util::FutureExt;
use jiff::Timestamp;
use tracing::Instrument;
use trawls_contract::{ErrorCode, RequestRecord};

use crate::{App, error};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Longest id that is taken over from a caller.
const MAX_REQUEST_ID_BYTES: usize = 128;
/// Label of calls that hit no route: their paths are the callers' inventions.
const NO_ROUTE: &str = "(none)";

/// Wraps the whole router.
pub(crate) async fn observe(State(app): State<App>, request: Request, next: Next) -> Response {
    let id = request_id(request.headers());
    let call = Call {
        method: request.method().to_string(),
        route: request
            .extensions()
            .get::<MatchedPath>()
            .map_or(NO_ROUTE, MatchedPath::as_str)
            .to_owned(),
        received_at: Timestamp::now(),
        started: Instant::now(),
    };
    let span = tracing::info_span!("request", request.id = %id, http.method = %call.method, http.route = %call.route);
    let mut response = next.run(request).instrument(span.clone()).await;
    let page_code = response
        .extensions()
        .get::<ErrorCode>()
        .map(|code| code.as_str());
    let code = error::render(&mut response, &id).or(page_code);
    if let Ok(value) = HeaderValue::try_from(id.as_str()) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    span.in_scope(|| call.log(response.status(), code));
    if call.route.starts_with("/v1/") {
        // Polled once: a full queue costs a row of the log, never the caller's time.
        let record = call.record(id, response.status(), code);
        if app.engine.record_request(record).now_or_never().is_none() {
            tracing::debug!("the request log is busy; one record is lost");
        }
    }
    response
}

struct Call {
    method: String,
    route: String,
    received_at: Timestamp,
    started: Instant,
}

impl Call {
    fn log(&self, status: StatusCode, code: Option<&str>) {
        let http_status = status.as_u16();
        let duration_ms = self.duration_ms();
        if status.is_server_error() {
            tracing::warn!(
                http.status = http_status,
                error.code = code,
                duration_ms,
                "answered"
            );
        } else if self.route.starts_with("/v1/") {
            tracing::info!(
                http.status = http_status,
                error.code = code,
                duration_ms,
                "answered"
            );
        } else {
            // Health checks and static files would drown the rest.
            tracing::debug!(
                http.status = http_status,
                error.code = code,
                duration_ms,
                "answered"
            );
        }
    }

    fn record(&self, id: String, status: StatusCode, code: Option<&str>) -> RequestRecord {
        RequestRecord {
            id,
            received_at: self.received_at,
            method: self.method.clone(),
            path: self.route.clone(),
            status: status.as_u16(),
            duration_ms: self.duration_ms(),
            key_label: None,
            code: code.map(str::to_owned),
        }
    }

    fn duration_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// The caller's id when it is harmless in a log line, else one of ours.
fn request_id(headers: &HeaderMap) -> String {
    let is_plain = |id: &&str| {
        (1..=MAX_REQUEST_ID_BYTES).contains(&id.len())
            && id
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_.:".contains(&b))
    };
    headers
        .get(REQUEST_ID)
        .and_then(|value| value.to_str().ok())
        .filter(is_plain)
        .map_or_else(|| uuid::Uuid::now_v7().simple().to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_for(sent: &'static str) -> String {
        request_id(&HeaderMap::from_iter([(
            REQUEST_ID,
            HeaderValue::from_bytes(sent.as_bytes()).unwrap(),
        )]))
    }

    #[test]
    fn a_sane_request_id_is_taken_over_and_others_are_replaced() {
        assert_eq!(id_for("abc-123_x.y:z"), "abc-123_x.y:z");
        for strange in ["", "a b", "a\"b", "ä", "<script>"] {
            assert_eq!(id_for(strange).len(), 32, "{strange}");
        }
        assert_eq!(request_id(&HeaderMap::new()).len(), 32);
    }
}
