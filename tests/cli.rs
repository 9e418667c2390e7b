//! The command line, as a shell sees it.

use std::{
    io::Write,
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;
use trawls_testkit::TrapSite;

use crate::support::trawls;

struct Ran {
    code: i32,
    out: String,
    err: String,
}

async fn run(arguments: &[&str], settings: &[(&str, &str)], input: &str) -> Ran {
    let data = TempDir::new().unwrap();
    let mut command = trawls();
    command
        .args(arguments)
        .env("TRAWLS_DATA_DIR", data.path())
        .env("TRAWLS_ALLOW_PRIVATE_TARGETS", "true")
        .envs(settings.iter().copied());
    let input = input.to_owned();
    let output = tokio::task::spawn_blocking(move || feed(command, &input))
        .await
        .unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

fn feed(mut command: Command, input: &str) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn scrape_goes_on_without_a_folder_to_keep_pages_in() {
    let traps = TrapSite::start().await.unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    let folder = file.path().join("below-a-file");
    let settings = [("TRAWLS_DATA_DIR", folder.to_str().unwrap())];
    let ran = run(&["scrape", &traps.url("/article")], &settings, "").await;
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("# ") && ran.err.starts_with("warning: nothing is kept"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_file_is_not_said_to_be_fetched() {
    let ran = run(&["read", "-", "--url", "http://a.example/"], &[], "").await;
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.err.contains("EMPTY_CONTENT") && !ran.err.contains("fetched"));
}

#[tokio::test(flavor = "multi_thread")]
async fn scrape_writes_markdown_to_stdout_and_nothing_to_stderr() {
    let traps = TrapSite::start().await.unwrap();
    let ran = run(&["scrape", &traps.url("/article")], &[], "").await;
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    assert!(
        ran.out.starts_with("# How the old harbour got its light\n"),
        "{}",
        ran.out
    );
    assert!(!ran.out.contains("Privacy"), "{}", ran.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn scrape_as_json_is_a_whole_result() {
    let traps = TrapSite::start().await.unwrap();
    let ran = run(
        &[
            "scrape",
            &traps.url("/article"),
            "--json",
            "--format",
            "markdown,links,metadata",
        ],
        &[],
        "",
    )
    .await;
    let page: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(page["outcome"], "success");
    assert_eq!(page["metadata"]["author"], "Ada Marsh");
    assert!(
        page["links"]
            .as_array()
            .unwrap()
            .iter()
            .any(|link| link["url"] == "https://example.org/museum")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn exit_codes_tell_what_happened() {
    let traps = TrapSite::start().await.unwrap();
    let cases = [
        (traps.url("/missing"), 1, "NOT_FOUND"),
        (traps.url("/private/page"), 3, "ROBOTS_DENIED"),
        ("ftp://example.com/".to_owned(), 2, "scheme"),
    ];
    for (url, code, word) in cases {
        let ran = run(&["scrape", &url], &[], "").await;
        assert_eq!(ran.code, code, "{url}: {}", ran.err);
        assert!(ran.err.contains(word), "{url}: {}", ran.err);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn read_makes_the_same_markdown_from_a_file_without_any_request() {
    let traps = TrapSite::start().await.unwrap();
    let scraped = run(&["scrape", &traps.url("/article")], &[], "").await;
    let html = reqwest::get(traps.url("/article"))
        .await
        .unwrap()
        .text()
        .await
        .unwrap();
    let before = traps.requests().len();
    let read = run(&["read", "-", "--url", &traps.url("/article")], &[], &html).await;
    assert_eq!(read.out, scraped.out, "{}", read.err);
    assert_eq!(traps.requests().len(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_setting_stops_the_start_with_a_suggestion() {
    let ran = run(&["doctor"], &[("TRAWLS_PROT", "1")], "").await;
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("TRAWLS_PORT"), "{}", ran.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_says_what_works() {
    let ran = run(&["doctor"], &[], "").await;
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(
        ran.out.contains("Chromium") && ran.out.contains("156."),
        "{}",
        ran.out
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn serving_others_without_a_key_is_refused() {
    let ran = run(&["serve", "--host", "0.0.0.0", "--port", "0"], &[], "").await;
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("TRAWLS_REQUIRE_AUTH"), "{}", ran.err);
}
