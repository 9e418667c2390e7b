//! `trawls crawl`, `batch`, `resume` and `map`, as a shell sees them.

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;
use trawls_testkit::TrapSite;

use crate::support::trawls;

fn command(data: &Path, arguments: &[&str]) -> Command {
    let mut command = trawls();
    command
        .args(arguments)
        .env("TRAWLS_DATA_DIR", data)
        .env("TRAWLS_ALLOW_PRIVATE_TARGETS", "true")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

async fn run(mut command: Command) -> (i32, String, String) {
    let output: Output = tokio::task::spawn_blocking(move || command.output().unwrap())
        .await
        .unwrap();
    (
        output.status.code().unwrap_or(-1),
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_fills_a_folder_and_says_what_it_came_to() {
    let (traps, data) = (TrapSite::start().await.unwrap(), TempDir::new().unwrap());
    let out = data.path().join("pages");
    let url = traps.url("/bog/20/0");
    let arguments = [
        "crawl",
        &url,
        "--no-sitemap",
        "--out",
        out.to_str().unwrap(),
    ];
    let (code, stdout, stderr) = run(command(data.path(), &arguments)).await;
    assert_eq!((code, stdout.as_str()), (0, ""), "{stderr}");
    let found = [
        "success",
        "failed (NOT_FOUND",
        "pages/s",
        out.to_str().unwrap(),
    ];
    assert!(found.iter().all(|part| stderr.contains(part)), "{stderr}");
    let files: Vec<_> = fs::read_dir(&out)
        .unwrap()
        .map(|file| file.unwrap())
        .collect();
    assert!(files.len() >= 10, "{}", files.len());
    let first = fs::read_to_string(files[0].path()).unwrap();
    assert!(first.starts_with("---\ntitle: \"Page "), "{first}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_crawl_keeps_what_it_has_and_goes_on() {
    let (traps, data) = (TrapSite::start().await.unwrap(), TempDir::new().unwrap());
    let out = data.path().join("pages.jsonl");
    let url = traps.url("/forest/300/0");
    let arguments = [
        "crawl",
        &url,
        "--no-sitemap",
        "--delay-ms",
        "20",
        "--out",
        out.to_str().unwrap(),
    ];
    let child = command(data.path(), &arguments).spawn().unwrap();
    while traps.requests().len() < 30 {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    let output = tokio::task::spawn_blocking(|| child.wait_with_output().unwrap());
    let output = output.await.unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    let some = fs::read_to_string(&out).unwrap().lines().count();
    assert!((20..300).contains(&some), "{some} pages");
    // Another job is none of its business.
    let (code, ..) = run(command(
        data.path(),
        &["crawl", &traps.url("/forest/2/0"), "--json"],
    ))
    .await;
    assert_eq!(code, 0);

    let job = stderr.rsplit("trawls resume ").next().unwrap().trim();
    let arguments = ["resume", job, "--out", out.to_str().unwrap(), "--json"];
    let (code, stdout, stderr) = run(command(data.path(), &arguments)).await;
    assert_eq!(code, 0, "{stderr}");
    let summary: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(summary["counts"]["success"], 300);
    let text = fs::read_to_string(&out).unwrap();
    let urls: std::collections::HashSet<&str> = text.lines().collect();
    assert_eq!(urls.len(), 300);
    assert_eq!(
        traps
            .requests()
            .iter()
            .filter(|request| request.path.starts_with("/forest/300"))
            .count(),
        300
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_reads_its_list_and_a_map_lists_a_site() {
    let (traps, data) = (TrapSite::start().await.unwrap(), TempDir::new().unwrap());
    let list = data.path().join("list.txt");
    let urls = [
        traps.url("/article"),
        traps.url("/missing"),
        traps.url("/article"),
    ];
    fs::write(&list, format!("# pages\n\n{}\n", urls.join("\n"))).unwrap();
    let list = list.to_str().unwrap();
    let (code, stdout, stderr) = run(command(data.path(), &["batch", list, "--json"])).await;
    assert_eq!(code, 0, "{stderr}");
    let pages: Vec<Value> = stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(pages.len(), 2);
    let (code, _, stderr) = run(command(data.path(), &["batch", list, "--out", "a.docx"])).await;
    assert_eq!(code, 2, "{stderr}");

    let url = traps.url("/forest/30/0");
    let (code, stdout, stderr) =
        run(command(data.path(), &["map", &url, "--sitemap", "skip"])).await;
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(stdout.lines().next(), Some(url.as_str()));
    assert!(stdout.lines().count() > 25, "{stdout}");
    let gone = traps.url("/missing");
    let (code, _, stderr) = run(command(data.path(), &["map", &gone, "--sitemap", "skip"])).await;
    assert_eq!(code, 1);
    assert!(stderr.contains("NOT_FOUND"), "{stderr}");
}
