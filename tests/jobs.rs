//! Jobs as callers see them, and what kills, restarts and several workers do to them.

use std::{collections::HashSet, time::Duration};

use futures_util::StreamExt;
use serde_json::{Value, json};
use trawls_testkit::TrapSite;

use crate::support::{Server, alone};

const PRIVATE: (&str, &str) = ("TRAWLS_ALLOW_PRIVATE_TARGETS", "true");

/// Follows the events of a job over any number of servers, and remembers where it was.
#[derive(Default)]
struct Reader {
    job: String,
    last: Option<u64>,
    numbers: Vec<u64>,
    urls: Vec<String>,
    end: Option<Value>,
}

impl Reader {
    /// Reads until the job is over, the server is gone or the time is up.
    async fn read(&mut self, server: &Server, time: Duration) {
        let reading = self.follow(server);
        let _time_is_up = tokio::time::timeout(time, reading).await;
    }

    async fn follow(&mut self, server: &Server) {
        let url = server.url(&format!("/v1/jobs/{}/events", self.job));
        let mut request = reqwest::Client::new().get(url);
        if let Some(last) = self.last {
            request = request.header("Last-Event-ID", last);
        }
        let Ok(response) = request.send().await else {
            return;
        };
        let (mut text, mut chunks) = (String::new(), response.bytes_stream());
        while let Some(Ok(chunk)) = chunks.next().await {
            text.push_str(std::str::from_utf8(&chunk).unwrap());
            while let Some(end) = text.find("\n\n") {
                let event: String = text.drain(..end + 2).collect();
                self.take(&event);
            }
        }
    }

    fn take(&mut self, event: &str) {
        let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name));
        let Some(data) = field("data: ") else {
            return;
        };
        let data: Value = serde_json::from_str(data).unwrap();
        if let Some(id) = field("id: ") {
            let id = id.parse().unwrap();
            assert!(self.last < Some(id), "ids rise");
            self.last = Some(id);
        }
        match field("event: ") {
            Some("page") => {
                self.numbers.push(data["number"].as_u64().unwrap());
                self.urls.push(data["url"].as_str().unwrap().to_owned());
            }
            Some("done") => self.end = Some(data),
            _ => {}
        }
    }
}

async fn start_crawl(server: &Server, url: String) -> String {
    let body = json!({"url": url, "max_pages": 100_000, "ignore_sitemap": true, "scrape": {"cache": "bypass"}});
    server.start_job("/v1/crawl", &body).await
}

/// Pages of a forest that outlives so many interruptions.
const PAGES: usize = 2000;

async fn crawl_through(signal: &str, interruptions: u64) {
    let _alone = alone().await;
    let traps = TrapSite::start().await.unwrap();
    let mut server = Server::start();
    let mut reader = Reader {
        job: start_crawl(&server, traps.url(&format!("/forest/{PAGES}/0"))).await,
        ..Reader::default()
    };
    for turn in 0..interruptions {
        let time = Duration::from_millis(20 + turn * 7919 % 331);
        reader.read(&server, time).await;
        assert!(reader.end.is_none(), "over after {turn} interruptions");
        server.signal(signal);
        server.wait();
        server = Server::on(server.data(), &[PRIVATE]);
    }
    reader.read(&server, Duration::from_secs(240)).await;
    let job = reader
        .end
        .unwrap_or_else(|| panic!("no end:\n{}", server.log()));
    assert_eq!(job["status"], "completed");
    let counts = &job["counts"];
    assert_eq!(
        (&counts["success"], &counts["done"]),
        (&json!(PAGES), &json!(PAGES)),
        "{counts}"
    );
    assert!(reader.numbers.into_iter().eq(1..=PAGES as u64));
    let urls: HashSet<&String> = reader.urls.iter().collect();
    assert_eq!(urls.len(), PAGES);
    assert_eq!(listed(&server, &reader.job).await, reader.urls);
}

/// URLs of the job's pages, by the list.
async fn listed(server: &Server, job: &str) -> Vec<String> {
    let (mut urls, mut cursor) = (Vec::new(), String::new());
    loop {
        let list = server
            .read(&format!("/v1/jobs/{job}/pages?limit=300{cursor}"))
            .await;
        let items = list["items"].as_array().unwrap();
        urls.extend(
            items
                .iter()
                .map(|page| page["url"].as_str().unwrap().to_owned()),
        );
        match list["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return urls,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_kills_lose_no_page_and_bring_none_twice() {
    crawl_through("-KILL", 50).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_stops_lose_no_page_and_bring_none_twice() {
    crawl_through("-TERM", 10).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_workers_share_the_jobs_and_fetch_no_page_twice() {
    let traps = TrapSite::start().await.unwrap();
    let alone = [PRIVATE, ("TRAWLS_EMBEDDED_WORKER", "false")];
    let server = Server::with(&alone);
    let _workers = [(); 2].map(|()| Server::worker(server.data(), &[PRIVATE]));
    let mut jobs = Vec::new();
    for pages in [101, 102, 103, 104] {
        let job = start_crawl(&server, traps.url(&format!("/forest/{pages}/0"))).await;
        jobs.push((job, pages));
    }
    for (job, pages) in jobs {
        let mut reader = Reader {
            job,
            ..Reader::default()
        };
        reader.read(&server, Duration::from_secs(120)).await;
        assert_eq!(reader.end.unwrap()["counts"]["success"], pages);
    }
    let pages = traps.requests().into_iter().map(|request| request.path);
    let pages: Vec<String> = pages.filter(|path| path != "/robots.txt").collect();
    let once: HashSet<&String> = pages.iter().collect();
    assert_eq!(once.len(), pages.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_key_is_the_same_job_and_another_body_a_conflict() {
    let traps = TrapSite::start().await.unwrap();
    let server = Server::start();
    let post = async |body: Value| {
        let request = reqwest::Client::new()
            .post(server.url("/v1/crawl"))
            .header("Idempotency-Key", "one")
            .json(&body);
        let response = request.send().await.unwrap();
        (
            response.status().as_u16(),
            response.json::<Value>().await.unwrap(),
        )
    };
    let body = json!({"url": traps.url("/forest/3/0")});
    let (first, second) = (post(body.clone()).await, post(body).await);
    assert_eq!((first.0, &first.1["id"]), (202, &second.1["id"]));
    let (status, other) = post(json!({"url": traps.url("/forest/4/0")})).await;
    assert_eq!(
        (status, other["error"]["code"].as_str()),
        (409, Some("IDEMPOTENCY_CONFLICT"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_name_their_field_and_what_is_not_there_is_not_found() {
    let server = Server::start();
    for (path, body, field) in [
        ("/v1/crawl", json!({"url": "nonsense"}), "url"),
        (
            "/v1/crawl",
            json!({"url": "http://a.example/", "max_pages": -1}),
            "max_pages",
        ),
        (
            "/v1/crawl",
            json!({"url": "http://a.example/", "maxDepth": 1}),
            "maxDepth",
        ),
        ("/v1/batch", json!({"urls": []}), "urls"),
        (
            "/v1/batch",
            json!({"urls": ["http://a.example/"], "scrape": {"mode": "x"}}),
            "scrape.mode",
        ),
    ] {
        let (status, answer) = server.post_to(path, &body).await;
        assert_eq!(status, 422, "{answer}");
        let message = answer["error"].to_string();
        assert!(message.contains(field), "{field}: {message}");
    }
    for path in [
        "/v1/jobs/none",
        "/v1/jobs/none/pages",
        "/v1/jobs/none/events",
    ] {
        assert_eq!(server.get(path).await.status(), 404, "{path}");
    }
    assert_eq!(server.get("/v1/jobs?limit=0").await.status(), 422);
    let traps = TrapSite::start().await.unwrap();
    let job = start_crawl(&server, traps.url("/forest/2/0")).await;
    for (last, status) in [("x", 422), ("-1", 422), ("18446744073709551615", 200)] {
        let url = server.url(&format!("/v1/jobs/{job}/events"));
        let request = reqwest::Client::new()
            .get(url)
            .header("Last-Event-ID", last);
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), status, "{last}");
        answer.text().await.unwrap();
    }
    let jobs = server.read("/v1/jobs?status=failed").await;
    assert_eq!(jobs["items"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_job_takes_its_pages_with_it() {
    let traps = TrapSite::start().await.unwrap();
    let server = Server::start();
    let job = start_crawl(&server, traps.url("/forest/20/0")).await;
    let mut reader = Reader {
        job: job.clone(),
        ..Reader::default()
    };
    reader.read(&server, Duration::from_secs(60)).await;
    assert!(reader.end.is_some());
    assert_eq!(server.read("/v1/system").await["pages_stored"], 20);
    let client = reqwest::Client::new();
    let gone = client
        .delete(server.url(&format!("/v1/jobs/{job}")))
        .send()
        .await
        .unwrap();
    assert_eq!(gone.status(), 200);
    assert_eq!(server.read("/v1/system").await["pages_stored"], 0);
    assert_eq!(server.get(&format!("/v1/jobs/{job}")).await.status(), 404);
}
