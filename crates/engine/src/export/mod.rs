//! The pages of a job as one file, made while it is read: a handful of pages is in memory, and
//! nothing is held while the reader rests. Of a running job it is what is there.

mod archive;
mod document;
mod name;
mod sheet;

use bytes::Bytes;
use futures_util::stream::{self, Stream};
use trawls_contract::{ExportFormat, Outcome};
use trawls_store::{JobContent, PageFilter};

use self::{archive::Archive, document::Exported, sheet::Sheet};
use crate::{Engine, EngineError};

pub use self::name::file_name;

impl Engine {
    /// The pages of a job as one file; `None` when there is no such job. Documents for reading hold
    /// the pages that went well, unless the filter names an outcome.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn export_job(
        &self,
        id: &str,
        format: ExportFormat,
        filter: PageFilter,
    ) -> Result<Option<impl Stream<Item = Result<Bytes, EngineError>> + Send + 'static>, EngineError>
    {
        if self.job(id).await?.is_none() {
            return Ok(None);
        }
        let export = Export {
            engine: self.clone(),
            id: id.to_owned(),
            filter: with_outcome(filter, format),
            after: 0,
            sink: Some(Sink::new(format)?),
        };
        Ok(Some(stream::unfold(export, |mut export| async move {
            let piece = export.next().await.transpose()?;
            Some((piece, export))
        })))
    }

    /// The next pages of a job after page number `after`, as Markdown with front matter and a file
    /// name each; empty at the end.
    ///
    /// # Errors
    /// The database cannot be read, or the job was removed.
    pub async fn job_documents(
        &self,
        id: &str,
        after: u64,
    ) -> Result<Vec<(u64, String, String)>, EngineError> {
        let filter = with_outcome(PageFilter::default(), ExportFormat::Zip);
        let contents = self.rooms().store.job_contents(id, &filter, after).await?;
        let documents = contents.ok_or(EngineError::Removed)?.into_iter();
        documents
            .map(|content| {
                let number = content.page.number;
                let name = file_name(number, &content.page.url);
                Ok((number, name, Exported::read(&content)?.document()))
            })
            .collect()
    }
}

fn with_outcome(filter: PageFilter, format: ExportFormat) -> PageFilter {
    let wanted = format.is_text().then_some(Outcome::Success);
    PageFilter {
        outcome: filter.outcome.or(wanted),
        ..filter
    }
}

struct Export {
    engine: Engine,
    id: String,
    filter: PageFilter,
    after: u64,
    /// Gone when the end was written, or when writing failed.
    sink: Option<Sink>,
}

impl Export {
    async fn next(&mut self) -> Result<Option<Bytes>, EngineError> {
        let Some(mut sink) = self.sink.take() else {
            return Ok(None);
        };
        let store = &self.engine.rooms().store;
        let contents = store
            .job_contents(&self.id, &self.filter, self.after)
            .await?
            .ok_or(EngineError::Removed)?;
        let Some(last) = contents.last() else {
            return sink.end().map(Some);
        };
        self.after = last.page.number;
        // Reading, packing and writing are work for a thread.
        let writing = tokio::task::spawn_blocking(move || {
            contents.iter().try_for_each(|content| sink.add(content))?;
            let piece = sink.piece();
            Ok::<_, EngineError>((sink, piece))
        });
        let (sink, piece) = writing
            .await
            .map_err(|error| EngineError::Fault(error.to_string()))??;
        self.sink = Some(sink);
        Ok(Some(piece))
    }
}

/// Where the pages of one format go.
enum Sink {
    Lines(Vec<u8>),
    Document(String),
    Archive(Box<Archive>),
    Sheet(Box<Sheet>),
}

impl Sink {
    fn new(format: ExportFormat) -> Result<Self, EngineError> {
        Ok(match format {
            ExportFormat::Jsonl => Self::Lines(Vec::new()),
            ExportFormat::Md => Self::Document(String::new()),
            ExportFormat::Zip => Self::Archive(Box::new(Archive::new())),
            ExportFormat::Csv => Self::Sheet(Box::new(Sheet::new()?)),
        })
    }

    fn add(&mut self, content: &JobContent) -> Result<(), EngineError> {
        match self {
            Self::Lines(lines) => {
                lines.extend_from_slice(&content.json);
                lines.push(b'\n');
            }
            Self::Document(text) => {
                text.push_str(&Exported::read(content)?.document());
                text.push('\n');
            }
            Self::Archive(archive) => {
                let name = file_name(content.page.number, &content.page.url);
                let page = Exported::read(content)?;
                archive.add(&name, page.fetched_at, &page.document())?;
            }
            Self::Sheet(sheet) => sheet.add(&content.page, &Exported::read(content)?)?,
        }
        Ok(())
    }

    /// What was written since the last piece.
    fn piece(&mut self) -> Bytes {
        match self {
            Self::Lines(lines) => std::mem::take(lines).into(),
            Self::Document(text) => std::mem::take(text).into(),
            Self::Archive(archive) => archive.piece(),
            Self::Sheet(sheet) => sheet.piece(),
        }
    }

    fn end(mut self) -> Result<Bytes, EngineError> {
        match self {
            Self::Archive(archive) => archive.end(),
            _ => Ok(self.piece()),
        }
    }
}
