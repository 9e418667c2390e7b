//! The HTTP face from the caller's side, with a real engine behind it.

use std::time::Duration;

use axum::{
    body::{Body, to_bytes},
    http::{HeaderMap, Method, Request, StatusCode, header},
    routing::get,
};
use serde_json::{Value, json};
use tower::ServiceExt;
use trawls_engine::EngineConfig;
use trawls_fetch::{FetchConfig, Fetcher};
use trawls_store::{Blob, BlobKind, Keep, Store};

use super::*;
use crate::{Access, ApiKey};

const KEY: &str = "0123456789abcdef0123456789abcdef";

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Checks the shape that every refusal has, and returns its code.
    #[track_caller]
    fn refusal(&self, status: u16) -> String {
        assert_eq!(
            self.status,
            status,
            "{}",
            String::from_utf8_lossy(&self.body)
        );
        assert_eq!(self.headers[header::CONTENT_TYPE], "application/json");
        let error = &self.json()["error"];
        assert_eq!(
            error["details"]["request_id"],
            self.headers["x-request-id"].to_str().unwrap()
        );
        assert!(
            error["message"]
                .as_str()
                .is_some_and(|message| !message.is_empty())
        );
        assert!(error["retryable"].is_boolean());
        error["code"].as_str().unwrap().to_owned()
    }
}

fn config(access: Access) -> ServerConfig {
    ServerConfig {
        access,
        public_url: Some("https://trawls.example.org".parse().unwrap()),
        max_pages_running: 4,
    }
}

async fn engine() -> Engine {
    engine_on(Store::open_in_memory().await.unwrap())
}

fn engine_on(store: Store) -> Engine {
    let fetcher = Fetcher::new(FetchConfig {
        allow_private_targets: false,
        proxies: Vec::new(),
        per_host: 4,
        global: 4,
        max_body_bytes: 1 << 20,
        browser: None,
    });
    let config = EngineConfig {
        version: "test".into(),
        result_ttl: Duration::from_secs(60),
        reading_threads: 1,
        max_body_bytes: 1 << 20,
        works: false,
        pages_per_job: 8,
        allows_private_targets: false,
        public_url: None,
    };
    Engine::new(Arc::new(fetcher.unwrap()), store, config)
}

async fn face(config: ServerConfig) -> Router {
    router(engine().await, config)
}

async fn ask(router: &Router, request: Request<Body>) -> Answer {
    let response = router.clone().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    Answer {
        status: parts.status,
        headers: parts.headers,
        body: to_bytes(body, usize::MAX).await.unwrap().to_vec(),
    }
}

fn request(method: Method, path: &str, headers: &[(&str, &str)]) -> Request<Body> {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Body::empty()).unwrap()
}

async fn fetch(router: &Router, path: &str, headers: &[(&str, &str)]) -> Answer {
    ask(router, request(Method::GET, path, headers)).await
}

async fn post(router: &Router, content_type: &str, body: impl Into<Body>) -> Answer {
    let mut call = request(
        Method::POST,
        "/v1/scrape",
        &[("content-type", content_type)],
    );
    *call.body_mut() = body.into();
    ask(router, call).await
}

async fn scrape(router: &Router, body: Value) -> Answer {
    post(router, "application/json", body.to_string()).await
}

#[tokio::test]
async fn a_private_target_is_a_failed_page_and_no_api_error() {
    let face = face(config(Access::Loopback)).await;
    let answer = scrape(&face, json!({"url": "http://127.0.0.1:9/"})).await;
    assert_eq!(answer.status, 200);
    let page = answer.json();
    assert_eq!(page["status"], "failed");
    assert_eq!(page["error"]["code"], "SSRF_BLOCKED");
}

#[tokio::test]
async fn a_mistake_in_the_body_is_named_with_its_field() {
    let face = face(config(Access::Loopback)).await;
    for (body, code, field) in [
        (json!({}), "INVALID_URL", "url"),
        (json!({"url": 7}), "INVALID_URL", "url"),
        (json!({"url": "not a url at all"}), "INVALID_URL", "url"),
        (json!({"url": "file:///etc/passwd"}), "INVALID_URL", "url"),
        (
            json!({"url": "http://a.test", "mode": "teleport"}),
            "INVALID_OPTIONS",
            "mode",
        ),
        (
            json!({"url": "http://a.test", "timeout_ms": -5}),
            "INVALID_OPTIONS",
            "timeout_ms",
        ),
        (
            json!({"url": "http://a.test", "include_tags": ["p", "]"]}),
            "INVALID_OPTIONS",
            "include_tags[1]",
        ),
        (
            json!({"url": "http://a.test", "screenshots": true}),
            "INVALID_OPTIONS",
            "screenshots",
        ),
    ] {
        let answer = scrape(&face, body.clone()).await;
        assert_eq!(answer.refusal(422), code, "{body}");
        let error = answer.json();
        assert_eq!(error["error"]["details"]["field"], field, "{body}");
    }
    // The body as a whole has no field.
    let answer = scrape(&face, json!([])).await;
    assert_eq!(answer.refusal(422), "INVALID_OPTIONS");
    assert_eq!(answer.json()["error"]["details"].get("field"), None);
}

#[tokio::test]
async fn a_mistake_in_the_query_is_named_with_its_field() {
    let face = face(config(Access::Loopback)).await;
    for (path, field) in [
        ("/v1/jobs?limit=0", "limit"),
        ("/v1/jobs?limit=x", "limit"),
        ("/v1/jobs?status=done", "status"),
        ("/v1/jobs?kind=crawl&kind=batch", "kind"),
        ("/v1/jobs?page=2", "page"),
        ("/v1/jobs/x/pages?cursor=-1", "cursor"),
    ] {
        let answer = fetch(&face, path, &[]).await;
        assert_eq!(answer.refusal(422), "INVALID_OPTIONS", "{path}");
        assert_eq!(answer.json()["error"]["details"]["field"], field, "{path}");
    }
}

#[tokio::test]
async fn a_body_that_is_no_json_is_refused_by_kind() {
    let face = face(config(Access::Loopback)).await;
    assert_eq!(
        post(&face, "application/json", "{not json")
            .await
            .refusal(400),
        "INVALID_JSON"
    );
    assert_eq!(
        post(&face, "application/json", "").await.refusal(400),
        "INVALID_JSON"
    );
    let typed = post(&face, "text/plain", "{\"url\":\"http://a.test\"}").await;
    assert_eq!(typed.refusal(415), "UNSUPPORTED_MEDIA_TYPE");
    let deep = "[".repeat(100_000);
    assert_eq!(
        post(&face, "application/json", deep).await.refusal(400),
        "INVALID_JSON"
    );
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused() {
    let face = face(config(Access::Loopback)).await;
    let answer = post(&face, "application/json", vec![b' '; MAX_BODY_BYTES + 1]).await;
    assert_eq!(answer.refusal(413), "PAYLOAD_TOO_LARGE");
    assert_eq!(
        answer.json()["error"]["details"]["limit_bytes"],
        MAX_BODY_BYTES
    );
}

#[tokio::test]
async fn unknown_routes_and_methods_are_told_in_the_same_shape() {
    let face = face(config(Access::Loopback)).await;
    for path in [
        "/nowhere",
        "/v1/nowhere",
        "/static/nowhere.js",
        "/static/../Cargo.toml",
        "/static/%ff",
    ] {
        assert_eq!(
            fetch(&face, path, &[]).await.refusal(404),
            "NOT_FOUND",
            "{path}"
        );
    }
    for id in ["no-such-id", "%00", "%ff", "a%2Fb", "'"] {
        for (method, path) in [
            (Method::GET, format!("/v1/pages/{id}")),
            (Method::GET, format!("/v1/jobs/{id}")),
            (Method::GET, format!("/v1/jobs/{id}/pages")),
            (Method::GET, format!("/v1/jobs/{id}/events")),
            (Method::POST, format!("/v1/jobs/{id}/cancel")),
            (Method::POST, format!("/v1/jobs/{id}/retry")),
            (Method::DELETE, format!("/v1/jobs/{id}")),
        ] {
            let answer = ask(&face, request(method, &path, &[])).await;
            assert_eq!(answer.refusal(404), "NOT_FOUND", "{path}");
        }
    }
    let answer = fetch(&face, "/v1/scrape", &[]).await;
    assert_eq!(answer.refusal(405), "METHOD_NOT_ALLOWED");
    assert_eq!(answer.headers[header::ALLOW], "POST");
    let answer = ask(&face, request(Method::DELETE, "/healthz", &[])).await;
    assert_eq!(answer.refusal(405), "METHOD_NOT_ALLOWED");
}

#[tokio::test]
async fn a_panic_is_an_internal_error_that_tells_nothing() {
    async fn panics() -> HttpError {
        panic!("the secret is 42")
    }
    let app = App {
        engine: engine().await,
        slots: Arc::new(Semaphore::new(1)),
        streams: Arc::new(Semaphore::new(1)),
        config: Arc::new(config(Access::Loopback)),
    };
    let face = walled(
        Router::new().route("/panic", get(panics)),
        Router::new(),
        app,
    );
    let answer = fetch(&face, "/panic", &[]).await;
    assert_eq!(answer.refusal(500), "INTERNAL");
    assert!(!String::from_utf8_lossy(&answer.body).contains("secret"));
}

#[tokio::test]
async fn a_full_server_says_when_to_come_back() {
    let full = ServerConfig {
        max_pages_running: 0,
        ..config(Access::Loopback)
    };
    let answer = scrape(&face(full).await, json!({"url": "http://a.test"})).await;
    assert_eq!(answer.refusal(503), "OVERLOADED");
    assert_eq!(answer.headers[header::RETRY_AFTER], "1");
    assert_eq!(answer.json()["error"]["retryable"], true);
}

#[tokio::test]
async fn event_streams_leave_connections_for_other_calls() {
    let face = face(config(Access::Loopback)).await;
    let mut call = request(
        Method::POST,
        "/v1/crawl",
        &[("content-type", "application/json")],
    );
    *call.body_mut() = json!({"url": "http://a.test"}).to_string().into();
    let job = ask(&face, call).await.json();
    let path = format!("/v1/jobs/{}/events", job["id"].as_str().unwrap());
    let open = async || {
        let call = request(Method::GET, &path, &[]);
        face.clone().oneshot(call).await.unwrap()
    };
    let mut streams = Vec::new();
    for _ in 0..events::MAX_STREAMS {
        let stream = open().await;
        assert_eq!(stream.status(), 200);
        streams.push(stream);
    }
    let refused = fetch(&face, &path, &[]).await;
    assert_eq!(refused.refusal(503), "OVERLOADED");
    assert_eq!(refused.headers[header::RETRY_AFTER], "1");
    assert_eq!(fetch(&face, "/v1/system", &[]).await.status, 200);
    streams.pop();
    assert_eq!(open().await.status(), 200);
}

#[tokio::test]
async fn a_request_id_is_echoed_when_it_is_sane() {
    let face = face(config(Access::Loopback)).await;
    let own = fetch(&face, "/healthz", &[("x-request-id", "call-7")]).await;
    assert_eq!(own.headers["x-request-id"], "call-7");
    let strange = fetch(&face, "/healthz", &[("x-request-id", "a b")]).await;
    assert_ne!(strange.headers["x-request-id"], "a b");
}

#[tokio::test]
async fn without_a_key_other_hosts_and_other_sites_are_refused() {
    let face = face(config(Access::Loopback)).await;
    let rebound = fetch(&face, "/v1/system", &[("host", "evil.example")]).await;
    assert_eq!(rebound.refusal(421), "FOREIGN_HOST");
    let crossing = fetch(
        &face,
        "/v1/system",
        &[
            ("host", "localhost:8180"),
            ("origin", "http://evil.example"),
        ],
    )
    .await;
    assert_eq!(crossing.refusal(403), "FOREIGN_ORIGIN");
    for (host, origin) in [
        ("localhost:8180", "http://localhost:8180"),
        ("trawls.example.org", "https://trawls.example.org"),
    ] {
        let own = fetch(&face, "/v1/system", &[("host", host), ("origin", origin)]).await;
        assert_eq!(own.status, 200, "{host}");
        assert!(
            own.headers
                .get(header::ACCESS_CONTROL_ALLOW_ORIGIN)
                .is_none()
        );
    }
    assert_eq!(
        fetch(&face, "/healthz", &[("host", "evil.example")])
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn with_a_key_only_its_holder_comes_in() {
    let face = face(config(Access::Key(ApiKey::new(KEY)))).await;
    for headers in [
        &[][..],
        &[("authorization", "Bearer wrong")],
        &[("authorization", "Basic MDEyMw==")],
        &[("x-api-key", "")],
    ] {
        let answer = fetch(&face, "/v1/system", headers).await;
        assert_eq!(answer.refusal(401), "UNAUTHORIZED");
        assert_eq!(answer.headers[header::WWW_AUTHENTICATE], "Bearer");
    }
    let bearer = format!("Bearer {KEY}");
    for headers in [("authorization", bearer.as_str()), ("x-api-key", KEY)] {
        let answer = fetch(&face, "/v1/system", &[headers, ("host", "any.example")]).await;
        assert_eq!(answer.status, 200);
    }
    for open in [
        "/healthz",
        "/readyz",
        "/openapi.json",
        "/docs",
        "/playground",
    ] {
        assert_eq!(fetch(&face, open, &[]).await.status, 200, "{open}");
    }
}

#[tokio::test]
async fn every_answer_carries_the_security_headers() {
    let face = face(config(Access::Loopback)).await;
    for path in [
        "/",
        "/playground",
        "/docs",
        "/static/icon.svg",
        "/v1/system",
        "/nowhere",
        "/healthz",
    ] {
        let headers = fetch(&face, path, &[]).await.headers;
        let policy = headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(policy.contains("default-src 'none'"), "{path}");
        assert!(policy.contains("frame-ancestors 'none'"), "{path}");
        assert!(
            !policy.contains("script-src 'self' 'unsafe-inline'"),
            "{path}"
        );
        assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff", "{path}");
        assert_eq!(headers[header::REFERRER_POLICY], "no-referrer", "{path}");
    }
}

/// A page that was kept with a picture and a print.
async fn store_with_blobs() -> Store {
    let page = json!({
        "id": "p", "url": "http://a.example/", "final_url": "http://a.example/", "status": "ok",
        "outcome": "success", "http_status": 200, "content_type": null,
        "fetch_mode_used": "browser", "quality": {"confidence": 0.0, "main_content_ratio": 0.0},
        "warnings": [], "error": null, "trace": [], "timings": {"total_ms": 0},
        "fetched_at": "2026-01-01T00:00:00Z", "depth": null, "referrer": null, "from_cache": false,
    });
    let blob = |id: &str, kind, bytes: &'static [u8]| Blob {
        id: id.into(),
        kind,
        bytes: bytes.into(),
    };
    let store = Store::open_in_memory().await.unwrap();
    let keep = Keep {
        page: Arc::new(serde_json::from_value(page).unwrap()),
        body: None,
        blobs: vec![
            blob("shot", BlobKind::Screenshot, b"\x89PNG"),
            blob("print", BlobKind::Pdf, b"%PDF-"),
        ],
        cache: None,
    };
    store.keep(keep).await.unwrap();
    store
}

#[tokio::test]
async fn a_blob_is_its_bytes_and_nothing_in_it_runs() {
    let engine = engine_on(store_with_blobs().await);
    let face = router(engine, config(Access::Loopback));
    for (id, media_type, file, bytes) in [
        ("shot", "image/png", "shot.png", &b"\x89PNG"[..]),
        ("print", "application/pdf", "print.pdf", b"%PDF-"),
    ] {
        let answer = fetch(&face, &format!("/v1/blobs/{id}"), &[]).await;
        assert_eq!((answer.status.as_u16(), &answer.body[..]), (200, bytes));
        let header = |name| answer.headers[name].to_str().unwrap();
        assert_eq!(header(header::CONTENT_TYPE), media_type);
        let disposition = format!("inline; filename=\"{file}\"");
        assert_eq!(header(header::CONTENT_DISPOSITION), disposition);
        assert_eq!(
            header(header::CONTENT_SECURITY_POLICY),
            "default-src 'none'; sandbox"
        );
        assert_eq!(header(header::X_CONTENT_TYPE_OPTIONS), "nosniff");
        assert!(header(header::CACHE_CONTROL).starts_with("private"));
    }
    let missing = fetch(&face, "/v1/blobs/another", &[]).await;
    assert_eq!(missing.refusal(404), "NOT_FOUND");
}

#[tokio::test]
async fn a_blob_needs_the_key_like_any_page() {
    let engine = engine_on(store_with_blobs().await);
    let face = router(engine, config(Access::Key(ApiKey::new(KEY))));
    let refused = fetch(&face, "/v1/blobs/shot", &[]).await;
    assert_eq!(refused.refusal(401), "UNAUTHORIZED");
}

#[tokio::test]
async fn the_front_door_leads_to_the_playground() {
    let answer = fetch(&face(config(Access::Loopback)).await, "/", &[]).await;
    assert_eq!(
        (answer.status.as_u16(), &answer.headers[header::LOCATION]),
        (303, &"/playground".parse().unwrap())
    );
}

#[tokio::test]
async fn a_packed_file_comes_packed_or_plain_and_is_held_by_its_etag() {
    let face = face(config(Access::Loopback)).await;
    let path = "/static/vendor/scalar/standalone.js";
    let packed = fetch(&face, path, &[("accept-encoding", "gzip")]).await;
    assert_eq!(packed.headers[header::CONTENT_ENCODING], "gzip");
    let plain = fetch(&face, path, &[]).await;
    assert!(plain.headers.get(header::CONTENT_ENCODING).is_none());
    assert!(plain.body.len() > 2 * packed.body.len());
    assert_ne!(plain.headers[header::ETAG], packed.headers[header::ETAG]);
    let etag = packed.headers[header::ETAG].to_str().unwrap();
    let held = fetch(
        &face,
        path,
        &[("accept-encoding", "gzip"), ("if-none-match", etag)],
    )
    .await;
    assert_eq!((held.status.as_u16(), held.body.len()), (304, 0));
}
