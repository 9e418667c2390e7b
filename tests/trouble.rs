//! What else can go wrong around a job: typed outcomes, an end, nothing lost.

use std::{
    collections::HashSet,
    io::{BufRead, BufReader},
    net::SocketAddr,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;
use trawls_testkit::{Answer, TrapSite};

use crate::support::{Server, alone};

const PRIVATE: (&str, &str) = ("TRAWLS_ALLOW_PRIVATE_TARGETS", "true");

/// A page whose text is like no other's.
fn page(number: u64, links: &[String]) -> Answer {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let words: Vec<String> = (0..80)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            format!("w{}", state % 5000)
        })
        .collect();
    let links: String = links
        .iter()
        .map(|link| format!("<a href=\"{link}\">Next</a> "))
        .collect();
    let text = words.join(" ");
    Answer::html(format!(
        "<title>Page {number}</title><main><h1>Page {number}</h1><p>{text}.</p>{links}</main>"
    ))
}

async fn log_says(server: &Server, text: &str) {
    let start = Instant::now();
    while !server.log().contains(text) {
        assert!(
            start.elapsed() < Duration::from_secs(120),
            "{}",
            server.log()
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn done(server: &Server, job: &str) -> u64 {
    let job = server.read(&format!("/v1/jobs/{job}")).await;
    job["counts"]["done"].as_u64().unwrap()
}

async fn reaches(server: &Server, job: &str, pages: u64) {
    let start = Instant::now();
    while done(server, job).await < pages {
        assert!(
            start.elapsed() < Duration::from_secs(120),
            "{}",
            server.log()
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Every page of a job once.
async fn pages(server: &Server, job: &str) -> Vec<Value> {
    let answer = server.get(&format!("/v1/jobs/{job}/export")).await;
    let lines = answer.text().await.unwrap();
    let pages: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let urls: HashSet<&str> = pages
        .iter()
        .map(|page| page["url"].as_str().unwrap())
        .collect();
    assert_eq!(urls.len(), pages.len());
    pages
}

#[tokio::test(flavor = "multi_thread")]
async fn a_calendar_stays_bounded_however_often_its_crawl_is_killed() {
    let _alone = alone().await;
    let site = TrapSite::of(|request| {
        let day: u64 = request
            .path
            .strip_prefix("/day/")?
            .replace('-', "")
            .parse()
            .ok()?;
        let (year, month, date) = (day / 10_000, day / 100 % 100, day % 100);
        let next = match (month, date) {
            (12, 28) => format!("/day/{}-01-01", year + 1),
            (_, 28) => format!("/day/{year}-{:02}-01", month + 1),
            _ => format!("/day/{year}-{month:02}-{:02}", date + 1),
        };
        Some(page(day, &[next]))
    });
    let site = site.await.unwrap();
    let mut server = Server::start();
    let body = json!({"url": site.url("/day/2026-01-01"), "ignore_sitemap": true});
    let job = server.start_job("/v1/crawl", &body).await;
    for pages in [60, 180, 300] {
        reaches(&server, &job, pages).await;
        server.signal("-KILL");
        server.wait();
        server = Server::on(server.data(), &[PRIVATE]);
    }
    let ended = server.ended(&job).await;
    // The start, and a year of days.
    assert_eq!(ended["counts"]["success"], 367, "{ended}");
    assert_eq!(ended["counts"]["cut"]["calendar"], 1);
}

/// Holds the write lock of a database until it is dropped.
struct Lock(Child);

impl Lock {
    fn on(data: &TempDir) -> Self {
        let script = "import sqlite3, sys\n\
                      db = sqlite3.connect(sys.argv[1], isolation_level=None)\n\
                      db.execute('BEGIN IMMEDIATE')\n\
                      print('locked', flush=True)\n\
                      sys.stdin.read()";
        let mut child = Command::new("python3")
            .args(["-c", script])
            .arg(data.path().join("trawls.db"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        assert_eq!(line.trim(), "locked");
        Self(child)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_another_process_locks_is_waited_for() {
    let site = TrapSite::start().await.unwrap();
    let server = Server::start();
    let body = json!({"url": site.url("/forest/400/0"), "ignore_sitemap": true, "delay_ms": 5});
    let job = server.start_job("/v1/crawl", &body).await;
    reaches(&server, &job, 50).await;
    let lock = Lock::on(&server.data());
    log_says(&server, "a step of a job is tried again").await;
    // Reading goes on, and the server says that it takes no writes.
    assert!(done(&server, &job).await >= 50);
    assert_eq!(server.get("/readyz").await.status(), 503);
    drop(lock);
    let ended = server.ended(&job).await;
    assert_eq!(
        (&ended["status"], &ended["counts"]["success"]),
        (&json!("completed"), &json!(400))
    );
    assert_eq!(pages(&server, &job).await.len(), 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_outlives_a_full_disk() {
    let site = TrapSite::start().await.unwrap();
    let data = Arc::new(TempDir::new().unwrap());
    // No file may grow beyond a megabyte, which is what a full disk is to SQLite.
    let server = Server::with_small_files(Arc::clone(&data), 2048, &[PRIVATE]);
    let body =
        json!({"url": site.url("/forest/2000/0"), "max_pages": 2000, "ignore_sitemap": true});
    let job = server.start_job("/v1/crawl", &body).await;
    log_says(&server, "a step of a job is tried again").await;
    let some = done(&server, &job).await;
    assert!((1..2000).contains(&some), "{some} pages");
    let long = "x".repeat(250);
    let urls: Vec<String> = (0..9000)
        .map(|n| site.url(&format!("/{long}/{n}")))
        .collect();
    let (status, answer) = server.post_to("/v1/batch", &json!({"urls": urls})).await;
    assert!(
        status >= 500 && answer["error"]["retryable"] == true,
        "{status}: {answer}"
    );
    drop(server);
    let server = Server::on(data, &[PRIVATE]);
    let ended = server.ended(&job).await;
    assert_eq!(
        (&ended["status"], &ended["counts"]["success"]),
        (&json!("completed"), &json!(2000))
    );
    assert_eq!(pages(&server, &job).await.len(), 2000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_that_dies_midway_leaves_typed_failures_and_an_end() {
    let site = TrapSite::of(|request| {
        let number = request.path.strip_prefix("/page/")?.parse().ok()?;
        Some(page(number, &[]).after(Duration::from_millis(40)))
    });
    let site = site.await.unwrap();
    let server = Server::start();
    let urls: Vec<String> = (0..80).map(|n| site.url(&format!("/page/{n}"))).collect();
    let body = json!({"urls": urls, "concurrency": 4, "scrape": {"respect_robots": false}});
    let job = server.start_job("/v1/batch", &body).await;
    reaches(&server, &job, 10).await;
    drop(site);
    let ended = server.ended(&job).await;
    assert_eq!(
        (&ended["status"], &ended["counts"]["done"]),
        (&json!("completed"), &json!(80))
    );
    let failed = ended["counts"]["failed"].as_u64().unwrap();
    assert!(
        failed > 0 && ended["counts"]["success"].as_u64().unwrap() + failed == 80,
        "{ended}"
    );
    let codes = ended["counts"]["by_code"].as_object().unwrap();
    let known = ["CONNECT_FAILED", "BREAKER_OPEN"];
    assert!(
        codes.keys().all(|code| known.contains(&code.as_str())),
        "{ended}"
    );
    assert_eq!(pages(&server, &job).await.len(), 80);
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_hosts_of_one_page_each_take_turns() {
    const HOSTS: u32 = 10_000;
    let _alone = alone().await;
    let everywhere = SocketAddr::from(([0, 0, 0, 0], 0));
    let site = TrapSite::start_with(everywhere, |request| {
        let number = request.path.strip_prefix("/page/")?.parse().ok()?;
        Some(page(number, &[]))
    });
    let site = site.await.unwrap();
    let port = site.address().port();
    let urls: Vec<String> = (0..HOSTS)
        .map(|n| {
            format!(
                "http://127.{}.{}.{}:{port}/page/{n}",
                1 + n / 62_500,
                n / 250 % 250,
                1 + n % 250
            )
        })
        .collect();
    let server = Server::start();
    let body = json!({"urls": urls, "scrape": {"respect_robots": false, "cache": "bypass"}});
    let job = server.start_job("/v1/batch", &body).await;
    let ended = server.ended(&job).await;
    assert_eq!(ended["counts"]["success"], HOSTS, "{ended}");
    assert_eq!(pages(&server, &job).await.len(), HOSTS as usize);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_answers_429_is_slowed_and_holds_nobody_else_up() {
    let begun = Instant::now();
    let busy = TrapSite::of(move |request| {
        let number = request.path.strip_prefix("/page/")?.parse().ok()?;
        let header = [("Retry-After", "1"), ("Content-Type", "text/html")];
        Some(match begun.elapsed() < Duration::from_secs(6) {
            true => Answer::new(429, &header, "<p>Slower, please</p>"),
            false => page(number, &[]),
        })
    });
    let (busy, idle) = (busy.await.unwrap(), TrapSite::start().await.unwrap());
    let server = Server::start();
    let mut urls: Vec<String> = (0..20).map(|n| busy.url(&format!("/page/{n}"))).collect();
    urls.extend((0..60).map(|n| idle.url(&format!("/forest/60/{n}"))));
    let body = json!({"urls": urls, "scrape": {"respect_robots": false, "timeout_ms": 60_000}});
    let job = server.start_job("/v1/batch", &body).await;
    let ended = server.ended(&job).await;
    assert_eq!(ended["counts"]["success"], 80, "{ended}");
    let pages = pages(&server, &job).await;
    let is_idle = |page: &Value| page["url"].as_str().unwrap().contains("/forest/");
    assert!(
        pages[..60].iter().all(is_idle),
        "the other host did not wait"
    );
    assert!(
        busy.requests().len() < 120,
        "{} requests",
        busy.requests().len()
    );
}

/// A minute of 429 to pages that may take one, at a tenth of the size.
#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_answers_429_longer_than_its_pages_may_take_loses_none_of_them() {
    let begun = Instant::now();
    let busy = TrapSite::of(move |request| {
        let number = request.path.strip_prefix("/page/")?.parse().ok()?;
        let header = [("Retry-After", "2"), ("Content-Type", "text/html")];
        Some(match begun.elapsed() < Duration::from_secs(12) {
            true => Answer::new(429, &header, "<p>Slower, please</p>"),
            false => page(number, &[]),
        })
    });
    let busy = busy.await.unwrap();
    let server = Server::start();
    let urls: Vec<String> = (0..20).map(|n| busy.url(&format!("/page/{n}"))).collect();
    let body = json!({"urls": urls, "scrape": {"respect_robots": false, "timeout_ms": 4000}});
    let job = server.start_job("/v1/batch", &body).await;
    let ended = server.ended(&job).await;
    let counts = &ended["counts"];
    assert_eq!(
        (&ended["status"], &counts["done"]),
        (&json!("completed"), &json!(20))
    );
    assert!(counts["failed"].as_u64().unwrap() > 0, "{ended}");
    let codes = counts["by_code"].as_object().unwrap();
    let known = ["RATE_LIMITED", "BREAKER_OPEN", "TIMEOUT_TOTAL"];
    assert!(
        codes.keys().all(|code| known.contains(&code.as_str())),
        "{ended}"
    );
    assert_eq!(pages(&server, &job).await.len(), 20);
    // When it is over, a retry has the rest.
    let mut success = 0;
    for _ in 0..10 {
        tokio::time::sleep(Duration::from_secs(2)).await;
        server
            .post_to(&format!("/v1/jobs/{job}/retry"), &json!({}))
            .await;
        success = server.ended(&job).await["counts"]["success"]
            .as_u64()
            .unwrap();
        if success == 20 {
            break;
        }
    }
    assert_eq!((success, pages(&server, &job).await.len()), (20, 20));
}
