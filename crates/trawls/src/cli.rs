//! The command line: arguments in, exit code out. One file per command.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use trawls_contract::InvalidOption;

use crate::{
    config::{Config, help_table},
    logging,
};

mod address;
mod batch;
mod crawl;
mod destination;
mod doctor;
mod job;
mod map;
mod options;
mod output;
mod pictures;
mod progress;
mod read;
mod resume;
mod scrape;
mod serve;
mod stop;
mod worker;

/// Scrapes web pages into clean Markdown and typed JSON.
#[derive(Debug, Parser)]
#[command(name = "trawls", version, about, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// Of commands that bring many pages.
const OUT_HELP: &str = "Write to a folder (one Markdown file a page; new, empty, or that of the \
                        job that goes on), or to a file: .jsonl, .md, .zip or .csv. - is stdout, \
                        one JSON object a line; Markdown goes to stdout when absent. A file that \
                        is there stays when no page went well";
const JSON_HELP: &str = "Print the job as JSON; without --out its pages, one JSON object a line";

const EXIT_CODES: &str = "\
Exit codes:
  0    success
  1    the page failed (the reason is on stderr); of many pages, all of them
  2    wrong arguments or settings
  3    the page was skipped: robots.txt, say
  4    Trawls itself failed: database, disk, network address
  130  interrupted";

#[derive(Debug, Subcommand)]
enum Command {
    /// Scrape one page; its Markdown goes to stdout
    #[command(after_help = EXIT_CODES)]
    Scrape(Box<scrape::Scrape>),
    /// Crawl a site; an interrupted crawl can go on
    #[command(after_help = EXIT_CODES)]
    Crawl(Box<crawl::Crawl>),
    /// Scrape the URLs of a list
    #[command(after_help = EXIT_CODES)]
    Batch(Box<batch::Batch>),
    /// Go on with an interrupted crawl or batch
    #[command(after_help = EXIT_CODES)]
    Resume(resume::Resume),
    /// List the URLs of a site
    #[command(after_help = EXIT_CODES)]
    Map(map::Map),
    /// Read an HTML file as if it had been scraped; no network is used
    #[command(after_help = EXIT_CODES)]
    Read(Box<read::Read>),
    /// Run the server
    #[command(after_help = help_table())]
    Serve(serve::Serve),
    /// Do the background work of a server that has EMBEDDED_WORKER=false
    Worker(worker::Worker),
    /// Say what is installed, what works and what to do
    Doctor(doctor::Doctor),
}

/// What a command came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    Well,
    PageFailed,
    PageSkipped,
    Interrupted,
}

/// Why a command could not do its work.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The caller's arguments or settings.
    Usage(String),
    /// This machine or this program.
    Broken(anyhow::Error),
}

impl Refusal {
    fn from_option(mistake: InvalidOption) -> Self {
        Self::Usage(format!("{}: {mistake}", mistake.code.as_str()))
    }
}

impl<E: Into<anyhow::Error>> From<E> for Refusal {
    fn from(error: E) -> Self {
        Self::Broken(error.into())
    }
}

/// Runs a command to its end.
pub(crate) fn run(cli: Cli) -> ExitCode {
    let code = match start(cli.command) {
        Ok(Ended::Well) => 0,
        Ok(Ended::PageFailed) => 1,
        Ok(Ended::PageSkipped) => 3,
        Ok(Ended::Interrupted) => 130,
        Err(Refusal::Usage(problem)) => {
            output::complain(&problem);
            2
        }
        Err(Refusal::Broken(error)) => {
            output::complain(&format!("{error:#}"));
            4
        }
    };
    ExitCode::from(code)
}

fn start(command: Command) -> Result<Ended, Refusal> {
    let mut config = Config::from_env().map_err(|error| Refusal::Usage(error.to_string()))?;
    let quiet_level = match &command {
        Command::Serve(_) | Command::Worker(_) => "info",
        _ => "off",
    };
    logging::start(&config.log, quiet_level);
    for warning in &config.warnings {
        tracing::warn!("{warning}");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let ended = runtime.block_on(async {
        match command {
            Command::Scrape(scrape) => scrape.run(&mut config).await,
            Command::Crawl(crawl) => crawl.run(&mut config).await,
            Command::Batch(batch) => batch.run(&mut config).await,
            Command::Resume(resume) => resume.run(&mut config).await,
            Command::Map(map) => map.run(&mut config).await,
            Command::Read(read) => read.run(&config).await,
            Command::Serve(serve) => serve.run(&mut config).await,
            Command::Worker(worker) => worker.run(&config).await,
            Command::Doctor(doctor) => doctor.run(&config).await,
        }
    });
    // A reader that is stuck on stdin must not keep the process.
    runtime.shutdown_background();
    ended
}
