//! The life of the process: what a signal, a kill and a restart do to pages.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
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
