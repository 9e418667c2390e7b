//! The UI in the real Chromium: `tests/ui/*.test.mjs`, with the servers that they need.

use std::process::Command;

use trawls_testkit::TrapSite;

use crate::support::{Server, alone, root};

#[tokio::test(flavor = "multi_thread")]
async fn every_page_works_in_a_real_browser() {
    let _alone = alone().await;
    let traps = TrapSite::start().await.unwrap();
    let server = Server::start();
    let (base, traps_url) = (server.url(""), traps.url(""));
    let run = tokio::task::spawn_blocking(move || {
        Command::new("node")
            .args(["--test", "--test-reporter=tap"])
            .current_dir(root().join("tests/ui"))
            .env("BASE", base)
            .env("TRAPS", traps_url)
            .env("TRAWLS", env!("CARGO_BIN_EXE_trawls"))
            .output()
            .expect("Node.js is missing: deploy/setup.sh --test installs it")
    });
    let output = run.await.unwrap();
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
