//! The shared cases: small inputs behind public bug reports, run against the real server.

use std::process::Command;

use trawls_testkit::shared;

use crate::support::{Server, alone};

/// Groups whose parts are built.
const GROUPS: &str =
    "markdown,main-content,encoding,fetch,blocked-pages,security,api,robots,crawl,sitemap";

async fn run_cases(server: &Server, arguments: &[&str], skipped: &str) {
    let Some(runner) = shared("cases/run_cases.py", skipped) else {
        return;
    };
    let mut command = Command::new("python3");
    command.arg(runner).arg(server.url("")).args(arguments);
    let output = tokio::task::spawn_blocking(move || command.output().unwrap())
        .await
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_the_built_parts_passes() {
    let _alone = alone().await;
    let server = Server::start();
    // A port of its own, so that a fixture server that somebody left running is not asked.
    let arguments = ["--group", GROUPS, "--fixture-port", "18731"];
    run_cases(&server, &arguments, "the shared cases").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_private_target_is_refused() {
    let Some(list) = shared("cases/ssrf.txt", "the list of refused targets") else {
        return;
    };
    let server = Server::with(&[]);
    run_cases(
        &server,
        &["--ssrf", list.to_str().unwrap()],
        "the list of refused targets",
    )
    .await;
}
