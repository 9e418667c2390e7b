//! Webhooks as their receivers see them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use trawls_testkit::{Answer, Request, TrapSite};

use crate::support::Server;

const PRIVATE: (&str, &str) = ("TRAWLS_ALLOW_PRIVATE_TARGETS", "true");
/// Pages of a job.
const PAGES: usize = 40;

/// Events that a receiver was sent, in order.
fn events(site: &TrapSite) -> Vec<(Request, Value)> {
    let posts = site
        .requests()
        .into_iter()
        .filter(|request| request.method == "POST");
    posts
        .map(|request| {
            let body = serde_json::from_slice(&request.body).unwrap();
            (request, body)
        })
        .collect()
}

fn names(site: &TrapSite) -> Vec<String> {
    let name = |(_, event): (Request, Value)| match event["page"]["url"].as_str() {
        Some(_) => "page".to_owned(),
        None => event["event"].as_str().unwrap().to_owned(),
    };
    events(site).into_iter().map(name).collect()
}

async fn start(server: &Server, site: &TrapSite, webhook: Value) -> String {
    let url = site.url(&format!("/forest/{PAGES}/0"));
    let body = json!({"url": url, "ignore_sitemap": true, "webhook": webhook});
    server.start_job("/v1/crawl", &body).await
}

/// The log of deliveries when it holds so many.
async fn deliveries(server: &Server, job: &str, many: usize) -> Vec<Value> {
    for _ in 0..1200 {
        let list = server
            .read(&format!("/v1/jobs/{job}/deliveries?limit=1000"))
            .await;
        let items = list["items"].as_array().unwrap();
        if items.len() >= many {
            return items.clone();
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("not told:\n{}", server.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_event_comes_once_in_order_and_signed() {
    let server = Server::start();
    let receiver = TrapSite::of(|_| Some(Answer::new(204, &[], "")))
        .await
        .unwrap();
    let site = TrapSite::start().await.unwrap();
    let webhook = json!({
        "url": receiver.url("/hook"), "secret": "s3cret", "headers": {"X-Tenant": "7"},
        "metadata": {"order": 12}
    });
    let job = start(&server, &site, webhook).await;
    let log = deliveries(&server, &job, PAGES + 2).await;
    let mut expected = vec!["page"; PAGES + 2];
    (expected[0], expected[PAGES + 1]) = ("started", "completed");
    assert_eq!(names(&receiver), expected);
    assert!(log.iter().all(|delivery| delivery["delivered"] == true));
    let listed = server
        .read(&format!("/v1/jobs/{job}/pages?limit=1000"))
        .await;
    for (number, (request, event)) in events(&receiver).iter().enumerate() {
        assert_eq!(event["id"], format!("{job}-{}", number + 1));
        assert_eq!(
            (&event["job"]["id"], &event["metadata"]["order"]),
            (&json!(job), &json!(12))
        );
        assert_eq!(request.headers["x-tenant"], "7");
        assert_eq!(request.headers["content-type"], "application/json");
        check_signature(request);
        if let Some(url) = event["page"]["url"].as_str() {
            assert_eq!(listed["items"][number - 1]["url"], url);
        }
    }
    let (status, again) = server
        .post_to(&format!("/v1/jobs/{job}/deliveries/3/resend"), &json!({}))
        .await;
    assert_eq!(
        (status, again["attempts"].as_array().unwrap().len()),
        (200, 2)
    );
    let sent = events(&receiver);
    assert_eq!(sent[PAGES + 2].1["id"], sent[2].1["id"]);
    let url = server.url(&format!("/v1/jobs/{job}/deliveries/999/resend"));
    let answer = reqwest::Client::new().post(url).send().await.unwrap();
    assert_eq!(answer.status(), 404);
}

/// With OpenSSL, as a receiver would in its own language.
fn check_signature(request: &Request) {
    let signature = &request.headers["x-trawls-signature"];
    let (time, code) = signature
        .strip_prefix("t=")
        .unwrap()
        .split_once(",v1=")
        .unwrap();
    let mut openssl = std::process::Command::new("openssl")
        .args(["dgst", "-sha256", "-hmac", "s3cret", "-r"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut signed = format!("{time}.").into_bytes();
    signed.extend_from_slice(&request.body);
    std::io::Write::write_all(&mut openssl.stdin.take().unwrap(), &signed).unwrap();
    let output = openssl.wait_with_output().unwrap();
    let expected = String::from_utf8(output.stdout).unwrap();
    assert_eq!(expected.split_whitespace().next().unwrap(), code);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_fails_is_tried_three_times_and_never_slows_the_crawl() {
    let server = Server::start();
    let works = Arc::new(AtomicBool::new(false));
    let receiver = TrapSite::of({
        let works = Arc::clone(&works);
        move |_| {
            let status = if works.load(Ordering::Relaxed) {
                200
            } else {
                503
            };
            Some(Answer::new(status, &[("Location", "/elsewhere")], ""))
        }
    });
    let receiver = receiver.await.unwrap();
    let silent = TrapSite::of(|_| Some(Answer::new(200, &[], "").after(Duration::from_secs(100))));
    let silent = silent.await.unwrap();
    let site = TrapSite::start().await.unwrap();
    let one_event = json!({"url": receiver.url("/hook"), "events": ["completed"]});
    let job = start(&server, &site, one_event).await;
    let slow = start(&server, &site, json!({"url": silent.url("/")})).await;
    // Nobody has answered the first event of the slow one yet.
    assert_eq!(server.ended(&slow).await["counts"]["success"], PAGES);
    let log = deliveries(&server, &job, 1).await;
    let statuses: Vec<&Value> = log[0]["attempts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|attempt| &attempt["http_status"])
        .collect();
    assert_eq!(
        (statuses, &log[0]["delivered"]),
        (vec![&json!(503); 3], &json!(false))
    );
    works.store(true, Ordering::Relaxed);
    let path = format!("/v1/jobs/{job}/deliveries/1/resend");
    let (_, again) = server.post_to(&path, &json!({})).await;
    assert_eq!(again["delivered"], true);
    assert_eq!(receiver.hits("/elsewhere"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn receivers_that_never_answer_keep_no_other_one_waiting() {
    let server = Server::start();
    let silent = TrapSite::of(|_| Some(Answer::new(200, &[], "").after(Duration::from_secs(100))));
    let good = TrapSite::of(|_| Some(Answer::new(200, &[], "")));
    let (silent, good) = (silent.await.unwrap(), good.await.unwrap());
    let site = TrapSite::start().await.unwrap();
    let batch = |receiver: &TrapSite| json!({"urls": [site.url("/article")], "webhook": {"url": receiver.url("/")}});
    for _ in 0..40 {
        server.start_job("/v1/batch", &batch(&silent)).await;
    }
    let job = server.start_job("/v1/batch", &batch(&good)).await;
    server.ended(&job).await;
    let log = deliveries(&server, &job, 3).await;
    assert!(log.iter().all(|delivery| delivery["delivered"] == true));
}

#[tokio::test(flavor = "multi_thread")]
async fn kills_lose_no_event_and_keep_the_order() {
    let receiver =
        TrapSite::of(|_| Some(Answer::new(200, &[], "").after(Duration::from_millis(15))));
    let (receiver, site) = (receiver.await.unwrap(), TrapSite::start().await.unwrap());
    let mut server = Server::start();
    let job = start(&server, &site, json!({"url": receiver.url("/")})).await;
    for turn in 1..8 {
        deliveries(&server, &job, turn * 4).await;
        server.signal("-KILL");
        server.wait();
        server = Server::on(server.data(), &[PRIVATE]);
    }
    deliveries(&server, &job, PAGES + 2).await;
    let mut ids: Vec<Value> = events(&receiver)
        .into_iter()
        .map(|(_, event)| event["id"].clone())
        .collect();
    // One whose answer was lost with the process comes again, under the same id.
    ids.dedup();
    let expected: Vec<Value> = (1..=PAGES + 2)
        .map(|n| json!(format!("{job}-{n}")))
        .collect();
    assert_eq!(ids, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_that_may_not_be_called_is_refused_by_its_field() {
    let server = Server::with(&[]);
    for (webhook, field) in [
        (json!({"url": "http://127.0.0.1:9/"}), "webhook.url"),
        (json!({"url": "ftp://a.example/"}), "webhook.url"),
        (
            json!({"url": "https://93.184.216.34/", "events": ["pages"]}),
            "webhook.events[0]",
        ),
        (
            json!({"url": "https://93.184.216.34/", "secret": ""}),
            "webhook.secret",
        ),
        (
            json!({"url": "https://93.184.216.34/", "headers": {"Host": "x"}}),
            "webhook.headers.Host",
        ),
    ] {
        let body = json!({"urls": ["https://93.184.216.34/"], "webhook": webhook});
        let (status, answer) = server.post_to("/v1/batch", &body).await;
        let named = &answer["error"]["details"]["field"];
        assert_eq!((status, named), (422, &json!(field)), "{answer}");
    }
}
