//! A job without a server: done here, followed on the terminal, and its pages written where the
//! caller wants them. What was done is in the data folder, so an interrupted job can go on.

use std::{
    io::Write,
    path::{Path, PathBuf},
    pin::pin,
};

use anyhow::Context;
use futures_util::StreamExt;
use trawls_contract::{ExportFormat, Job, JobStatus};
use trawls_engine::{Engine, JobEvent, NoJob, PageFilter};

use super::{Ended, Refusal, output, progress::Progress, stop::stop_signal};
use crate::{config::Config, wiring};

/// Where the pages go.
#[derive(Debug, Clone)]
pub(super) enum Destination {
    /// Markdown, or lines of JSON.
    Stdout(ExportFormat),
    /// One Markdown file a page.
    Folder(PathBuf),
    /// By its extension.
    File(PathBuf, ExportFormat),
}

impl Destination {
    /// What `--out` means.
    ///
    /// # Errors
    /// The extension is none that can be written.
    pub(super) fn of(out: Option<&Path>, json: bool) -> Result<Self, Refusal> {
        let Some(path) = out else {
            let format = if json {
                ExportFormat::Jsonl
            } else {
                ExportFormat::Md
            };
            return Ok(Self::Stdout(format));
        };
        let extension = path.extension().and_then(|extension| extension.to_str());
        let format = match extension {
            _ if path.is_dir() => return Ok(Self::Folder(path.to_owned())),
            None => return Ok(Self::Folder(path.to_owned())),
            Some("jsonl" | "ndjson") => ExportFormat::Jsonl,
            Some("md") => ExportFormat::Md,
            Some("zip") => ExportFormat::Zip,
            Some("csv") => ExportFormat::Csv,
            Some(other) => {
                return Err(Refusal::Usage(format!(
                    "--out: .{other} cannot be written; a folder, .jsonl, .md, .zip or .csv can"
                )));
            }
        };
        Ok(Self::File(path.to_owned(), format))
    }
}

/// Does the job that `find` makes or finds, here, and writes its pages.
pub(super) async fn run(
    config: &Config,
    destination: &Destination,
    json: bool,
    find: impl AsyncFnOnce(&Engine) -> Result<Job, Refusal>,
) -> Result<Ended, Refusal> {
    let engine = wiring::engine(config, false).await?;
    let ended = match find(&engine).await {
        Ok(job) => follow(&engine, job, destination, json).await,
        Err(refusal) => Err(refusal),
    };
    engine.close().await;
    ended
}

async fn follow(
    engine: &Engine,
    job: Job,
    destination: &Destination,
    json: bool,
) -> Result<Ended, Refusal> {
    let mut stop = pin!(stop_signal()?);
    engine.work_on(&job.id);
    let progress = Progress::start();
    let events = engine.job_events(&job.id, 0).await?;
    let mut events = pin!(events.context("the job was removed")?);
    let mut is_stopped = false;
    loop {
        let event = tokio::select! {
            event = events.next() => event,
            () = &mut stop, if !is_stopped => {
                is_stopped = true;
                progress.say("stopping: running pages may end; once more to stop at once");
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
    let job = engine.job(&job.id).await?.context("the job was removed")?;
    progress.end();
    write(engine, &job.id, destination).await?;
    if json && !matches!(destination, Destination::Stdout(_)) {
        output::write(&format!("{}\n", serde_json::to_string_pretty(&job)?), None)?;
    }
    output::note(&summary(&job, destination));
    Ok(match job.status {
        JobStatus::Completed => of_pages(&job),
        JobStatus::Queued | JobStatus::Running => {
            output::note(&format!("to go on: trawls resume {}", job.id));
            Ended::Interrupted
        }
        JobStatus::Cancelled => Ended::Interrupted,
        JobStatus::Failed => {
            let why = job.error.map(|error| error.message);
            return Err(Refusal::Broken(anyhow::anyhow!(why.unwrap_or_default())));
        }
    })
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

fn summary(job: &Job, destination: &Destination) -> String {
    let counts = &job.counts;
    let mut text = format!("{} pages: {} success", counts.done, counts.success);
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
        text.push_str(&format!("; in {}", path.display()));
    }
    text
}

async fn write(engine: &Engine, id: &str, destination: &Destination) -> Result<(), Refusal> {
    match destination {
        Destination::Folder(folder) => write_folder(engine, id, folder).await,
        Destination::Stdout(format) => {
            let mut stdout = std::io::stdout();
            output::unless_gone(export(engine, id, *format, &mut stdout).await)
        }
        Destination::File(path, format) => {
            let part = part_of(path, id);
            let cannot = || cannot_write(path, id);
            let mut file = std::fs::File::create(&part).with_context(cannot)?;
            export(engine, id, *format, &mut file)
                .await
                .with_context(cannot)?;
            std::fs::rename(&part, path).with_context(cannot)?;
            Ok(())
        }
    }
}

/// Where a file grows until it is whole: beside it, under a name that is nobody else's.
fn part_of(path: &Path, id: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{id}.part"))
}

/// The pages outlive a place that cannot be written.
fn cannot_write(path: &Path, id: &str) -> String {
    format!(
        "cannot write {}; the pages are kept, `trawls resume {id} --out …` writes them elsewhere",
        path.display()
    )
}

async fn export(
    engine: &Engine,
    id: &str,
    format: ExportFormat,
    to: &mut (impl Write + Send),
) -> anyhow::Result<()> {
    let pieces = engine.export_job(id, format, PageFilter::default()).await?;
    let mut pieces = pin!(pieces.context("the job was removed")?);
    while let Some(piece) = pieces.next().await {
        to.write_all(&piece?)?;
    }
    Ok(to.flush()?)
}

async fn write_folder(engine: &Engine, id: &str, folder: &Path) -> Result<(), Refusal> {
    let cannot = || cannot_write(folder, id);
    std::fs::create_dir_all(folder).with_context(cannot)?;
    let mut after = 0;
    loop {
        let documents = engine.job_documents(id, after).await?;
        let Some((last, ..)) = documents.last() else {
            return Ok(());
        };
        after = *last;
        for (_, name, text) in documents {
            std::fs::write(folder.join(name), text).with_context(cannot)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_grows_under_a_name_of_its_own() {
        assert_eq!(
            part_of(Path::new("out/rep.zip"), "01a2"),
            Path::new("out/.rep.zip.01a2.part")
        );
    }

    #[test]
    fn the_extension_says_what_is_written() {
        let of = |out: &str| Destination::of(Some(Path::new(out)), false);
        assert!(matches!(of("pages"), Ok(Destination::Folder(_))));
        assert!(matches!(
            of("a.zip"),
            Ok(Destination::File(_, ExportFormat::Zip))
        ));
        assert!(matches!(
            of("a.jsonl"),
            Ok(Destination::File(_, ExportFormat::Jsonl))
        ));
        assert!(matches!(of("a.docx"), Err(Refusal::Usage(_))));
    }
}
