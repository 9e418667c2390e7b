//! Bodies that are too large, cut, damaged or slow, and servers that never answer.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use tokio::net::TcpListener;

use super::{
    site::{Reply, Site, html, page},
    *,
};

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn prose(lines: usize) -> String {
    (0..lines)
        .map(|n| format!("<p>Line {n} of {} tells of lamps.</p>\n", n * 7919 % 1009))
        .collect()
}

fn hasty(url: &str, total_ms: u64) -> FetchPlan {
    let mut plan = plan(url);
    plan.limits = Limits::within(Duration::from_millis(total_ms), 1 << 20);
    plan
}

#[tokio::test]
async fn codings_are_undone() {
    let mut brotli = Vec::new();
    brotli::CompressorWriter::new(&mut brotli, 4096, 5, 22)
        .write_all(b"kelp")
        .unwrap();
    for (coding, wire) in [
        ("gzip", gzip(b"kelp")),
        ("br", brotli),
        ("zstd", zstd::encode_all(&b"kelp"[..], 3).unwrap()),
        ("gzip", b"kelp".to_vec()),
    ] {
        let site = Site::with(page(
            "200 OK",
            &format!("Content-Encoding: {coding}\r\n"),
            wire,
        ))
        .await;
        let exchange = get(&site.url("/")).await.unwrap();
        assert_eq!(text(&exchange), "kelp", "{coding}");
    }
}

#[tokio::test]
async fn a_bomb_is_too_large() {
    let wire = gzip(&vec![b' '; 32 << 20]);
    let site = Site::with(page("200 OK", "Content-Encoding: gzip\r\n", wire)).await;
    assert_eq!(
        get(&site.url("/")).await.unwrap_err(),
        FetchError::TooLarge(1 << 20)
    );
}

#[tokio::test]
async fn a_body_at_the_limit_is_read_and_one_byte_more_is_too_large() {
    let site = Site::new(|request| {
        let length = (1 << 20) + usize::from(request.target == "/more");
        Reply::Close([&b"HTTP/1.1 200 OK\r\n\r\n"[..], &vec![b'x'; length]].concat())
    })
    .await;
    assert_eq!(get(&site.url("/")).await.unwrap().body.len(), 1 << 20);
    assert_eq!(
        get(&site.url("/more")).await.unwrap_err(),
        FetchError::TooLarge(1 << 20)
    );
    let declared = Site::with(page("200 OK", "", vec![b'x'; (1 << 20) + 1])).await;
    assert_eq!(
        get(&declared.url("/")).await.unwrap_err(),
        FetchError::TooLarge(1 << 20)
    );
}

#[tokio::test]
async fn the_first_part_is_enough_where_only_that_is_asked() {
    let site = Site::with(page("200 OK", "", vec![b'x'; (1 << 20) + 1])).await;
    let plan = plan(&site.url("/"));
    let deadline = Instant::now() + plan.limits.total;
    let exchange = open_rung().prefix(&plan, deadline).await.unwrap();
    assert_eq!(exchange.body.len(), 1 << 20);
    assert!(exchange.truncated.unwrap().contains("cut at"));
}

#[tokio::test]
async fn a_body_cut_on_the_way_is_flagged_and_kept() {
    let body = prose(2000);
    let wire = gzip(body.as_bytes());
    let cut = &wire[..wire.len() - 4000];
    let length = "HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n".to_owned() + &body;
    let chunks = format!(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n4000\r\n<p>mo",
        body.len()
    );
    for (name, response) in [
        ("coded", page("200 OK", "Content-Encoding: gzip\r\n", cut)),
        ("length", length.into_bytes()),
        ("chunks", chunks.into_bytes()),
    ] {
        let site = Site::with(response).await;
        let exchange = get(&site.url("/")).await.expect(name);
        assert!(exchange.truncated.is_some(), "{name}");
        assert!(text(&exchange).starts_with(&body[..10_000]), "{name}");
    }
}

#[tokio::test]
async fn a_body_cut_before_its_first_byte_is_a_failure() {
    let site = Site::with("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n").await;
    let error = get(&site.url("/")).await.unwrap_err();
    assert!(matches!(error, FetchError::Connect(_)), "{error:?}");
}

#[tokio::test]
async fn silence_before_the_head_ends_in_time() {
    let site = Site::new(|_| Reply::Hang(Vec::new())).await;
    let error = run(&open_rung(), &hasty(&site.url("/"), 200))
        .await
        .unwrap_err();
    assert!(matches!(error, FetchError::TimeoutTtfb(_)), "{error:?}");
}

#[tokio::test]
async fn a_head_that_drips_ends_in_time() {
    let pause = Duration::from_millis(10);
    let site =
        Site::new(move |_| Reply::Drip(b"HTTP/1.1 200 OK\r\nX: ".to_vec(), b'x', pause)).await;
    let error = run(&open_rung(), &hasty(&site.url("/"), 200))
        .await
        .unwrap_err();
    assert!(matches!(error, FetchError::TimeoutTtfb(_)), "{error:?}");
}

#[tokio::test]
async fn a_body_that_drips_ends_in_time() {
    let pause = Duration::from_millis(10);
    let site =
        Site::new(move |_| Reply::Drip(b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), b'x', pause)).await;
    let error = run(&open_rung(), &hasty(&site.url("/"), 200))
        .await
        .unwrap_err();
    assert_eq!(error, FetchError::TooSlow(Duration::from_millis(200)));
}

#[tokio::test]
async fn a_body_that_falls_silent_is_told_as_such_at_the_end_of_all_time_too() {
    let site =
        Site::new(|_| Reply::Hang(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx".to_vec())).await;
    let error = run(&open_rung(), &hasty(&site.url("/"), 300))
        .await
        .unwrap_err();
    assert!(matches!(error, FetchError::TimeoutRead(_)), "{error:?}");
}

#[tokio::test]
async fn a_body_that_is_declared_too_large_is_not_read() {
    for coding in ["", "Content-Encoding: gzip\r\n"] {
        let head = format!("HTTP/1.1 200 OK\r\n{coding}Content-Length: 2000000\r\n\r\n");
        let site = Site::new(move |_| Reply::Hang(head.clone().into_bytes())).await;
        let error = get(&site.url("/")).await.unwrap_err();
        assert_eq!(error, FetchError::TooLarge(1 << 20), "{coding}");
    }
}

#[tokio::test]
async fn a_gap_in_a_body_ends_it() {
    let site =
        Site::new(|_| Reply::Hang(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx".to_vec())).await;
    let mut plan = plan(&site.url("/"));
    plan.limits.read_gap = Duration::from_millis(100);
    let error = run(&open_rung(), &plan).await.unwrap_err();
    assert_eq!(error, FetchError::TimeoutRead(Duration::from_millis(100)));
}

#[tokio::test]
async fn a_handshake_that_never_comes_is_a_connect_timeout() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut plan = plan(&format!("https://127.0.0.1:{port}/"));
    plan.limits.connect = Duration::from_millis(100);
    let error = run(&open_rung(), &plan).await.unwrap_err();
    assert_eq!(
        error,
        FetchError::TimeoutConnect(Duration::from_millis(100))
    );
    let error = run(&open_rung(), &hasty(plan.url.as_str(), 100))
        .await
        .unwrap_err();
    assert!(matches!(error, FetchError::TimeoutConnect(_)), "{error:?}");
}

#[tokio::test]
async fn an_endless_head_is_refused() {
    let head = "X-Header: value\r\n".repeat(100_000);
    let site = Site::with(format!("HTTP/1.1 200 OK\r\n{head}\r\n")).await;
    let error = get(&site.url("/")).await.unwrap_err();
    assert!(matches!(error, FetchError::Connect(_)), "{error:?}");
    let many: String = (0..200).map(|n| format!("X-{n}: value\r\n")).collect();
    let site = Site::with(format!("HTTP/1.1 200 OK\r\n{many}\r\nx")).await;
    assert_eq!(text(&get(&site.url("/")).await.unwrap()), "x");
}

#[tokio::test]
async fn no_connection_is_told_by_its_kind() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let refused = get(&format!("http://127.0.0.1:{port}/")).await.unwrap_err();
    assert_eq!(refused, FetchError::Connect("refused".into()));
    let nowhere = get("http://page.nowhere.example/").await.unwrap_err();
    assert_eq!(nowhere, FetchError::Dns);
    let site = Site::with("SSH-2.0-OpenSSH_9.2\r\n\r\n").await;
    let error = get(&site.url("/")).await.unwrap_err();
    assert_eq!(
        error,
        FetchError::Connect("the response is not HTTP".into())
    );
}

#[tokio::test]
async fn a_long_page_comes_to_its_end() {
    let body = prose(100_000) + "<p>The very end.</p>";
    let site = Site::with(html(&body)).await;
    let mut plan = plan(&site.url("/"));
    plan.limits.max_body_bytes = 50 << 20;
    let exchange = run(&open_rung(), &plan).await.unwrap();
    assert_eq!(exchange.body.len(), body.len());
    assert!(text(&exchange).ends_with("The very end.</p>"));
}
