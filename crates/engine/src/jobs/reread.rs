//! Reads the pages of a job again from their kept documents: no fetch, no new page, the same URLs.

use std::{collections::HashSet, sync::Arc};

use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::sync::watch;
use trawls_content::RawDocument;
use trawls_contract::{
    Attempt, BatchBody, BatchRequest, CrawlBody, CrawlRequest, ErrorCode, FetchMode, Format,
    InvalidOption, JobKind, JobStatus, Outcome, PageResult, ReprocessBody, Reprocessing, Timings,
    Verdict,
};
use trawls_store::{InJob, Keep, NewPage, OwnedJob, Reread, Rereadable, StoreError};
use url::Url;

use super::{
    NoJob,
    page::Brief,
    plan::CHECKS,
    runner::{Ended, persistently},
};
use crate::{
    Engine, EngineError,
    engine::Rooms,
    outcome::{Evidence, judge},
    rendered::Shown,
    result::{Visit, Watch, page_result},
    scrape::read_raw,
};

/// Pages of one transaction: their documents are in memory together.
const STEP: u32 = 8;

impl Engine {
    /// Queues an ended job for reading its pages again, with other options if the body has some;
    /// `None` when there is no such job.
    ///
    /// # Errors
    /// What is wrong with the options, or with the database.
    pub async fn reprocess_job(
        &self,
        id: &str,
        body: ReprocessBody,
    ) -> Result<Option<Reprocessing>, NoJob> {
        let store = &self.rooms().store;
        let Some(call) = store.job_call(id).await.map_err(EngineError::from)? else {
            return Ok(None);
        };
        let unread = |error: serde_json::Error| InvalidOption::new("", error.to_string());
        let queued = match call.job.kind {
            JobKind::Crawl => {
                let mut crawl: CrawlBody = serde_json::from_slice(&call.request).map_err(unread)?;
                body.over(&mut crawl.scrape);
                CrawlRequest::parse(crawl.clone(), CHECKS).map_err(of_page)?;
                store.reprocess_job(&call, &crawl).await
            }
            JobKind::Batch => {
                let mut batch: BatchBody = serde_json::from_slice(&call.request).map_err(unread)?;
                body.over(&mut batch.scrape);
                BatchRequest::parse(batch.clone(), CHECKS).map_err(of_page)?;
                store.reprocess_job(&call, &batch).await
            }
        };
        self.rooms().signs.queued(id);
        let queued = queued.map_err(EngineError::from)?;
        Ok(
            queued.map(|(job, pages_to_read, pages_without_raw)| Reprocessing {
                job,
                pages_to_read,
                pages_without_raw,
            }),
        )
    }
}

/// The options stand at the top of this body.
fn of_page(mut mistake: InvalidOption) -> InvalidOption {
    if let Some(field) = mistake.field.strip_prefix("scrape.") {
        mistake.field = field.to_owned();
    }
    mistake
}

/// Runs until every page was read, or `stop` says so.
pub(super) async fn reread(
    rooms: &Rooms,
    job: &OwnedJob,
    brief: &Brief,
    mut stop: watch::Receiver<bool>,
) -> Result<Ended, StoreError> {
    let ended_as = job
        .reread
        .map_or(JobStatus::Completed, |reread| reread.ended_as);
    let (mut after, mut counts, mut last_page) = (0, job.counts.clone(), job.last_page);
    loop {
        if *stop.borrow_and_update() {
            rooms.store.release_job(job).await?;
            return Ok(Ended::Released);
        }
        if rooms.store.renew_job(job).await? {
            return finish(rooms, job, JobStatus::Cancelled).await;
        }
        let pages = rooms.store.rereadable(job, after, STEP).await?;
        let Some(last) = pages.last() else {
            return finish(rooms, job, ended_as).await;
        };
        after = last.number;
        let again = stream::iter(pages)
            .map(|page| again(rooms, brief, page))
            .buffered(STEP as usize);
        let again: Vec<Option<Again>> = again.try_collect().await?;
        let mut read = Vec::with_capacity(again.len());
        for Again {
            number,
            page,
            was,
            is,
        } in again.into_iter().flatten()
        {
            let (outcome, code, mode) = was;
            counts.remove(outcome, code.map(ErrorCode::as_str), mode);
            let (outcome, code, mode) = is;
            counts.add(outcome, code, mode);
            read.push((number, page));
        }
        let reread = Arc::new(Reread {
            first_page: last_page + 1,
            counts: counts.clone(),
            pages: read,
        });
        last_page += reread.pages.len() as u64;
        commit(rooms, job, reread).await?;
        rooms.signs.committed(&job.id);
    }
}

/// A page that was read again; outcome, code and mode as they were and as they are.
struct Again {
    number: u64,
    page: NewPage,
    was: Counted,
    is: Counted,
}

type Counted = (Outcome, Option<ErrorCode>, Option<FetchMode>);

/// `None` when there is nothing to read: the document is not the page.
async fn again(rooms: &Rooms, brief: &Brief, old: Rereadable) -> Result<Option<Again>, StoreError> {
    let Rereadable {
        number,
        entry,
        bytes,
        page: old,
        body,
    } = old;
    let (Ok(url), Ok(final_url)) = (Url::parse(&old.url), Url::parse(&old.final_url)) else {
        return Ok(None);
    };
    let evidence = evidence(&old);
    if !evidence.is_readable() {
        return Ok(None);
    }
    let request = brief.scrape.with_url(url);
    let mut watch = Watch::start(old.fetched_at);
    let document = RawDocument {
        body: body.bytes,
        content_type: body.content_type,
        url: final_url,
    };
    let deadline = watch.started + request.fetch.timeout;
    let reading = read_raw(rooms, &request, document, deadline).await;
    watch.process = Some(watch.started.elapsed());
    let judgement = judge(evidence, Some(&reading));
    let was = counted(&old);
    let page = page_result(&request, &watch, visit(&old), reading.ok(), judgement);
    let page = as_it_came(page, old, request.formats.contains(Format::Links));
    let is = counted(&page);
    let in_job = InJob {
        entry,
        bytes,
        marks: brief.marks(&page),
    };
    let keep = Keep {
        page: Arc::new(page),
        // It takes those that are kept.
        body: None,
        blobs: Vec::new(),
        cache: None,
    };
    Ok(Some(Again {
        number,
        page: NewPage::pack(keep, in_job)?,
        was,
        is,
    }))
}

fn counted(page: &PageResult) -> Counted {
    let code = page.error.as_ref().map(|error| error.code);
    (page.outcome, code, page.fetch_mode_used)
}

/// What the try that brought the document said of it: a later one may have brought nothing.
fn evidence(old: &PageResult) -> Evidence<'_> {
    let brought = |attempt: &&Attempt| {
        attempt.http_status.is_some() && Some(attempt.mode) == old.fetch_mode_used
    };
    let attempt = old.trace.iter().rev().find(brought);
    Evidence {
        verdict: match attempt.map(|attempt| attempt.verdict) {
            // The document is the one that the server had nothing to add to.
            None | Some(Verdict::NotModified) => Verdict::Usable,
            Some(verdict) => verdict,
        },
        status: old.http_status.unwrap_or(200),
        why: attempt.map_or("", |attempt| &attempt.why),
        vendor: None,
        truncated: None,
    }
}

fn visit(old: &PageResult) -> Visit {
    Visit {
        final_url: Some(old.final_url.clone()),
        http_status: old.http_status,
        content_type: old.content_type.clone(),
        mode: old.fetch_mode_used,
        trace: old.trace.clone(),
        // What was doubtful about the fetch still is.
        warnings: old.warnings.clone(),
        ttfb: None,
        shown: Shown::default(),
    }
}

/// A page that was read again, with what is true of its fetch.
fn as_it_came(mut page: PageResult, old: PageResult, with_links: bool) -> PageResult {
    let mut seen = HashSet::new();
    page.warnings.retain(|warning| seen.insert(warning.clone()));
    PageResult {
        links: page.links.filter(|_| with_links),
        timings: Timings {
            process_ms: page.timings.process_ms,
            ..old.timings
        },
        screenshot_url: old.screenshot_url,
        pdf_url: old.pdf_url,
        actions: old.actions,
        depth: old.depth,
        referrer: old.referrer,
        ..page
    }
}

async fn commit(rooms: &Rooms, job: &OwnedJob, reread: Arc<Reread>) -> Result<(), StoreError> {
    persistently(|| rooms.store.reread_job(job, Arc::clone(&reread))).await
}

async fn finish(rooms: &Rooms, job: &OwnedJob, status: JobStatus) -> Result<Ended, StoreError> {
    persistently(|| rooms.store.finish_job(job, status, None)).await?;
    Ok(Ended::Finished(status))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::result::failed_page;

    fn attempt(mode: FetchMode, verdict: Verdict, http_status: Option<u16>) -> Attempt {
        Attempt {
            mode,
            verdict,
            http_status,
            error: None,
            proxy: None,
            started_at: Timestamp::UNIX_EPOCH,
            duration_ms: 0,
            why: String::new(),
        }
    }

    #[test]
    fn a_document_is_judged_by_the_try_that_brought_it() {
        use FetchMode::{Browser, Http};
        let judged = |mode, trace| {
            evidence(&PageResult {
                fetch_mode_used: Some(mode),
                trace,
                ..failed_page("http://a.example/", Timestamp::UNIX_EPOCH)
            })
            .verdict
        };
        let thin = || attempt(Http, Verdict::Thin, Some(200));
        let none = attempt(Browser, Verdict::Unavailable, None);
        assert_eq!(judged(Http, vec![thin(), none]), Verdict::Thin);
        let good = attempt(Browser, Verdict::Usable, Some(200));
        assert_eq!(judged(Browser, vec![thin(), good]), Verdict::Usable);
    }
}
