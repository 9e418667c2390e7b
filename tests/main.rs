//! Black-box tests, one binary: the rules of the house, then the real `trawls` from outside.
#![allow(
    missing_docs,
    clippy::print_stderr,
    reason = "tests are sentences, and say what they skip"
)]

mod api;
mod architecture;
mod cases;
mod cli;
mod process;
mod support;
mod ui;
