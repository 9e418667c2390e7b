//! One page of a job, from its entry to a packed result: scraped, compared with its twins, its
//! links gathered. Runs beside many others; what it decides alone is final, what concerns the job
//! as a whole is left to the runner.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use serde_json::json;
use trawls_contract::{
    ErrorCode, ErrorInfo, FetchMode, Format, LinkKind, Outcome, PageResult, ScrapeRequest,
    parse_url,
};
use trawls_store::{Entry, InJob, Keep, Marks, NewPage, OwnedJob, StoreError};
use url::Url;

use super::{
    identity::{Identities, host_of},
    scope::{Cut, Scope},
    simhash::simhash,
    twins::{Likeness, Twins},
};
use crate::{
    address,
    engine::Rooms,
    result::failed_page,
    scrape::{Keepsake, links_again, visit},
};

/// What the pages of one job share.
#[derive(Debug)]
pub(super) struct Brief {
    /// How each page is scraped.
    pub(super) scrape: ScrapeRequest,
    pub(super) identities: Identities,
    /// Of a crawl; a batch follows no links.
    pub(super) scope: Option<Scope>,
    pub(super) twins: Mutex<Twins>,
    pub(super) job: Arc<OwnedJob>,
}

/// A link that belongs to the crawl.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) url: Url,
    pub(super) identity: i64,
    pub(super) host: i64,
    /// Of the link.
    pub(super) text: String,
}

/// A page with its outcome.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) entry: Entry,
    pub(super) host: i64,
    pub(super) url: Option<Url>,
    pub(super) page: Result<NewPage, StoreError>,
    pub(super) outcome: Outcome,
    pub(super) code: Option<ErrorCode>,
    pub(super) mode: Option<FetchMode>,
    pub(super) bytes: u64,
    pub(super) found: Vec<Found>,
    pub(super) cut: Vec<Cut>,
}

impl Brief {
    /// Does the whole page. Never fails: what goes wrong is the page's outcome.
    pub(super) async fn page(self: Arc<Self>, rooms: Arc<Rooms>, entry: Entry, host: i64) -> Done {
        let url = match parse_url(&entry.url) {
            Ok(url) => url,
            Err(mistake) => return self.broken(entry, host, mistake.info()),
        };
        let request = self.scrape.with_url(url.clone());
        let visited = visit(&rooms, &request, Timestamp::now()).await;
        let keepsake = visited.keepsake.unwrap_or_default();
        let bytes = keepsake
            .body
            .as_ref()
            .map_or(0, |body| body.bytes.len() as u64);
        let mut page = visited.page;
        if page.from_cache && page.links.is_none() && self.scope.is_some() {
            page.links = links_again(&rooms, &request, &page).await;
        }
        // One that the cache answered has the id of the page that it was, and its body.
        let kept_as = page.from_cache.then_some(page.id);
        page.id = uuid::Uuid::now_v7().to_string();
        page.depth = Some(entry.depth);
        page.referrer.clone_from(&entry.referrer);
        let (found, cut) = self.links(&page, entry.depth);
        let (marks, twin) = self.judge(&mut page, &entry);
        if let Some((twin, likeness)) = twin {
            let twin = rooms.store.entry_url(&self.job, twin).await.ok().flatten();
            skip(&mut page, copy_of(twin, likeness));
        }
        self.done(
            page,
            keepsake,
            marks,
            Visit {
                entry,
                host,
                url: Some(url),
                kept_as,
                bytes,
                found,
                cut,
            },
        )
    }

    /// A page that could not even be tried.
    pub(super) fn broken(&self, entry: Entry, host: i64, error: ErrorInfo) -> Done {
        let page = PageResult {
            error: Some(error),
            ..failed_page(&entry.url, Timestamp::now())
        };
        let visit = Visit {
            entry,
            host,
            url: None,
            kept_as: None,
            bytes: 0,
            found: Vec::new(),
            cut: Vec::new(),
        };
        self.done(page, Keepsake::default(), Marks::default(), visit)
    }

    fn done(&self, mut page: PageResult, keepsake: Keepsake, marks: Marks, visit: Visit) -> Done {
        let is_copy = page
            .error
            .as_ref()
            .is_some_and(|error| error.code == ErrorCode::Duplicate);
        if !self.scrape.formats.contains(Format::Links) || is_copy {
            page.links = None;
        }
        let (outcome, mode) = (page.outcome, page.fetch_mode_used);
        let code = page.error.as_ref().map(|error| error.code);
        let keep = Keep {
            page: Arc::new(page),
            body: keepsake.body.filter(|_| !is_copy),
            blobs: match is_copy {
                true => Vec::new(),
                false => keepsake.blobs,
            },
            cache: keepsake.cache,
        };
        let in_job = InJob {
            entry: visit.entry.number,
            bytes: visit.bytes,
            marks,
        };
        let packed = NewPage::pack(keep, in_job);
        Done {
            page: packed.map(|page| page.with_body_of(visit.kept_as.filter(|_| !is_copy))),
            entry: visit.entry,
            host: visit.host,
            url: visit.url,
            outcome,
            code,
            mode,
            bytes: visit.bytes,
            found: visit.found,
            cut: visit.cut,
        }
    }

    /// Links of a good page that lead on.
    fn links(&self, page: &PageResult, depth: u32) -> (Vec<Found>, Vec<Cut>) {
        let (mut found, mut cut) = (Vec::new(), Vec::new());
        let (Some(scope), Outcome::Success | Outcome::Empty) = (&self.scope, page.outcome) else {
            return (found, cut);
        };
        for link in page.links.iter().flatten() {
            if !matches!(link.kind, LinkKind::Internal | LinkKind::External) {
                continue;
            }
            let Ok(url) = Url::parse(&link.url) else {
                continue;
            };
            match scope.admit(&url, depth.saturating_add(1)) {
                Ok(()) => found.push(self.found(&url, link.text.clone())),
                Err(rule) => cut.push(rule),
            }
        }
        (found, cut)
    }

    /// A URL that a sitemap lists.
    ///
    /// # Errors
    /// The rule that leaves it out.
    pub(super) fn seed(&self, url: &Url) -> Result<Found, Cut> {
        if let Some(scope) = &self.scope {
            scope.admit(url, 1)?;
        }
        Ok(self.found(url, String::new()))
    }

    /// A URL as the frontier knows it.
    fn found(&self, url: &Url, text: String) -> Found {
        Found {
            identity: self.identities.of(url),
            host: host_of(url),
            url: address::canonical(url),
            text,
        }
    }

    /// What later pages are compared with.
    pub(super) fn marks(&self, page: &PageResult) -> Marks {
        let canonical = page
            .metadata
            .as_ref()
            .and_then(|metadata| metadata.canonical.as_deref());
        let identity = |url: &str| Url::parse(url).ok().map(|url| self.identities.of(&url));
        Marks {
            final_url: identity(&page.final_url),
            canonical: canonical.and_then(identity),
            simhash: page.markdown.as_deref().and_then(simhash),
        }
    }

    /// Takes back the success of a page that does not belong, or that was delivered already.
    fn judge(&self, page: &mut PageResult, entry: &Entry) -> (Marks, Option<(i64, Likeness)>) {
        let nothing = (Marks::default(), None);
        if page.outcome != Outcome::Success {
            return nothing;
        }
        let Ok(final_url) = Url::parse(&page.final_url) else {
            return nothing;
        };
        if let Some(scope) = &self.scope
            && let Err(why) = scope.holds_result(&final_url)
        {
            skip(page, ErrorInfo::new(ErrorCode::OutOfScope, why));
            return nothing;
        }
        let marks = self.marks(page);
        // A batch asks for each of its pages by name.
        if self.scope.is_none() {
            return (marks, None);
        }
        let mut twins = self.twins.lock().unwrap_or_else(PoisonError::into_inner);
        (marks, twins.meet(entry.number, marks))
    }
}

/// What is known of a page beside its result.
struct Visit {
    entry: Entry,
    host: i64,
    url: Option<Url>,
    /// The page that has its body.
    kept_as: Option<String>,
    bytes: u64,
    found: Vec<Found>,
    cut: Vec<Cut>,
}

fn copy_of(twin: Option<String>, likeness: Likeness) -> ErrorInfo {
    let why = match likeness {
        Likeness::FinalUrl => "it redirects to a page that is there already",
        Likeness::Canonical => "its canonical page is there already",
        Likeness::Text => "its text is that of a page that is there already",
    };
    let mut error = ErrorInfo::new(ErrorCode::Duplicate, why);
    error.details = Some(json!({ "twin": twin }));
    error
}

/// What was read of it goes: it is another page's.
fn skip(page: &mut PageResult, error: ErrorInfo) {
    page.outcome = Outcome::Skipped;
    page.status = Outcome::Skipped.status();
    page.error = Some(error);
    page.markdown = None;
    page.html = None;
    page.raw_html = None;
    page.images = None;
    page.tables = None;
    page.json_data = None;
    page.screenshot_url = None;
    page.pdf_url = None;
    page.actions = None;
}
