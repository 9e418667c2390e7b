//! Jobs from their making to their end, over a site on loopback.

use std::{sync::Arc, time::Duration};

use futures_util::StreamExt;
use serde_json::{Value, json};
use trawls_contract::{Job, JobPage, JobStatus, ListedUrl, Outcome};
use trawls_fetch::{FetchConfig, Fetcher};
use trawls_store::{PageFilter, Store};
use trawls_testkit::TrapSite;

use super::JobEvent;
use crate::{Engine, EngineConfig};

struct Scene {
    site: TrapSite,
    engine: Engine,
}

impl Scene {
    async fn new() -> Self {
        let fetcher = Fetcher::new(FetchConfig {
            allow_private_targets: true,
            proxies: Vec::new(),
            per_host: 16,
            global: 64,
            max_body_bytes: 1 << 20,
            browser: None,
        });
        let config = EngineConfig {
            version: "test".into(),
            result_ttl: Duration::from_secs(86_400),
            reading_threads: 2,
            max_body_bytes: 1 << 20,
            works: true,
            pages_per_job: 16,
            allows_private_targets: true,
            public_url: None,
        };
        let store = Store::open_in_memory().await.unwrap();
        Self {
            site: TrapSite::start().await.unwrap(),
            engine: Engine::new(Arc::new(fetcher.unwrap()), store, config),
        }
    }

    async fn crawl(&self, path: &str, mut body: Value) -> Job {
        body["url"] = self.site.url(path).into();
        if body["ignore_sitemap"].is_null() {
            body["ignore_sitemap"] = true.into();
        }
        let body = serde_json::from_value(body).unwrap();
        self.engine.start_crawl(body, None).await.unwrap()
    }

    async fn end_of(&self, job: Job) -> (Job, Vec<JobPage>) {
        let events = self.engine.job_events(&job.id, 0).await.unwrap().unwrap();
        let (mut pages, mut end) = (Vec::new(), None);
        let mut events = std::pin::pin!(events);
        while let Some(event) = events.next().await {
            assert!(end.is_none(), "something came after the end");
            match event {
                JobEvent::Page(page) => pages.push(page),
                JobEvent::Progress(_) => {}
                JobEvent::Done(id, job) => {
                    assert_eq!(id, pages.len() as u64 + 1);
                    end = Some(job);
                }
            }
        }
        let job = end.unwrap();
        check_counts(&job, &pages);
        (job, pages)
    }
}

/// Each count is the number of its pages, and every number is there once and in order.
fn check_counts(job: &Job, pages: &[JobPage]) {
    let of = |outcome| pages.iter().filter(|page| page.outcome == outcome).count() as u64;
    let counts = &job.counts;
    assert_eq!(counts.success, of(Outcome::Success));
    assert_eq!(counts.empty, of(Outcome::Empty));
    assert_eq!(counts.failed, of(Outcome::Failed));
    assert_eq!(counts.skipped, of(Outcome::Skipped));
    assert_eq!(
        (counts.done, counts.total),
        (pages.len() as u64, pages.len() as u64)
    );
    assert!(
        pages
            .iter()
            .map(|page| page.number)
            .eq(1..=pages.len() as u64)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_brings_every_page_once_with_depth_and_referrer() {
    let scene = Scene::new().await;
    let job = scene.crawl("/forest/60/0", json!({})).await;
    let (job, pages) = scene.end_of(job).await;
    assert_eq!((job.status, job.counts.success), (JobStatus::Completed, 60));
    let mut urls: Vec<_> = pages.iter().map(|page| page.url.clone()).collect();
    urls.sort_unstable();
    urls.dedup();
    assert_eq!(urls.len(), 60);
    let page = pages.iter().find(|page| page.url.ends_with("/7")).unwrap();
    assert_eq!(page.depth, 2);
    assert!(page.referrer.as_ref().unwrap().ends_with("/1"));
    let whole = scene.engine.page(&page.page_id).await.unwrap().unwrap();
    assert!(whole.markdown.as_ref().unwrap().contains("# Page 7"));
    assert_eq!((whole.depth, whole.links.as_ref()), (Some(2), None));
    for path in ["/forest/60/0", "/forest/60/59", "/robots.txt"] {
        assert_eq!(scene.site.hits(path), 1, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_begins_with_what_the_sitemap_lists_of_its_site() {
    let scene = Scene::new().await;
    let (start, listed) = (scene.site.url("/forest/3/0"), scene.site.url("/forest/1/0"));
    let job = scene
        .crawl("/forest/3/0", json!({"ignore_sitemap": false}))
        .await;
    let (job, pages) = scene.end_of(job).await;
    let page = pages.iter().find(|page| page.url == listed).unwrap();
    assert_eq!((page.depth, &page.referrer), (1, &None));
    assert_eq!(job.counts.cut["external"], 1);
    let job = scene
        .crawl("/forest/3/0", json!({"ignore_sitemap": true}))
        .await;
    let (_, pages) = scene.end_of(job).await;
    assert!(pages[0].url == start && pages.len() == 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn max_pages_is_a_hard_cap_and_max_depth_counts_links() {
    let scene = Scene::new().await;
    let job = scene.crawl("/forest/500/0", json!({"max_pages": 7})).await;
    let (job, _) = scene.end_of(job).await;
    assert_eq!((job.status, job.counts.done), (JobStatus::Completed, 7));
    let asked = scene.site.requests().len();
    assert_eq!(asked, 7 + 1, "robots.txt and seven pages");
    let job = scene.crawl("/forest/500/0", json!({"max_depth": 1})).await;
    let (_, pages) = scene.end_of(job).await;
    assert_eq!(pages.len(), 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_that_leaves_its_site_takes_no_secrets_along() {
    let scene = Scene::new().await;
    let other = TrapSite::start().await.unwrap();
    let body = json!({
        "allow_external_links": true,
        "scrape": {"headers": {"Authorization": "Bearer x", "X-Api-Key": "x"}, "cookies": {"s": "x"}},
    });
    // Cookies do not tell ports apart, but hosts.
    let abroad = other.url("/forest/1/0").replace("127.0.0.1", "localhost");
    let path = format!("/link-to?{abroad}");
    let job = scene.crawl(&path, body).await;
    scene.end_of(job).await;
    let start = &scene.site.requests()[1];
    assert!(start.headers.contains_key("x-api-key") && start.headers.contains_key("cookie"));
    let abroad = other.requests();
    assert!(abroad.iter().any(|request| request.path == "/forest/1/0"));
    for request in abroad {
        for secret in ["authorization", "x-api-key", "cookie"] {
            assert!(!request.headers.contains_key(secret), "{secret}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn user_and_password_of_the_start_go_to_each_page_of_its_server_and_are_never_shown() {
    let scene = Scene::new().await;
    let other = TrapSite::start().await.unwrap();
    let secret = |url: String| url.replace("http://", "http://us:secret@");
    let body = json!({"url": secret(scene.site.url("/forest/5/0")), "ignore_sitemap": true});
    let body = serde_json::from_value(body).unwrap();
    let crawl = scene.engine.start_crawl(body, None).await.unwrap();
    let urls = [secret(scene.site.url("/article")), other.url("/article")];
    let body = serde_json::from_value(json!({"urls": urls})).unwrap();
    let batch = scene.engine.start_batch(body, None).await.unwrap().job;
    for (job, done) in [(crawl, 5), (batch, 2)] {
        let (job, pages) = scene.end_of(job).await;
        assert_eq!(job.counts.success, done);
        assert!(!format!("{job:?}{pages:?}").contains("secret"));
        for page in pages {
            let page = scene.engine.page(&page.page_id).await.unwrap().unwrap();
            assert!(!format!("{page:?}").contains("secret"));
        }
    }
    for request in scene.site.requests() {
        let login = request.headers.get("authorization").map(String::as_str);
        let wanted = (request.path != "/robots.txt").then_some("Basic dXM6c2VjcmV0");
        assert_eq!(login, wanted, "{}", request.path);
    }
    let abroad = other.requests();
    assert!(
        abroad
            .iter()
            .all(|request| !request.headers.contains_key("authorization"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_keeps_its_delay_and_nobody_else_waits_for_it() {
    let scene = Scene::new().await;
    let job = scene.crawl("/forest/4/0", json!({"delay_ms": 250})).await;
    let (job, _) = scene.end_of(job).await;
    assert_eq!(job.counts.success, 4);
    assert!(job.worked_ms >= 750, "{} ms", job.worked_ms);

    let slow = scene.crawl(
        "/forest/4/0",
        json!({"delay_ms": 60_000, "scrape": {"cache": "bypass"}}),
    );
    let slow = slow.await;
    while scene.site.hits("/forest/4/0") < 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let options = serde_json::from_value(json!({"timeout_ms": 5000})).unwrap();
    let request = scene.engine.admit(&scene.site.url("/article"), options);
    let page = scene.engine.scrape(&request.unwrap()).await;
    assert_eq!(page.outcome, Outcome::Success, "{:?}", page.error);
    let slow = scene.engine.job(&slow.id).await.unwrap().unwrap();
    assert!(!slow.status.is_final() && slow.counts.done <= 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_of_nothing_but_copies_is_left_some_day() {
    let scene = Scene::new().await;
    let job = scene.crawl("/maze?a", json!({"max_pages": 2})).await;
    let (job, pages) = scene.end_of(job).await;
    assert_eq!((job.status, job.counts.success), (JobStatus::Completed, 1));
    assert!(pages.len() <= 120, "{} pages", pages.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_pages_are_listed_and_done_again_on_request() {
    let scene = Scene::new().await;
    let options = json!({"scrape": {"timeout_ms": 2000, "cache": "bypass"}});
    let job = scene.crawl("/thicket/12/0", options).await;
    let (job, pages) = scene.end_of(job).await;
    assert_eq!((job.counts.success, job.counts.failed), (10, 2));
    assert_eq!(job.counts.by_code["HTTP_SERVER_ERROR"], 2);
    assert!(pages.iter().any(|page| page.http_status == Some(500)));
    let (_, again) = scene.engine.retry_job(&job.id).await.unwrap().unwrap();
    assert_eq!(again, 2);
    let all = PageFilter::default();
    loop {
        let job = scene.engine.job(&job.id).await.unwrap().unwrap();
        if job.status.is_final() {
            assert_eq!((job.counts.done, job.counts.failed), (12, 2));
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let list = scene
        .engine
        .job_pages(&job.id, &all, 0, 100)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(list.items.len(), 12);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_job_keeps_its_pages_and_asks_for_no_more() {
    let scene = Scene::new().await;
    let job = scene
        .crawl("/forest/5000/0", json!({"max_pages": 5000}))
        .await;
    while scene.site.requests().len() < 20 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    scene.engine.cancel_job(&job.id).await.unwrap();
    let (job, pages) = scene.end_of(job).await;
    assert_eq!(job.status, JobStatus::Cancelled);
    assert!(pages.len() < 5000);
    let asked = scene.site.requests().len();
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(scene.site.requests().len(), asked);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_does_its_list_once_each_and_names_what_is_no_url() {
    let scene = Scene::new().await;
    let urls = [
        scene.site.url("/article"),
        "not a url".into(),
        scene.site.url("/forum"),
        scene.site.url("/article#part"),
        "file:///etc/passwd".into(),
    ];
    let body = serde_json::from_value(json!({"urls": urls})).unwrap();
    let batch = scene.engine.start_batch(body, None).await.unwrap();
    let places = |urls: &[ListedUrl]| urls.iter().map(|url| url.index).collect::<Vec<_>>();
    assert_eq!(places(&batch.invalid_urls), [1, 4]);
    assert_eq!(places(&batch.duplicate_urls), [3]);
    assert_eq!(batch.duplicate_urls[0].problem, "is the page of urls[0]");
    let (job, pages) = scene.end_of(batch.job).await;
    assert_eq!((job.counts.success, job.counts.failed), (2, 2));
    assert_eq!(job.counts.by_code["INVALID_URL"], 2);
    let bad = pages.iter().find(|page| page.url == "not a url").unwrap();
    assert_eq!(bad.code.as_deref(), Some("INVALID_URL"));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_order_brings_the_same_pages() {
    let scene = Scene::new().await;
    for order in [
        json!({"strategy": "dfs"}),
        json!({"strategy": "best_first", "search": "page 9"}),
    ] {
        let job = scene.crawl("/forest/40/0", order).await;
        let (job, _) = scene.end_of(job).await;
        assert_eq!(job.counts.done, 40);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_comes_back_misses_nothing_and_sees_nothing_twice() {
    let scene = Scene::new().await;
    let job = scene.crawl("/forest/50/0", json!({})).await;
    let mut seen = Vec::new();
    loop {
        let after = seen.last().copied().unwrap_or(0);
        let events = scene
            .engine
            .job_events(&job.id, after)
            .await
            .unwrap()
            .unwrap();
        let mut events = std::pin::pin!(events.take(9));
        let mut is_over = false;
        while let Some(event) = events.next().await {
            match event {
                JobEvent::Page(page) => seen.push(page.number),
                JobEvent::Progress(_) => {}
                JobEvent::Done(..) => is_over = true,
            }
        }
        if is_over {
            break;
        }
    }
    assert!(seen.into_iter().eq(1..=50));
}
