//! A job: many pages under one id, what it counts, and where it stands.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{ErrorCode, ErrorInfo, FetchMode, Outcome, PageStatus};

/// What a job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// Follow links from a start URL.
    Crawl,
    /// Scrape the URLs of a list.
    Batch,
}

impl JobKind {
    /// The wire name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Crawl => "crawl",
            Self::Batch => "batch",
        }
    }
}

/// Where a job stands. It completes even when pages fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobStatus {
    /// Waits for a worker.
    Queued,
    /// A worker is at it.
    Running,
    /// Every page that belongs has its outcome, or `max_pages` or `max_duration_s` was reached.
    Completed,
    /// It could not go on; `error` says why. The pages it has are good.
    Failed,
    /// Somebody stopped it. The pages it has are good.
    Cancelled,
}

impl JobStatus {
    /// The wire name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Those of a job to which nothing more will happen by itself.
    pub const FINAL: [Self; 3] = [Self::Completed, Self::Failed, Self::Cancelled];

    /// Nothing more will happen to it by itself.
    pub fn is_final(self) -> bool {
        Self::FINAL.contains(&self)
    }
}

/// One job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Job {
    /// Opens it at `/v1/jobs/{id}`.
    pub id: String,
    /// What it does.
    pub kind: JobKind,
    /// Where it stands.
    pub status: JobStatus,
    /// The start URL of a crawl, the first URL of a batch.
    pub url: String,
    /// RFC 3339, UTC.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When a worker first took it.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub finished_at: Option<Timestamp>,
    /// How long workers were at it; the time without one is not counted.
    pub worked_ms: u64,
    /// What became of its pages.
    pub counts: JobCounts,
    /// Pages per second of `worked_ms`.
    pub pages_per_s: f64,
    /// Seconds left at that rate, while it runs; grows while links are found.
    pub eta_s: Option<u64>,
    /// Why it failed.
    pub error: Option<ErrorInfo>,
}

/// What became of a job's pages. `done = success + empty + failed + skipped`, and each of them is
/// the number of its pages in the list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct JobCounts {
    /// Pages done and, while it runs, those known to be still to do.
    pub total: u64,
    /// Pages with an outcome.
    pub done: u64,
    /// Pages with usable content: the billable ones.
    pub success: u64,
    /// Pages without usable content.
    pub empty: u64,
    /// Pages that failed.
    pub failed: u64,
    /// Pages that were left out on purpose.
    pub skipped: u64,
    /// Bytes of the bodies that came, after decompression.
    pub bytes: u64,
    /// Pages by error code: why they are empty, failed or skipped.
    pub by_code: BTreeMap<String, u64>,
    /// Successes by the rung that brought them.
    pub by_mode: BTreeMap<String, u64>,
    /// URLs found and not followed, by the rule that cut them.
    pub cut: BTreeMap<String, u64>,
}

impl JobCounts {
    /// Takes one page into account.
    pub fn add(&mut self, outcome: Outcome, code: Option<ErrorCode>, mode: Option<FetchMode>) {
        self.done += 1;
        *self.of(outcome) += 1;
        if let Some(code) = code {
            *self.by_code.entry(code.as_str().into()).or_default() += 1;
        }
        if let (Outcome::Success, Some(mode)) = (outcome, mode) {
            *self.by_mode.entry(mode.as_str().into()).or_default() += 1;
        }
    }

    /// Takes one page out again, before it is tried or read anew.
    pub fn remove(&mut self, outcome: Outcome, code: Option<&str>, mode: Option<FetchMode>) {
        self.done = self.done.saturating_sub(1);
        let count = self.of(outcome);
        *count = count.saturating_sub(1);
        if let Some(count) = code.and_then(|code| self.by_code.get_mut(code)) {
            *count = count.saturating_sub(1);
        }
        self.by_code.retain(|_, count| *count > 0);
        if let (Outcome::Success, Some(mode)) = (outcome, mode)
            && let Some(count) = self.by_mode.get_mut(mode.as_str())
        {
            *count = count.saturating_sub(1);
        }
    }

    fn of(&mut self, outcome: Outcome) -> &mut u64 {
        match outcome {
            Outcome::Success => &mut self.success,
            Outcome::Empty => &mut self.empty,
            Outcome::Failed => &mut self.failed,
            Outcome::Skipped => &mut self.skipped,
        }
    }
}

/// One page of a job, without its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JobPage {
    /// From 1, in the order of completion; the id of its event.
    pub number: u64,
    /// Opens the content at `/v1/pages/{id}`.
    pub page_id: String,
    /// The URL that was asked for.
    pub url: String,
    /// ok, failed or skipped.
    pub status: PageStatus,
    /// success, empty, failed or skipped.
    pub outcome: Outcome,
    /// Why it is no success.
    pub code: Option<String>,
    /// Status of the final response.
    pub http_status: Option<u16>,
    /// Links away from the start.
    pub depth: u32,
    /// The page that linked here.
    pub referrer: Option<String>,
    /// Its title.
    pub title: Option<String>,
}

/// The answer of `POST /v1/jobs/{id}/reprocess`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Reprocessing {
    /// The job, queued again.
    #[serde(flatten)]
    pub job: Job,
    /// Pages that are read again.
    pub pages_to_read: u64,
    /// Pages whose document was not kept (they never came, are copies, or were too large): they
    /// stay as they are.
    pub pages_without_raw: u64,
}

/// How the pages of a job are written into one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    /// One `PageResult` a line.
    Jsonl,
    /// One Markdown document, each page with its front matter.
    Md,
    /// One Markdown file a page.
    Zip,
    /// One row a page.
    Csv,
}

impl ExportFormat {
    /// The wire name, which is the file's extension too.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Md => "md",
            Self::Zip => "zip",
            Self::Csv => "csv",
        }
    }

    /// Says what is in the file.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Jsonl => "application/x-ndjson",
            Self::Md => "text/markdown; charset=utf-8",
            Self::Zip => "application/zip",
            Self::Csv => "text/csv; charset=utf-8; header=present",
        }
    }

    /// Are these documents for reading, rather than records of what happened?
    pub fn is_text(self) -> bool {
        matches!(self, Self::Md | Self::Zip)
    }
}

/// A piece of a list. `next_cursor` is absent at the end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct List<T> {
    /// The rows.
    pub items: Vec<T>,
    /// Give it as `cursor` to go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Is there more now? Of a running job more may come later, at the same cursor.
    pub has_more: bool,
}

impl<T> List<T> {
    /// The first `limit` of these rows. They were asked for with one more, which is shown to nobody
    /// and says that there is more.
    pub fn cut(mut rows: Vec<T>, limit: u32, cursor: impl Fn(&T) -> String) -> Self {
        let has_more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        Self {
            next_cursor: rows.last().map(cursor).filter(|_| has_more),
            items: rows,
            has_more,
        }
    }

    /// The same list of something else.
    pub fn map<U>(self, turn: impl FnMut(T) -> U) -> List<U> {
        List {
            items: self.items.into_iter().map(turn).collect(),
            next_cursor: self.next_cursor,
            has_more: self.has_more,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_up_and_a_page_that_is_taken_out_leaves_no_trace() {
        let mut counts = JobCounts::default();
        counts.add(Outcome::Success, None, Some(FetchMode::Http));
        counts.add(Outcome::Failed, Some(ErrorCode::NotFound), None);
        let before = counts.clone();
        counts.add(Outcome::Skipped, Some(ErrorCode::Duplicate), None);
        assert_eq!(counts.done, 3);
        assert_eq!(counts.by_code["DUPLICATE"], 1);
        counts.remove(Outcome::Skipped, Some("DUPLICATE"), None);
        assert_eq!(counts, before);
    }

    #[test]
    fn a_list_has_a_cursor_only_when_there_is_more() {
        let cut = |rows: &[u32]| List::cut(rows.to_vec(), 2, ToString::to_string);
        let more = cut(&[1, 2, 3]);
        assert_eq!(
            (more.items, more.next_cursor),
            (vec![1, 2], Some("2".into()))
        );
        let all = cut(&[1, 2]);
        assert_eq!((all.next_cursor, all.has_more), (None, false));
        assert_eq!(cut(&[]).next_cursor, None);
    }
}
