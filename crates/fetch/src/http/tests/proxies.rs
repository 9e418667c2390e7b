//! Through proxies of every kind, and what they must not open.

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
};
use trawls_contract::ErrorCode;

use super::{
    site::{Reply, Site, html, page, read_head},
    *,
};
use crate::http::tests::tls::TlsSite;

/// A connection of the test's own servers.
#[allow(clippy::disallowed_methods)]
async fn dial(port: u16) -> TcpStream {
    TcpStream::connect(("127.0.0.1", port)).await.unwrap()
}

/// An HTTP proxy that tunnels every CONNECT to `port`.
async fn tunnel_to(port: u16) -> (Url, tokio::sync::mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!(
        "http://me:pw@127.0.0.1:{}",
        listener.local_addr().unwrap().port()
    );
    let (heads, seen) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let head = read_head(&mut client).await.unwrap();
            heads.send(head).unwrap();
            client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
            let mut target = dial(port).await;
            tokio::spawn(async move { copy_bidirectional(&mut client, &mut target).await });
        }
    });
    (Url::parse(&url).unwrap(), seen)
}

/// A SOCKS5 proxy that sends every connection to `port` and tells the address asked for.
async fn socks_to(port: u16, scheme: &str) -> (Url, tokio::sync::mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!(
        "{scheme}://127.0.0.1:{}",
        listener.local_addr().unwrap().port()
    );
    let (asked, seen) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let mut hello = [0; 2];
            client.read_exact(&mut hello).await.unwrap();
            let mut methods = vec![0; hello[1].into()];
            client.read_exact(&mut methods).await.unwrap();
            client.write_all(&[5, 0]).await.unwrap();
            let mut request = [0; 4];
            client.read_exact(&mut request).await.unwrap();
            let length = match request[3] {
                1 => 4,
                _ => client.read_u8().await.unwrap().into(),
            };
            let mut address = vec![0; length];
            client.read_exact(&mut address).await.unwrap();
            client.read_u16().await.unwrap();
            asked
                .send(match request[3] {
                    1 => address
                        .iter()
                        .map(u8::to_string)
                        .collect::<Vec<_>>()
                        .join("."),
                    _ => String::from_utf8(address).unwrap(),
                })
                .unwrap();
            client
                .write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
                .await
                .unwrap();
            let mut target = dial(port).await;
            tokio::spawn(async move { copy_bidirectional(&mut client, &mut target).await });
        }
    });
    (Url::parse(&url).unwrap(), seen)
}

async fn through(proxy: &Url, url: &str) -> Result<Exchange, FetchError> {
    let mut plan = plan(url);
    plan.proxy = Some(proxy.clone());
    plan.trust.verify_tls = false;
    run(&closed_rung(std::slice::from_ref(proxy)), &plan).await
}

#[tokio::test]
async fn an_http_proxy_gets_the_whole_url() {
    let proxy = Site::with(html("by proxy")).await;
    let exchange = through(&proxy.as_proxy("http"), "http://a.public.example/x?y")
        .await
        .unwrap();
    assert_eq!(text(&exchange), "by proxy");
    assert_eq!(exchange.final_url.as_str(), "http://a.public.example/x?y");
    assert_eq!(proxy.targets(), ["http://a.public.example/x?y"]);
    assert_eq!(proxy.requests()[0].header("host"), "a.public.example");
}

#[tokio::test]
async fn an_http_proxy_tunnels_tls_and_gets_its_credentials() {
    let site = TlsSite::new("a.public.example").await;
    let (proxy, mut seen) = tunnel_to(site.port).await;
    let exchange = through(&proxy, "https://a.public.example/").await.unwrap();
    assert_eq!(text(&exchange), "over TLS");
    let head = seen.recv().await.unwrap();
    assert!(
        head.starts_with("CONNECT a.public.example:443 HTTP/1.1"),
        "{head}"
    );
    assert!(head.contains("Basic bWU6cHc="), "{head}");
}

#[tokio::test]
async fn a_socks_proxy_gets_the_vetted_address_or_the_name() {
    let site = Site::with(html("by socks")).await;
    for (scheme, address) in [("socks5", "93.184.216.34"), ("socks5h", "a.public.example")] {
        let (proxy, mut seen) = socks_to(site.port, scheme).await;
        let exchange = through(&proxy, "http://a.public.example/").await.unwrap();
        assert_eq!(text(&exchange), "by socks");
        assert_eq!(seen.recv().await.unwrap(), address);
    }
}

#[tokio::test]
async fn a_proxy_that_fails_is_a_proxy_error() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    for scheme in ["http", "https", "socks5", "socks5h"] {
        let dead = Url::parse(&format!("{scheme}://127.0.0.1:{port}")).unwrap();
        for target in ["http://a.public.example/", "https://a.public.example/"] {
            let error = through(&dead, target).await.unwrap_err();
            assert_eq!(
                error.code(),
                ErrorCode::ProxyError,
                "{scheme} {target} {error}"
            );
            assert!(!error.to_string().contains("127"), "{error}");
        }
    }
    let strict = Site::new(|_| {
        Reply::Close(page(
            "407 Proxy Authentication Required",
            "Proxy-Authenticate: Basic\r\n",
            "",
        ))
    })
    .await;
    for target in ["http://a.public.example/", "https://a.public.example/"] {
        let error = through(&strict.as_proxy("http"), target).await.unwrap_err();
        assert_eq!(
            error,
            FetchError::Proxy("it asks for credentials".into()),
            "{target}"
        );
    }
    let closed = Site::new(|_| Reply::Close(page("403 Forbidden", "", ""))).await;
    let error = through(&closed.as_proxy("http"), "https://a.public.example/")
        .await
        .unwrap_err();
    assert_eq!(error, FetchError::Proxy("it refuses the target".into()));
}

#[tokio::test]
async fn a_bad_certificate_behind_a_proxy_is_the_sites_fault() {
    let site = TlsSite::new("a.public.example").await;
    let (proxy, _seen) = tunnel_to(site.port).await;
    let mut plan = plan("https://a.public.example/");
    plan.proxy = Some(proxy.clone());
    let error = run(&closed_rung(&[proxy]), &plan).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::TlsError, "{error}");
}

#[tokio::test]
async fn a_proxy_is_no_way_round_the_door() {
    let proxy = Site::with(html("secret")).await;
    for url in [
        "http://127.0.0.1/",
        "http://inside.example/",
        "https://localhost/",
    ] {
        for scheme in ["http", "socks5h"] {
            let error = through(&proxy.as_proxy(scheme), url).await.unwrap_err();
            assert_eq!(error.code(), ErrorCode::SsrfBlocked, "{url}");
        }
    }
    assert_eq!(proxy.connections(), 0);
}

#[tokio::test]
async fn a_callers_own_proxy_must_be_public() {
    let proxy = Site::with(html("secret")).await;
    let mut plan = plan("http://a.public.example/");
    for url in [
        proxy.as_proxy("http"),
        Url::parse("http://inside.example:8080").unwrap(),
    ] {
        plan.proxy = Some(url);
        let error = run(&closed_rung(&[]), &plan).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::SsrfBlocked);
    }
    // A port beside the operator's proxy is not the operator's proxy.
    plan.proxy = Some(Url::parse("http://127.0.0.1:9").unwrap());
    let rung = closed_rung(&[proxy.as_proxy("http")]);
    let error = run(&rung, &plan).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::SsrfBlocked);
    assert_eq!(proxy.connections(), 0);
    plan.proxy = Some(proxy.as_proxy("http"));
    assert!(run(&open_rung(), &plan).await.is_ok());
}
