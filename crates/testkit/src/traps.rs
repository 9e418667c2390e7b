//! The traps, one row each. A new trap is a new row, and a page file if it has much to say.

use std::time::Duration;

use crate::{
    Answer, Request, Step,
    answer::{gzip, gzip_bomb},
};

/// One path of the site.
#[derive(Debug)]
pub struct Trap {
    /// Path without query.
    pub path: &'static str,
    /// What is special about it, in a few words.
    pub about: &'static str,
    /// The answer.
    pub answer: fn(&Request) -> Answer,
}

const ARTICLE: &str = include_str!("../pages/article.html");
const FORUM: &str = include_str!("../pages/forum.html");
const PRODUCT: &str = include_str!("../pages/product.html");
const CHALLENGE: &str = include_str!("../pages/challenge.html");
const CAPTCHA_ARTICLE: &str = include_str!("../pages/captcha-article.html");
const HOSTILE: &str = include_str!("../pages/hostile.html");
const SHELL: &str =
    "<!doctype html><title>App</title><div id=root></div><script src=/app.js></script>";
/// Longer than any deadline in tests, so that the deadline is what ends the wait.
const FOR_EVER: Duration = Duration::from_secs(120);
const HTML: (&str, &str) = ("Content-Type", "text/html; charset=utf-8");

/// Every path of the site.
pub const TRAPS: &[Trap] = &[
    Trap {
        path: "/",
        about: "links to every trap",
        answer: |_| Answer::html(index()),
    },
    Trap {
        path: "/robots.txt",
        about: "forbids /private/",
        answer: |_| {
            Answer::new(
                200,
                &[("Content-Type", "text/plain")],
                "User-agent: *\nDisallow: /private/\n",
            )
        },
    },
    Trap {
        path: "/link-to",
        about: "links to the URL in its query",
        answer: |request| {
            let link = &request.query;
            Answer::html(format!(
                "<title>Way</title><main><h1>Way</h1><p>Over the ridge and on to \
                 <a href=\"{link}\">the other side</a>, where the ferry waits.</main>"
            ))
        },
    },
    Trap {
        path: "/maze",
        about: "the same text under ever new addresses, without a number in them",
        answer: |request| {
            let links: String = ["a", "b", "c"]
                .map(|turn| format!("<a href=\"/maze?{}{turn}\">Further</a> ", request.query))
                .concat();
            Answer::html(format!(
                "<title>Maze</title><main><h1>Maze</h1><p>Hedges on the left, hedges on the \
                 right, and the sky above them is grey. {links}</main>"
            ))
        },
    },
    Trap {
        path: "/sitemap.xml",
        about: "lists a page that nothing links to",
        answer: |_| {
            Answer::new(
                200,
                &[("Content-Type", "text/html")],
                "<urlset><url><loc>/forest/1/0</loc></url>\
                 <url><loc>https://b.example/</loc></url></urlset>",
            )
        },
    },
    Trap {
        path: "/article",
        about: "an article between navigation, rails and a footer",
        answer: |_| Answer::html(ARTICLE),
    },
    Trap {
        path: "/forum",
        about: "a thread with three posts",
        answer: |_| Answer::html(FORUM),
    },
    Trap {
        path: "/product",
        about: "a product with a table and JSON-LD",
        answer: |_| Answer::html(PRODUCT),
    },
    Trap {
        path: "/private/page",
        about: "forbidden by robots.txt",
        answer: |_| Answer::html(ARTICLE),
    },
    Trap {
        path: "/shell",
        about: "an empty script application",
        answer: |_| Answer::html(SHELL),
    },
    Trap {
        path: "/challenge",
        about: "an anti-bot page with status 403",
        answer: |_| {
            Answer::new(
                403,
                &[
                    HTML,
                    ("cf-mitigated", "challenge"),
                    ("Server", "cloudflare"),
                ],
                CHALLENGE,
            )
        },
    },
    Trap {
        path: "/challenge-200",
        about: "the same with status 200",
        answer: |_| Answer::html(CHALLENGE),
    },
    Trap {
        path: "/captcha-article",
        about: "an article about captchas: not a challenge",
        answer: |_| Answer::html(CAPTCHA_ARTICLE),
    },
    Trap {
        path: "/hostile",
        about: "text that tries to run in whoever shows it",
        answer: |_| Answer::html(HOSTILE),
    },
    Trap {
        path: "/missing",
        about: "404 with a body",
        answer: |_| {
            Answer::new(
                404,
                &[HTML],
                "<title>Not found</title><h1>Not found</h1><p>No such page here.</p>",
            )
        },
    },
    Trap {
        path: "/soft-404",
        about: "200, but says that there is no such page",
        answer: |_| {
            Answer::html(
                "<title>404 Not Found</title><h1>Page not found</h1><p>The page you asked for does not exist.</p>",
            )
        },
    },
    Trap {
        path: "/error",
        about: "500, always",
        answer: |_| Answer::new(500, &[HTML], "<h1>Broken</h1>"),
    },
    Trap {
        path: "/flaky",
        about: "500 once, then good",
        answer: |request| {
            if request.seen == 0 {
                Answer::new(500, &[HTML], "<h1>Broken</h1>")
            } else {
                Answer::html(ARTICLE)
            }
        },
    },
    Trap {
        path: "/busy",
        about: "429 with Retry-After: 1 once, then good",
        answer: |request| {
            if request.seen == 0 {
                Answer::new(429, &[HTML, ("Retry-After", "1")], "")
            } else {
                Answer::html(ARTICLE)
            }
        },
    },
    Trap {
        path: "/empty",
        about: "200 without a body",
        answer: |_| Answer::html(""),
    },
    Trap {
        path: "/moved",
        about: "a redirect to /article",
        answer: |_| Answer::redirect(301, "/article"),
    },
    Trap {
        path: "/redirect-to-nowhere",
        about: "a redirect that does not say where to, with a page beside it",
        answer: |_| Answer::new(302, &[HTML], ARTICLE),
    },
    Trap {
        path: "/loop",
        about: "a redirect to itself",
        answer: |_| Answer::redirect(302, "/loop"),
    },
    Trap {
        path: "/to-file",
        about: "a redirect to file:",
        answer: |_| Answer::redirect(302, "file:///etc/passwd"),
    },
    Trap {
        path: "/to-metadata",
        about: "a redirect to a cloud's metadata address",
        answer: |_| Answer::redirect(302, "http://169.254.169.254/latest/meta-data/"),
    },
    Trap {
        path: "/refresh",
        about: "a meta refresh to /article",
        answer: |_| {
            Answer::html("<meta http-equiv=refresh content='0; url=/article'><p>One moment</p>")
        },
    },
    Trap {
        path: "/cached",
        about: "an ETag and 304",
        answer: |request| {
            if request
                .headers
                .get("if-none-match")
                .is_some_and(|tag| tag == "\"one\"")
            {
                Answer {
                    steps: vec![Step::Write(
                        b"HTTP/1.1 304 Trap\r\nETag: \"one\"\r\nConnection: close\r\n\r\n".to_vec(),
                    )],
                }
            } else {
                Answer::new(200, &[HTML, ("ETag", "\"one\"")], ARTICLE)
            }
        },
    },
    Trap {
        path: "/silent",
        about: "never answers",
        answer: |_| Answer {
            steps: vec![Step::Pause(FOR_EVER)],
        },
    },
    Trap {
        path: "/late",
        about: "answers after 300 ms",
        answer: |_| Answer::html(ARTICLE).after(Duration::from_millis(300)),
    },
    Trap {
        path: "/drip",
        about: "a byte a second, for ever",
        answer: |_| {
            Answer::promising(&[HTML], None).then(Step::Drip {
                bytes: b"x",
                pause: Duration::from_secs(1),
                times: 120,
            })
        },
    },
    Trap {
        path: "/cut",
        about: "promises more bytes than it sends",
        answer: |_| {
            Answer::promising(&[HTML], Some(ARTICLE.len() + 1000)).then(Step::Write(ARTICLE.into()))
        },
    },
    Trap {
        path: "/gzip",
        about: "gzip",
        answer: |_| {
            Answer::new(
                200,
                &[HTML, ("Content-Encoding", "gzip")],
                gzip(ARTICLE.as_bytes()),
            )
        },
    },
    Trap {
        path: "/gzip-cut",
        about: "half of a gzip body",
        answer: |_| {
            let body = gzip(ARTICLE.as_bytes());
            Answer::new(
                200,
                &[HTML, ("Content-Encoding", "gzip")],
                &body[..body.len() * 2 / 3],
            )
        },
    },
    Trap {
        path: "/bomb",
        about: "a gzip bomb of 128 MB",
        answer: |_| Answer::new(200, &[HTML, ("Content-Encoding", "gzip")], gzip_bomb(128)),
    },
    Trap {
        path: "/deep",
        about: "200,000 nested elements",
        answer: |_| {
            Answer::html(format!(
                "<title>Deep</title>{}<p>The bottom of the pile is here.</p>",
                "<div>".repeat(200_000)
            ))
        },
    },
    Trap {
        path: "/binary",
        about: "a PNG that says that it is HTML",
        answer: |_| {
            Answer::html(
                [
                    b"\x89PNG\r\n\x1a\n".as_slice(),
                    &[0, 1, 2, 3, 255].repeat(500),
                ]
                .concat(),
            )
        },
    },
    Trap {
        path: "/text",
        about: "plain text",
        answer: |_| {
            Answer::new(
                200,
                &[("Content-Type", "text/plain")],
                "Plain words.\n\n# not a heading\n",
            )
        },
    },
    Trap {
        path: "/cookie",
        about: "shows the cookies that came",
        answer: |request| {
            let cookies = request.headers.get("cookie").map_or("none", String::as_str);
            Answer::html(format!(
                "<title>Cookies</title><h1>Cookies</h1><p>The visitor brought these cookies: {cookies}.</p>"
            ))
        },
    },
];

fn index() -> String {
    let items: String = TRAPS
        .iter()
        .map(|trap| {
            format!(
                "<li><a href=\"{}\">{}</a>: {}</li>",
                trap.path, trap.path, trap.about
            )
        })
        .collect();
    format!(
        "<!doctype html><title>Trap site</title><main><h1>Trap site</h1><ul>{items}</ul></main>"
    )
}
