//! Composition root and command line.
//!
//! Arguments are understood first, then the environment (`config`), then everything is built
//! (`wiring`) and a command runs. Results go to stdout, all else to stderr.

use std::process::ExitCode;

use clap::Parser;

mod cli;
mod config;
mod installed;
mod logging;
mod wiring;

/// Page-sized buffers come and go by the thousand; this allocator gives them back.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cli::run(cli::Cli::parse())
}
