//! Nothing leaves the browser but by the gate.

use super::*;

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
