//! A job without a server: done here, followed on the terminal, and its pages written where the
//! caller wants them. What was done is in the data folder, so an interrupted job can go on.

use std::pin::{Pin, pin};

use anyhow::Context;
use futures_util::StreamExt;
use trawls_contract::{Job, JobStatus};
use trawls_engine::{Engine, JobEvent, NoJob};

use super::{
    Ended, Refusal, destination::Destination, output, progress::Progress, stop::stop_signal,
};
use crate::{config::Config, wiring};

/// Does the job that `find` makes or finds, here, and writes its pages.
pub(super) async fn run(
    config: &Config,
    destination: &Destination,
    json: bool,
    find: impl AsyncFnOnce(&Engine) -> Result<Job, Refusal>,
) -> Result<Ended, Refusal> {
    // Before the job is made, so that no signal comes too early to be told how to go on.
    let stop = pin!(stop_signal()?);
    let engine = wiring::engine(config, false).await?;
    let ended = match find(&engine).await {
        Ok(job) => follow(&engine, &job.id, (destination, json), stop).await,
        Err(refusal) => Err(refusal),
    };
    engine.close().await;
    ended
}

async fn follow(
    engine: &Engine,
    id: &str,
    (destination, json): (&Destination, bool),
    stop: Pin<&mut impl Future<Output = ()>>,
) -> Result<Ended, Refusal> {
    destination.take_for(id)?;
    let job = work(engine, id, stop).await;
    let job = job.with_context(|| to_go_on(id))?;
    let is_written = destination.write(engine, &job).await?;
    if json && !matches!(destination, Destination::Stdout(_)) {
        output::write(&format!("{}\n", serde_json::to_string_pretty(&job)?), None)?;
    }
    output::note(&summary(&job, destination, is_written));
    Ok(match job.status {
        JobStatus::Completed => of_pages(&job),
        JobStatus::Queued | JobStatus::Running => {
            output::note(&to_go_on(id));
            Ended::Interrupted
        }
        JobStatus::Cancelled => Ended::Interrupted,
        JobStatus::Failed => {
            let why = job.error.map(|error| error.message);
            return Err(Refusal::Broken(anyhow::anyhow!(why.unwrap_or_default())));
        }
    })
}

/// The job when it is over, or when it was stopped.
async fn work(
    engine: &Engine,
    id: &str,
    mut stop: Pin<&mut impl Future<Output = ()>>,
) -> anyhow::Result<Job> {
    engine.work_on(id);
    let progress = Progress::start();
    let events = engine.job_events(id, 0).await?;
    let mut events = pin!(events.context("the job was removed")?);
    let mut is_stopped = false;
    loop {
        let event = tokio::select! {
            event = events.next() => event,
            () = &mut stop, if !is_stopped => {
                is_stopped = true;
                progress.say("stopping: running pages may end; once more to stop at once");
                progress.say(&to_go_on(id));
                engine.stop_working().await;
                None
            }
        };
        match event {
            Some(JobEvent::Progress(job) | JobEvent::Done(_, job)) => progress.show(&job),
            Some(JobEvent::Page(_)) => {}
            None => break,
        }
    }
    let job = engine.job(id).await?.context("the job was removed")?;
    progress.end();
    Ok(job)
}

fn to_go_on(id: &str) -> String {
    format!("to go on: trawls resume {id}")
}

/// Why there is no job.
pub(super) fn refusal(why: NoJob) -> Refusal {
    match why {
        NoJob::Invalid(mistake) => Refusal::from_option(mistake),
        other => Refusal::Broken(other.into()),
    }
}

fn of_pages(job: &Job) -> Ended {
    let counts = &job.counts;
    match (counts.success, counts.failed + counts.empty) {
        (0, 0) => Ended::PageSkipped,
        (0, _) => Ended::PageFailed,
        _ => Ended::Well,
    }
}

fn summary(job: &Job, destination: &Destination, is_written: bool) -> String {
    let counts = &job.counts;
    let pages = if counts.done == 1 { "page" } else { "pages" };
    let mut text = format!("{} {pages}: {} success", counts.done, counts.success);
    for (count, name) in [
        (counts.empty, "empty"),
        (counts.failed, "failed"),
        (counts.skipped, "skipped"),
    ] {
        if count > 0 {
            text.push_str(&format!(", {count} {name}"));
        }
    }
    if !counts.by_code.is_empty() {
        let codes = counts.by_code.iter();
        let codes: Vec<String> = codes
            .map(|(code, count)| format!("{code} {count}"))
            .collect();
        text.push_str(&format!(" ({})", codes.join(", ")));
    }
    text.push_str(&format!("; {} pages/s", job.pages_per_s));
    if let Destination::Folder(path) | Destination::File(path, _) = destination {
        let where_to = match is_written {
            true => "in",
            false => "nothing was written to",
        };
        text.push_str(&format!("; {where_to} {}", path.display()));
    }
    text
}
