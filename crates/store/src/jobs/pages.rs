//! The pages of a job, in the order of their completion.

use sqlx::{FromRow, Row, SqliteConnection, SqlitePool, sqlite::SqliteRow};
use trawls_contract::{ErrorCode, JobPage, List, Outcome, PageResult};

use crate::{StoreError, pages::PageRow};

/// What is kept of a page beside its result.
#[derive(Debug)]
pub(crate) struct JobPageRow {
    pub(crate) entry: i64,
    http_status: Option<u16>,
    title: Option<String>,
    bytes: u64,
    marks: Marks,
}

/// Where a page of a job belongs, and what it weighs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InJob {
    /// The entry that it is the page of.
    pub entry: i64,
    /// Of the body that came, after decompression.
    pub bytes: u64,
    /// What later pages are compared with.
    pub marks: Marks,
}

/// What later pages are compared with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Marks {
    /// Identity of the URL after redirects, when it is not the one that was asked for.
    pub final_url: Option<i64>,
    /// Identity of the canonical URL, when the page has one.
    pub canonical: Option<i64>,
    /// Simhash of the text, when it is long enough to say anything.
    pub simhash: Option<i64>,
}

/// A page that later pages are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marked {
    /// The entry that it is the page of.
    pub entry: i64,
    /// What it is compared by.
    pub marks: Marks,
}

/// Which pages of a job.
#[derive(Debug, Clone, Default)]
pub struct PageFilter {
    /// Only this outcome.
    pub outcome: Option<Outcome>,
    /// Only this error code.
    pub code: Option<ErrorCode>,
    /// Only URLs that contain this.
    pub query: Option<String>,
}

impl JobPageRow {
    pub(crate) fn new(page: &PageResult, in_job: InJob) -> Self {
        Self {
            entry: in_job.entry,
            bytes: in_job.bytes,
            marks: in_job.marks,
            http_status: page.http_status,
            title: page
                .metadata
                .as_ref()
                .and_then(|metadata| metadata.title.clone()),
        }
    }

    pub(crate) async fn insert(
        &self,
        db: &mut SqliteConnection,
        (job, number): (i64, u64),
        page: &PageRow,
    ) -> Result<(), sqlx::Error> {
        sqlx::query(
            "INSERT INTO job_pages (job, number, entry, page_id, outcome, code, http_status, \
             title, bytes, final_url, canonical, simhash) \
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(job)
        // Only a job of 2^63 pages would saturate.
        .bind(i64::try_from(number).unwrap_or(i64::MAX))
        .bind(self.entry)
        .bind(&page.id)
        .bind(page.outcome)
        .bind(page.code)
        .bind(self.http_status)
        .bind(&self.title)
        .bind(i64::try_from(self.bytes).unwrap_or(i64::MAX))
        .bind(self.marks.final_url)
        .bind(self.marks.canonical)
        .bind(self.marks.simhash)
        .execute(db)
        .await?;
        Ok(())
    }
}

impl FromRow<'_, SqliteRow> for Listed {
    fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        Ok(Self {
            number: row.try_get("number")?,
            page_id: row.try_get("page_id")?,
            url: row.try_get("url")?,
            outcome: row.try_get("outcome")?,
            code: row.try_get("code")?,
            http_status: row.try_get("http_status")?,
            depth: row.try_get("depth")?,
            referrer: row.try_get("referrer")?,
            title: row.try_get("title")?,
        })
    }
}

struct Listed {
    number: i64,
    page_id: String,
    url: String,
    outcome: String,
    code: Option<String>,
    http_status: Option<i64>,
    depth: i64,
    referrer: Option<String>,
    title: Option<String>,
}

impl TryFrom<Listed> for JobPage {
    type Error = StoreError;

    fn try_from(row: Listed) -> Result<Self, StoreError> {
        let outcome: Outcome = crate::codec::from_name(&row.outcome)?;
        Ok(Self {
            number: row.number.unsigned_abs(),
            page_id: row.page_id,
            url: row.url,
            status: outcome.status(),
            outcome,
            code: row.code,
            http_status: row
                .http_status
                .and_then(|status| u16::try_from(status).ok()),
            depth: u32::try_from(row.depth).unwrap_or(u32::MAX),
            referrer: row.referrer,
            title: row.title,
        })
    }
}

/// The pages after number `after`.
pub(super) async fn list(
    db: &SqlitePool,
    job: i64,
    filter: &PageFilter,
    after: u64,
    limit: u32,
) -> Result<List<JobPage>, StoreError> {
    let outcome = filter.outcome.map(Outcome::as_str);
    let code = filter.code.map(ErrorCode::as_str);
    let rows: Vec<Listed> = sqlx::query_as(
        "SELECT page.number, page.page_id, entry.url, page.outcome, page.code, page.http_status, \
         entry.depth, linking.url AS referrer, page.title FROM job_pages AS page \
         JOIN frontier AS entry ON entry.job = page.job AND entry.number = page.entry \
         LEFT JOIN frontier AS linking ON linking.job = entry.job AND linking.number = entry.referrer \
         WHERE page.job = ? AND page.number > ? AND (? IS NULL OR page.outcome = ?) \
         AND (? IS NULL OR page.code = ?) AND (? IS NULL OR instr(lower(entry.url), lower(?)) > 0) \
         ORDER BY page.number LIMIT ?",
    )
    .bind(job)
    .bind(i64::try_from(after).unwrap_or(i64::MAX))
    .bind(outcome)
    .bind(outcome)
    .bind(code)
    .bind(code)
    .bind(&filter.query)
    .bind(&filter.query)
    .bind(i64::from(limit) + 1)
    .fetch_all(db)
    .await?;
    let pages: Vec<_> = rows
        .into_iter()
        .map(JobPage::try_from)
        .collect::<Result<_, _>>()?;
    Ok(List::cut(pages, limit, |page| page.number.to_string()))
}

/// Delivered pages, which later ones are compared with.
pub(super) async fn marked(db: &SqlitePool, job: i64) -> Result<Vec<Marked>, StoreError> {
    type Row = (i64, Option<i64>, Option<i64>, Option<i64>);
    let rows: Vec<Row> = sqlx::query_as(
        "SELECT entry, final_url, canonical, simhash FROM job_pages \
         WHERE job = ? AND outcome = 'success' ORDER BY number",
    )
    .bind(job)
    .fetch_all(db)
    .await?;
    let marked = rows
        .into_iter()
        .map(|(entry, final_url, canonical, simhash)| Marked {
            entry,
            marks: Marks {
                final_url,
                canonical,
                simhash,
            },
        });
    Ok(marked.collect())
}
