//! What a job knows and what came of it: its counts, its URLs, and what its next step will hold.
//! Bookkeeping alone: the runner does the pages and the commits, the ledger says what they come to.

use std::{collections::HashSet, sync::Arc, time::Duration};

use tokio::time::Instant;
use trawls_contract::{ErrorCode, JobCounts};
use trawls_store::{Known, NewEntry, OwnedJob, Step};

use super::{
    order::Order,
    page::{Done, Found},
    plan::Plan,
    scope::Cut,
    traps::Traps,
};

/// Pages of one step.
const STEP_PAGES: usize = 40;
/// A page waits for its commit no longer than this.
const STEP_WAIT: Duration = Duration::from_millis(50);

/// The books of one job.
pub(super) struct Ledger {
    caps: Caps,
    order: Order,
    traps: Traps,
    counts: JobCounts,
    /// Identities of all entries.
    known: HashSet<i64>,
    last_entry: i64,
    last_page: u64,
    /// Entries that are not done, those under way included.
    waiting: u64,
    gathered: Gathered,
}

/// How much the job may do.
struct Caps {
    pages: u64,
    fetches: u64,
    frontier: u64,
}

/// What the next step will hold.
#[derive(Default)]
struct Gathered {
    done: Vec<Done>,
    entries: Vec<NewEntry>,
    since: Option<Instant>,
}

/// A step to be committed.
pub(super) struct Closed {
    pub(super) step: Arc<Step>,
    /// The entries that it does.
    pub(super) entries: Vec<i64>,
}

impl Ledger {
    /// The books as they stand.
    pub(super) fn open(plan: &Plan, job: &OwnedJob, known: Known, traps: Traps) -> Self {
        Self {
            caps: Caps {
                pages: plan.max_pages,
                fetches: plan.max_fetches(),
                frontier: plan.max_frontier(),
            },
            order: plan.order(),
            traps,
            counts: job.counts.clone(),
            known: known.identities.into_iter().collect(),
            last_entry: known.last_entry,
            last_page: job.last_page,
            waiting: known.waiting,
            gathered: Gathered::default(),
        }
    }

    /// May one more page be done beside so many that run? The cap holds for those too: none of
    /// them may turn out to be one more.
    pub(super) fn has_budget(&self, running: usize) -> bool {
        let under_way = (running + self.gathered.done.len()) as u64;
        self.counted() + under_way < self.caps.pages
            && self.counts.done + under_way < self.caps.fetches
    }

    /// Takes in a page and its links.
    pub(super) fn take(&mut self, mut done: Done) {
        if let Some(url) = &done.url {
            self.traps
                .learn(url, done.code == Some(ErrorCode::Duplicate));
        }
        for rule in std::mem::take(&mut done.cut) {
            self.cut(rule);
        }
        let depth = done.entry.depth.saturating_add(1);
        for found in std::mem::take(&mut done.found) {
            self.discover(found, depth, Some(done.entry.number));
        }
        self.gathered.since.get_or_insert_with(Instant::now);
        self.gathered.done.push(done);
    }

    /// A URL that is not known yet goes into the frontier, if no trap is behind it.
    pub(super) fn discover(&mut self, found: Found, depth: u32, referrer: Option<i64>) {
        if self.known.contains(&found.identity) {
            return;
        }
        // What a sitemap lists has an end.
        if referrer.is_some()
            && let Err(rule) = self.traps.admit(&found.url)
        {
            return self.cut(rule);
        }
        if self.waiting + self.gathered.entries.len() as u64 >= self.caps.frontier {
            return self.cut(Cut::FrontierFull);
        }
        self.known.insert(found.identity);
        self.last_entry += 1;
        let number = self.last_entry;
        self.gathered.since.get_or_insert_with(Instant::now);
        self.gathered.entries.push(NewEntry {
            number,
            rank: self.order.rank(number, depth, &found),
            url: found.url.into(),
            identity: found.identity,
            host: found.host,
            depth,
            referrer,
        });
    }

    /// One more link that this rule cut.
    pub(super) fn cut(&mut self, rule: Cut) {
        *self.counts.cut.entry(rule.name().into()).or_default() += 1;
    }

    /// Is everything committed, or on its way?
    pub(super) fn is_closed(&self) -> bool {
        self.gathered.since.is_none()
    }

    /// When the next step is to be committed, however little it holds.
    pub(super) fn due_at(&self) -> Option<Instant> {
        self.gathered.since.map(|since| since + STEP_WAIT)
    }

    /// Is there enough for a step, or has it waited long enough?
    pub(super) fn is_due(&self) -> bool {
        self.gathered.done.len() >= STEP_PAGES
            || self.due_at().is_some_and(|at| at <= Instant::now())
    }

    /// Closes the step, and begins the next.
    pub(super) fn close(&mut self) -> Closed {
        let Gathered { done, entries, .. } = std::mem::take(&mut self.gathered);
        let mut pages = Vec::with_capacity(done.len());
        let mut numbers = Vec::with_capacity(done.len());
        for done in done {
            numbers.push(done.entry.number);
            self.counts.add(done.outcome, done.code, done.mode);
            self.counts.bytes += done.bytes;
            pages.extend(done.page.ok());
        }
        self.waiting = self.waiting.saturating_sub(pages.len() as u64) + entries.len() as u64;
        self.counts.total = self.counts.done + self.left();
        let step = Step {
            first_page: self.last_page + 1,
            entries,
            counts: self.counts.clone(),
            pages,
        };
        self.last_page += step.pages.len() as u64;
        Closed {
            step: Arc::new(step),
            entries: numbers,
        }
    }

    /// Pages that count for `max_pages`.
    fn counted(&self) -> u64 {
        self.counts.done.saturating_sub(self.counts.skipped)
    }

    /// Pages that will still be done, as far as is known.
    fn left(&self) -> u64 {
        let may_come = self.caps.pages.saturating_sub(self.counted());
        self.waiting.min(may_come)
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;

    fn ledger(pages: u64) -> Ledger {
        Ledger {
            caps: Caps {
                pages,
                fetches: 100,
                frontier: 3,
            },
            order: Order::Bfs,
            traps: Traps::default(),
            counts: JobCounts::default(),
            known: HashSet::from([1]),
            last_entry: 1,
            last_page: 0,
            waiting: 1,
            gathered: Gathered::default(),
        }
    }

    fn found(identity: i64) -> Found {
        Found {
            url: Url::parse(&format!("http://a.example/{identity}")).unwrap(),
            identity,
            host: 1,
            text: String::new(),
        }
    }

    #[test]
    fn pages_that_run_count_for_the_cap_as_if_each_were_a_success() {
        let ledger = ledger(3);
        assert!(ledger.has_budget(0) && ledger.has_budget(2));
        assert!(!ledger.has_budget(3));
    }

    #[test]
    fn a_url_is_entered_once_and_beyond_the_frontier_it_is_counted_only() {
        let mut ledger = ledger(10);
        assert!(ledger.is_closed());
        for identity in [1, 2, 2, 3, 4, 5] {
            ledger.discover(found(identity), 1, Some(1));
        }
        assert!(!ledger.is_closed());
        let closed = ledger.close();
        let numbers: Vec<_> = closed
            .step
            .entries
            .iter()
            .map(|entry| entry.number)
            .collect();
        assert_eq!(numbers, [2, 3]);
        assert_eq!(closed.step.counts.cut["frontier_full"], 2);
        assert_eq!((closed.step.counts.total, closed.step.first_page), (3, 1));
        assert!(ledger.is_closed());
    }

    #[test]
    fn what_a_sitemap_lists_is_no_trap() {
        let dated = |day: i64| Found {
            url: Url::parse(&format!(
                "http://a.example/{}-01-{:02}",
                1900 + day / 28,
                1 + day % 28
            ))
            .unwrap(),
            ..found(day + 2)
        };
        for (referrer, entered) in [(None, 1000), (Some(1), 366)] {
            let mut ledger = ledger(10);
            ledger.caps.frontier = 10_000;
            (0..1000).for_each(|day| ledger.discover(dated(day), 1, referrer));
            assert_eq!(ledger.close().step.entries.len(), entered);
        }
    }
}
