//! What goes out, and what a plain answer comes to.

use std::sync::atomic::{AtomicU8, Ordering};

use http::HeaderValue;

use super::{
    site::{Reply, Site, html, page},
    *,
};
use crate::Validators;

#[tokio::test]
async fn a_page_comes_back_whole() {
    let site = Site::with(html("<p>kelp</p>")).await;
    let exchange = get(&site.url("/a?b#c")).await.unwrap();
    assert_eq!(
        (exchange.status, text(&exchange).as_str()),
        (200, "<p>kelp</p>")
    );
    assert_eq!(exchange.final_url.as_str(), site.url("/a?b#c"));
    assert_eq!(exchange.headers["content-type"], "text/html; charset=utf-8");
    assert!(exchange.truncated.is_none() && exchange.warnings.is_empty());
    assert_eq!(site.targets(), ["/a?b"]);
}

#[tokio::test]
async fn http_1_headers_are_chromes_in_name_case_and_order() {
    let site = Site::with(html("x")).await;
    get(&site.url("/")).await.unwrap();
    let head = &site.requests()[0].head;
    let names: Vec<_> = head
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(": "))
        .map(|(name, _)| name)
        .collect();
    assert_eq!(
        names,
        [
            "Host",
            "Connection",
            "Upgrade-Insecure-Requests",
            "User-Agent",
            "Accept",
            "Accept-Encoding",
            "Accept-Language",
        ]
    );
}

#[tokio::test]
async fn a_callers_headers_take_their_natural_place() {
    let site = Site::with(html("x")).await;
    let mut plan = plan(&site.url("/"));
    let headers = &mut plan.identity.headers;
    headers.insert("x-trace", HeaderValue::from_static("7"));
    headers.insert("referer", HeaderValue::from_static("http://a.example/"));
    headers.insert("accept-language", HeaderValue::from_static("eo"));
    headers.insert("authorization", HeaderValue::from_static("Bearer t"));
    plan.identity.cookies = vec![("a".into(), "1".into())];
    plan.validators = Some(Validators {
        etag: Some("\"v1\"".into()),
        last_modified: None,
    });
    run(&open_rung(), &plan).await.unwrap();
    let request = &site.requests()[0];
    let names: Vec<_> = request
        .head
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(": "))
        .map(|(name, _)| name)
        .collect();
    assert_eq!(
        names,
        [
            "Host",
            "Connection",
            "Authorization",
            "Upgrade-Insecure-Requests",
            "User-Agent",
            "Accept",
            "Referer",
            "X-Trace",
            "Accept-Encoding",
            "Accept-Language",
            "Cookie",
            "If-None-Match",
        ]
    );
    assert_eq!(request.header("accept-language"), "eo");
    assert_eq!(request.header("cookie"), "a=1");
}

#[tokio::test]
async fn languages_and_phone_are_told() {
    let site = Site::with(html("x")).await;
    let mut plan = plan(&site.url("/"));
    plan.identity.languages = vec!["de-AT".into()];
    plan.identity.mobile = true;
    run(&open_rung(), &plan).await.unwrap();
    let request = &site.requests()[0];
    assert_eq!(request.header("accept-language"), "de-AT,de;q=0.9");
    assert!(request.header("user-agent").contains("Android"));
}

#[tokio::test]
async fn a_password_in_the_url_is_sent_and_not_shown() {
    let site = Site::with(html("x")).await;
    let url = site.url("/").replace("//", "//me:secret@");
    let exchange = get(&url).await.unwrap();
    assert_eq!(
        site.requests()[0].header("authorization"),
        "Basic bWU6c2VjcmV0"
    );
    assert!(!exchange.final_url.as_str().contains("secret"));
}

#[tokio::test]
async fn statuses_and_empty_bodies_are_answers() {
    for (status, body) in [
        ("200 OK", ""),
        ("204 No Content", ""),
        ("404 Not Found", "gone"),
        ("500 Oops", "sorry"),
        ("503 Busy", "later"),
    ] {
        let site = Site::with(page(status, "", body)).await;
        let exchange = get(&site.url("/")).await.unwrap();
        assert_eq!(exchange.status.to_string(), status[..3]);
        assert_eq!(text(&exchange), body);
    }
}

#[tokio::test]
async fn not_modified_answers_validators() {
    let site = Site::new(|request| match request.header("if-none-match") {
        "\"v1\"" => Reply::Keep(b"HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\n\r\n".to_vec()),
        _ => Reply::Keep(html("new")),
    })
    .await;
    let mut plan = plan(&site.url("/"));
    let last_modified = Some("Wed, 21 Oct 2015 07:28:00 GMT".into());
    plan.validators = Some(Validators {
        etag: Some("\"v1\"".into()),
        last_modified,
    });
    let exchange = run(&open_rung(), &plan).await.unwrap();
    assert_eq!((exchange.status, exchange.body.len()), (304, 0));
    assert!(!site.requests()[0].header("if-modified-since").is_empty());
}

#[tokio::test]
async fn old_and_odd_http_is_read() {
    for response in [
        "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\nkelp",
        "HTTP/1.1 200\r\nConnection: close\r\n\r\nkelp",
        "HTTP/1.1 200 OK\r\nX: a\r\n b\r\nSpaced : x\r\nConnection: close\r\n\r\nkelp",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nke\r\n2;x=y\r\nlp\r\n0\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nkelp",
    ] {
        let site = Site::with(response).await;
        let exchange = get(&site.url("/")).await.expect(response);
        assert_eq!(text(&exchange), "kelp", "{response}");
        assert!(exchange.truncated.is_none(), "{response}");
    }
}

#[tokio::test]
async fn connections_are_kept_between_fetches() {
    let site = Site::new(|_| Reply::Keep(html("x"))).await;
    let rung = open_rung();
    for _ in 0..5 {
        run(&rung, &plan(&site.url("/"))).await.unwrap();
    }
    assert_eq!((site.connections(), site.requests().len()), (1, 5));
}

#[tokio::test]
async fn a_pooled_connection_that_died_is_replaced_silently() {
    let site = Site::new(|request| match request.number {
        0 => Reply::Keep(html("first")),
        1 => Reply::Drop,
        _ => Reply::Keep(html("third")),
    })
    .await;
    let rung = open_rung();
    run(&rung, &plan(&site.url("/"))).await.unwrap();
    let exchange = run(&rung, &plan(&site.url("/"))).await.unwrap();
    assert_eq!(text(&exchange), "third");
    assert_eq!(site.connections(), 2);
}

#[tokio::test]
async fn a_fresh_connection_that_dies_is_not_tried_again() {
    let site = Site::new(|_| Reply::Drop).await;
    let error = get(&site.url("/")).await.unwrap_err();
    assert!(matches!(error, FetchError::Connect(_)), "{error:?}");
    assert_eq!(site.requests().len(), 1);
}

#[tokio::test]
async fn a_name_is_asked_once_and_its_first_answer_is_dialled() {
    /// Answers with the site's address, then with one where nobody listens.
    struct Rebinding(AtomicU8);
    impl Resolve for Rebinding {
        fn resolve<'a>(&'a self, _host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
            let last = 1 + self.0.fetch_add(1, Ordering::Relaxed);
            Box::pin(std::future::ready(Ok(vec![IpAddr::from([
                127, 0, 0, last,
            ])])))
        }
    }
    let site = Site::with(html("x")).await;
    let names = Arc::new(Rebinding(AtomicU8::new(0)));
    let rung = HttpFetch::new(Arc::new(Door::new(Arc::clone(&names) as _, true)), &[]).unwrap();
    for _ in 0..2 {
        assert!(
            run(&rung, &plan(&site.at("rebind.example", "/")))
                .await
                .is_ok()
        );
    }
    assert_eq!(names.0.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn odd_characters_in_a_url_are_sent_as_a_browser_sends_them() {
    let site = Site::with(html("x")).await;
    for (path, sent) in [
        ("/a b?c d", "/a%20b?c%20d"),
        ("/%7Euser/%2F/?a=%26&b=%zz", "/%7Euser/%2F/?a=%26&b=%zz"),
        ("/caf\u{e9}?q=\u{4e2d}#\u{e9}", "/caf%C3%A9?q=%E4%B8%AD"),
        ("/a|b[c]?x[]=1|2^`{}\\", "/a|b[c]?x[]=1|2^`{}\\"),
        ("/\"<>?\"<>'", "/%22%3C%3E?%22%3C%3E%27"),
        ("/;a=1,b!$&'()*+,;=:@", "/;a=1,b!$&'()*+,;=:@"),
        ("/a\\b/../c", "/a/c"),
    ] {
        let exchange = get(&site.url(path)).await.expect(path);
        assert_eq!(site.requests().last().unwrap().target, sent, "{path}");
        assert_eq!(exchange.status, 200);
    }
    let long = format!("/{}", "x".repeat(16_000));
    assert!(get(&site.url(&long)).await.is_ok());
    let absurd = format!("/{}", "x".repeat(70_000));
    let error = get(&site.url(&absurd)).await.unwrap_err();
    assert!(matches!(error, FetchError::InvalidUrl(_)), "{error:?}");
}
