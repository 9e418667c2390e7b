//! Pages and people that do their worst.

use super::*;

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
    let page = setting.run(&plan).await.unwrap();
    assert!(text(&page).contains("The wheel turns."));
    assert!(
        page.warnings
            .iter()
            .any(|warning| warning.contains("partial")),
        "{:?}",
        page.warnings
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

/// Processes whose command line names this folder, and our own dead children that nobody reaped.
fn remains(profiles: &std::path::Path) -> Vec<String> {
    let marker = profiles.display().to_string();
    let us = std::process::id().to_string();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let read = |name| std::fs::read(entry.path().join(name)).unwrap_or_default();
        let command = String::from_utf8_lossy(&read("cmdline")).replace('\0', " ");
        let stat = String::from_utf8_lossy(&read("stat")).into_owned();
        let fields: Vec<_> = stat.rsplit(')').next().unwrap_or("").split(' ').collect();
        let is_ours = fields.get(2).is_some_and(|parent| **parent == us);
        if command.contains(&marker) || (is_ours && fields.get(1) == Some(&"Z")) {
            found.push(format!(
                "{} {stat}",
                command.chars().take(80).collect::<String>()
            ));
        }
    }
    found
}

/// Bursts of pages with kills among them. The long run is `BURST_PAGES=1000`.
#[tokio::test(flavor = "multi_thread")]
async fn bursts_with_kills_leave_nothing_behind() {
    let setting = setting!();
    let pages: usize = std::env::var("BURST_PAGES").map_or(60, |text| text.parse().unwrap());
    let plan = setting.plan("/article");
    let (mut read, mut crashed) = (0, 0);
    for burst in 0..pages / 20 {
        let all = futures_util::future::join_all((0..20).map(|_| setting.run(&plan)));
        let killing = async {
            tokio::time::sleep(Duration::from_millis(1500)).await;
            if let Some(pid) = setting.browser.pool.pid().await {
                let pid = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        };
        let (ended, ()) = tokio::join!(all, killing);
        for page in ended {
            match page {
                Ok(page) => {
                    assert!(text(&page).contains("What it burned"));
                    read += 1;
                }
                Err(FetchError::BrowserCrashed(_)) => crashed += 1,
                Err(error) => panic!("{error}"),
            }
        }
        eprintln!("burst {burst}: {read} read, {crashed} lost to kills");
    }
    assert!(read > crashed, "{read} read, {crashed} crashed");
    setting.browser.close().await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let left = remains(setting.profiles.path());
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(
        std::fs::read_dir(setting.profiles.path()).unwrap().count(),
        0
    );
}

/// A Chromium of the test's own with a debug port, as a remote one would be.
async fn remote_chromium(
    binary: &std::path::Path,
    profile: &std::path::Path,
) -> (tokio::process::Child, Url) {
    let child = tokio::process::Command::new(binary)
        .args([
            "--headless=new",
            "--no-sandbox",
            "--remote-debugging-port=0",
        ])
        .args([
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
        ])
        .arg(format!("--user-data-dir={}", profile.display()))
        .stderr(std::process::Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let file = profile.join("DevToolsActivePort");
    let port = loop {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        if let Some(port) = text
            .lines()
            .next()
            .and_then(|line| line.parse::<u16>().ok())
        {
            break port;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    (
        child,
        Url::parse(&format!("http://127.0.0.1:{port}")).unwrap(),
    )
}

#[tokio::test]
async fn a_remote_browser_serves_and_when_it_vanishes_nobody_waits_for_it() {
    let Some(binary) = chromium() else { return };
    let profile = tempfile::tempdir().unwrap();
    let (mut child, url) = remote_chromium(&binary, profile.path()).await;
    let site = TrapSite::start().await.unwrap();
    let config = BrowserConfig {
        source: BrowserSource::Remote(url),
        pool_size: 2,
        profiles: PathBuf::new(),
    };
    let door = Arc::new(Door::new(Arc::new(SystemResolver), true));
    let browser = BrowserFetch::new(door, config, &[]);
    let read = async |path: &str| {
        let url = Url::parse(&site.url(path)).unwrap();
        let plan = FetchPlan::to(url, Limits::within(Duration::from_secs(20), 1 << 20));
        let deadline = Instant::now() + plan.limits.total;
        browser
            .exchange(FetchMode::Browser, &plan, &Anywhere, deadline)
            .await
    };
    assert!(text(&read("/app").await.unwrap()).contains("Copper Quay"));
    let (under_way, killed) = tokio::join!(read("/spin"), async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        child.kill().await.unwrap();
        Instant::now()
    });
    assert_eq!(under_way.unwrap_err().code(), ErrorCode::BrowserCrashed);
    assert!(killed.elapsed() < Duration::from_secs(1));
    let error = read("/app").await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::BrowserUnavailable);
}

/// Paths that each do one thing.
async fn odd_site() -> TrapSite {
    use trawls_testkit::Answer;
    let html = [("content-type", "text/html")];
    let page = |body: &str| Answer::html(format!("<!doctype html><title>Odd</title>{body}"));
    TrapSite::of(move |request| {
        Some(match request.path.as_str() {
            "/leave" => page(
                "<p id=p><script>document.cookie = 'js=1'; localStorage.x = sessionStorage.x = 1;\
                 </script>",
            ),
            "/look" => page(
                "<p id=p><script>p.textContent = `cookie ${document.cookie || 'none'}, stores \
                 ${localStorage.x || 'none'} ${sessionStorage.x || 'none'}`</script>",
            ),
            "/alerting" => page("<p>Before<script>setInterval(() => alert('x'), 1)</script>"),
            "/locked" => Answer::new(
                401,
                &[html[0], ("www-authenticate", "Basic realm=x")],
                "<p>Locked",
            ),
            "/reloading" => page("<script>location.reload()</script>"),
            "/hangs-later" => {
                page("<p>Read me<script>setTimeout(() => { for (;;); }, 5000)</script>")
            }
            _ => return None,
        })
    })
    .await
    .unwrap()
}

#[tokio::test]
async fn what_one_visitor_left_no_other_finds() {
    let mut setting = setting!();
    setting.site = odd_site().await;
    setting.get("/leave").await.unwrap();
    let page = setting.text("/look").await;
    assert!(page.contains("cookie none, stores none none"), "{page}");
}

#[tokio::test]
async fn odd_pages_come_to_an_end() {
    let mut setting = setting!();
    setting.site = odd_site().await;
    assert_eq!(setting.get("/locked").await.unwrap().status, 401);
    let error = setting.get("/reloading").await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::TooManyRedirects, "{error}");
    let mut plan = setting.plan("/alerting");
    plan.limits = Limits::within(Duration::from_secs(15), 1 << 20);
    let page = setting.run(&plan).await.unwrap();
    assert!(text(&page).contains("Before"));
    // A page that hangs after it was read spoils no other page of its host.
    setting.get("/hangs-later").await.unwrap();
    tokio::time::sleep(Duration::from_millis(5000)).await;
    assert_eq!(setting.get("/locked").await.unwrap().status, 401);
}

#[tokio::test]
async fn who_leaves_while_a_context_is_made_leaves_no_context_behind() {
    let setting = setting!();
    setting.text("/article").await;
    let mut plan = setting.plan("/article");
    // A visitor with headers of their own always gets a new one.
    let header = http::HeaderValue::from_static("1");
    plan.identity.headers.insert("x-visitor", header);
    for time in 0..30 {
        let leaving = Duration::from_millis(5 + time * 3);
        let _ = tokio::time::timeout(leaving, setting.run(&plan)).await;
    }
    tokio::time::sleep(Duration::from_secs(3)).await;
    let renderers = remains(setting.profiles.path())
        .iter()
        .filter(|process| process.contains("renderer"))
        .count();
    assert!(renderers <= 4, "{renderers} renderers");
}
