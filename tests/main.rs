//! Black-box tests, one binary: the rules of the house, then the real `trawls` from outside.
#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::too_many_lines,
    clippy::unwrap_used,
    reason = "tests are sentences, stop at the first surprise, and say what they skip"
)]

mod api;
mod architecture;
mod cases;
mod cli;
mod cli_jobs;
mod export;
mod jobs;
mod map;
mod process;
mod reprocess;
mod support;
mod trouble;
mod ui;
mod webhooks;
