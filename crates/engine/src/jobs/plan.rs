//! What a job's body means for its runner.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Arc, Mutex},
    time::Duration,
};

use trawls_content::Selector;
use trawls_contract::{
    BatchBody, BatchRequest, Checks, CrawlBody, CrawlRequest, JobKind, ListedUrl, ScopeOptions,
    ScrapeRequest, Strategy,
};
use trawls_store::{Marked, NewEntry, OwnedJob};

use super::{
    identity::{Identities, hash, host_of},
    order::Order,
    page::Brief,
    scope::{Scope, check_glob},
    twins::Twins,
};

/// What the contract cannot check itself.
pub(crate) const CHECKS: Checks = Checks {
    selector: |css| Selector::parse(css).map(drop),
    glob: check_glob,
};

/// Entries of one job that wait; each costs about 20 bytes of memory.
const MAX_FRONTIER: u64 = 2_000_000;

/// A job, understood.
pub(super) struct Plan {
    pub(super) scrape: ScrapeRequest,
    pub(super) max_pages: u64,
    pub(super) concurrency: usize,
    pub(super) max_duration: Option<Duration>,
    /// Begin with what the sitemaps list.
    pub(super) uses_sitemap: bool,
    crawl: Option<CrawlPlan>,
}

struct CrawlPlan {
    scope: Scope,
    identities: Identities,
    strategy: Strategy,
    search: Option<String>,
}

impl Plan {
    /// Understands the body that a job was made with.
    ///
    /// # Errors
    /// The body is from a version that understood more.
    pub(super) fn of(job: &OwnedJob, concurrency: usize) -> Result<Self, String> {
        match job.kind {
            JobKind::Crawl => {
                let body: CrawlBody =
                    serde_json::from_slice(&job.request).map_err(|error| error.to_string())?;
                let request =
                    CrawlRequest::parse(body, CHECKS).map_err(|error| error.to_string())?;
                Self::crawl(request, concurrency)
            }
            JobKind::Batch => {
                let body: BatchBody =
                    serde_json::from_slice(&job.request).map_err(|error| error.to_string())?;
                let request =
                    BatchRequest::parse(body, CHECKS).map_err(|error| error.to_string())?;
                Ok(Self {
                    scrape: request.scrape,
                    max_pages: u64::MAX,
                    concurrency: request.concurrency.unwrap_or(concurrency),
                    max_duration: None,
                    uses_sitemap: false,
                    crawl: None,
                })
            }
        }
    }

    fn crawl(request: CrawlRequest, concurrency: usize) -> Result<Self, String> {
        let scope = Scope::new(&request.scrape.url, &request.scope);
        Ok(Self {
            scrape: request.scrape,
            max_pages: request.bounds.max_pages,
            concurrency: request.bounds.concurrency.unwrap_or(concurrency),
            max_duration: request.bounds.max_duration,
            // Sitemaps are one link away from the start.
            uses_sitemap: request.uses_sitemap && request.scope.max_depth != Some(0),
            crawl: Some(CrawlPlan {
                scope: scope.map_err(|error| error.to_string())?,
                identities: identities(Some(&request.scope)),
                strategy: request.strategy,
                search: request.search,
            }),
        })
    }

    /// Pages that may be asked for in all: those that turn out to be copies or out of scope do not
    /// count for `max_pages`, but a site that has nothing else must not be asked for ever.
    pub(super) fn max_fetches(&self) -> u64 {
        self.max_pages.saturating_mul(10).saturating_add(100)
    }

    /// Entries that may wait: more than will ever be done need not be known.
    pub(super) fn max_frontier(&self) -> u64 {
        let wanted = self.max_pages.saturating_mul(50).saturating_add(1000);
        wanted.min(MAX_FRONTIER)
    }

    /// May a new entry be better than an old one?
    pub(super) fn is_ranked(&self) -> bool {
        self.crawl
            .as_ref()
            .is_some_and(|crawl| crawl.strategy != Strategy::Bfs)
    }

    pub(super) fn order(&self) -> Order {
        match &self.crawl {
            Some(crawl) => Order::new(crawl.strategy, crawl.search.as_deref()),
            None => Order::Bfs,
        }
    }

    /// What the job's pages share.
    pub(super) fn brief(&self, job: Arc<OwnedJob>, marked: &[Marked]) -> Brief {
        let crawl = self.crawl.as_ref();
        Brief {
            job,
            scrape: self.scrape.clone(),
            identities: crawl.map_or_else(|| identities(None), |crawl| crawl.identities),
            scope: crawl.map(|crawl| crawl.scope.clone()),
            twins: Mutex::new(Twins::of(marked)),
        }
    }
}

fn identities(scope: Option<&ScopeOptions>) -> Identities {
    Identities {
        ignore_query: scope.is_some_and(|scope| scope.ignore_query),
    }
}

/// The first entry of a crawl.
pub(super) fn start_of(request: &CrawlRequest) -> NewEntry {
    let url = &request.scrape.url;
    NewEntry {
        number: 1,
        url: url.to_string(),
        identity: identities(Some(&request.scope)).of(url),
        host: host_of(url),
        rank: 0,
        depth: 0,
        referrer: None,
    }
}

/// The entries of a batch, each page once, and what of its list is none.
pub(super) fn entries_of(request: &BatchRequest) -> Listed {
    let mut first = HashMap::new();
    let mut listed = Listed::default();
    for (index, (text, url)) in request.pages.iter().enumerate() {
        let (address, identity, host) = match url {
            Ok(url) => (url.to_string(), identities(None).of(url), host_of(url)),
            Err(_) => (text.clone(), hash(text), 0),
        };
        let note = |problem| ListedUrl {
            index,
            url: text.clone(),
            problem,
        };
        if let Err(mistake) = url {
            listed.invalid.push(note(mistake.problem.clone()));
        }
        match first.entry(identity) {
            Entry::Occupied(first) => {
                let problem = format!("is the page of urls[{}]", first.get());
                listed.duplicates.push(note(problem));
            }
            Entry::Vacant(place) => {
                place.insert(index);
                let number = listed.entries.len() as i64 + 1;
                listed.entries.push(NewEntry {
                    number,
                    url: address,
                    identity,
                    host,
                    rank: number,
                    depth: 0,
                    referrer: None,
                });
            }
        }
    }
    listed
}

/// What a list of URLs comes to.
#[derive(Default)]
pub(super) struct Listed {
    pub(super) entries: Vec<NewEntry>,
    pub(super) invalid: Vec<ListedUrl>,
    pub(super) duplicates: Vec<ListedUrl>,
}
