//! The rungs with the real Chromium against the trap site. Where there is none, the tests say so,
//! and fail in CI.

use std::{path::PathBuf, sync::Arc, time::Duration};

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use trawls_contract::{Action, ErrorCode, WaitFor};
use trawls_testkit::TrapSite;

use super::*;
use crate::{BrowserSource, Frame, Limits, SystemResolver, Yield};

/// Goes everywhere.
struct Anywhere;

impl Hops for Anywhere {
    async fn admit(&self, _next: &Url) -> Result<(), FetchError> {
        Ok(())
    }
}

struct Setting {
    site: TrapSite,
    browser: BrowserFetch,
    profiles: tempfile::TempDir,
}

fn chromium() -> Option<PathBuf> {
    let found = std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join("chromium"))
        .find(|path| path.is_file());
    assert!(
        found.is_some() || std::env::var_os("CI").is_none(),
        "CI has no Chromium"
    );
    if found.is_none() {
        eprintln!("SKIPPED: no Chromium on this machine");
    }
    found
}

async fn setting_with(allow_private: bool) -> Option<Setting> {
    let binary = chromium()?;
    let profiles = tempfile::tempdir().unwrap();
    let config = BrowserConfig {
        source: BrowserSource::Local(binary),
        pool_size: 2,
        profiles: profiles.path().to_owned(),
    };
    let door = Arc::new(Door::new(Arc::new(SystemResolver), allow_private));
    Some(Setting {
        site: TrapSite::start().await.unwrap(),
        browser: BrowserFetch::new(door, config, &[]),
        profiles,
    })
}

async fn setting() -> Option<Setting> {
    setting_with(true).await
}

impl Setting {
    fn plan(&self, path: &str) -> FetchPlan {
        let url = Url::parse(&self.site.url(path)).unwrap();
        FetchPlan::to(url, Limits::within(Duration::from_secs(30), 10 << 20))
    }

    async fn get(&self, path: &str) -> Result<Exchange, FetchError> {
        self.run(&self.plan(path)).await
    }

    async fn run(&self, plan: &FetchPlan) -> Result<Exchange, FetchError> {
        self.on(FetchMode::Browser, plan).await
    }

    async fn on(&self, rung: FetchMode, plan: &FetchPlan) -> Result<Exchange, FetchError> {
        let deadline = Instant::now() + plan.limits.total;
        self.browser.exchange(rung, plan, &Anywhere, deadline).await
    }

    async fn text(&self, path: &str) -> String {
        text(&self.get(path).await.unwrap())
    }
}

fn text(exchange: &Exchange) -> String {
    String::from_utf8_lossy(&exchange.body).into_owned()
}

macro_rules! setting {
    () => {
        match setting().await {
            Some(setting) => setting,
            None => return,
        }
    };
}

#[tokio::test]
async fn a_page_is_read_as_its_visitor_sees_it() {
    let setting = setting!();
    for (path, expected) in [
        ("/article", "How the old harbour got its light"),
        ("/app", "Copper Quay"),
        ("/app-timer", "At 11 o'clock the gauge"),
        ("/framed", "What it burned"),
        ("/framed-elsewhere", "What it burned"),
        ("/shadow", "Two shadows deep lies the anchor."),
        ("/consent", "<h1>"),
        ("/popups", "Fifty windows want to open"),
        ("/alerts", "All 40 questions were answered"),
    ] {
        let page = setting
            .get(path)
            .await
            .unwrap_or_else(|error| panic!("{path}: {error}"));
        assert_eq!(page.status, 200, "{path}");
        assert!(text(&page).contains(expected), "{path}: {}", text(&page));
    }
}

#[tokio::test]
async fn a_page_that_leads_on_is_followed_and_its_way_is_kept() {
    let setting = setting!();
    for path in ["/away", "/refresh-by-script", "/moved"] {
        let page = setting
            .get(path)
            .await
            .unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(text(&page).contains("What it burned"), "{path}");
        assert_eq!(page.final_url.path(), "/article", "{path}");
        assert_eq!(page.redirects.len(), 1, "{path}: {:?}", page.redirects);
    }
}

#[tokio::test]
async fn lists_are_scrolled_to_their_end() {
    let setting = setting!();
    for (path, last) in [
        ("/lazy-list", "Boat number 500 of"),
        ("/virtual-list", "Entry 500:"),
    ] {
        let mut plan = setting.plan(path);
        plan.browser.scroll = true;
        let page = text(&setting.run(&plan).await.unwrap());
        assert!(page.contains(last), "{path}");
        let first = last.replace("500", "1");
        assert_eq!(page.matches(&first).count(), 1, "{path}");
        assert!(page.contains(&last.replace("500", "250")), "{path}");
    }
}

#[tokio::test]
async fn what_comes_late_is_waited_for() {
    let setting = setting!();
    let mut plan = setting.plan("/app-late");
    plan.browser.wait_for = Some(WaitFor::Selector("#late".into()));
    assert!(text(&setting.run(&plan).await.unwrap()).contains("id=\"late\""));
    plan.browser.wait_for = Some(WaitFor::Selector("#never".into()));
    plan.limits = Limits::within(Duration::from_secs(6), 1 << 20);
    let page = setting.run(&plan).await.unwrap();
    assert!(
        page.warnings[0].starts_with("WAIT_FOR_TIMEOUT"),
        "{:?}",
        page.warnings
    );
}

fn actions(list: serde_json::Value) -> Vec<Action> {
    serde_json::from_value(list).unwrap()
}

#[tokio::test]
async fn actions_are_done_as_a_hand_would_do_them() {
    let setting = setting!();
    let mut plan = setting.plan("/behind-click");
    plan.browser.actions = actions(json!([
        { "type": "click", "selector": "#more" },
        { "type": "type", "selector": "#search", "text": "eel 7" },
        { "type": "press", "key": "Enter" },
        { "type": "wait", "wait_for": 100 },
        { "type": "scroll", "pixels": 100 },
        { "type": "evaluate", "script": "({ title: document.title, two: 1 + 1 })" },
        { "type": "evaluate", "script": "return document.title.length" },
        { "type": "screenshot" },
        { "type": "scrape" },
    ]));
    let page = setting.run(&plan).await.unwrap();
    let html = text(&page);
    assert!(html.contains("A hand pulled the drawer."), "{html}");
    assert!(html.contains("Looked for eel 7"), "{html}");
    let done = page.rendered.unwrap().actions;
    assert_eq!(done.len(), 9);
    assert!(matches!(&done[5].yielded, Yield::Value(value)
        if *value == json!({ "title": "Chart room", "two": 2 })));
    assert!(matches!(&done[6].yielded, Yield::Value(value) if *value == json!(10)));
    assert!(matches!(&done[7].yielded, Yield::Screenshot(png) if png.starts_with(b"\x89PNG")));
    assert!(matches!(&done[8].yielded, Yield::Html(html) if html.contains("Chart 12")));
}

#[tokio::test]
async fn an_action_that_fails_is_named() {
    let setting = setting!();
    for (action, why) in [
        (
            json!({ "type": "click", "selector": "#nothing" }),
            "nothing matches #nothing",
        ),
        (
            json!({ "type": "evaluate", "script": "throw new Error('no tide')" }),
            "no tide",
        ),
        (
            json!({ "type": "evaluate", "script": "'x'.repeat(2e6)" }),
            "larger than",
        ),
        (json!({ "type": "press", "key": "Anykey" }), "no key"),
    ] {
        let mut plan = setting.plan("/behind-click");
        plan.browser.actions = actions(json!([{ "type": "scrape" }, action]));
        let error = setting.run(&plan).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::ActionFailed);
        let said = error.to_string();
        assert!(
            said.starts_with("actions[1]") && said.contains(why),
            "{said}"
        );
    }
}

#[tokio::test]
async fn a_login_lasts_for_its_own_visit_and_no_longer() {
    let setting = setting!();
    let mut plan = setting.plan("/login");
    plan.browser.actions = actions(json!([
        { "type": "type", "selector": "#name", "text": "ada" },
        { "type": "type", "selector": "#word", "text": "tide" },
        { "type": "click", "selector": "#enter" },
        { "type": "wait", "wait_for": "h1" },
    ]));
    let page = setting.run(&plan).await.unwrap();
    assert_eq!(page.final_url.path(), "/members", "{}", text(&page));
    let stranger = setting.get("/members").await.unwrap();
    assert_ne!(stranger.final_url.path(), "/members", "{}", stranger.status);
}

#[tokio::test]
async fn pictures_and_prints_show_the_whole_page() {
    let setting = setting!();
    let mut plan = setting.plan("/tall");
    plan.browser.screenshot = Some(Frame::FullPage);
    plan.browser.pdf = true;
    let rendered = setting.run(&plan).await.unwrap().rendered.unwrap();
    let png = rendered.screenshot.unwrap();
    let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    assert!(
        side(20) > 16_000 && side(20) <= 16_384,
        "{}x{}",
        side(16),
        side(20)
    );
    assert!(rendered.pdf.unwrap().starts_with(b"%PDF"));
    plan.browser.screenshot = Some(Frame::Viewport);
    let rendered = setting.run(&plan).await.unwrap().rendered.unwrap();
    assert!(rendered.screenshot.unwrap().len() < png.len());
    if let Some(folder) = std::env::var_os("SHOTS") {
        std::fs::write(PathBuf::from(folder).join("tall.png"), &png).unwrap();
    }
}

#[tokio::test]
async fn what_is_no_page_comes_as_it_is_and_is_left_nowhere() {
    let setting = setting!();
    for (path, kind, begin) in [
        ("/download.csv", "text/csv", "year,fee"),
        ("/download.pdf", "application/pdf", "%PDF"),
        ("/app.json", "application/json", "{"),
    ] {
        let file = setting
            .get(path)
            .await
            .unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(
            file.headers["content-type"]
                .to_str()
                .unwrap()
                .starts_with(kind)
        );
        assert!(text(&file).starts_with(begin), "{path}: {}", text(&file));
        assert!(file.rendered.is_none());
    }
}

/// One public name; the operator's proxy leads to the trap site whatever it is asked for.
struct PublicName;

impl crate::Resolve for PublicName {
    fn resolve<'a>(
        &'a self,
        host: &'a str,
    ) -> futures_util::future::BoxFuture<'a, std::io::Result<Vec<std::net::IpAddr>>> {
        let address = match host {
            "spy.example" => [8, 8, 8, 8],
            _ => [127, 0, 0, 1],
        };
        Box::pin(async move { Ok(vec![address.into()]) })
    }
}

/// An HTTP proxy that connects every caller to `target`.
async fn proxy_to(target: String) -> Url {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut caller, _) = listener.accept().await.unwrap();
            let target = target.clone();
            tokio::spawn(async move {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(caller.read_u8().await.unwrap());
                }
                caller.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
                #[allow(clippy::disallowed_methods)]
                let mut site = tokio::net::TcpStream::connect(target).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut caller, &mut site).await;
            });
        }
    });
    Url::parse(&format!("http://{address}")).unwrap()
}

#[tokio::test]
async fn no_way_out_of_the_browser_leads_past_the_door() {
    let Some(binary) = chromium() else { return };
    let site = TrapSite::start().await.unwrap();
    let target = site.url("").replace("http://", "");
    let proxy = proxy_to(target).await;
    let profiles = tempfile::tempdir().unwrap();
    let config = BrowserConfig {
        source: BrowserSource::Local(binary),
        pool_size: 2,
        profiles: profiles.path().to_owned(),
    };
    let door = Arc::new(Door::new(Arc::new(PublicName), false));
    let browser = BrowserFetch::new(door, config, std::slice::from_ref(&proxy));
    let private = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = private.local_addr().unwrap().port();
    for host in ["127.0.0.1", "localhost", "inside.example"] {
        let url = format!("http://spy.example/spy?{host}:{port}");
        let limits = Limits::within(Duration::from_secs(30), 10 << 20);
        let mut plan = FetchPlan::to(Url::parse(&url).unwrap(), limits);
        plan.proxy = Some(proxy.clone());
        // Frames, workers and pictures are to try as well.
        plan.browser.screenshot = Some(Frame::Viewport);
        plan.browser.wait_for = Some(WaitFor::Milliseconds(1000));
        let deadline = Instant::now() + plan.limits.total;
        for rung in [FetchMode::Browser, FetchMode::Stealth] {
            let page = browser
                .exchange(rung, &plan, &Anywhere, deadline)
                .await
                .unwrap();
            let html = text(&page);
            assert!(html.contains("worker: failed"), "{html}");
            assert!(html.contains("websocket: failed"), "{html}");
            let told = page
                .warnings
                .iter()
                .any(|warning| warning.contains("not public") && warning.contains(host));
            assert!(told, "{:?}", page.warnings);
        }
    }
    let reached = tokio::time::timeout(Duration::from_millis(100), private.accept()).await;
    assert!(reached.is_err(), "the private port was reached");
}

#[tokio::test]
async fn a_private_page_is_refused_and_nothing_is_asked() {
    let Some(setting) = setting_with(false).await else {
        return;
    };
    let error = setting.get("/article").await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::SsrfBlocked);
    assert!(setting.site.requests().is_empty());
}

#[tokio::test]
async fn scripts_without_end_are_stopped_and_the_page_is_read() {
    let setting = setting!();
    let page = setting.get("/spin-later").await.unwrap();
    assert!(text(&page).contains("The wheel turns."));
    assert!(
        page.warnings
            .iter()
            .any(|warning| warning.contains("without end")),
        "{:?}",
        page.warnings
    );
    let mut plan = setting.plan("/spin");
    plan.limits = Limits::within(Duration::from_secs(8), 1 << 20);
    let error = setting.run(&plan).await;
    assert!(
        matches!(error, Err(FetchError::TimeoutRender(_))),
        "{error:?}"
    );
    // And it hurts nobody else.
    assert!(setting.text("/article").await.contains("What it burned"));
}

#[tokio::test]
async fn a_page_without_end_is_cut_off() {
    let setting = setting!();
    let mut plan = setting.plan("/endless");
    plan.limits = Limits::within(Duration::from_secs(60), 1 << 20);
    let error = setting.run(&plan).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::TooLarge, "{error}");
}

#[tokio::test]
async fn a_page_that_crashes_its_renderer_is_a_typed_error_and_the_next_one_is_fine() {
    let setting = setting!();
    for path in ["/crash", "/hungry"] {
        let begun = Instant::now();
        let error = setting.get(path).await.map(|page| text(&page)).unwrap_err();
        assert_eq!(
            error.code(),
            ErrorCode::BrowserCrashed,
            "{path}: {error} {:?}",
            begun.elapsed()
        );
        assert!(setting.text("/article").await.contains("What it burned"));
    }
}

#[tokio::test]
async fn a_killed_browser_fails_its_page_at_once_and_is_replaced() {
    let setting = setting!();
    setting.text("/article").await;
    let pid = setting.browser.pool.pid().await.unwrap();
    let plan = setting.plan("/spin");
    let killing = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let pid = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        Instant::now()
    };
    let (ended, killed) = tokio::join!(
        async { (setting.run(&plan).await, Instant::now()) },
        killing
    );
    assert_eq!(ended.0.unwrap_err().code(), ErrorCode::BrowserCrashed);
    assert!(ended.1 - killed < Duration::from_secs(1));
    assert!(setting.text("/article").await.contains("What it burned"));
    assert_eq!(setting.browser.figures().crashes, 1);
    setting.browser.close().await;
    let left: Vec<_> = std::fs::read_dir(setting.profiles.path())
        .unwrap()
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test]
async fn a_service_worker_never_answers_for_its_site() {
    let setting = setting!();
    setting.text("/service-worker").await;
    let page = setting.text("/article").await;
    assert!(page.contains("What it burned"), "{page}");
}

#[tokio::test]
async fn errors_of_the_server_and_of_the_way_are_told_apart() {
    let setting = setting!();
    assert_eq!(setting.get("/no-such-page").await.unwrap().status, 404);
    let mut plan = setting.plan("/");
    plan.url = Url::parse("http://127.0.0.1:1/").unwrap();
    let error = setting.run(&plan).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::ConnectFailed, "{error}");
    plan.url = Url::parse("http://no-such-name.invalid/").unwrap();
    let error = setting.run(&plan).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::DnsFailure, "{error}");
}

#[tokio::test]
async fn the_caller_and_the_rung_are_seen_by_the_site() {
    let setting = setting!();
    let mut plan = setting.plan("/echo");
    plan.identity.languages = vec!["de-DE".into(), "fr".into()];
    plan.identity.cookies = vec![("tide".into(), "high".into())];
    plan.identity
        .headers
        .insert("x-harbour", http::HeaderValue::from_static("old"));
    plan.identity.timezone = Some("Asia/Tokyo".into());
    for rung in [FetchMode::Browser, FetchMode::Stealth] {
        let page = setting.on(rung, &plan).await.unwrap();
        let page = text(&page);
        for expected in ["x-harbour: old", "tide=high", "de-DE", "Asia/Tokyo"] {
            assert!(page.contains(expected), "{rung:?} {expected}: {page}");
        }
        assert!(!page.contains("Headless"), "{page}");
    }
}
