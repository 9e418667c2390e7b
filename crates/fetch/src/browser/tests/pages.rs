//! What is read of a page, and what the site sees of its reader.

use super::*;

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

/// Lets only those in who bring the cookie that its script sets.
fn challenge(request: &trawls_testkit::Request) -> Option<trawls_testkit::Answer> {
    const WAIT: &str = "<!doctype html><title>Just a moment...</title><script>\
        setTimeout(() => { document.cookie = 'cf_clearance=yes'; location.reload(); }, 1000);\
        </script>";
    let cookies = request.headers.get("cookie").map_or("", String::as_str);
    let is_asked = request.path == "/guarded" && !cookies.contains("cf_clearance=yes");
    let headers = [("cf-mitigated", "challenge"), ("content-type", "text/html")];
    is_asked.then(|| trawls_testkit::Answer::new(403, &headers, WAIT))
}

#[tokio::test]
async fn a_challenge_is_waited_out_once_and_its_clearance_is_shown_the_next_time() {
    let mut setting = setting!();
    setting.site = TrapSite::of(|request| {
        let page = || trawls_testkit::Answer::html("<title>In</title><p>Behind the gate.");
        challenge(request).or_else(|| (request.path == "/guarded").then(page))
    })
    .await
    .unwrap();
    let mut plan = setting.plan("/guarded");
    plan.trust.respect_robots = false;
    let page = setting.on(FetchMode::Stealth, &plan).await.unwrap();
    assert!(text(&page).contains("Behind the gate."), "{}", text(&page));
    assert_eq!((page.status, setting.site.hits("/guarded")), (200, 2));
    // The same URL again takes a context that has not been there.
    let page = setting.on(FetchMode::Stealth, &plan).await.unwrap();
    assert_eq!((page.status, setting.site.hits("/guarded")), (200, 3));
    // Whoever comes as somebody else is not let in by it.
    plan.identity.mobile = true;
    setting.on(FetchMode::Stealth, &plan).await.unwrap();
    assert_eq!(setting.site.hits("/guarded"), 5);
}
