//! The life of the process: what a signal, a kill and a restart do to pages.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use trawls_store::{Keep, Store};
use trawls_testkit::TrapSite;

use crate::support::Server;

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_was_answered_survives_a_kill() {
    let traps = TrapSite::start().await.unwrap();
    let mut server = Server::start();
    let mut pages = Vec::new();
    for path in ["/article", "/forum", "/product"] {
        pages.push(server.scrape(json!({"url": traps.url(path)})).await);
    }
    server.signal("-KILL");
    server.wait();
    let again = Server::on(server.data(), &[]);
    for page in pages {
        let id = page["id"].as_str().unwrap();
        let kept: Value = again
            .get(&format!("/v1/pages/{id}"))
            .await
            .json()
            .await
            .unwrap();
        assert_eq!(kept["markdown"], page["markdown"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_lets_the_running_page_end() {
    let traps = TrapSite::start().await.unwrap();
    let mut server = Server::start();
    let late = tokio::spawn({
        let (url, body) = (server.url("/v1/scrape"), json!({"url": traps.url("/late")}));
        async move {
            reqwest::Client::new()
                .post(url)
                .json(&body)
                .send()
                .await
                .unwrap()
        }
    });
    while traps.hits("/late") == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    server.signal("-TERM");
    let page: Value = late.await.unwrap().json().await.unwrap();
    assert_eq!(page["outcome"], "success");
    assert_eq!(server.wait().code(), Some(0), "{}", server.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_signal_ends_it_at_once() {
    let traps = TrapSite::start().await.unwrap();
    let mut server = Server::start();
    let body = json!({"url": traps.url("/silent"), "timeout_ms": 100_000});
    let request = tokio::spawn(
        reqwest::Client::new()
            .post(server.url("/v1/scrape"))
            .json(&body)
            .send(),
    );
    while traps.hits("/silent") == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let start = Instant::now();
    server.signal("-INT");
    while !server.log().contains("stop") {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    server.signal("-INT");
    server.wait();
    assert!(start.elapsed() < Duration::from_secs(30));
    assert!(request.await.unwrap().is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_sweeps_for_a_server_that_does_not() {
    let traps = TrapSite::start().await.unwrap();
    let mut server = Server::start();
    let page = server.scrape(json!({"url": traps.url("/article")})).await;
    server.signal("-TERM");
    assert_eq!(server.wait().code(), Some(0), "{}", server.log());
    keep_an_old_copy(&server, page).await;

    let leaves_it = [("TRAWLS_EMBEDDED_WORKER", "false")];
    let server = Server::on(server.data(), &leaves_it);
    assert_eq!(pages_stored(&server).await, 2);
    let mut worker = Server::worker(server.data(), &[]);
    while pages_stored(&server).await != 1 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    worker.signal("-TERM");
    assert_eq!(worker.wait().code(), Some(0), "{}", worker.log());
}

/// As if it had been scraped a year ago.
async fn keep_an_old_copy(server: &Server, mut page: Value) {
    page["id"] = "old".into();
    page["fetched_at"] = "2020-01-01T00:00:00Z".into();
    let store = Store::open(&server.data().path().join("trawls.db"))
        .await
        .unwrap();
    let keep = Keep {
        page: Arc::new(serde_json::from_value(page).unwrap()),
        body: None,
        blobs: Vec::new(),
        cache: None,
    };
    store.keep(keep).await.unwrap();
    store.close().await;
}

async fn pages_stored(server: &Server) -> u64 {
    let system: Value = server.get("/v1/system").await.json().await.unwrap();
    system["pages_stored"].as_u64().unwrap()
}
