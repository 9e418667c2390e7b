//! Pages read again from what was kept of them.

use std::time::Duration;

use serde_json::{Value, json};
use trawls_testkit::{Answer, TrapSite};

use crate::support::Server;

const PRIVATE: (&str, &str) = ("TRAWLS_ALLOW_PRIVATE_TARGETS", "true");

/// A site that is gone after its first answers; a page, its copy, and one that never came.
async fn site() -> TrapSite {
    let site = TrapSite::of(|request| {
        let page = "<title>Tides</title><nav><a href=\"/copy\">Copy</a> <a href=\"/broken\">Broken</a> \
            <a href=\"/forest/30/0\">Forest</a></nav><main><h1>Tides</h1><p>Ropes, lamps and barrels \
            went over the ridge before the tide came back, and the keeper wrote it down in the \
            ledger that lies by the window of the lower room.</p><p class=note>Not for print.</p></main>";
        Some(match request.path.as_str() {
            "/robots.txt" => Answer::new(404, &[], ""),
            "/" | "/copy" => Answer::html(page),
            _ => return None,
        })
    });
    site.await.unwrap()
}

async fn crawl(server: &Server, site: &TrapSite) -> String {
    let body = json!({"url": site.url("/"), "ignore_sitemap": true});
    let job = server.start_job("/v1/crawl", &body).await;
    let ended = server.ended(&job).await;
    assert_eq!(ended["counts"]["done"], 33, "{ended}");
    job
}

async fn pages(server: &Server, job: &str) -> Vec<Value> {
    let list = server
        .read(&format!("/v1/jobs/{job}/pages?limit=1000"))
        .await;
    list["items"].as_array().unwrap().clone()
}

async fn content(server: &Server, page: &Value) -> Value {
    let id = page["page_id"].as_str().unwrap();
    server.read(&format!("/v1/pages/{id}")).await
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_read_again_with_other_options_and_without_a_fetch() {
    let (server, site) = (Server::start(), site().await);
    let job = crawl(&server, &site).await;
    let before = pages(&server, &job).await;
    let (asked, counts) = (
        site.requests().len(),
        server.ended(&job).await["counts"].clone(),
    );
    let path = format!("/v1/jobs/{job}/reprocess");
    let (status, wrong) = server
        .post_to(&path, &json!({"exclude_tags": ["p[["]}))
        .await;
    assert_eq!(
        (status, &wrong["error"]["details"]["field"]),
        (422, &json!("exclude_tags[0]"))
    );

    let body = json!({"formats": ["markdown", "links"], "exclude_tags": [".note"]});
    let (status, queued) = server.post_to(&path, &body).await;
    assert_eq!(status, 202, "{queued}");
    // The copy was not kept twice; the broken page has a document too.
    assert_eq!(
        (&queued["pages_to_read"], &queued["pages_without_raw"]),
        (&json!(32), &json!(1))
    );
    let ended = server.ended(&job).await;
    assert_eq!(
        (&ended["status"], &ended["counts"]),
        (&json!("completed"), &counts)
    );
    assert_eq!(site.requests().len(), asked);

    let after = pages(&server, &job).await;
    let urls = |pages: &[Value]| {
        let mut urls: Vec<String> = pages.iter().map(|page| page["url"].to_string()).collect();
        urls.sort();
        urls
    };
    assert_eq!(urls(&before), urls(&after));
    let start = after
        .iter()
        .find(|page| page["url"] == site.url("/"))
        .unwrap();
    let start = content(&server, start).await;
    let markdown = start["markdown"].as_str().unwrap();
    assert!(
        markdown.contains("keeper") && !markdown.contains("print"),
        "{markdown}"
    );
    assert!(start["links"].as_array().unwrap().len() >= 3);
    let old = before[0]["page_id"].as_str().unwrap();
    assert_eq!(server.get(&format!("/v1/pages/{old}")).await.status(), 404);

    // The body stays for the next time, which wants everything back.
    let (status, _) = server.post_to(&path, &json!({"exclude_tags": []})).await;
    assert_eq!(status, 202);
    server.ended(&job).await;
    let again = pages(&server, &job).await;
    let start = again
        .iter()
        .find(|page| page["url"] == site.url("/"))
        .unwrap();
    let markdown = content(&server, start).await["markdown"].to_string();
    assert!(markdown.contains("Not for print"), "{markdown}");
    assert_eq!(site.requests().len(), asked);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_is_sent_again_has_its_page_as_it_was_read_again() {
    let (server, site) = (Server::start(), site().await);
    let receiver = TrapSite::of(|_| Some(Answer::new(204, &[], "")));
    let receiver = receiver.await.unwrap();
    let body = json!({
        "urls": [site.url("/")],
        "webhook": {"url": receiver.url("/"), "events": ["page", "completed"]}
    });
    let job = server.start_job("/v1/batch", &body).await;
    server.ended(&job).await;
    while receiver.requests().len() < 2 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let path = format!("/v1/jobs/{job}/reprocess");
    let options = json!({"exclude_tags": [".note"]});
    assert_eq!(server.post_to(&path, &options).await.0, 202);
    server.ended(&job).await;
    let path = format!("/v1/jobs/{job}/deliveries/1/resend");
    let (status, delivery) = server.post_to(&path, &json!({})).await;
    assert_eq!((status, &delivery["page"]), (200, &json!(1)), "{delivery}");
    let sent = receiver.requests();
    let sent = sent
        .iter()
        .map(|request| serde_json::from_slice(&request.body).unwrap());
    let sent: Vec<Value> = sent
        .filter(|sent: &Value| sent["id"] == format!("{job}-1"))
        .collect();
    assert_eq!(sent.len(), 2);
    let markdown = |sent: &Value| sent["page"]["markdown"].as_str().unwrap().to_owned();
    assert!(markdown(&sent[0]).contains("Not for print"));
    assert!(markdown(&sent[1]).contains("Tides") && !markdown(&sent[1]).contains("Not for print"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_in_the_middle_loses_no_page_and_brings_none_twice() {
    let (mut server, site) = (Server::start(), site().await);
    let job = crawl(&server, &site).await;
    let before = pages(&server, &job).await.len();
    for _ in 0..5 {
        let client = reqwest::Client::new();
        let url = server.url(&format!("/v1/jobs/{job}/reprocess"));
        let answer = client.post(url).send().await.unwrap();
        assert_eq!(answer.status(), 202);
        server.signal("-KILL");
        server.wait();
        server = Server::on(server.data(), &[PRIVATE]);
        let counts = server.ended(&job).await["counts"].clone();
        let after = pages(&server, &job).await;
        assert_eq!((after.len(), &counts["done"]), (before, &json!(before)));
        assert_eq!(server.read("/v1/system").await["pages_stored"], before);
    }
}
