//! The whole corridor against the trap site, on a database in memory. `now` is passed, never
//! waited for.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use trawls_contract::{ErrorCode, Outcome, PageResult, ScrapeRequest, Verdict};
use trawls_fetch::{FetchConfig, Fetcher};
use trawls_store::Store;
use trawls_testkit::TrapSite;

use crate::{Engine, EngineConfig};

struct Scene {
    site: TrapSite,
    engine: Engine,
    store: Store,
}

impl Scene {
    async fn new() -> Self {
        let config = FetchConfig {
            allow_private_targets: true,
            proxies: Vec::new(),
            per_host: 8,
            global: 8,
            max_body_bytes: 1 << 24,
            browser: None,
        };
        let store = Store::open_in_memory().await.unwrap();
        let engine = Engine::new(
            Arc::new(Fetcher::new(config).unwrap()),
            store.clone(),
            EngineConfig {
                version: "test".into(),
                result_ttl: Duration::from_secs(86_400),
                reading_threads: 2,
                max_body_bytes: 1 << 24,
                works: false,
                pages_per_job: 8,
                allows_private_targets: true,
                public_url: None,
            },
        );
        Self {
            site: TrapSite::start().await.unwrap(),
            engine,
            store,
        }
    }

    fn request(&self, path: &str, options: Value) -> ScrapeRequest {
        let options = serde_json::from_value(options).unwrap();
        self.engine.admit(&self.site.url(path), options).unwrap()
    }

    async fn scrape(&self, path: &str, options: Value, minute: i64) -> PageResult {
        let request = self.request(path, options);
        self.engine.scrape_at(&request, at(minute)).await
    }
}

fn at(minute: i64) -> Timestamp {
    Timestamp::from_second(1_790_000_000).unwrap() + SignedDuration::from_mins(minute)
}

fn code(page: &PageResult) -> Option<ErrorCode> {
    page.error.as_ref().map(|error| error.code)
}

#[tokio::test]
async fn a_page_is_read_kept_and_opened_again() {
    let scene = Scene::new().await;
    let page = scene.scrape("/article", json!({}), 0).await;
    assert_eq!((page.outcome, code(&page)), (Outcome::Success, None));
    assert!(page.markdown.as_ref().is_some_and(|text| text.len() > 100));
    assert_eq!((page.http_status, page.from_cache), (Some(200), false));
    assert_eq!(page.trace.len(), 1);
    assert!(page.html.is_none() && page.links.is_none() && page.metadata.is_some());
    let again = scene.engine.page(&page.id).await.unwrap().unwrap();
    assert_eq!(*again, page);
    let body = scene.store.body(&page.id).await.unwrap().unwrap();
    assert!(body.bytes.starts_with(b"<"));
    assert_eq!(scene.engine.system().await.pages_stored, 1);
}

#[tokio::test]
async fn a_redirect_that_leads_nowhere_is_no_page() {
    let scene = Scene::new().await;
    let page = scene.scrape("/redirect-to-nowhere", json!({}), 0).await;
    assert_eq!(page.outcome, Outcome::Failed);
    assert_eq!(code(&page), Some(ErrorCode::HttpClientError));
    assert_eq!((page.http_status, page.trace.len()), (Some(302), 1));
}

#[tokio::test]
async fn only_the_formats_that_were_asked_for_appear() {
    let scene = Scene::new().await;
    let options = json!({"formats": ["links", "metadata", "json", "raw_html"]});
    let page = scene.scrape("/product", options, 0).await;
    assert!(page.markdown.is_none() && page.html.is_none() && page.tables.is_none());
    assert!(page.links.is_some() && page.metadata.is_some());
    assert!(page.json_data.is_some() && page.raw_html.is_some());
}

#[tokio::test]
async fn a_young_page_comes_from_the_cache_and_an_old_one_does_not() {
    let scene = Scene::new().await;
    let first = scene.scrape("/article", json!({}), 0).await;
    let hit = scene
        .scrape("/article?utm_source=x#top", json!({}), 1)
        .await;
    assert!(hit.from_cache);
    assert_eq!((&hit.id, &hit.markdown), (&first.id, &first.markdown));
    assert_eq!(scene.site.hits("/article"), 1);
    let late = scene.scrape("/article", json!({"max_age_s": 60}), 5).await;
    assert!(!late.from_cache);
    for cache in ["bypass", "refresh"] {
        assert!(
            !scene
                .scrape("/article", json!({"cache": cache}), 5)
                .await
                .from_cache
        );
    }
    assert_eq!(scene.site.hits("/article"), 4);
    assert!(
        !scene
            .scrape("/article", json!({"formats": ["html"]}), 5)
            .await
            .from_cache
    );
}

#[tokio::test]
async fn bypass_does_not_fill_the_cache() {
    let scene = Scene::new().await;
    scene
        .scrape("/article", json!({"cache": "bypass"}), 0)
        .await;
    assert!(!scene.scrape("/article", json!({}), 0).await.from_cache);
}

#[tokio::test]
async fn a_stale_page_that_has_not_changed_is_revalidated() {
    let scene = Scene::new().await;
    let first = scene.scrape("/cached", json!({}), 0).await;
    let aged = json!({"max_age_s": 60});
    let second = scene.scrape("/cached", aged.clone(), 10).await;
    assert!(second.from_cache);
    assert_eq!((&second.id, &second.markdown), (&first.id, &first.markdown));
    assert_eq!(second.trace[0].verdict, Verdict::NotModified);
    assert_eq!(scene.site.hits("/cached"), 2);
    // Confirmed at minute 10: young again.
    assert!(scene.scrape("/cached", aged, 10).await.from_cache);
    assert_eq!(scene.site.hits("/cached"), 2);
}

#[tokio::test]
async fn equal_requests_at_once_fetch_once() {
    let scene = Scene::new().await;
    let request = scene.request("/article", json!({}));
    let now = at(0);
    let (a, b, c) = tokio::join!(
        scene.engine.scrape_at(&request, now),
        scene.engine.scrape_at(&request, now),
        scene.engine.scrape_at(&request, now),
    );
    assert_eq!(scene.site.hits("/article"), 1);
    assert!(a.id == b.id && b.id == c.id);
}

#[tokio::test]
async fn what_is_no_page_is_no_success() {
    let scene = Scene::new().await;
    for (path, outcome, expected) in [
        ("/missing", Outcome::Failed, ErrorCode::NotFound),
        ("/soft-404", Outcome::Failed, ErrorCode::NotFound),
        ("/challenge", Outcome::Failed, ErrorCode::Blocked),
        ("/challenge-200", Outcome::Failed, ErrorCode::Blocked),
        ("/empty", Outcome::Empty, ErrorCode::EmptyContent),
        ("/shell", Outcome::Empty, ErrorCode::EmptyContent),
        ("/private/page", Outcome::Skipped, ErrorCode::RobotsDenied),
        ("/loop", Outcome::Failed, ErrorCode::TooManyRedirects),
        ("/binary", Outcome::Failed, ErrorCode::UnsupportedContent),
    ] {
        let page = scene.scrape(path, json!({}), 0).await;
        assert_eq!(
            (page.outcome, code(&page)),
            (outcome, Some(expected)),
            "{path}: {page:?}"
        );
        if expected == ErrorCode::Blocked {
            let details = page.error.unwrap().details.unwrap();
            assert!(details["vendor"].is_string() && page.markdown.is_none());
        }
        assert!(!scene.scrape(path, json!({}), 0).await.from_cache, "{path}");
    }
    let article = scene.scrape("/captcha-article", json!({}), 0).await;
    assert!(article.outcome.is_success(), "{article:?}");
}

#[tokio::test]
async fn a_cut_body_is_a_partial_page_and_is_not_cached() {
    let scene = Scene::new().await;
    let page = scene.scrape("/cut", json!({}), 0).await;
    if page.outcome.is_success() {
        assert!(
            page.warnings.iter().any(|w| w.contains("partial")),
            "{page:?}"
        );
    }
    assert!(!scene.scrape("/cut", json!({}), 0).await.from_cache);
}

#[tokio::test]
async fn a_page_that_cannot_be_kept_is_answered_with_a_warning() {
    let scene = Scene::new().await;
    scene.store.close().await;
    let page = scene.scrape("/article", json!({}), 0).await;
    assert!(page.outcome.is_success() && page.markdown.is_some());
    assert!(
        page.warnings.iter().any(|w| w.contains("not kept")),
        "{page:?}"
    );
    assert!(!scene.engine.ready().await.ready);
    assert!(scene.engine.page(&page.id).await.is_err());
}

#[tokio::test]
async fn a_document_on_disk_gives_the_same_result_without_network() {
    let scene = Scene::new().await;
    let request = scene.request("/never-asked", json!({}));
    let html = Bytes::from_static(b"<title>Tides</title><p>High water is at nine in the morning.");
    let page = scene
        .engine
        .read(html, Some("text/html".into()), &request)
        .await;
    assert!(page.outcome.is_success(), "{page:?}");
    assert!(
        page.markdown
            .is_some_and(|text| text.contains("High water"))
    );
    assert!(page.trace.is_empty() && page.http_status.is_none());
    assert_eq!(scene.site.requests().len(), 0);
    assert!(scene.engine.page(&page.id).await.unwrap().is_none());
}
