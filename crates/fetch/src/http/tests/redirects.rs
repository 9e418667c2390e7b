//! Hops: by status, by element, with cookies, and the ones that are refused.

use http::HeaderValue;
use trawls_contract::ErrorCode;

use super::{
    site::{Reply, Site, html, page, redirect},
    *,
};

#[tokio::test]
async fn every_kind_of_redirect_is_followed() {
    let site = Site::new(|request| {
        let moved = |status, to| Reply::Keep(page(status, &format!("Location: {to}\r\n"), "moved"));
        match request.target.as_str() {
            "/" => moved("301 Moved", "/dir/b"),
            "/dir/b" => moved("302 Found", "c"),
            "/dir/c" => moved("303 See Other", "../d?x=%252F"),
            "/d?x=%252F" => moved("307 Temporary", "./caf\u{e9}"),
            "/caf%C3%A9" => moved("308 Permanent", "/end#new"),
            _ => Reply::Keep(html("here")),
        }
    })
    .await;
    let exchange = get(&site.url("/#old")).await.unwrap();
    assert_eq!(exchange.final_url.as_str(), site.url("/end#new"));
    assert_eq!(exchange.redirects.len(), 5);
    assert_eq!(exchange.redirects[0].as_str(), site.url("/#old"));
    assert_eq!(site.connections(), 1);
}

#[tokio::test]
async fn a_redirect_to_a_url_beyond_all_measure_is_refused() {
    let site = Site::new(|request| match request.target.as_str() {
        "/" => Reply::Keep(redirect(&format!("/{}", "a".repeat(20_000)))),
        _ => Reply::Keep(html("here")),
    })
    .await;
    let error = get(&site.url("/")).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidUrl, "{error}");
    assert_eq!(site.requests().len(), 1);
}

#[tokio::test]
async fn the_last_hops_status_counts() {
    let site = Site::new(|request| match request.target.as_str() {
        "/" => Reply::Keep(redirect("/gone")),
        _ => Reply::Keep(page("404 Not Found", "", "nothing")),
    })
    .await;
    let exchange = get(&site.url("/")).await.unwrap();
    assert_eq!(exchange.status, 404);
    assert_eq!(exchange.final_url.as_str(), site.url("/gone"));
}

#[tokio::test]
async fn a_loop_ends_after_ten_hops() {
    let site = Site::new(|request| match request.target.as_str() {
        "/" => Reply::Keep(redirect("/two")),
        _ => Reply::Keep(redirect("./")),
    })
    .await;
    assert_eq!(
        get(&site.url("/")).await.unwrap_err(),
        FetchError::TooManyRedirects(10)
    );
    assert_eq!(site.requests().len(), 11);
}

#[tokio::test]
async fn a_cookie_set_on_a_hop_is_sent_on_the_next() {
    let site = Site::new(|request| {
        let step = |to: &str, cookie: &str| {
            let headers = format!("Location: {to}\r\nSet-Cookie: step={cookie}; Path=/\r\n");
            Reply::Keep(page("302 Found", &headers, ""))
        };
        match (request.target.as_str(), request.header("cookie")) {
            ("/", "") => step("/b", "one"),
            ("/b", "step=one") => step("/c", "two"),
            ("/c", "step=two") => Reply::Keep(html("right")),
            _ => Reply::Keep(page("403 Forbidden", "", "wrong")),
        }
    })
    .await;
    assert_eq!(text(&get(&site.url("/")).await.unwrap()), "right");
}

#[tokio::test]
async fn secrets_stay_with_the_host_that_they_are_for() {
    let site = Site::new(|request| match request.target.as_str() {
        "/" => {
            let port = request
                .header("host")
                .rsplit(':')
                .next()
                .unwrap_or_default();
            Reply::Keep(redirect(&format!("http://other.example:{port}/x")))
        }
        _ => Reply::Keep(html("x")),
    })
    .await;
    let mut plan = plan(&site.at("shop.example", "/"));
    for (name, value) in [
        ("authorization", "Bearer t"),
        ("cookie", "a=1"),
        ("x-api-key", "k"),
        ("accept-language", "de"),
    ] {
        plan.identity
            .headers
            .insert(name, HeaderValue::from_static(value));
    }
    plan.identity.cookies = vec![("b".into(), "2".into())];
    run(&open_rung(), &plan).await.unwrap();
    let [home, abroad] = &site.requests()[..] else {
        panic!()
    };
    assert_eq!(home.header("cookie"), "a=1; b=2");
    assert_eq!(home.header("authorization"), "Bearer t");
    assert_eq!(
        abroad.header("host"),
        format!("other.example:{}", site.port)
    );
    assert_eq!(
        (abroad.header("cookie"), abroad.header("authorization")),
        ("", "")
    );
    assert_eq!(home.header("x-api-key"), "k");
    assert_eq!(abroad.header("x-api-key"), "");
    assert_eq!(abroad.header("accept-language"), "de");
}

#[tokio::test]
async fn a_meta_refresh_is_one_more_hop() {
    let site = Site::new(|request| match request.target.as_str() {
        "/" => Reply::Keep(html(
            "<META content=\"0; URL='old/../new'\" HTTP-EQUIV=refresh>",
        )),
        "/header" => Reply::Keep(page("200 OK", "Refresh: 0;url=/new\r\n", "go")),
        "/error" => Reply::Keep(page(
            "404 Not Found",
            "Content-Type: text/html\r\n",
            "<meta http-equiv=refresh content='0;url=/new'>",
        )),
        "/self" => Reply::Keep(html("me <meta http-equiv=refresh content='0;url=/self'>")),
        "/text" => Reply::Keep(page(
            "200 OK",
            "Content-Type: text/plain\r\n",
            "<meta http-equiv=refresh content='0;url=/new'>",
        )),
        _ => Reply::Keep(html("arrived")),
    })
    .await;
    for path in ["/", "/header"] {
        let exchange = get(&site.url(path)).await.unwrap();
        assert_eq!(text(&exchange), "arrived", "{path}");
        assert_eq!(exchange.final_url.as_str(), site.url("/new"));
        assert_eq!(exchange.redirects.len(), 1);
    }
    assert_eq!(get(&site.url("/error")).await.unwrap().status, 404);
    assert!(text(&get(&site.url("/self")).await.unwrap()).starts_with("me"));
    assert!(get(&site.url("/text")).await.unwrap().redirects.is_empty());
}

#[tokio::test]
async fn a_redirect_to_another_scheme_is_refused() {
    for location in [
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:,x",
        "ftp://127.0.0.1/",
    ] {
        let site = Site::with(redirect(location)).await;
        let error = get(&site.url("/")).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::SsrfBlocked, "{location}");
    }
}

#[tokio::test]
async fn a_redirect_to_a_private_address_is_refused_before_a_connection() {
    let inside = Site::with(html("secret")).await;
    let location = inside.url("/");
    let proxy = Site::new(move |_| Reply::Keep(redirect(&location))).await;
    let rung = closed_rung(&[proxy.as_proxy("http")]);
    let mut plan = plan("http://shop.public.example/");
    plan.proxy = Some(proxy.as_proxy("http"));
    let error = run(&rung, &plan).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::SsrfBlocked);
    assert_eq!((proxy.requests().len(), inside.connections()), (1, 0));
}

#[tokio::test]
async fn a_private_target_is_refused_before_a_connection() {
    let inside = Site::with(html("secret")).await;
    for url in [
        inside.url("/"),
        inside.at("rebound.example", "/"),
        inside.at("[::1]", "/"),
    ] {
        let error = run(&closed_rung(&[]), &plan(&url)).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::SsrfBlocked, "{url}");
        assert!(!error.to_string().contains("127"), "{error}");
    }
    assert_eq!(inside.connections(), 0);
}
