//! What a command says: results to stdout or a file, complaints to stderr.
//!
//! A reader that goes away (`| head`) is no error.

use std::{
    io::{ErrorKind, Write},
    path::Path,
};

use trawls_contract::{Format, Outcome, PageResult};

use super::{Ended, Refusal, options::Reading};

/// Prints a page the way it was asked for, and says what it came to.
pub(crate) fn print_page(page: &PageResult, reading: &Reading) -> Result<Ended, Refusal> {
    for warning in &page.warnings {
        complain_as("warning", warning);
    }
    if let Some(error) = &page.error {
        complain_as(error.code.as_str(), &error.message);
    }
    if page.from_cache {
        let notice = format!("as of {}; --cache refresh fetches it anew", page.fetched_at);
        complain_as("from the cache", &notice);
    }
    match reading.plain_format() {
        None => {
            let mut json = serde_json::to_string_pretty(page)?;
            json.push('\n');
            write(&json, reading.out.as_deref())?;
        }
        // An error page must not end up in a file as if it were the page; --json shows it.
        Some(format) if page.outcome.is_success() => {
            let mut text = text_of(page, format).unwrap_or_default().to_owned();
            if !text.ends_with('\n') {
                text.push('\n');
            }
            write(&text, reading.out.as_deref())?;
        }
        Some(_) => {}
    }
    Ok(match page.outcome {
        Outcome::Success => Ended::Well,
        Outcome::Empty | Outcome::Failed => Ended::PageFailed,
        Outcome::Skipped => Ended::PageSkipped,
    })
}

/// On stderr, each line of the problem by itself.
pub(crate) fn complain(problem: &str) {
    for line in problem.lines() {
        complain_as("error", line);
    }
}

/// What a person may like to know, on stderr.
pub(super) fn note(text: &str) {
    // Nobody is left to tell when stderr is closed.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// A reader of stdout that went away has what it wanted.
pub(super) fn unless_gone(written: anyhow::Result<()>) -> Result<(), Refusal> {
    let Err(error) = written else {
        return Ok(());
    };
    let kind = error
        .downcast_ref::<std::io::Error>()
        .map(|error| error.kind());
    match kind {
        Some(ErrorKind::BrokenPipe) => Ok(()),
        _ => Err(error.into()),
    }
}

/// Writes all of a text to a file or to stdout.
pub(crate) fn write(text: &str, out: Option<&Path>) -> Result<(), Refusal> {
    if let Some(path) = out {
        return std::fs::write(path, text).map_err(|error| {
            Refusal::Broken(
                anyhow::Error::new(error).context(format!("cannot write {}", path.display())),
            )
        });
    }
    let mut stdout = std::io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// One line on stderr, with what it is.
pub(crate) fn complain_as(label: &str, problem: &str) {
    // Nobody is left to tell when stderr is closed.
    let _ = writeln!(std::io::stderr().lock(), "{label}: {problem}");
}

fn text_of(page: &PageResult, format: Format) -> Option<&str> {
    match format {
        Format::Html => page.html.as_deref(),
        Format::RawHtml => page.raw_html.as_deref(),
        _ => page.markdown.as_deref(),
    }
}
