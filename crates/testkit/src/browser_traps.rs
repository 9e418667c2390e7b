//! The traps that need a browser, one row each: pages that draw themselves, and pages that do
//! their worst to whoever runs their scripts. No row of `TRAPS` links to them.

use std::time::Duration;

use crate::{Answer, Request, Step, Trap};

/// The pages are files.
macro_rules! page {
    ($name:literal) => {
        include_str!(concat!("../pages/browser/", $name))
    };
}

/// One write of the endless page.
static STRETCH: [u8; 1 << 16] = paragraphs();
/// Writes of 64 KB that make 500 MB.
const STRETCHES: usize = 8_000;
const MEMBER_COOKIE: &str = "member=ada";

/// Every path of the site that is for browsers.
pub const BROWSER_TRAPS: &[Trap] = &[
    Trap {
        path: "/browser",
        about: "links to every trap for browsers",
        answer: |_| Answer::html(index()),
    },
    Trap {
        path: "/app",
        about: "draws itself from JSON",
        answer: |_| Answer::html(page!("app.html")),
    },
    Trap {
        path: "/app.json",
        about: "what /app draws",
        answer: |_| {
            let json = [("Content-Type", "application/json")];
            Answer::new(200, &json, page!("app.json")).after(Duration::from_millis(100))
        },
    },
    Trap {
        path: "/app-timer",
        about: "draws itself after a second",
        answer: |_| Answer::html(page!("app-timer.html")),
    },
    Trap {
        path: "/app-late",
        about: "has text at once, and more of it (#late) after two seconds",
        answer: |_| Answer::html(page!("app-late.html")),
    },
    Trap {
        path: "/lazy-list",
        about: "500 items, 20 more whenever the end comes into sight",
        answer: |_| Answer::html(page!("lazy-list.html")),
    },
    Trap {
        path: "/virtual-list",
        about: "500 rows of which only those in sight exist",
        answer: |_| Answer::html(page!("virtual-list.html")),
    },
    Trap {
        path: "/framed",
        about: "an article in a frame of the same origin",
        answer: |_| Answer::html(framed("/article")),
    },
    Trap {
        path: "/framed-elsewhere",
        about: "an article in a frame of another site",
        answer: |request| {
            let source = format!("http://{}/article", elsewhere(request));
            Answer::html(framed(&source))
        },
    },
    Trap {
        path: "/shadow",
        about: "components: slots, fallbacks, nested and closed shadow roots",
        answer: |_| Answer::html(page!("shadow.html")),
    },
    Trap {
        path: "/behind-click",
        about: "text behind #more, a field #search that answers to Enter",
        answer: |_| Answer::html(page!("behind-click.html")),
    },
    Trap {
        path: "/login",
        about: "a form (#name, #word, #enter) that lets ada in with the word tide",
        answer: login,
    },
    Trap {
        path: "/members",
        about: "only for who has logged in",
        answer: members,
    },
    Trap {
        path: "/tall",
        about: "30,000 pixels under a sticky header",
        answer: |_| Answer::html(page!("tall.html")),
    },
    Trap {
        path: "/alerts",
        about: "alert, confirm and prompt in a loop, and one at leaving",
        answer: |_| Answer::html(page!("alerts.html")),
    },
    Trap {
        path: "/spin",
        about: "a script that never ends",
        answer: |_| {
            Answer::html(
                "<!doctype html><title>Spin</title><p>The wheel turns.<script>for (;;);</script>",
            )
        },
    },
    Trap {
        path: "/spin-later",
        about: "a good page whose script never ends after half a second",
        answer: |_| {
            Answer::html(
                "<!doctype html><title>Spin</title><p>The wheel turns.\
                 <script>setTimeout(() => { for (;;); }, 500)</script>",
            )
        },
    },
    Trap {
        path: "/crash",
        about: "nests elements until the renderer crashes",
        answer: |_| {
            Answer::html(
                "<!doctype html><title>Crash</title><p>The ladder leans.<script>\
                 for (let rung = document.body, i = 0; i < 40000; i++) {\
                 rung = rung.appendChild(document.createElement(\"div\")) }</script>",
            )
        },
    },
    Trap {
        path: "/hungry",
        about: "a script that takes all memory",
        answer: |_| {
            Answer::html(
                "<!doctype html><title>Hungry</title><p>The miller eats.<script>\
                 const eaten = []; for (;;) eaten.push(new Array(1e6).fill(eaten.length + 0.5));\
                 </script>",
            )
        },
    },
    Trap {
        path: "/endless",
        about: "500 MB of paragraphs, as fast as a slow line",
        answer: |_| {
            Answer::promising(&[HTML], None)
                .then(Step::Write(
                    b"<!doctype html><title>Endless</title>".to_vec(),
                ))
                .then(Step::Drip {
                    bytes: &STRETCH,
                    pause: Duration::from_millis(5),
                    times: STRETCHES,
                })
        },
    },
    Trap {
        path: "/download.csv",
        about: "a CSV to be kept as a file",
        answer: |_| attachment("text/csv", "fees.csv", "year,fee\n1841,4\n1877,9\n"),
    },
    Trap {
        path: "/download.pdf",
        about: "a PDF to be kept as a file",
        answer: |_| attachment("application/pdf", "fees.pdf", SMALL_PDF),
    },
    Trap {
        path: "/popups",
        about: "opens 50 windows, and 50 more at each click",
        answer: |_| Answer::html(page!("popups.html")),
    },
    Trap {
        path: "/service-worker",
        about: "registers a service worker that answers for the whole site",
        answer: |_| Answer::html(page!("service-worker.html")),
    },
    Trap {
        path: "/service-worker.js",
        about: "that service worker",
        answer: |_| script(page!("service-worker.js")),
    },
    Trap {
        path: "/spy",
        about: "tries all ways to the host:port in its query",
        answer: |request| {
            let page = page!("spy.html").replace("TARGET", &request.query);
            Answer::html(page.replace("ELSEWHERE", &elsewhere(request)))
        },
    },
    Trap {
        path: "/spy-redirect",
        about: "a redirect to the URL in its query",
        answer: |request| Answer::redirect(302, &request.query),
    },
    Trap {
        path: "/spy-image",
        about: "shows the picture at the URL in its query",
        answer: |request| Answer::html(format!("<img src=\"{}\">", request.query)),
    },
    Trap {
        path: "/away",
        about: "goes to /article by script",
        answer: |_| Answer::html(page!("away.html")),
    },
    Trap {
        path: "/refresh-by-script",
        about: "goes to /article by a meta refresh that a script has added",
        answer: |_| Answer::html(page!("refresh-by-script.html")),
    },
    Trap {
        path: "/consent",
        about: "an article under the banner of a consent vendor",
        answer: |_| Answer::html(page!("consent.html")),
    },
    Trap {
        path: "/consent-words",
        about: "an article under a banner known only by its words, in German",
        answer: |_| Answer::html(page!("consent-words.html")),
    },
    Trap {
        path: "/echo",
        about: "shows the headers that came, and what scripts see of the browser",
        answer: |request| {
            let headers: String = request
                .headers
                .iter()
                .map(|(name, value)| format!("{name}: {}\n", value.replace('<', "&lt;")))
                .collect();
            Answer::html(page!("echo.html").replace("HEADERS", &headers))
        },
    },
];

const HTML: (&str, &str) = ("Content-Type", "text/html; charset=utf-8");

const SMALL_PDF: &str = "%PDF-1.4\n\
    1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n\
    2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
    3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 4 0 R\
    /Resources<</Font<</F 5 0 R>>>>>>endobj\n\
    4 0 obj<</Length 55>>stream\n\
    BT /F 12 Tf 20 50 Td (Harbour fees: four shillings.) Tj ET\n\
    endstream endobj\n\
    5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n\
    trailer<</Root 1 0 R>>\n%%EOF\n";

fn index() -> String {
    let items: String = BROWSER_TRAPS
        .iter()
        .map(|trap| {
            let (path, about) = (trap.path, trap.about);
            format!("<li><a href=\"{path}\">{path}</a>: {about}</li>")
        })
        .collect();
    format!("<!doctype html><title>Traps for browsers</title><main><ul>{items}</ul></main>")
}

/// This site under its other name, which makes it another site to a browser: `localhost` is not
/// `127.0.0.1`.
fn elsewhere(request: &Request) -> String {
    let host = request.headers.get("host").map_or("", String::as_str);
    let (name, port) = host.rsplit_once(':').unwrap_or((host, "80"));
    let other = if name == "localhost" {
        "127.0.0.1"
    } else {
        "localhost"
    };
    format!("{other}:{port}")
}

fn framed(source: &str) -> String {
    format!(
        "<!doctype html><html lang=en><title>Framed</title><main><h1>A page with a frame</h1>\
         <iframe src=\"{source}\" width=900 height=700></iframe>\
         <iframe src=\"/forum\" width=1 height=1></iframe>\
         <p>Below the frame the page goes on.</p></main></html>"
    )
}

fn login(request: &Request) -> Answer {
    if request.method != "POST" {
        return Answer::html(page!("login.html"));
    }
    if request.body != b"name=ada&word=tide" {
        return Answer::redirect(303, "/login?wrong");
    }
    let cookie = format!("{MEMBER_COOKIE}; HttpOnly; SameSite=Lax; Path=/");
    let headers = [("Location", "/members"), ("Set-Cookie", cookie.as_str())];
    Answer::new(303, &headers, "")
}

fn members(request: &Request) -> Answer {
    let is_member = request
        .headers
        .get("cookie")
        .is_some_and(|cookies| cookies.split("; ").any(|cookie| cookie == MEMBER_COOKIE));
    if !is_member {
        return Answer::redirect(303, "/login");
    }
    Answer::html(
        "<!doctype html><title>Members</title><main><h1>Members</h1>\
         <p id=welcome>Welcome back, Ada. The key to the boat house hangs behind the bell.</main>",
    )
}

fn attachment(kind: &str, name: &str, body: &str) -> Answer {
    let disposition = format!("attachment; filename=\"{name}\"");
    let headers = [
        ("Content-Type", kind),
        ("Content-Disposition", disposition.as_str()),
    ];
    Answer::new(200, &headers, body)
}

fn script(body: &str) -> Answer {
    Answer::new(200, &[("Content-Type", "text/javascript")], body)
}

/// The same paragraph until the array is full; the rest of the last one is cut off.
const fn paragraphs() -> [u8; 1 << 16] {
    let paragraph =
        b"<p>The wall goes on, stone upon stone, and there is no end to it in sight.</p>\n";
    let mut bytes = [b' '; 1 << 16];
    let mut at = 0;
    while at < bytes.len() {
        bytes[at] = paragraph[at % paragraph.len()];
        at += 1;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::TRAPS;

    fn answer(path: &str, method: &str, headers: &[(&str, &str)], body: &str) -> String {
        let request = Request {
            method: method.to_owned(),
            path: path.to_owned(),
            query: "10.0.0.1:80".to_owned(),
            headers: headers
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            body: body.into(),
            seen: 0,
            origin: "http://127.0.0.1:4000".to_owned(),
        };
        let trap = BROWSER_TRAPS.iter().find(|trap| trap.path == path);
        let Step::Write(bytes) = &(trap.unwrap().answer)(&request).steps[0] else {
            panic!("{path} begins with a pause");
        };
        String::from_utf8_lossy(bytes).into_owned()
    }

    #[test]
    fn every_path_is_there_once() {
        let all = || TRAPS.iter().chain(BROWSER_TRAPS);
        let paths: BTreeSet<_> = all().map(|trap| trap.path).collect();
        assert_eq!(paths.len(), all().count());
    }

    #[test]
    fn only_who_logs_in_sees_what_is_for_members() {
        let refused = answer("/members", "GET", &[], "");
        assert!(refused.contains("Location: /login"), "{refused}");
        let wrong = answer("/login", "POST", &[], "name=ada&word=ebb");
        assert!(!wrong.contains("Set-Cookie"), "{wrong}");
        let right = answer("/login", "POST", &[], "name=ada&word=tide");
        assert!(right.contains("Set-Cookie: member=ada;"), "{right}");
        let shown = answer("/members", "GET", &[("cookie", "a=b; member=ada")], "");
        assert!(shown.contains("Welcome back"), "{shown}");
    }

    #[test]
    fn a_frame_of_another_site_is_this_one_under_its_other_name() {
        let page = |host| answer("/framed-elsewhere", "GET", &[("host", host)], "");
        assert!(page("127.0.0.1:4000").contains("http://localhost:4000/article"));
        assert!(page("localhost:4000").contains("http://127.0.0.1:4000/article"));
        let spy = answer("/spy", "GET", &[("host", "127.0.0.1:4000")], "");
        assert!(spy.contains("const target = \"10.0.0.1:80\""));
        assert!(spy.contains("http://localhost:4000/spy-image"));
    }
}
