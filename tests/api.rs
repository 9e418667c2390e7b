//! The HTTP face: what callers send, and what they get.

use reqwest::StatusCode;
use serde_json::{Value, json};
use trawls_testkit::TrapSite;

use crate::support::Server;

#[tokio::test(flavor = "multi_thread")]
async fn a_page_comes_back_as_markdown_with_a_trace() {
    let traps = TrapSite::start().await.unwrap();
    let server = Server::start();
    let page = server.scrape(json!({"url": traps.url("/article"), "formats": ["markdown", "metadata", "links", "tables"]})).await;
    assert_eq!(page["status"], "ok");
    assert_eq!(page["fetch_mode_used"], "http");
    assert_eq!(
        page["metadata"]["title"],
        "How the old harbour got its light"
    );
    assert_eq!(
        page["tables"][0]["headers"],
        json!(["Year", "Fuel", "Cost a night"])
    );
    assert_eq!(page["trace"][0]["verdict"], "usable");
    let markdown = page["markdown"].as_str().unwrap();
    for kept in [
        "## What it burned",
        "| 1841 | Whale oil | 4 shillings |",
        "```\n..-  bar open",
        "- Never trust a single cycle.",
    ] {
        assert!(markdown.contains(kept), "{kept}: {markdown}");
    }
    for dropped in ["Most read", "Privacy", "never show this", "Home"] {
        assert!(!markdown.contains(dropped), "{dropped}: {markdown}");
    }
    assert!(page.get("html").is_none(), "only what was asked for");
    let kept: Value = server
        .get(&format!("/v1/pages/{}", page["id"].as_str().unwrap()))
        .await
        .json()
        .await
        .unwrap();
    assert_eq!(kept["markdown"], page["markdown"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_trap_ends_with_its_own_outcome() {
    let traps = TrapSite::start().await.unwrap();
    let server = Server::start();
    let cases = [
        ("/forum", "success", None),
        ("/product", "success", None),
        ("/captcha-article", "success", None),
        ("/gzip", "success", None),
        ("/moved", "success", None),
        ("/refresh", "success", None),
        ("/flaky", "success", None),
        ("/busy", "success", None),
        ("/text", "success", None),
        ("/deep", "success", None),
        ("/cut", "success", None),
        ("/gzip-cut", "success", None),
        ("/challenge", "failed", Some("BLOCKED")),
        ("/challenge-200", "failed", Some("BLOCKED")),
        ("/missing", "failed", Some("NOT_FOUND")),
        ("/soft-404", "failed", Some("NOT_FOUND")),
        ("/empty", "empty", Some("EMPTY_CONTENT")),
        ("/shell", "empty", Some("EMPTY_CONTENT")),
        ("/loop", "failed", Some("TOO_MANY_REDIRECTS")),
        ("/bomb", "failed", Some("TOO_LARGE")),
        ("/binary", "failed", Some("UNSUPPORTED_CONTENT")),
        ("/private/page", "skipped", Some("ROBOTS_DENIED")),
    ];
    for (path, outcome, code) in cases {
        let page = server.scrape(json!({"url": traps.url(path)})).await;
        assert_eq!(page["outcome"], outcome, "{path}: {page}");
        assert_eq!(page["error"]["code"].as_str(), code, "{path}: {page}");
    }
    for path in ["/cut", "/gzip-cut"] {
        let page = server.scrape(json!({"url": traps.url(path)})).await;
        assert!(
            page["warnings"].to_string().contains("truncated"),
            "{path}: {page}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_servers_are_cut_at_the_callers_deadline() {
    let traps = TrapSite::start().await.unwrap();
    let server = Server::start();
    for path in ["/silent", "/drip"] {
        let page = server
            .scrape(json!({"url": traps.url(path), "timeout_ms": 1500}))
            .await;
        assert!(
            page["error"]["code"]
                .as_str()
                .unwrap()
                .starts_with("TIMEOUT_"),
            "{path}: {page}"
        );
        assert!(
            page["timings"]["total_ms"].as_u64().unwrap() < 10_000,
            "{path}: {page}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_to_private_places_are_refused_when_they_are_private() {
    let traps = TrapSite::start().await.unwrap();
    let server = Server::with(&[]);
    let page = server.scrape(json!({"url": traps.url("/article")})).await;
    assert_eq!(page["error"]["code"], "SSRF_BLOCKED");
    assert!(traps.requests().is_empty(), "nothing was dialled");
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_name_their_field() {
    let server = Server::start();
    let cases = [
        (json!({}), "url"),
        (json!({"url": 5}), "url"),
        (json!({"url": "example.com"}), "url"),
        (
            json!({"url": "http://example.com", "formats": ["markdown", "docx"]}),
            "formats[1]",
        ),
        (
            json!({"url": "http://example.com", "timeout_ms": "soon"}),
            "timeout_ms",
        ),
        (
            json!({"url": "http://example.com", "include_tags": ["p[["]}),
            "include_tags[0]",
        ),
        (
            json!({"url": "http://example.com", "format": ["markdown"]}),
            "format",
        ),
        (
            json!({"url": "http://example.com", "formats": ["screenshot"], "mode": "http"}),
            "formats[0]",
        ),
        (
            json!({"url": "http://example.com", "actions": [{"type": "click", "selector": "p[["}]}),
            "actions[0].selector",
        ),
    ];
    for (body, field) in cases {
        let (status, answer) = server.post(&body).await;
        assert_eq!(status, 422, "{body}: {answer}");
        assert_eq!(
            answer["error"]["details"]["field"], field,
            "{body}: {answer}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cached_page_is_served_without_a_request_and_revalidated_when_it_is_old() {
    let traps = TrapSite::start().await.unwrap();
    let server = Server::start();
    let body = json!({"url": traps.url("/cached")});
    let first = server.scrape(body.clone()).await;
    let second = server.scrape(body.clone()).await;
    assert_eq!(
        (
            first["from_cache"].as_bool(),
            second["from_cache"].as_bool()
        ),
        (Some(false), Some(true))
    );
    assert_eq!(first["markdown"], second["markdown"]);
    assert_eq!(traps.hits("/cached"), 1);
    let old = server
        .scrape(json!({"url": traps.url("/cached"), "max_age_s": 0}))
        .await;
    assert_eq!(old["markdown"], first["markdown"]);
    assert_eq!(old["from_cache"], true, "304 says that the copy is good");
    assert_eq!(traps.hits("/cached"), 2);
    let bypassed = server
        .scrape(json!({"url": traps.url("/cached"), "cache": "bypass"}))
        .await;
    assert_eq!(bypassed["from_cache"], false);
    assert_eq!(traps.hits("/cached"), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_key_opens_and_nothing_else_does() {
    let key = "a key of more than sixteen characters";
    let server = Server::with(&[("TRAWLS_REQUIRE_AUTH", "true"), ("TRAWLS_ADMIN_KEY", key)]);
    let client = reqwest::Client::new();
    let system = server.url("/v1/system");
    let without = client.get(&system).send().await.unwrap();
    assert_eq!(without.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(
        without.json::<Value>().await.unwrap()["error"]["code"],
        "UNAUTHORIZED"
    );
    let wrong = client
        .get(&system)
        .bearer_auth("wrong")
        .send()
        .await
        .unwrap();
    assert_eq!(wrong.status(), StatusCode::UNAUTHORIZED);
    assert!(
        client
            .get(&system)
            .bearer_auth(key)
            .send()
            .await
            .unwrap()
            .status()
            .is_success()
    );
    assert!(
        client
            .get(&system)
            .header("X-API-Key", key)
            .send()
            .await
            .unwrap()
            .status()
            .is_success()
    );
    for open in [
        "/healthz",
        "/readyz",
        "/openapi.json",
        "/playground",
        "/docs",
    ] {
        assert!(server.get(open).await.status().is_success(), "{open}");
    }
    assert!(!server.log().contains(key));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_another_site_cannot_use_a_server_without_a_key() {
    let server = Server::start();
    let client = reqwest::Client::new();
    let rebound = client
        .get(server.url("/v1/system"))
        .header("Host", "attacker.example")
        .send()
        .await
        .unwrap();
    assert!(rebound.status().is_client_error(), "{}", rebound.status());
    let form = client
        .post(server.url("/v1/scrape"))
        .header("Content-Type", "text/plain")
        .header("Origin", "http://attacker.example")
        .body(r#"{"url":"http://example.com"}"#)
        .send()
        .await
        .unwrap();
    assert!(form.status().is_client_error(), "{}", form.status());
    assert!(form.headers().get("access-control-allow-origin").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_refusal_is_json_with_a_request_id() {
    let server = Server::start();
    let client = reqwest::Client::new();
    let huge = format!("{{\"url\": \"{}\"}}", "a".repeat(5 << 20));
    let json = ("Content-Type", "application/json");
    let refusals = [
        client.get(server.url("/nowhere")),
        client.get(server.url("/v1/scrape")),
        client.get(server.url("/v1/pages/nobody")),
        client
            .post(server.url("/v1/scrape"))
            .header(json.0, json.1)
            .body("{"),
        client
            .post(server.url("/v1/scrape"))
            .header(json.0, json.1)
            .body(huge),
        client.post(server.url("/v1/scrape")).body("{}"),
    ];
    let mut statuses = Vec::new();
    for request in refusals {
        let response = request.send().await.unwrap();
        statuses.push(response.status().as_u16());
        assert!(response.headers().contains_key("x-request-id"));
        let answer: Value = response.json().await.unwrap();
        assert!(
            answer["error"]["code"].is_string() && answer["error"]["message"].is_string(),
            "{answer}"
        );
    }
    assert_eq!(statuses, [404, 405, 404, 400, 413, 415]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_says_how_it_is() {
    let server = Server::start();
    let ready: Value = server.get("/readyz").await.json().await.unwrap();
    assert!(ready.to_string().contains("database"), "{ready}");
    let system: Value = server.get("/v1/system").await.json().await.unwrap();
    assert_eq!(system["version"], env!("CARGO_PKG_VERSION"));
    assert!(system["rss_bytes"].as_u64().unwrap() > 1 << 20);
    let document: Value = server.get("/openapi.json").await.json().await.unwrap();
    assert!(document["paths"]["/v1/scrape"]["post"].is_object());
}
