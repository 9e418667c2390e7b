//! What a job leaves behind: as lines, a document, an archive, a sheet, and as a tree.

use std::{collections::HashSet, io::Cursor};

use futures_util::StreamExt;
use serde_json::{Value, json};
use trawls_testkit::{Answer, TrapSite};

use crate::support::Server;

/// Words of a page that would like to be more.
const HOSTILE: &str = "<title>=HYPERLINK(\"http://b.example\")</title><main><h1>=cmd()</h1>\
    <p>Ropes, lamps and barrels were carried over the ridge before the tide came back in, \
    and the keeper wrote it down.</main>";

/// A job over a bog (every fifth page is missing) and a page with hostile words.
async fn job(server: &Server, pages: usize) -> (TrapSite, String) {
    let traps = TrapSite::of(|request| {
        (request.path == "/..%2f..%2fetc/passwd").then(|| Answer::html(HOSTILE))
    });
    let traps = traps.await.unwrap();
    let mut urls: Vec<String> = (0..pages)
        .map(|number| traps.url(&format!("/bog/{pages}/{number}")))
        .collect();
    urls.push(traps.url("/..%2f..%2fetc/passwd"));
    let job = server.start_job("/v1/batch", &json!({"urls": urls})).await;
    (traps, job)
}

async fn export(server: &Server, job: &str, query: &str) -> (String, Vec<u8>) {
    let answer = server.get(&format!("/v1/jobs/{job}/export{query}")).await;
    assert_eq!(answer.status(), 200);
    let header = |name| answer.headers()[name].to_str().unwrap().to_owned();
    let named = header("content-disposition");
    assert!(
        named.starts_with("attachment; filename=\"trawls-"),
        "{named}"
    );
    let media_type = header("content-type");
    (media_type, answer.bytes().await.unwrap().to_vec())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_format_holds_every_page_that_belongs_in_it() {
    let server = Server::start();
    let (_traps, job) = job(&server, 200).await;
    assert_eq!(server.ended(&job).await["counts"]["success"], 161);

    let (media_type, lines) = export(&server, &job, "").await;
    assert_eq!(media_type, "application/x-ndjson");
    let pages: Vec<Value> = lines
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    let urls: HashSet<&str> = pages
        .iter()
        .map(|page| page["url"].as_str().unwrap())
        .collect();
    assert_eq!((pages.len(), urls.len()), (201, 201));
    let id = pages[7]["id"].as_str().unwrap();
    assert_eq!(server.read(&format!("/v1/pages/{id}")).await, pages[7]);
    let (_, failed) = export(&server, &job, "?outcome=failed").await;
    assert_eq!(String::from_utf8(failed).unwrap().lines().count(), 40);

    let (_, document) = export(&server, &job, "?format=md").await;
    let document = String::from_utf8(document).unwrap();
    assert_eq!(document.matches("\nurl: \"http").count(), 161);
    assert!(document.contains("\n# Page 0\n"), "{}", &document[..500]);

    let (media_type, archive) = export(&server, &job, "?format=zip").await;
    assert_eq!(media_type, "application/zip");
    check_archive(archive);

    let (_, sheet) = export(&server, &job, "?format=csv").await;
    let mut sheet = csv::Reader::from_reader(sheet.as_slice());
    let rows: Vec<csv::StringRecord> = sheet.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 201);
    let mut cells = rows.iter().flatten();
    let formula = cells.find(|cell| cell.starts_with(['=', '+', '-', '@']));
    assert_eq!(formula, None);
    let hostile = rows
        .iter()
        .flatten()
        .any(|cell| cell.starts_with("'=HYPERLINK"));
    assert!(hostile, "the title is there, as text");
}

fn check_archive(archive: Vec<u8>) {
    let mut archive = zip::ZipArchive::new(Cursor::new(archive)).unwrap();
    let mut names = HashSet::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).unwrap();
        let name = file.name().unwrap().into_owned();
        let is_plain = name
            .chars()
            .all(|c| c.is_alphanumeric() || "-.".contains(c));
        assert!(is_plain && name.ends_with(".md"), "{name}");
        let mut text = String::new();
        std::io::Read::read_to_string(&mut file, &mut text).unwrap();
        assert!(text.starts_with("---\ntitle: "), "{text}");
        names.insert(name.to_lowercase());
    }
    assert_eq!(names.len(), 161);
    assert!(
        names.iter().any(|name| name.ends_with("-etc-passwd.md")),
        "{names:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_that_is_none_is_refused_wherever_pages_are_filtered() {
    let server = Server::start();
    let (_site, job) = job(&server, 3).await;
    for view in ["export", "tree", "pages"] {
        let path = format!("/v1/jobs/{job}/{view}?code=");
        assert_eq!(server.get(&format!("{path}NOT_FOUND")).await.status(), 200);
        let refused = server.read(&format!("{path}NOTFOUND")).await;
        assert_eq!(refused["error"]["details"]["field"], "code", "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_rests_holds_nothing_and_one_that_comes_early_gets_what_is_there() {
    let server = Server::start();
    let (_traps, job) = job(&server, 600).await;
    let mut slow = server
        .get(&format!("/v1/jobs/{job}/export"))
        .await
        .bytes_stream();
    let _first = slow.next().await;
    // The job goes on and can be removed while somebody rests in the middle of its export.
    assert_eq!(server.ended(&job).await["status"], "completed");
    let client = reqwest::Client::new();
    let url = server.url(&format!("/v1/jobs/{job}"));
    assert_eq!(client.delete(url).send().await.unwrap().status(), 200);
    assert_eq!(server.read("/v1/system").await["pages_stored"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tree_shows_hosts_paths_and_what_became_of_them() {
    let server = Server::start();
    let (_traps, job) = job(&server, 10).await;
    server.ended(&job).await;
    let tree = server.read(&format!("/v1/jobs/{job}/tree")).await;
    let host = &tree["items"][0];
    assert_eq!(
        (&host["counts"]["success"], &host["counts"]["failed"]),
        (&json!(9), &json!(2))
    );
    let bog = host["children"].as_array().unwrap();
    let bog = bog.iter().find(|node| node["name"] == "bog").unwrap();
    let pages = bog["children"][0]["children"].as_array().unwrap();
    assert_eq!((pages.len(), &tree["truncated"]), (10, &json!(false)));
    let page = &pages[0]["pages"][0];
    assert_eq!(
        (&page["outcome"], &page["http_status"]),
        (&json!("success"), &json!(200))
    );
    let cut = server.read(&format!("/v1/jobs/{job}/tree?limit=3")).await;
    assert_eq!(cut["truncated"], true);
    for (query, status) in [("export?format=docx", 422), ("tree?limit=0", 422)] {
        let answer = server.get(&format!("/v1/jobs/{job}/{query}")).await;
        assert_eq!(answer.status(), status, "{query}");
    }
    for path in ["/v1/jobs/none/export", "/v1/jobs/none/tree"] {
        assert_eq!(server.get(path).await.status(), 404, "{path}");
    }
}
