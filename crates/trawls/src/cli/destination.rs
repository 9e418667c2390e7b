//! Where the pages of a job go. It is tried before the job begins; a file takes the place of an
//! older one when it is whole, and a folder belongs to one job.

use std::{
    fs::{self, File, OpenOptions},
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
    pin::pin,
};

use anyhow::{Context, bail};
use futures_util::StreamExt;
use trawls_contract::{ExportFormat, Job};
use trawls_engine::{Engine, PageFilter};

use super::{Refusal, output};

/// In a folder: the id of the job whose pages are there.
const MARK: &str = ".trawls-job";

/// Where the pages go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Destination {
    Stdout(ExportFormat),
    /// One Markdown file a page.
    Folder(PathBuf),
    File(PathBuf, ExportFormat),
}

impl Destination {
    /// What `--out` means.
    ///
    /// # Errors
    /// The extension is none that can be written.
    pub(super) fn of(out: Option<&Path>, json: bool) -> Result<Self, Refusal> {
        let path = match out {
            None if json => return Ok(Self::Stdout(ExportFormat::Jsonl)),
            None => return Ok(Self::Stdout(ExportFormat::Md)),
            Some(path) if path == Path::new("-") => return Ok(Self::Stdout(ExportFormat::Jsonl)),
            Some(path) => path,
        };
        let is_folder = path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/");
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let format = match extension.to_ascii_lowercase().as_str() {
            _ if is_folder => return Ok(Self::Folder(path.to_owned())),
            "" => return Ok(Self::Folder(path.to_owned())),
            "jsonl" | "ndjson" => ExportFormat::Jsonl,
            "md" => ExportFormat::Md,
            "zip" => ExportFormat::Zip,
            "csv" => ExportFormat::Csv,
            _ => {
                return Err(Refusal::Usage(format!(
                    "--out: .{extension} cannot be written; .jsonl, .md, .zip, .csv or a folder \
                     can. The name of a new folder with a dot ends in /"
                )));
            }
        };
        Ok(Self::File(resolved(path), format))
    }

    /// Proves that it can be written. `job` is the one that goes on, if one does.
    ///
    /// # Errors
    /// It cannot, or the folder is not the job's.
    pub(super) fn try_for(&self, job: Option<&str>) -> Result<(), Refusal> {
        match self {
            Self::Stdout(_) => Ok(()),
            Self::File(path, _) => {
                try_file(path).with_context(|| format!("cannot write {}", path.display()))?;
                Ok(())
            }
            Self::Folder(folder) => {
                let cannot = || format!("cannot write {}", folder.display());
                fs::create_dir_all(folder).with_context(cannot)?;
                match owner(folder).with_context(cannot)? {
                    Owner::Nobody => {}
                    Owner::Job(owner) if job == Some(owner.as_str()) => {}
                    Owner::Job(owner) => {
                        return Err(Refusal::Usage(format!(
                            "--out: {} holds the pages of another job, {owner}; name a new folder",
                            folder.display()
                        )));
                    }
                    Owner::Unknown => {
                        return Err(Refusal::Usage(format!(
                            "--out: {} is not empty; name a new folder",
                            folder.display()
                        )));
                    }
                }
                let part = part_of(&folder.join(MARK));
                File::create(&part).with_context(cannot)?;
                fs::remove_file(&part).with_context(cannot)?;
                Ok(())
            }
        }
    }

    /// Makes a folder the job's.
    ///
    /// # Errors
    /// It became another's meanwhile, or cannot be written.
    pub(super) fn take_for(&self, job: &str) -> anyhow::Result<()> {
        let Self::Folder(folder) = self else {
            return Ok(());
        };
        let cannot = || cannot_write(folder, job);
        match File::create_new(folder.join(MARK)) {
            Ok(mut mark) => writeln!(mark, "{job}").with_context(cannot),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                match owner(folder).with_context(cannot)? {
                    Owner::Job(owner) if owner == job => Ok(()),
                    _ => bail!("{}: another job writes there", cannot()),
                }
            }
            Err(error) => Err(error).with_context(cannot),
        }
    }

    /// Writes the pages of a job. Returns whether there was anything worth it: a file that is
    /// there already is not replaced by one without a page that went well.
    ///
    /// # Errors
    /// It cannot be written; the pages are kept.
    pub(super) async fn write(&self, engine: &Engine, job: &Job) -> Result<bool, Refusal> {
        let went_well = job.counts.success > 0;
        match self {
            Self::Stdout(format) => {
                let mut stdout = std::io::stdout();
                output::unless_gone(export(engine, &job.id, *format, &mut stdout).await)?;
                Ok(true)
            }
            Self::Folder(folder) if !went_well => {
                let is_empty = fs::read_dir(folder)?.nth(1).is_none();
                if is_empty {
                    fs::remove_file(folder.join(MARK))?;
                }
                Ok(false)
            }
            Self::Folder(folder) => write_folder(engine, &job.id, folder).await.map(|()| true),
            Self::File(path, format) => {
                let says_why = !format.is_text() && job.counts.done > 0 && !path.exists();
                if !went_well && !says_why {
                    return Ok(false);
                }
                write_file(engine, &job.id, path, *format)
                    .await
                    .with_context(|| cannot_write(path, &job.id))?;
                Ok(true)
            }
        }
    }
}

/// Whose a folder is.
enum Owner {
    /// There is nothing in it.
    Nobody,
    Job(String),
    Unknown,
}

fn owner(folder: &Path) -> std::io::Result<Owner> {
    match fs::read_to_string(folder.join(MARK)) {
        Ok(job) => Ok(Owner::Job(job.trim().to_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Ok(match fs::read_dir(folder)?.next().is_none() {
                true => Owner::Nobody,
                false => Owner::Unknown,
            })
        }
        Err(error) => Err(error),
    }
}

/// Behind symbolic links, so that what they name is replaced and not they.
fn resolved(path: &Path) -> PathBuf {
    let behind = |link: PathBuf| path.parent().unwrap_or(Path::new("")).join(link);
    fs::canonicalize(path)
        .or_else(|_| fs::read_link(path).map(behind))
        .unwrap_or_else(|_| path.to_owned())
}

fn try_file(path: &Path) -> anyhow::Result<()> {
    match OpenOptions::new().write(true).open(path) {
        Ok(file) if !file.metadata()?.is_file() => bail!("it is no regular file"),
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    let part = part_of(path);
    File::create(&part)?;
    Ok(fs::remove_file(&part)?)
}

/// Where a file grows until it is whole: beside it, under a name that is nobody else's.
fn part_of(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.part", std::process::id()))
}

async fn write_file(
    engine: &Engine,
    id: &str,
    path: &Path,
    format: ExportFormat,
) -> anyhow::Result<()> {
    let part = part_of(path);
    let written = async {
        let mut file = File::create(&part)?;
        if let Ok(before) = fs::metadata(path) {
            file.set_permissions(before.permissions())?;
        }
        export(engine, id, format, &mut file).await?;
        Ok(fs::rename(&part, path)?)
    };
    let written = written.await;
    if written.is_err() {
        // It is of no use to anybody.
        let _gone = fs::remove_file(&part);
    }
    written
}

async fn write_folder(engine: &Engine, id: &str, folder: &Path) -> Result<(), Refusal> {
    let mut after = 0;
    loop {
        let documents = engine.job_documents(id, after).await?;
        let Some((last, ..)) = documents.last() else {
            return Ok(());
        };
        after = *last;
        for (_, name, text) in documents {
            fs::write(folder.join(name), text).with_context(|| cannot_write(folder, id))?;
        }
    }
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

/// The pages outlive a place that cannot be written.
fn cannot_write(path: &Path, id: &str) -> String {
    format!(
        "cannot write {}; the pages are kept, `trawls resume {id} --out …` writes them elsewhere",
        path.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(out: &str) -> Destination {
        Destination::of(Some(Path::new(out)), false).unwrap()
    }

    #[test]
    fn the_name_says_what_is_written() {
        let file = |out: &str, format| Destination::File(out.into(), format);
        for (out, destination) in [
            ("-", Destination::Stdout(ExportFormat::Jsonl)),
            ("pages", Destination::Folder("pages".into())),
            ("a.example/", Destination::Folder("a.example/".into())),
            ("pages.zip/", Destination::Folder("pages.zip/".into())),
            ("a.zip", file("a.zip", ExportFormat::Zip)),
            ("a.b.JSONL", file("a.b.JSONL", ExportFormat::Jsonl)),
            ("a.Md", file("a.Md", ExportFormat::Md)),
        ] {
            assert_eq!(of(out), destination);
        }
        let refused = Destination::of(Some(Path::new("a.docx")), false);
        assert!(matches!(refused, Err(Refusal::Usage(_))));
        let there = tempfile::TempDir::with_suffix(".d").unwrap();
        assert!(matches!(
            of(there.path().to_str().unwrap()),
            Destination::Folder(_)
        ));
    }

    #[test]
    fn a_folder_is_one_job_s() {
        let folder = tempfile::TempDir::new().unwrap();
        let destination = Destination::Folder(folder.path().join("new/pages"));
        destination.try_for(None).unwrap();
        destination.take_for("1").unwrap();
        destination.take_for("1").unwrap();
        assert!(destination.take_for("2").is_err());
        for (job, is_good) in [(None, false), (Some("1"), true), (Some("2"), false)] {
            let tried = destination.try_for(job);
            assert_eq!(!matches!(tried, Err(Refusal::Usage(_))), is_good, "{job:?}");
        }
        let used = Destination::Folder(folder.path().to_owned());
        assert!(matches!(used.try_for(Some("1")), Err(Refusal::Usage(_))));
    }

    #[test]
    fn a_file_is_tried_and_stays_as_it_is() {
        let folder = tempfile::TempDir::new().unwrap();
        let (file, link) = (folder.path().join("a.jsonl"), folder.path().join("b.jsonl"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink("a.jsonl", &link).unwrap();
        let destination = Destination::of(Some(&link), false).unwrap();
        let real = fs::canonicalize(&file).unwrap();
        assert_eq!(destination, Destination::File(real, ExportFormat::Jsonl));
        destination.try_for(None).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        fs::remove_file(&file).unwrap();
        let dangling = Destination::of(Some(&link), false).unwrap();
        assert_eq!(dangling, Destination::File(file, ExportFormat::Jsonl));
        let nowhere = Destination::File(folder.path().join("no/a.md"), ExportFormat::Md);
        assert!(matches!(nowhere.try_for(None), Err(Refusal::Broken(_))));
    }
}
