//! `POST /v1/map` as callers see it.

use std::{collections::HashSet, fmt::Write, time::Duration};

use serde_json::{Value, json};
use trawls_testkit::{Answer, Request, TrapSite};

use crate::support::{Server, alone};

fn xml(body: String) -> Answer {
    Answer::new(200, &[("Content-Type", "application/xml")], body)
}

fn page(title: &str, links: &[(&str, &str)]) -> Answer {
    let mut list = String::new();
    for (url, text) in links {
        write!(list, "<li><a href=\"{url}\">{text}</a></li>").unwrap();
    }
    Answer::html(format!(
        "<title>{title}</title><main><h1>{title}</h1><p>Boats come and go with the water, and \
         the keeper of the quay writes down when.</p><ul>{list}</ul></main>"
    ))
}

fn harbour(request: &Request) -> Option<Answer> {
    let origin = &request.origin;
    Some(match request.path.as_str() {
        "/" => page(
            "Harbour",
            &[
                ("/boats?sort=name&dir=up", "The boats"),
                ("/boats?dir=up&sort=name&utm_source=home", "Boats again"),
                ("/4711", "Tide tables"),
                ("https://elsewhere.example/", "Elsewhere"),
                ("/photo.jpg", "Photo"),
            ],
        ),
        "/boats" => page("Boats", &[("/boats/anna", "Anna")]),
        "/4711" => page("When the water comes", &[]),
        "/robots.txt" => Answer::new(
            200,
            &[("Content-Type", "text/plain")],
            format!(
                "Sitemap: {origin}/maps.xml\nSitemap: /more.txt\nUser-agent: *\nDisallow: /no\n"
            ),
        ),
        "/maps.xml" => xml(format!(
            "<sitemapindex><sitemap><loc>{origin}/maps.xml</loc></sitemap>\
             <sitemap><loc>/one.xml</loc></sitemap></sitemapindex>"
        )),
        "/one.xml" => xml(format!(
            "<urlset><url><loc>{origin}/boats?sort=name&amp;dir=up</loc>\
             <lastmod>2026-02-03</lastmod></url><url><loc>{origin}/hidden</loc></url>\
             <url><loc>https://elsewhere.example/x</loc></url></urlset>"
        )),
        "/more.txt" => Answer::new(200, &[], format!("{origin}/listed-in-text\n")),
        "/hidden" => page("Known to the sitemap alone", &[]),
        _ => return None,
    })
}

async fn map(server: &Server, body: Value) -> Value {
    let (status, map) = server.post_to("/v1/map", &body).await;
    assert_eq!(status, 200, "{map}");
    map
}

/// Path and query of each link.
fn paths(map: &Value, site: &TrapSite) -> Vec<String> {
    let links = map["links"].as_array().unwrap().iter();
    let url = |link: &Value| link["url"].as_str().unwrap().replace(&site.url(""), "");
    links.map(url).collect()
}

fn link<'a>(map: &'a Value, path: &str) -> &'a Value {
    let links = map["links"].as_array().unwrap();
    let ends = |link: &&Value| link["url"].as_str().unwrap().ends_with(path);
    links.iter().find(ends).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_map_joins_sitemaps_and_links() {
    let (server, site) = (Server::start(), TrapSite::of(harbour).await.unwrap());
    let whole = map(&server, json!({"url": site.url("/")})).await;
    let boats = "/boats?sort=name&dir=up";
    assert_eq!(
        paths(&whole, &site),
        [
            "/",
            boats,
            "/4711",
            "/boats/anna",
            "/listed-in-text",
            "/hidden"
        ]
    );
    assert_eq!(
        (&whole["total"], &whole["has_more"]),
        (&json!(6), &json!(false))
    );
    let boats = link(&whole, boats);
    assert_eq!(boats["sources"], json!(["link", "sitemap"]));
    assert_eq!(
        (&boats["lastmod"], &boats["depth"]),
        (&json!("2026-02-03"), &json!(1))
    );
    assert_eq!(link(&whole, "/boats/anna")["depth"], 2);
    assert_eq!(link(&whole, "/hidden")["sources"], json!(["sitemap"]));
    assert_eq!(link(&whole, "/hidden")["title"], Value::Null);

    let only = map(&server, json!({"url": site.url("/"), "sitemap": "only"})).await;
    assert_eq!(paths(&only, &site).len(), 3);
    let skip = map(&server, json!({"url": site.url("/"), "sitemap": "skip"})).await;
    assert_eq!(
        paths(&skip, &site),
        ["/", "/boats?sort=name&dir=up", "/4711", "/boats/anna"]
    );
    let plain = map(&server, json!({"url": site.url("/"), "ignore_query": true})).await;
    assert_eq!(plain["total"], 6);

    let found = map(
        &server,
        json!({"url": site.url("/"), "search": "tide tables"}),
    )
    .await;
    assert_eq!(paths(&found, &site)[0], "/4711");
    assert!(found["links"][0]["score"].as_f64().unwrap() > 0.0);
    let titled = map(
        &server,
        json!({"url": site.url("/"), "include_titles": true}),
    )
    .await;
    assert_eq!(
        link(&titled, "/hidden")["title"],
        "Known to the sitemap alone"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_that_cannot_be_had_is_a_typed_error_unless_a_sitemap_stands_in() {
    let server = Server::start();
    let dead = || {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/", free.local_addr().unwrap())
    };
    let site = TrapSite::of(harbour).await.unwrap();
    for (body, status, code) in [
        (json!({"url": dead()}), 502, "CONNECT_FAILED"),
        (
            json!({"url": dead(), "sitemap": "only"}),
            502,
            "CONNECT_FAILED",
        ),
        (
            json!({"url": site.url("/no"), "sitemap": "skip"}),
            403,
            "ROBOTS_DENIED",
        ),
        (
            json!({"url": site.url("/gone"), "sitemap": "skip"}),
            502,
            "NOT_FOUND",
        ),
        (json!({"url": "nonsense"}), 422, "INVALID_URL"),
        (
            json!({"url": site.url("/"), "limit": 0}),
            422,
            "INVALID_OPTIONS",
        ),
        (json!({}), 422, "INVALID_URL"),
        (
            json!({"url": site.url("/"), "limit": -1}),
            422,
            "INVALID_OPTIONS",
        ),
        (json!([]), 422, "INVALID_OPTIONS"),
        (
            json!({"url": site.url("/"), "sitemaps": "only"}),
            422,
            "INVALID_OPTIONS",
        ),
        (
            json!({"url": site.url("/"), "cursor": "x.1"}),
            422,
            "INVALID_OPTIONS",
        ),
    ] {
        let (got, answer) = server.post_to("/v1/map", &body).await;
        assert_eq!(
            (got, answer["error"]["code"].as_str()),
            (status, Some(code)),
            "{answer}"
        );
        assert_ne!(answer["error"]["details"]["field"], "", "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(!message.contains("4294967295"), "{answer}");
    }
    let through_sitemap = map(&server, json!({"url": site.url("/gone")})).await;
    assert_eq!(through_sitemap["total"], 3);
    let warning = through_sitemap["warnings"][0].as_str().unwrap();
    assert!(warning.contains("NOT_FOUND"), "{warning}");
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_thousand_urls_come_in_pieces_that_fit_together() {
    let _alone = alone().await;
    let site = TrapSite::of(|request| match request.path.as_str() {
        "/robots.txt" => Some(Answer::new(404, &[], "")),
        "/sitemap.xml" => {
            let mut set = String::from("<urlset>");
            for number in 0..50_000 {
                write!(set, "<url><loc>{}/p/{number}</loc></url>", request.origin).unwrap();
            }
            Some(xml(set + "</urlset>"))
        }
        "/" => Some(page("Start", &[])),
        _ => None,
    });
    let site = site.await.unwrap();
    let server = Server::start();
    let whole = map(&server, json!({"url": site.url("/"), "limit": 100_000})).await;
    assert_eq!(
        (&whole["total"], &whole["truncated"]),
        (&json!(50_001), &json!(false))
    );
    let mut piece = map(&server, json!({"url": site.url("/"), "limit": 20_000})).await;
    let asked = site.requests().len();
    let (mut urls, mut pieces) = (paths(&piece, &site), 1);
    let id = piece["next_cursor"]
        .as_str()
        .unwrap()
        .split('.')
        .next()
        .unwrap();
    for beyond in ["50001", "99999999999"] {
        let body = json!({"cursor": format!("{id}.{beyond}")});
        let (status, answer) = server.post_to("/v1/map", &body).await;
        let field = &answer["error"]["details"]["field"];
        assert_eq!((status, field), (422, &json!("cursor")), "{answer}");
    }
    // The map outlives its server.
    let (data, _) = (server.data(), drop(server));
    let server = Server::on(data, &[("TRAWLS_ALLOW_PRIVATE_TARGETS", "true")]);
    while let Some(cursor) = piece["next_cursor"].as_str() {
        let body = json!({"limit": 20_000, "cursor": cursor});
        piece = map(&server, body).await;
        urls.extend(paths(&piece, &site));
        pieces += 1;
    }
    assert_eq!((pieces, site.requests().len()), (3, asked));
    assert_eq!(urls, paths(&whole, &site));
    assert_eq!(urls.iter().collect::<HashSet<_>>().len(), 50_001);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_map_ends_at_its_time_with_what_it_has() {
    let site = TrapSite::of(|request| {
        Some(match request.path.as_str() {
            "/" => page("Start", &[("/slow", "Slow"), ("/quick", "Quick")]),
            "/quick" => page("Quick", &[("/deep", "Deep")]),
            "/slow" => page("Slow", &[]).after(Duration::from_secs(100)),
            _ => return None,
        })
    });
    let (server, site) = (Server::start(), site.await.unwrap());
    let body = json!({"url": site.url("/"), "sitemap": "skip", "timeout_ms": 3000});
    let map = map(&server, body).await;
    assert_eq!(map["truncated"], true);
    assert_eq!(paths(&map, &site), ["/", "/slow", "/quick", "/deep"]);
}
