//! The story of one fetch over a scripted rung, in paused time.

mod combinations;

use std::{collections::VecDeque, sync::Mutex};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use trawls_contract::{ErrorCode, Mode};
use url::Url;

use super::*;
use crate::{Limits, rung::Hops};

type Reply = Result<Exchange, FetchError>;

/// Answers robots.txt always alike and everything else from a script, whose last line repeats.
struct Script {
    robots: Reply,
    pages: Mutex<VecDeque<Reply>>,
    asked: Mutex<Vec<(String, Option<String>)>>,
    takes: Duration,
    highest: FetchMode,
    climbed: Mutex<Vec<FetchMode>>,
    /// Where each page first redirects to.
    leads_to: Option<&'static str>,
}

impl Rungs for &Script {
    fn has(&self, rung: FetchMode) -> bool {
        rung <= self.highest
    }

    async fn exchange(
        &self,
        rung: FetchMode,
        plan: &FetchPlan,
        hops: &impl Hops,
        deadline: Instant,
    ) -> Reply {
        self.climbed.lock().unwrap().push(rung);
        let reply = self.prefix(plan, deadline).await;
        if let Some(next) = self.leads_to {
            hops.admit(&Url::parse(next).unwrap()).await?;
        }
        reply
    }

    async fn prefix(&self, plan: &FetchPlan, deadline: Instant) -> Reply {
        let proxy = plan.proxy.as_ref().map(Url::to_string);
        self.asked
            .lock()
            .unwrap()
            .push((plan.url.path().to_owned(), proxy));
        let end = Instant::now() + self.takes;
        tokio::time::sleep_until(end.min(deadline)).await;
        if end > deadline {
            return Err(FetchError::TimeoutTtfb(plan.limits.ttfb));
        }
        if plan.url.path() == "/robots.txt" {
            return self.robots.clone();
        }
        let mut pages = self.pages.lock().unwrap();
        match pages.len() {
            1 => pages[0].clone(),
            _ => pages.pop_front().unwrap(),
        }
    }
}

impl Script {
    fn of(pages: impl IntoIterator<Item = Reply>) -> Self {
        Self {
            robots: status(404),
            pages: Mutex::new(pages.into_iter().collect()),
            asked: Mutex::default(),
            takes: Duration::from_millis(10),
            highest: FetchMode::Http,
            climbed: Mutex::default(),
            leads_to: None,
        }
    }

    fn paths(&self) -> Vec<String> {
        self.asked
            .lock()
            .unwrap()
            .iter()
            .map(|(path, _)| path.clone())
            .collect()
    }
}

fn response(status: u16, headers: &[(&'static str, &'static str)], body: &str) -> Reply {
    let headers = headers.iter().map(|(name, value)| {
        (
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        )
    });
    Ok(Exchange {
        final_url: Url::parse("http://a.example/page").unwrap(),
        status,
        headers: HeaderMap::from_iter(headers),
        body: Bytes::copy_from_slice(body.as_bytes()),
        truncated: None,
        redirects: Vec::new(),
        ttfb: Duration::ZERO,
        elapsed: Duration::ZERO,
        warnings: Vec::new(),
        rendered: None,
    })
}

fn status(status: u16) -> Reply {
    response(status, &[("content-type", "text/plain")], "a body")
}

fn html(body: &str) -> Reply {
    response(200, &[("content-type", "text/html")], body)
}

fn robots(rules: &str) -> Reply {
    response(200, &[("content-type", "text/plain")], rules)
}

fn refused() -> Reply {
    Err(FetchError::Connect("refused".into()))
}

fn config() -> FetchConfig {
    FetchConfig {
        allow_private_targets: false,
        proxies: Vec::new(),
        per_host: 4,
        global: 8,
        max_body_bytes: 1000,
        browser: None,
    }
}

fn plan(mode: Mode) -> FetchPlan {
    let url = Url::parse("http://a.example/page").unwrap();
    FetchPlan {
        mode,
        ..FetchPlan::to(url, Limits::within(Duration::from_secs(30), 1000))
    }
}

/// Mode, verdict and code of each row of the trace.
fn trace(report: &FetchReport) -> Vec<(FetchMode, Verdict, Option<ErrorCode>)> {
    report
        .attempts
        .iter()
        .map(|row| (row.mode, row.verdict, row.error))
        .collect()
}

fn code(report: &FetchReport) -> Option<ErrorCode> {
    report.result.as_ref().err().map(FetchError::code)
}

async fn fetch(script: &Script, plan: &FetchPlan) -> FetchReport {
    Climb::new(script, &config()).fetch(plan).await
}

#[tokio::test(start_paused = true)]
async fn a_good_page_is_one_try() {
    let script = Script::of([status(200)]);
    let report = fetch(&script, &plan(Mode::Auto)).await;
    assert_eq!(trace(&report), [(FetchMode::Http, Verdict::Usable, None)]);
    assert_eq!(report.result.unwrap().status, 200);
    assert_eq!(script.paths(), ["/robots.txt", "/page"]);
}

#[tokio::test(start_paused = true)]
async fn a_thin_page_is_kept_when_there_is_no_browser() {
    let script = Script::of([html("<div id=root></div><script></script>")]);
    let report = fetch(&script, &plan(Mode::Auto)).await;
    let missed = Some(ErrorCode::BrowserUnavailable);
    assert_eq!(
        trace(&report),
        [
            (FetchMode::Http, Verdict::Thin, None),
            (FetchMode::Browser, Verdict::Unavailable, missed),
        ]
    );
    assert_eq!(report.result.unwrap().verdict, Verdict::Thin);
    assert_eq!(
        report.warnings,
        ["the page may need a browser, and none is available"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_thin_page_is_kept_when_the_browser_is_refused() {
    let shell = html("<div id=root></div><script></script>");
    for refusal in [
        status(404),
        response(403, &[("cf-mitigated", "challenge")], "wait"),
    ] {
        let mut script = Script::of([shell.clone(), refusal]);
        script.highest = FetchMode::Stealth;
        let report = fetch(&script, &plan(Mode::Auto)).await;
        let fetched = report.result.unwrap();
        assert_eq!(
            (fetched.mode, fetched.verdict),
            (FetchMode::Http, Verdict::Thin)
        );
        assert!(report.attempts.len() >= 2);
    }
}

#[tokio::test(start_paused = true)]
async fn mode_http_never_climbs() {
    let script = Script::of([html("<div id=root></div><script></script>")]);
    let report = fetch(&script, &plan(Mode::Http)).await;
    assert_eq!(report.attempts.len(), 1);
    assert!(report.warnings.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_forced_browser_that_is_missing_is_an_error_and_nothing_is_asked() {
    for mode in [Mode::Browser, Mode::Stealth] {
        let script = Script::of([status(200)]);
        let report = fetch(&script, &plan(mode)).await;
        assert_eq!(code(&report), Some(ErrorCode::BrowserUnavailable));
        assert_eq!(report.attempts.len(), 1);
        assert!(script.paths().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_challenge_climbs_to_stealth_at_once_and_stays_readable() {
    let script = Script::of([response(503, &[("cf-mitigated", "challenge")], "wait")]);
    let report = fetch(&script, &plan(Mode::Auto)).await;
    let rungs: Vec<_> = report.attempts.iter().map(|row| row.mode).collect();
    assert_eq!(rungs, [FetchMode::Http, FetchMode::Stealth]);
    assert_eq!(report.attempts[0].error, Some(ErrorCode::Blocked));
    let fetched = report.result.unwrap();
    assert_eq!((fetched.verdict, fetched.status), (Verdict::Blocked, 503));
    assert!(fetched.why.contains("Cloudflare"));
}

#[tokio::test(start_paused = true)]
async fn a_failing_server_is_tried_four_times_with_growing_waits() {
    let script = Script::of([status(500)]);
    let start = Instant::now();
    let report = fetch(&script, &plan(Mode::Http)).await;
    assert_eq!(report.attempts.len(), 4);
    assert!(
        (7000..8600).contains(&start.elapsed().as_millis()),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(report.result.unwrap().verdict, Verdict::ServerError);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_recovers_gives_its_page() {
    let script = Script::of([status(502), refused(), status(200)]);
    let report = fetch(&script, &plan(Mode::Auto)).await;
    let verdicts: Vec<_> = report.attempts.iter().map(|row| row.verdict).collect();
    assert_eq!(
        verdicts,
        [Verdict::ServerError, Verdict::Failed, Verdict::Usable]
    );
    assert_eq!(report.result.unwrap().status, 200);
}

#[tokio::test(start_paused = true)]
async fn no_retry_reaches_beyond_the_deadline() {
    let script = Script::of([refused()]);
    let mut plan = plan(Mode::Auto);
    plan.limits = Limits::within(Duration::from_millis(2500), 1000);
    let start = Instant::now();
    let report = fetch(&script, &plan).await;
    assert_eq!(code(&report), Some(ErrorCode::ConnectFailed));
    assert!(start.elapsed() <= Duration::from_millis(2500));
    assert_eq!(report.attempts.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_waited_for_and_costs_no_try() {
    let limited = || response(429, &[("retry-after", "3")], "slow down");
    let pages = (0..5).map(|_| limited()).chain([status(200)]);
    let script = Script::of(pages);
    let start = Instant::now();
    let report = fetch(&script, &plan(Mode::Auto)).await;
    assert_eq!(report.attempts.len(), 6);
    assert_eq!(start.elapsed().as_secs(), 15);
    assert_eq!(report.result.unwrap().status, 200);
}

#[tokio::test(start_paused = true)]
async fn a_retry_after_beyond_the_deadline_is_not_waited_for() {
    let script = Script::of([response(429, &[("retry-after", "3600")], "tomorrow")]);
    let start = Instant::now();
    let report = fetch(&script, &plan(Mode::Http)).await;
    assert!(start.elapsed() < Duration::from_secs(1));
    assert_eq!(report.result.unwrap().verdict, Verdict::RateLimited);
}

#[tokio::test(start_paused = true)]
async fn a_retry_after_slows_the_host_down_for_others_but_does_not_close_it() {
    let script = Script::of([
        response(429, &[("retry-after", "3600")], "tomorrow"),
        status(200),
    ]);
    let climb = Climb::new(&script, &config());
    climb.fetch(&plan(Mode::Http)).await;
    let start = Instant::now();
    let report = climb.fetch(&plan(Mode::Http)).await;
    assert_eq!(report.result.unwrap().status, 200);
    assert_eq!(start.elapsed().as_secs(), MAX_REST.as_secs());
}

#[tokio::test(start_paused = true)]
async fn robots_txt_forbids_the_page_before_it_is_asked_for() {
    let mut script = Script::of([status(200)]);
    script.robots = robots("User-agent: *\nDisallow: /page");
    let report = fetch(&script, &plan(Mode::Auto)).await;
    assert_eq!(code(&report), Some(ErrorCode::RobotsDenied));
    assert_eq!(script.paths(), ["/robots.txt"]);
    assert_eq!(
        trace(&report),
        [(
            FetchMode::Http,
            Verdict::Failed,
            Some(ErrorCode::RobotsDenied)
        )]
    );
}

#[tokio::test(start_paused = true)]
async fn robots_txt_forbids_the_page_that_a_redirect_leads_to() {
    let mut script = Script::of([status(200)]);
    script.robots = robots("User-agent: *\nDisallow: /secret");
    script.leads_to = Some("http://b.example/secret");
    let report = fetch(&script, &plan(Mode::Http)).await;
    assert_eq!(code(&report), Some(ErrorCode::RobotsDenied));
    assert_eq!(script.paths(), ["/robots.txt", "/page", "/robots.txt"]);
    let mut plan = plan(Mode::Http);
    plan.trust.respect_robots = false;
    assert_eq!(code(&fetch(&script, &plan).await), None);
}

#[tokio::test(start_paused = true)]
async fn what_fails_behind_a_redirect_is_held_against_the_host_that_failed() {
    let mut script = Script::of([refused()]);
    script.leads_to = Some("http://b.example/page");
    let climb = Climb::new(&script, &config());
    let mut plan = plan(Mode::Http);
    plan.limits = Limits::within(Duration::from_millis(500), 1000);
    for _ in 0..5 {
        let report = climb.fetch(&plan).await;
        assert_eq!(code(&report), Some(ErrorCode::ConnectFailed));
    }
    assert_eq!(climb.open_breakers(), ["b.example"]);
    let report = climb.fetch(&plan).await;
    assert_eq!(code(&report), Some(ErrorCode::BreakerOpen));
    assert_eq!(climb.open_breakers(), ["b.example"]);
}

#[tokio::test(start_paused = true)]
async fn robots_txt_is_not_even_asked_for_when_it_is_to_be_ignored() {
    let mut script = Script::of([status(200)]);
    script.robots = robots("User-agent: *\nDisallow: /");
    let mut plan = plan(Mode::Auto);
    plan.trust.respect_robots = false;
    let report = fetch(&script, &plan).await;
    assert_eq!(report.result.unwrap().status, 200);
    assert_eq!(script.paths(), ["/page"]);
}

#[tokio::test(start_paused = true)]
async fn robots_txt_out_of_order_forbids_everything_and_absent_nothing() {
    for (answer, expected) in [
        (status(503), Some(ErrorCode::RobotsDenied)),
        (status(500), Some(ErrorCode::RobotsDenied)),
        (status(404), None),
        (status(403), None),
        (status(429), None),
        (Err(FetchError::TooManyRedirects(5)), None),
        (html("<html>User-agent: *\nDisallow: /</html>"), None),
    ] {
        let mut script = Script::of([status(200)]);
        script.robots = answer;
        let report = fetch(&script, &plan(Mode::Auto)).await;
        assert_eq!(code(&report), expected, "{:?}", script.robots);
    }
}

#[tokio::test(start_paused = true)]
async fn an_unreachable_host_is_a_connection_error_and_not_a_denial() {
    let mut script = Script::of([refused()]);
    script.robots = refused();
    let report = fetch(&script, &plan(Mode::Auto)).await;
    assert_eq!(code(&report), Some(ErrorCode::ConnectFailed));
    assert_eq!(script.paths(), ["/robots.txt"; 4]);
}

#[tokio::test(start_paused = true)]
async fn one_caller_asks_for_robots_txt_and_all_others_wait_for_the_answer() {
    let script = Script::of([status(200)]);
    let climb = Climb::new(&script, &config());
    let plan = plan(Mode::Auto);
    tokio::join!(climb.fetch(&plan), climb.fetch(&plan), climb.fetch(&plan));
    climb.fetch(&plan).await;
    let asked = script.paths();
    assert_eq!(
        asked.iter().filter(|path| *path == "/robots.txt").count(),
        1
    );
    assert_eq!(asked.len(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_try_that_time_cuts_short_does_not_hide_why_the_others_failed() {
    let mut script = Script::of([status(500)]);
    script.takes = Duration::from_secs(2);
    let climb = Climb::new(&script, &config());
    let mut plan = plan(Mode::Http);
    // robots.txt, a whole try, a rest of at least a second, and not enough for another try.
    plan.limits = Limits::within(Duration::from_secs(7) - Duration::from_millis(1), 1000);
    let report = climb.fetch(&plan).await;
    assert_eq!(report.attempts.len(), 2);
    assert_eq!(report.attempts[1].error, Some(ErrorCode::TimeoutTtfb));
    assert_eq!(report.result.unwrap().status, 500);
}

#[tokio::test(start_paused = true)]
async fn a_page_whose_turn_comes_too_late_is_not_tried_again() {
    let mut script = Script::of([status(200)]);
    script.robots = robots("User-agent: *\nCrawl-delay: 4");
    let climb = Climb::new(&script, &config());
    let (mut plan, start) = (plan(Mode::Http), Instant::now());
    plan.limits = Limits::within(Duration::from_secs(3), 1000);
    climb.fetch(&plan).await.result.unwrap();
    let report = climb.fetch(&plan).await;
    assert_eq!(report.result.unwrap_err().code(), ErrorCode::TimeoutTotal);
    assert_eq!(report.attempts.len(), 1);
    assert!(start.elapsed() < Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn the_crawl_delay_of_robots_txt_is_kept() {
    let mut script = Script::of([status(200)]);
    script.robots = robots("User-agent: *\nCrawl-delay: 4");
    let climb = Climb::new(&script, &config());
    let (plan, start) = (plan(Mode::Auto), Instant::now());
    tokio::join!(climb.fetch(&plan), climb.fetch(&plan), climb.fetch(&plan));
    assert_eq!(start.elapsed().as_secs(), 8);
}

#[tokio::test(start_paused = true)]
async fn five_failed_pages_open_the_breaker_and_a_minute_later_it_tries_again() {
    let script = Script::of([refused()]);
    let climb = Climb::new(&script, &config());
    let mut plan = plan(Mode::Auto);
    plan.limits = Limits::within(Duration::from_millis(500), 1000);
    for _ in 0..5 {
        assert_eq!(
            code(&climb.fetch(&plan).await),
            Some(ErrorCode::ConnectFailed)
        );
    }
    assert_eq!(climb.open_breakers(), ["a.example"]);
    let asked = script.paths().len();
    let report = climb.fetch(&plan).await;
    assert_eq!(code(&report), Some(ErrorCode::BreakerOpen));
    assert_eq!(script.paths().len(), asked);
    tokio::time::advance(Duration::from_secs(60)).await;
    assert_eq!(
        code(&climb.fetch(&plan).await),
        Some(ErrorCode::ConnectFailed)
    );
}

#[tokio::test(start_paused = true)]
async fn denials_client_errors_and_hasty_callers_open_no_breaker() {
    let mut denied = Script::of([status(200)]);
    denied.robots = robots("User-agent: *\nDisallow: /");
    let mut hasty = Script::of([status(200)]);
    hasty.takes = Duration::from_secs(60);
    for script in [denied, hasty, Script::of([status(403)])] {
        let climb = Climb::new(&script, &config());
        let mut plan = plan(Mode::Auto);
        plan.limits = Limits::within(Duration::from_millis(500), 1000);
        for _ in 0..8 {
            climb.fetch(&plan).await;
        }
        assert!(climb.open_breakers().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_dropped_fetch_gives_its_place_back() {
    let mut script = Script::of([status(200)]);
    script.takes = Duration::from_secs(5);
    let config = FetchConfig {
        per_host: 1,
        global: 1,
        ..config()
    };
    let climb = Climb::new(&script, &config);
    let plan = plan(Mode::Auto);
    let dropped = tokio::time::timeout(Duration::from_secs(7), climb.fetch(&plan));
    assert!(dropped.await.is_err());
    assert_eq!(climb.fetch(&plan).await.result.unwrap().status, 200);
}

#[tokio::test(start_paused = true)]
async fn a_failed_proxy_is_rotated_once_and_shown_by_label_only() {
    let script = Script::of([Err(FetchError::Proxy("closed".into())), status(200)]);
    let config = FetchConfig {
        proxies: vec![
            Url::parse("http://u:secret@10.0.0.1:1/").unwrap(),
            Url::parse("http://u:secret@10.0.0.2:2/").unwrap(),
        ],
        ..config()
    };
    let report = Climb::new(&script, &config).fetch(&plan(Mode::Auto)).await;
    assert_eq!(report.result.unwrap().status, 200);
    let labels: Vec<_> = report
        .attempts
        .iter()
        .filter_map(|row| row.proxy.as_deref())
        .collect();
    assert_eq!(labels, ["pool-1", "pool-2"]);
    let proxies: Vec<_> = script
        .asked
        .lock()
        .unwrap()
        .drain(..)
        .filter_map(|(_, proxy)| proxy)
        .collect();
    assert_ne!(proxies.first(), proxies.last());

    let broken = Script::of([Err(FetchError::Proxy("closed".into()))]);
    let report = Climb::new(&broken, &config).fetch(&plan(Mode::Auto)).await;
    assert_eq!(
        (code(&report), report.attempts.len()),
        (Some(ErrorCode::ProxyError), 2)
    );
}

#[tokio::test(start_paused = true)]
async fn the_callers_proxy_wins_over_the_pool() {
    let script = Script::of([status(200)]);
    let config = FetchConfig {
        proxies: vec![Url::parse("http://10.0.0.1:1/").unwrap()],
        ..config()
    };
    let mut plan = plan(Mode::Auto);
    plan.proxy = Some(Url::parse("http://p.example:8080/").unwrap());
    let report = Climb::new(&script, &config).fetch(&plan).await;
    assert_eq!(report.attempts[0].proxy.as_deref(), Some("own"));
    let asked = script.asked.lock().unwrap();
    assert!(
        asked
            .iter()
            .all(|(_, proxy)| proxy.as_deref() == Some("http://p.example:8080/"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_tls_failure_is_not_retried_and_stays_the_error_without_a_browser() {
    let script = Script::of([Err(FetchError::Tls("self-signed".into()))]);
    let report = fetch(&script, &plan(Mode::Auto)).await;
    assert_eq!(code(&report), Some(ErrorCode::TlsError));
    let rungs: Vec<_> = report.attempts.iter().map(|row| row.mode).collect();
    assert_eq!(rungs, [FetchMode::Http, FetchMode::Browser]);
}
