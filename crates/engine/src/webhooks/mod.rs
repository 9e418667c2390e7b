//! Tells receivers what happens in a job: each event of a job in its turn, the jobs side by side,
//! beside the crawl and never in its way. What there is to tell is read from the database, so a
//! receiver that sleeps, or a process that dies, costs nobody anything.

mod deliver;
mod signature;

use std::{sync::Arc, time::Duration};

use serde::Deserialize;
use tokio::{
    sync::watch,
    task::{JoinHandle, JoinSet},
    time::{Instant, sleep},
};
use trawls_contract::WebhookEventKind as Kind;
use trawls_contract::{Delivery, ErrorCode, InvalidOption, Job, List, PageResult, Webhook};
use trawls_store::{Hook, JobContent, PageFilter, StoreError, Told};

use crate::{Engine, EngineError, engine::Rooms, jobs::stopped};

/// Jobs told of at once.
const AT_ONCE: usize = 32;
/// Between two looks for something to tell.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Least time between two looks, however much happens.
const LOOK_GAP: Duration = Duration::from_millis(100);
/// Between two signs of life while there is nothing to tell.
const RENEW_EVERY: Duration = Duration::from_secs(20);
/// After so many events in a row that failed at every try, the receiver is told of the end alone.
const GIVE_UP_AFTER: u32 = 10;
/// Longest rest of a receiver that failed.
const LONGEST_REST: Duration = Duration::from_secs(60);

/// The part of a job's body that is meant for here.
#[derive(Deserialize)]
struct Body {
    webhook: Option<Webhook>,
}

/// Starts telling; ends when this process stops.
pub(crate) fn start(rooms: Arc<Rooms>) -> JoinHandle<()> {
    let stop = rooms.stops.subscribe();
    tokio::spawn(work(rooms, stop))
}

async fn work(rooms: Arc<Rooms>, mut stop: watch::Receiver<bool>) {
    let mut signs = rooms.signs.of_queue();
    let mut telling = JoinSet::new();
    let mut owner = None;
    while !*stop.borrow() {
        if owner.is_none() {
            owner = rooms.store.owner().ok();
        }
        if telling.len() < AT_ONCE
            && let Some(owner) = &owner
        {
            match rooms.store.claim_hook(owner).await {
                Ok(Some(hook)) => {
                    telling.spawn(tell_all(Arc::clone(&rooms), hook, stop.clone()));
                    continue;
                }
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "no webhook was taken"),
            }
        }
        sleep(LOOK_GAP).await;
        tokio::select! {
            Some(ended) = telling.join_next() => {
                if let Err(error) = ended {
                    tracing::error!(%error, "a webhook panicked");
                }
            }
            _ = signs.changed() => {}
            () = sleep(LOOK_EVERY) => {}
            () = stopped(&mut stop) => {}
        }
    }
    while telling.join_next().await.is_some() {}
}

/// Tells a receiver until its job is over or this process stops.
async fn tell_all(rooms: Arc<Rooms>, hook: Hook, mut stop: watch::Receiver<bool>) {
    let webhook = serde_json::from_slice::<Body>(&hook.request)
        .ok()
        .and_then(|body| body.webhook);
    let Some(webhook) = webhook else {
        return;
    };
    let mut teller = Teller {
        rooms: &rooms,
        webhook,
        hook,
        failures: 0,
        renew_at: Instant::now() + RENEW_EVERY,
    };
    let told = tokio::select! {
        told = teller.run() => told,
        () = stopped(&mut stop) => Ok(()),
    };
    if let Err(error) = told
        && error != StoreError::LeaseLost
    {
        tracing::warn!(%error, job.id = teller.hook.id, "a webhook waits for the database");
        sleep(LOOK_EVERY).await;
    }
    // Fails when it is somebody else's, or the database is gone; then it is found by its age.
    let _freed = rooms.store.release_hook(&teller.hook).await;
}

struct Teller<'a> {
    rooms: &'a Rooms,
    webhook: Webhook,
    hook: Hook,
    /// Events in a row that failed.
    failures: u32,
    renew_at: Instant,
}

impl Teller<'_> {
    async fn run(&mut self) -> Result<(), StoreError> {
        let mut signs = self.rooms.signs.of_job(&self.hook.id);
        loop {
            signs.mark_unchanged();
            // The job is read before its pages: when it is over by then, all of them are there.
            let Some(job) = self.rooms.store.job(&self.hook.id).await? else {
                return Ok(());
            };
            if self.hook.told == Told::Nothing && job.started_at.is_some() {
                self.hook.told = Told::Start;
                self.tell(&job, Kind::Started, None).await?;
            }
            if self.tell_pages(&job).await? {
                continue;
            }
            if let Some(end) = Kind::of_end(job.status) {
                self.hook.told = Told::End;
                return self.tell(&job, end, None).await;
            }
            if self.renew_at <= Instant::now() {
                self.step(None).await?;
            }
            sleep(LOOK_GAP).await;
            tokio::select! {
                _ = signs.changed() => {}
                () = sleep(LOOK_EVERY) => {}
            }
        }
    }

    /// Returns whether there were any.
    async fn tell_pages(&mut self, job: &Job) -> Result<bool, StoreError> {
        if !self.webhook.wants(Kind::Page) || self.failures >= GIVE_UP_AFTER {
            return Ok(false);
        }
        let (store, all) = (&self.rooms.store, PageFilter::default());
        let pages = store
            .job_contents(&self.hook.id, &all, self.hook.last_page)
            .await?;
        let pages = pages.unwrap_or_default();
        let has_some = !pages.is_empty();
        for JobContent { page, json } in pages {
            let content: Option<PageResult> = serde_json::from_slice(&json).ok();
            self.hook.last_page = page.number;
            self.tell(job, Kind::Page, content).await?;
            if self.failures >= GIVE_UP_AFTER {
                tracing::warn!(job.id = self.hook.id, "a receiver is given up");
                break;
            }
        }
        Ok(has_some)
    }

    async fn tell(
        &mut self,
        job: &Job,
        kind: Kind,
        page: Option<PageResult>,
    ) -> Result<(), StoreError> {
        if !self.webhook.wants(kind) {
            return self.step(None).await;
        }
        let number = self.hook.last_delivery + 1;
        let event = deliver::event(&self.webhook, job, number, kind, page);
        let attempts = deliver::try_three_times(self.rooms, &self.webhook, &event).await;
        let delivered = attempts.last().is_some_and(|attempt| attempt.is_good());
        self.step(Some(Delivery {
            number,
            event: kind,
            page: (kind == Kind::Page).then_some(self.hook.last_page),
            delivered,
            attempts,
        }))
        .await?;
        self.hook.last_delivery = number;
        self.failures = if delivered { 0 } else { self.failures + 1 };
        if self.failures > 0 && kind == Kind::Page {
            sleep(rest_after(self.failures)).await;
        }
        Ok(())
    }

    async fn step(&mut self, delivery: Option<Delivery>) -> Result<(), StoreError> {
        self.renew_at = Instant::now() + RENEW_EVERY;
        let step = self.rooms.store.hook_step(&self.hook, delivery.as_ref());
        step.await
    }
}

/// A receiver that failed is given time to come back.
fn rest_after(failures: u32) -> Duration {
    Duration::from_secs(1 << failures.min(6)).min(LONGEST_REST)
}

impl Engine {
    /// The deliveries of a job's webhook after number `after`; `None` when there is no such job.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn deliveries(
        &self,
        id: &str,
        after: u64,
        limit: u32,
    ) -> Result<Option<List<Delivery>>, EngineError> {
        Ok(self.rooms().store.deliveries(id, after, limit).await?)
    }

    /// Sends an event again, once, with the page as it is now; `None` when there is no such
    /// delivery.
    ///
    /// # Errors
    /// The database cannot be read or written.
    pub async fn resend(&self, id: &str, number: u64) -> Result<Option<Delivery>, EngineError> {
        let (rooms, before) = (self.rooms(), number.saturating_sub(1));
        let store = &rooms.store;
        let found = store.deliveries(id, before, 1).await?;
        let found = found.map(|list| list.items).unwrap_or_default();
        let Some(mut delivery) = found.into_iter().find(|found| found.number == number) else {
            return Ok(None);
        };
        let (job, request) = (store.job(id).await?, store.request_of(id).await?);
        let body: Option<Body> = request.and_then(|json| serde_json::from_slice(&json).ok());
        let (Some(job), Some(webhook)) = (job, body.and_then(|body| body.webhook)) else {
            return Ok(None);
        };
        let page = match delivery.page {
            Some(page) => self.page_numbered(id, page).await?,
            None => None,
        };
        let event = deliver::event(&webhook, &job, number, delivery.event, page);
        let attempt = deliver::try_once(rooms, &webhook, &event).await;
        delivery.delivered |= attempt.is_good();
        delivery.attempts.push(attempt);
        store.delivered_again(id, &delivery).await?;
        Ok(Some(delivery))
    }

    /// Absent when it was done again since, under another number.
    async fn page_numbered(
        &self,
        id: &str,
        number: u64,
    ) -> Result<Option<PageResult>, EngineError> {
        let all = PageFilter::default();
        let store = &self.rooms().store;
        let pages = store
            .job_contents(id, &all, number.saturating_sub(1))
            .await?;
        let page = pages.unwrap_or_default().into_iter().next();
        let page = page.filter(|content| content.page.number == number);
        Ok(page.and_then(|content| serde_json::from_slice(&content.json).ok()))
    }

    /// May this webhook be called at all? What the door refuses is the caller's mistake.
    pub(crate) async fn admit_webhook(&self, webhook: &Webhook) -> Result<(), InvalidOption> {
        let Some((url, _)) = webhook.target() else {
            return Ok(());
        };
        match self.rooms().fetcher.admits(&url).await {
            Err(error) if error.code() == ErrorCode::SsrfBlocked => {
                Err(InvalidOption::new("webhook.url", error.to_string()))
            }
            _ => Ok(()),
        }
    }
}
