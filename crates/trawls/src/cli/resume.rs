//! `trawls resume`: a crawl or a batch that was interrupted goes on.

use std::path::PathBuf;

use clap::Args;

use super::{Ended, Refusal, destination::Destination, job};
use crate::config::Config;

/// Arguments of `trawls resume`.
#[derive(Debug, Args)]
pub(crate) struct Resume {
    /// The job's id, as the interrupted command said it
    job: String,
    #[arg(long, help = super::JSON_HELP)]
    json: bool,
    #[arg(long, short, value_name = "PATH", help = super::OUT_HELP)]
    out: Option<PathBuf>,
    /// Also fetch loopback and private addresses
    #[arg(long)]
    allow_private: bool,
}

impl Resume {
    /// Goes on, and writes all pages of the job.
    pub(crate) async fn run(self, config: &mut Config) -> Result<Ended, Refusal> {
        let destination = Destination::of(self.out.as_deref(), self.json)?;
        destination.try_for(Some(&self.job))?;
        config.fetch.allow_private_targets |= self.allow_private;
        job::run(config, &destination, self.json, async |engine| {
            let unknown = || Refusal::Usage(format!("no job has the id {}", self.job));
            engine.job(&self.job).await?.ok_or_else(unknown)
        })
        .await
    }
}
