//! Pictures and prints of a page as files.

use std::path::{Path, PathBuf};

use clap::Args;
use trawls_contract::{Format, PageResult, ScrapeOptions};
use trawls_engine::Engine;

use super::{Refusal, output};

/// What to draw, and where to.
#[derive(Debug, Args)]
pub(super) struct Pictures {
    /// Write a screenshot (PNG) to a file
    #[arg(long, value_name = "FILE")]
    screenshot: Option<PathBuf>,
    /// The screenshot shows the page from top to bottom
    #[arg(long, requires = "screenshot")]
    full_page: bool,
    /// Print the page to a PDF file
    #[arg(long, value_name = "FILE")]
    pdf: Option<PathBuf>,
}

impl Pictures {
    /// The same options with what is to be drawn.
    pub(super) fn over(&self, mut options: ScrapeOptions) -> ScrapeOptions {
        if self.screenshot.is_some() {
            options.formats.push(match self.full_page {
                true => Format::ScreenshotFull,
                false => Format::Screenshot,
            });
        }
        if self.pdf.is_some() {
            options.formats.push(Format::Pdf);
        }
        options
    }

    /// Writes what was drawn of a page.
    pub(super) async fn write(&self, engine: &Engine, page: &PageResult) -> Result<(), Refusal> {
        for (file, address, what) in [
            (&self.screenshot, &page.screenshot_url, "screenshot"),
            (&self.pdf, &page.pdf_url, "PDF"),
        ] {
            let Some(file) = file else { continue };
            let id = address
                .as_deref()
                .and_then(|address| address.rsplit('/').next());
            let blob = match id {
                Some(id) => engine.blob(id).await?,
                None => None,
            };
            match blob {
                Some(blob) => save(file, &blob.bytes)?,
                None => output::complain_as("warning", &format!("there is no {what} of the page")),
            }
        }
        Ok(())
    }
}

fn save(file: &Path, bytes: &[u8]) -> Result<(), Refusal> {
    std::fs::write(file, bytes).map_err(|error| {
        let context = format!("cannot write {}", file.display());
        Refusal::Broken(anyhow::Error::new(error).context(context))
    })
}
