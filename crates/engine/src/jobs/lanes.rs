//! Which URL is next. Every host has a lane with a few of its best entries; lanes take turns, so
//! that no host starves and none that is slow holds the others up. The rest of the frontier stays
//! in the database, however large it is.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    time::Duration,
};

use tokio::time::Instant;
use trawls_fetch::{Allowance, Fetcher};
use trawls_store::{Entry, OwnedJob, Store, StoreError};
use url::Url;

/// Hosts in turn at once; more wait in the database until a lane is empty.
const MAX_LANES: usize = 128;
/// Entries of a lane.
const LANE_LENGTH: u32 = 128;

/// What to do now.
#[derive(Debug)]
pub(super) enum Next {
    /// This one.
    Page(Entry, i64),
    /// Every host with something to do is busy, or rests until then.
    Wait(Option<Instant>),
    /// There is nothing to do that is not being done.
    Nothing,
}

/// The lanes of one job.
#[derive(Debug)]
pub(super) struct Lanes {
    rests: Rests,
    /// Better entries may have come since: look again before each page.
    reloads: bool,
    lanes: VecDeque<Lane>,
    /// Entries that are under way and still to do in the database.
    taken: HashSet<i64>,
    /// The last host that was given a lane; `None` before the first.
    host: Option<i64>,
    /// Every host with something to do was seen.
    has_seen_all: bool,
}

#[derive(Debug)]
struct Lane {
    host: i64,
    /// Any of its URLs, by which the fetcher knows it; what a batch has in place of a URL has none.
    url: Option<Url>,
    entries: VecDeque<Entry>,
    running: usize,
    /// The database has no more for it.
    is_loaded: bool,
}

impl Lanes {
    /// `is_ranked`: new entries may be better than old ones.
    pub(super) fn new(is_ranked: bool, delay: Duration) -> Self {
        Self {
            rests: Rests {
                delay,
                until: HashMap::new(),
            },
            reloads: is_ranked,
            lanes: VecDeque::new(),
            taken: HashSet::new(),
            host: None,
            has_seen_all: false,
        }
    }

    /// Takes the next page.
    ///
    /// # Errors
    /// The database cannot be read.
    pub(super) async fn next(
        &mut self,
        store: &Store,
        job: &OwnedJob,
        fetcher: &Fetcher,
    ) -> Result<Next, StoreError> {
        self.fill(store, job).await?;
        self.open_more(store, job).await?;
        let mut ready_at: Option<Instant> = None;
        for turn in 0..self.lanes.len() {
            let lane = &mut self.lanes[turn];
            if lane.entries.is_empty() {
                continue;
            }
            let allowance = self.rests.narrow(lane.allowance(fetcher), lane.host);
            if lane.running >= allowance.at_once {
                continue;
            }
            if let Some(until) = allowance.rests_until {
                ready_at = Some(ready_at.map_or(until, |at| at.min(until)));
                continue;
            }
            if let Some(entry) = lane.entries.pop_front() {
                let host = lane.host;
                lane.running += 1;
                self.rests.begin(host);
                self.taken.insert(entry.number);
                self.lanes.rotate_left(turn + 1);
                return Ok(Next::Page(entry, host));
            }
        }
        let is_over = self.taken.is_empty() && self.lanes.is_empty() && self.has_seen_all;
        Ok(match is_over {
            true => Next::Nothing,
            false => Next::Wait(ready_at),
        })
    }

    /// A page of this host is no longer under way.
    pub(super) fn left(&mut self, host: i64) {
        if let Some(lane) = self.lanes.iter_mut().find(|lane| lane.host == host) {
            lane.running = lane.running.saturating_sub(1);
        }
    }

    /// These entries are done in the database, and new ones may be there.
    pub(super) fn committed(&mut self, done: impl Iterator<Item = i64>, has_new: bool) {
        for number in done {
            self.taken.remove(&number);
        }
        if has_new {
            self.has_seen_all = false;
            for lane in &mut self.lanes {
                lane.is_loaded = false;
                if self.reloads {
                    lane.entries.clear();
                }
            }
        }
    }

    /// Fills empty lanes and removes those that stay empty.
    async fn fill(&mut self, store: &Store, job: &OwnedJob) -> Result<(), StoreError> {
        for lane in &mut self.lanes {
            if lane.entries.is_empty() && !lane.is_loaded {
                lane.load(store, job, &self.taken).await?;
            }
        }
        self.lanes
            .retain(|lane| lane.running > 0 || !lane.entries.is_empty());
        Ok(())
    }

    /// Opens lanes for the hosts after the last one, round and round, until there are enough of
    /// them or no host is without.
    async fn open_more(&mut self, store: &Store, job: &OwnedJob) -> Result<(), StoreError> {
        let mut is_second_round = self.host.is_none();
        while self.lanes.len() < MAX_LANES && !self.has_seen_all {
            match store.next_host(job, self.host).await? {
                Some(host) => {
                    self.host = Some(host);
                    self.open(store, job, host).await?;
                }
                None => {
                    self.host = None;
                    self.has_seen_all = is_second_round;
                    is_second_round = true;
                }
            }
        }
        Ok(())
    }

    async fn open(&mut self, store: &Store, job: &OwnedJob, host: i64) -> Result<(), StoreError> {
        if self.lanes.iter().any(|lane| lane.host == host) {
            return Ok(());
        }
        let mut lane = Lane {
            host,
            url: None,
            entries: VecDeque::new(),
            running: 0,
            is_loaded: false,
        };
        lane.load(store, job, &self.taken).await?;
        if !lane.entries.is_empty() {
            self.lanes.push_back(lane);
        }
        Ok(())
    }
}

impl Lane {
    async fn load(
        &mut self,
        store: &Store,
        job: &OwnedJob,
        taken: &HashSet<i64>,
    ) -> Result<(), StoreError> {
        let limit = LANE_LENGTH + u32::try_from(taken.len()).unwrap_or(u32::MAX / 2);
        let entries = store.best_entries(job, self.host, limit).await?;
        self.is_loaded = entries.len() < limit as usize;
        let is_free = |entry: &Entry| !taken.contains(&entry.number);
        self.entries = entries.into_iter().filter(is_free).collect();
        if self.url.is_none() {
            self.url = self
                .entries
                .front()
                .and_then(|entry| Url::parse(&entry.url).ok());
        }
        Ok(())
    }

    fn allowance(&self, fetcher: &Fetcher) -> Allowance {
        match &self.url {
            Some(url) => fetcher.allowance(url),
            // It fails without being asked for.
            None => Allowance {
                at_once: usize::MAX,
                rests_until: None,
            },
        }
    }
}

/// The job's own delay between two starts at one host. It outlives lanes, and only the job's own
/// pages wait for it: other callers of the host have their own manners.
#[derive(Debug)]
struct Rests {
    delay: Duration,
    until: HashMap<i64, Instant>,
}

impl Rests {
    /// A page of this host starts.
    fn begin(&mut self, host: i64) {
        if self.delay.is_zero() {
            return;
        }
        let now = Instant::now();
        self.until.retain(|_, until| *until > now);
        self.until.insert(host, now + self.delay);
    }

    /// What is left of an allowance.
    fn narrow(&self, allowance: Allowance, host: i64) -> Allowance {
        if self.delay.is_zero() {
            return allowance;
        }
        let own = self.until.get(&host).copied();
        let own = own.filter(|until| *until > Instant::now());
        Allowance {
            // Two under way could start together, where both wait for a place.
            at_once: 1,
            rests_until: allowance.rests_until.max(own),
        }
    }
}
