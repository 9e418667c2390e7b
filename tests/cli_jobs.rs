//! `trawls crawl`, `batch`, `resume` and `map`, as a shell sees them.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;
use trawls_testkit::{Answer, TrapSite};

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
    let mut files: Vec<_> = fs::read_dir(&out)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.retain(|file| file.extension().is_some());
    assert!(files.len() >= 10, "{}", files.len());
    let first = fs::read_to_string(&files[0]).unwrap();
    assert!(first.starts_with("---\ntitle: \"Page "), "{first}");

    // It is that job's folder: no other one's pages get between them.
    let asked = traps.requests().len();
    let (code, _, stderr) = run(command(data.path(), &arguments)).await;
    assert_eq!((code, traps.requests().len()), (2, asked), "{stderr}");
    let job = fs::read_to_string(out.join(".trawls-job")).unwrap();
    let arguments = ["resume", job.trim(), "--out", out.to_str().unwrap()];
    let (code, _, stderr) = run(command(data.path(), &arguments)).await;
    assert_eq!(code, 0, "{stderr}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_destination_is_tried_first_and_a_good_file_is_not_lost_to_a_bad_crawl() {
    let (traps, data) = (TrapSite::start().await.unwrap(), TempDir::new().unwrap());
    let (file, link) = (data.path().join("a.JSONL"), data.path().join("b.jsonl"));
    let good = traps.url("/article");
    let crawl = async |url: &str, out: &str| {
        let arguments = [
            "crawl",
            url,
            "--max-pages",
            "1",
            "--no-sitemap",
            "--out",
            out,
        ];
        run(command(data.path(), &arguments)).await
    };
    for out in ["no/such/folder.jsonl", "pages.docx"] {
        let out = data.path().join("a.txt").join(out);
        fs::write(data.path().join("a.txt"), "").unwrap();
        let (code, _, stderr) = crawl(&good, out.to_str().unwrap()).await;
        assert!([2, 4].contains(&code), "{code}: {stderr}");
    }
    assert_eq!(traps.requests().len(), 0);

    let (code, _, stderr) = crawl(&good, file.to_str().unwrap()).await;
    assert!(
        code == 0 && stderr.contains("1 page: 1 success"),
        "{stderr}"
    );
    let before = fs::read_to_string(&file).unwrap();
    let page: Value = serde_json::from_str(&before).unwrap();
    assert_eq!(page["url"], good);
    let (code, _, stderr) = crawl(&traps.url("/missing"), file.to_str().unwrap()).await;
    assert!(
        code == 1 && stderr.contains("nothing was written to"),
        "{stderr}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), before);

    std::os::unix::fs::symlink("a.JSONL", &link).unwrap();
    let (code, ..) = crawl(&traps.url("/forum"), link.to_str().unwrap()).await;
    assert!(code == 0 && link.is_symlink());
    assert_ne!(fs::read_to_string(&file).unwrap(), before);

    let folder = format!("{}/a.example/", data.path().display());
    assert_eq!(crawl(&good, &folder).await.0, 0);
    let (code, stdout, _) = crawl(&good, "-").await;
    let page: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &page["outcome"]), (0, &"success".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_stops_a_crawl_twice_was_told_how_to_go_on() {
    let site = TrapSite::of(|request| {
        (request.path == "/").then(|| Answer::html("").after(Duration::from_secs(100)))
    });
    let (site, data) = (site.await.unwrap(), TempDir::new().unwrap());
    let arguments = [
        "crawl",
        &site.url("/"),
        "--no-sitemap",
        "--timeout-ms",
        "90000",
    ];
    let mut child = command(data.path(), &arguments).spawn().unwrap();
    while site.hits("/") == 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let pid = child.id().to_string();
    let interrupt = || Command::new("kill").args(["-INT", &pid]).status().unwrap();
    assert!(interrupt().success());
    let stopped_at = Instant::now();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let said = tokio::task::spawn_blocking(move || {
        lines.find(|line| {
            line.as_ref()
                .is_ok_and(|line| line.contains("trawls resume "))
        })
    });
    assert!(said.await.unwrap().is_some());
    // At once, not when the running page was given up.
    assert!(stopped_at.elapsed() < Duration::from_secs(5));
    assert!(interrupt().success());
    let ended = tokio::task::spawn_blocking(move || child.wait().unwrap());
    assert_eq!(ended.await.unwrap().code(), Some(130));
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
    let empty = data.path().join("empty.txt");
    fs::write(&empty, "# nothing\n").unwrap();
    let arguments = ["batch", empty.to_str().unwrap()];
    let (code, _, stderr) = run(command(data.path(), &arguments)).await;
    assert!(
        code == 2 && stderr.contains("there is no URL in it"),
        "{stderr}"
    );

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
