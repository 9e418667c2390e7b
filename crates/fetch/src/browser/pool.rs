//! The pool: one browser, started when the first page needs it, and a bounded number of contexts in
//! it. A context that served a host well serves it again; everything else is thrown away by the
//! janitor, who also ends a browser that nobody needs and replaces one that died.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::{Mutex, OwnedSemaphorePermit, Semaphore, mpsc},
    task::AbortHandle,
    time::{Instant, interval, timeout_at},
};
use url::Url;

use super::{
    BrowserFigures,
    clearance::Clearances,
    fault,
    gate::Rules,
    identity::Persona,
    instance::{Context, Instance},
    process,
    upstream::Upstream,
};
use crate::{BrowserConfig, BrowserSource, FetchError, antibot, egress::Door, rung::Exchange};

/// Pages after which a context is thrown away.
const MAX_PAGES: usize = 50;
/// And its age.
const MAX_AGE: Duration = Duration::from_secs(600);
/// Contexts after which the browser itself is replaced: it never gives back all memory.
const MAX_CONTEXTS: u32 = 500;
/// And its age.
const MAX_UPTIME: Duration = Duration::from_secs(3600);
/// A browser without work ends after this.
const IDLE_TIME: Duration = Duration::from_secs(120);
/// How often the janitor looks.
const ROUND: Duration = Duration::from_secs(2);

/// Whom a context may serve again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// Host of the page; a context is one host's.
    pub(super) host: String,
    pub(super) persona: Persona,
    /// With credentials; never logged.
    pub(super) proxy: Option<Url>,
    pub(super) block_ads: bool,
    pub(super) verifies_tls: bool,
}

/// The pool. Dropping it kills the browser.
pub(super) struct Pool {
    shared: Arc<Shared>,
    janitor: AbortHandle,
}

struct Shared {
    config: BrowserConfig,
    door: Arc<Door>,
    /// The operator's own proxies.
    trusted: HashSet<Url>,
    places: Arc<Semaphore>,
    state: Mutex<State>,
    waste: mpsc::UnboundedSender<Waste>,
    clearances: Clearances,
    rendered: AtomicU64,
    crashes: AtomicU64,
}

#[derive(Default)]
struct State {
    instance: Option<Arc<Instance>>,
    /// Least lately used first.
    idle: Vec<(Key, Context)>,
    last_use: Option<Instant>,
    is_closed: bool,
}

/// What the janitor takes away. A context's place is free when it is gone, so that there are never
/// more of them than places.
struct Waste {
    instance: Arc<Instance>,
    context: Option<Context>,
    _place: Option<OwnedSemaphorePermit>,
}

/// A context on loan. Dropped without being given back, it is thrown away.
pub(super) struct Lease {
    shared: Arc<Shared>,
    instance: Arc<Instance>,
    key: Key,
    context: Option<Context>,
    place: Option<OwnedSemaphorePermit>,
}

impl Pool {
    pub(super) fn new(door: Arc<Door>, config: BrowserConfig, proxies: &[Url]) -> Self {
        let (waste, bin) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            places: Arc::new(Semaphore::new(config.pool_size)),
            trusted: proxies.iter().cloned().collect(),
            config,
            door,
            state: Mutex::default(),
            waste,
            clearances: Clearances::new(),
            rendered: AtomicU64::new(0),
            crashes: AtomicU64::new(0),
        });
        let janitor = tokio::spawn(keep_clean(Arc::clone(&shared), bin));
        Self {
            shared,
            janitor: janitor.abort_handle(),
        }
    }

    /// A context for this key that has not been to `url`, whose answer its cache would give again;
    /// with `afresh`, one that nobody has used.
    ///
    /// # Errors
    /// There is no browser, it does not come to life, or no context is free in time.
    pub(super) async fn borrow(
        &self,
        key: Key,
        afresh: bool,
        url: &Url,
        deadline: Instant,
    ) -> Result<Lease, FetchError> {
        let begun = Instant::now();
        let late = |_| FetchError::BrowserBusy(begun.elapsed());
        let places = Arc::clone(&self.shared.places);
        let place = timeout_at(deadline, places.acquire_owned()).await;
        let place = place
            .map_err(late)?
            .map_err(|_| FetchError::BrowserUnavailable)?;
        // What was begun is ended, even if nobody waits for it any more: a browser that starts serves
        // the next one, and a context that nobody took is thrown away with its lease.
        let shared = Arc::clone(&self.shared);
        let url = (!afresh).then(|| url.clone());
        let lending = tokio::spawn(lend(shared, key, url, place));
        let lent = timeout_at(deadline, lending).await.map_err(late)?;
        lent.map_err(|_| FetchError::Internal("the browser's pool".into()))?
    }

    pub(super) fn figures(&self) -> BrowserFigures {
        let shared = &self.shared;
        let instance = shared
            .state
            .try_lock()
            .ok()
            .and_then(|state| state.instance.clone());
        BrowserFigures {
            product: instance.map(|instance| instance.product()),
            pages_running: shared.config.pool_size - shared.places.available_permits(),
            pages_rendered: shared.rendered.load(Ordering::Relaxed),
            crashes: shared.crashes.load(Ordering::Relaxed),
        }
    }

    /// Ends the browser for good.
    pub(super) async fn close(&self) {
        self.shared.places.close();
        let mut state = self.shared.state.lock().await;
        state.is_closed = true;
        state.idle.clear();
        if let Some(instance) = state.instance.take() {
            instance.end().await;
        }
    }

    /// The running browser, for tests that kill it.
    #[cfg(test)]
    pub(super) async fn pid(&self) -> Option<u32> {
        let state = self.shared.state.lock().await;
        state.instance.as_ref().and_then(|instance| instance.pid())
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.janitor.abort();
    }
}

impl Shared {
    /// The browser, started if it must be, and a context of it that serves the key, if there is one.
    async fn enter(
        &self,
        key: &Key,
        url: Option<&Url>,
    ) -> Result<(Arc<Instance>, Option<Context>), FetchError> {
        let mut state = self.state.lock().await;
        if state.is_closed {
            return Err(FetchError::BrowserUnavailable);
        }
        state.last_use = Some(Instant::now());
        let instance = self.living(&mut state).await?;
        let known = url.and_then(|url| {
            let serves =
                |(idle, context): &(Key, Context)| idle == key && !context.pages.contains(url);
            state.idle.iter().rposition(serves)
        });
        let context = known.map(|at| state.idle.remove(at).1);
        if context.is_none() {
            self.make_room(&mut state, &instance);
        }
        Ok((instance, context))
    }

    async fn living(&self, state: &mut State) -> Result<Arc<Instance>, FetchError> {
        if let Some(instance) = &state.instance {
            let (contexts, uptime) = instance.wear();
            let is_worn = contexts >= MAX_CONTEXTS || uptime >= MAX_UPTIME;
            if !instance.is_gone() && !is_worn {
                return Ok(Arc::clone(instance));
            }
            if instance.is_gone() {
                self.crashes.fetch_add(1, Ordering::Relaxed);
            }
        }
        state.idle.clear();
        if let Some(old) = state.instance.take() {
            self.throw_away(old, None, None);
        }
        if let BrowserSource::Local(_) = self.config.source {
            let profiles = self.config.profiles.clone();
            let swept = tokio::task::spawn_blocking(move || process::sweep(&profiles));
            // Old folders are a nuisance, not a reason to have no browser.
            let _ = swept.await;
        }
        let started = Arc::new(Instance::start(&self.config).await?);
        tracing::info!(browser.product = started.product(), "browser started");
        state.instance = Some(Arc::clone(&started));
        Ok(started)
    }

    /// All that are lent or idle must fit the pool, the one that is about to be made included.
    fn make_room(&self, state: &mut State, instance: &Arc<Instance>) {
        let lent = self.config.pool_size - self.places.available_permits();
        while !state.idle.is_empty() && state.idle.len() + lent > self.config.pool_size {
            let (_, context) = state.idle.remove(0);
            self.throw_away(Arc::clone(instance), Some(context), None);
        }
    }

    fn throw_away(
        &self,
        instance: Arc<Instance>,
        context: Option<Context>,
        place: Option<OwnedSemaphorePermit>,
    ) {
        // Without a janitor the whole pool is going, and the browser with it.
        let _ = self.waste.send(Waste {
            instance,
            context,
            _place: place,
        });
    }
}

/// A lease of a context that serves the key and has not been to `url`, or of a new one.
async fn lend(
    shared: Arc<Shared>,
    key: Key,
    url: Option<Url>,
    place: OwnedSemaphorePermit,
) -> Result<Lease, FetchError> {
    let (instance, known) = shared.enter(&key, url.as_ref()).await?;
    let mut lease = Lease {
        shared,
        instance,
        key,
        context: known,
        place: Some(place),
    };
    if let Some(context) = &lease.context
        && !context.is_awake().await
    {
        // Its last page came to hang after it was read.
        let context = lease.context.take();
        let instance = Arc::clone(&lease.instance);
        lease.shared.throw_away(instance, context, None);
    }
    if lease.context.is_none() {
        lease.open().await?;
    }
    Ok(lease)
}

impl Lease {
    async fn open(&mut self) -> Result<(), FetchError> {
        let key = &self.key;
        let is_trusted = |url: &Url| self.shared.trusted.contains(url);
        let rules = Rules {
            door: Arc::clone(&self.shared.door),
            upstream: key
                .proxy
                .clone()
                .map(|url| Upstream::new(url.clone(), is_trusted(&url))),
            block_ads: key.block_ads,
        };
        let persona = Arc::new(key.persona.clone());
        let made = self.instance.context(persona, rules).await;
        if let Err(FetchError::BrowserCrashed(_)) = made {
            self.instance.end().await;
        }
        let context = self.context.insert(made?);
        let clearances = &self.shared.clearances;
        let handed = clearances.hand_to(&context.tab, &self.key).await;
        handed.map_err(fault::of_tab)
    }

    /// Learns from a visit whether the host lets such visitors pass.
    pub(super) async fn remember(&self, seen: &Exchange) {
        self.shared.rendered.fetch_add(1, Ordering::Relaxed);
        let clearances = &self.shared.clearances;
        if antibot::recognise_html(seen.status, &seen.headers, &seen.body).is_some() {
            clearances.forget(&self.key);
        } else if let Some(context) = &self.context {
            // Without its cookies the next visitor must be let in anew, no more.
            let _ = clearances
                .learn(&context.tab, &self.key, &seen.final_url)
                .await;
        }
    }

    /// What was borrowed.
    pub(super) fn context(&self) -> Option<&Context> {
        self.context.as_ref()
    }

    /// The page was read and the context is well: it may serve again.
    pub(super) async fn give_back(mut self, seen: &Exchange, url: &Url) {
        let Some(context) = &self.context else {
            return;
        };
        // The next visitor is another one, but for what the vendors know it by.
        if context.is_spoilt.load(Ordering::Relaxed)
            || context.forget_visitor(&seen.final_url).await.is_err()
            || self
                .shared
                .clearances
                .hand_to(&context.tab, &self.key)
                .await
                .is_err()
        {
            return;
        }
        let Some(mut context) = self.context.take() else {
            return;
        };
        context.pages.push(url.clone());
        let is_fresh = context.pages.len() < MAX_PAGES && context.made.elapsed() < MAX_AGE;
        let mut state = self.shared.state.lock().await;
        let is_current = state
            .instance
            .as_ref()
            .is_some_and(|current| Arc::ptr_eq(current, &self.instance));
        if is_fresh && is_current && !self.instance.is_gone() {
            state.last_use = Some(Instant::now());
            state.idle.push((self.key.clone(), context));
        } else {
            self.context = Some(context);
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(context) = self.context.take() {
            let (instance, place) = (Arc::clone(&self.instance), self.place.take());
            self.shared.throw_away(instance, Some(context), place);
        }
    }
}

async fn keep_clean(shared: Arc<Shared>, mut bin: mpsc::UnboundedReceiver<Waste>) {
    let mut rounds = interval(ROUND);
    loop {
        tokio::select! {
            waste = bin.recv() => match waste {
                Some(waste) => shared.take_away(waste).await,
                None => return,
            },
            _ = rounds.tick() => shared.look_around().await,
        }
    }
}

impl Shared {
    async fn take_away(&self, waste: Waste) {
        if let Some(context) = waste.context
            && !waste.instance.forget(context).await
            && !waste.instance.is_gone()
        {
            tracing::warn!("the browser hangs and is killed");
            waste.instance.end().await;
        }
        waste.instance.retire().await;
    }

    /// Contexts that grew old go, pages that nobody reads stop, and the browser ends when nobody
    /// needs it.
    async fn look_around(&self) {
        let mut state = self.state.lock().await;
        let Some(instance) = state.instance.clone() else {
            return;
        };
        let is_unused = state.last_use.is_none_or(|last| last.elapsed() > IDLE_TIME);
        let is_free = self.places.available_permits() == self.config.pool_size;
        if (is_unused && is_free) || instance.is_gone() {
            if instance.is_gone() {
                self.crashes.fetch_add(1, Ordering::Relaxed);
            }
            state.idle.clear();
            state.instance = None;
            instance.end().await;
            return;
        }
        // Looked at outside of the state: a page that hangs holds nobody up but itself.
        let idle = std::mem::take(&mut state.idle);
        let (stirred, quiet): (Vec<_>, Vec<_>) = idle
            .into_iter()
            .partition(|(_, context)| context.is_on_a_page() || context.made.elapsed() > MAX_AGE);
        state.idle = quiet;
        drop(state);
        for (key, mut context) in stirred {
            if context.made.elapsed() > MAX_AGE || !context.leave().await {
                self.throw_away(Arc::clone(&instance), Some(context), None);
                continue;
            }
            let mut state = self.state.lock().await;
            state.idle.push((key, context));
            self.make_room(&mut state, &instance);
        }
    }
}
