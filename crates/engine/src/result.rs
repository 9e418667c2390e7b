//! The one place where a `PageResult` is built.

use std::time::Duration;

use http::{HeaderMap, header};
use jiff::Timestamp;
use tokio::time::Instant;
use trawls_content::Page;
use trawls_contract::{
    Attempt, FetchMode, Format, JsonData, Outcome, PageResult, PageStatus, Quality, ScrapeRequest,
    Timings,
};
use trawls_fetch::Fetched;

use crate::{outcome::Judgement, rendered::Shown};

/// How the bytes came here, or that they did not.
#[derive(Debug, Default)]
pub(crate) struct Visit {
    pub(crate) final_url: Option<String>,
    pub(crate) http_status: Option<u16>,
    pub(crate) content_type: Option<String>,
    pub(crate) mode: Option<FetchMode>,
    pub(crate) trace: Vec<Attempt>,
    pub(crate) warnings: Vec<String>,
    pub(crate) ttfb: Option<Duration>,
    pub(crate) shown: Shown,
}

impl Visit {
    /// Without the way that led to it.
    pub(crate) fn of(fetched: &Fetched) -> Self {
        Self {
            final_url: Some(fetched.final_url.to_string()),
            http_status: Some(fetched.status),
            content_type: content_type(&fetched.headers),
            mode: Some(fetched.mode),
            ttfb: Some(fetched.ttfb),
            ..Self::default()
        }
    }

    pub(crate) fn without_response(trace: Vec<Attempt>, warnings: Vec<String>) -> Self {
        Self {
            trace,
            warnings,
            ..Self::default()
        }
    }
}

/// The declared media type, as far as it is text.
pub(crate) fn content_type(headers: &HeaderMap) -> Option<String> {
    let declared = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    Some(declared.trim().to_owned()).filter(|text| !text.is_empty())
}

/// When the work began, and how long its parts took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Watch {
    pub(crate) now: Timestamp,
    pub(crate) started: Instant,
    pub(crate) fetch: Option<Duration>,
    pub(crate) process: Option<Duration>,
}

impl Watch {
    pub(crate) fn start(now: Timestamp) -> Self {
        Self {
            now,
            started: Instant::now(),
            fetch: None,
            process: None,
        }
    }

    /// From the end of the fetch until now.
    pub(crate) fn since_fetch(&self) -> Duration {
        let fetch = self.fetch.unwrap_or_default();
        self.started.elapsed().saturating_sub(fetch)
    }

    fn timings(&self, ttfb: Option<Duration>) -> Timings {
        Timings {
            ttfb_ms: ttfb.map(millis),
            fetch_ms: self.fetch.map(millis),
            render_ms: None,
            process_ms: self.process.map(millis),
            total_ms: millis(self.started.elapsed()),
        }
    }
}

/// One page, as the caller sees it: only the formats that were asked for, and none of them when
/// nothing was read. The metadata comes with every page that was read: it is small, and callers
/// expect a title beside the text.
pub(crate) fn page_result(
    request: &ScrapeRequest,
    watch: &Watch,
    visit: Visit,
    page: Option<Page>,
    judgement: Judgement,
) -> PageResult {
    let was_read = page.is_some();
    let wants = |format| was_read && request.formats.contains(format);
    let page = page.unwrap_or_default();
    let mut warnings = visit.warnings;
    warnings.extend(judgement.warnings);
    warnings.extend(page.warnings);
    PageResult {
        final_url: visit.final_url.unwrap_or_else(|| request.url.to_string()),
        status: judgement.outcome.status(),
        outcome: judgement.outcome,
        http_status: visit.http_status,
        content_type: visit.content_type,
        fetch_mode_used: visit.mode,
        markdown: wants(Format::Markdown).then_some(page.markdown),
        html: page.html,
        raw_html: page.raw_html,
        json_data: page.structured.map(|structured| JsonData {
            jsonld: structured.jsonld,
            microdata: structured.microdata,
            ..JsonData::default()
        }),
        links: page.links,
        images: page.images,
        tables: page.tables,
        metadata: was_read.then_some(page.metadata),
        quality: page.quality,
        warnings,
        error: judgement.error,
        trace: visit.trace,
        timings: Timings {
            render_ms: visit.shown.elapsed.map(millis),
            ..watch.timings(visit.ttfb)
        },
        screenshot_url: visit.shown.screenshot_url,
        pdf_url: visit.shown.pdf_url,
        actions: visit.shown.actions,
        ..failed_page(request.url.as_str(), watch.now)
    }
}

/// A page of which there is nothing; its caller says why.
pub(crate) fn failed_page(url: &str, now: Timestamp) -> PageResult {
    PageResult {
        id: uuid::Uuid::now_v7().to_string(),
        url: url.to_owned(),
        final_url: url.to_owned(),
        status: PageStatus::Failed,
        outcome: Outcome::Failed,
        http_status: None,
        content_type: None,
        fetch_mode_used: None,
        markdown: None,
        html: None,
        raw_html: None,
        json_data: None,
        links: None,
        images: None,
        tables: None,
        metadata: None,
        chunks: None,
        screenshot_url: None,
        pdf_url: None,
        actions: None,
        quality: Quality::default(),
        warnings: Vec::new(),
        error: None,
        trace: Vec::new(),
        timings: Timings::default(),
        fetched_at: now,
        depth: None,
        referrer: None,
        from_cache: false,
    }
}

/// A kept page as the answer to this request. `trace` and `fetched_at` stay those of the fetch
/// that brought it; the time is this request's.
pub(crate) fn from_cache(request: &ScrapeRequest, watch: &Watch, kept: &PageResult) -> PageResult {
    PageResult {
        url: request.url.to_string(),
        from_cache: true,
        timings: watch.timings(None),
        ..kept.clone()
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
