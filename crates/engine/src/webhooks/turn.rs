//! One receiver's turn: a few seconds of events, or one try that fails. Then the place is somebody
//! else's, and how far the receiver was told, and when it may be tried again, is in the database.

use std::{sync::Arc, time::Duration};

use tokio::{sync::watch, time::Instant};
use trawls_contract::WebhookEventKind as Kind;
use trawls_contract::{Delivery, Job, PageResult, Webhook};
use trawls_store::{Hook, JobContent, PageFilter, StoreError, Told};

use super::{Body, LOOK_EVERY, deliver};
use crate::{engine::Rooms, jobs::stopped};

/// After so long no further event is begun.
const TURN: Duration = Duration::from_secs(5);
/// Before the second and the third try of an event; there is no fourth.
const BETWEEN_TRIES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(4)];
/// After so many events in a row that failed at every try, the receiver is told of the end alone.
const GIVE_UP_AFTER: u32 = 10;

/// Tells a receiver what there is to tell, for one turn.
pub(super) async fn take(rooms: Arc<Rooms>, hook: Hook, mut stop: watch::Receiver<bool>) {
    let Some(webhook) = Body::webhook(&hook.request) else {
        return;
    };
    let mut turn = Turn {
        rooms: &rooms,
        webhook,
        hook,
        ends_at: Instant::now() + TURN,
        rest: Duration::ZERO,
    };
    let told = tokio::select! {
        told = turn.tell_all() => told,
        () = stopped(&mut stop) => Ok(()),
    };
    match told {
        Ok(()) => {}
        Err(StoreError::LeaseLost) => return,
        Err(error) => {
            tracing::warn!(%error, job.id = turn.hook.id, "a webhook waits for the database");
            turn.rest = LOOK_EVERY;
        }
    }
    // When that fails too, it is found by the silence of its owner.
    let _freed = rooms.store.release_hook(&turn.hook, turn.rest).await;
}

struct Turn<'a> {
    rooms: &'a Rooms,
    webhook: Webhook,
    hook: Hook,
    ends_at: Instant,
    /// Before the next turn.
    rest: Duration,
}

impl Turn<'_> {
    async fn tell_all(&mut self) -> Result<(), StoreError> {
        // The job is read before its pages: when it is over by then, all of them are there.
        let Some(job) = self.rooms.store.job(&self.hook.id).await? else {
            return Ok(());
        };
        let begins = self.hook.told == Told::Nothing && job.started_at.is_some();
        if begins && !self.tell(&job, Kind::Started, None, None).await? {
            return Ok(());
        }
        if self.tell_pages(&job).await?
            && let Some(end) = Kind::of_end(job.status)
        {
            self.tell(&job, end, None, None).await?;
        }
        Ok(())
    }

    /// Returns whether the turn goes on.
    async fn tell_pages(&mut self, job: &Job) -> Result<bool, StoreError> {
        let (store, all) = (&self.rooms.store, PageFilter::default());
        while self.tells_pages().await? {
            let pages = store
                .job_contents(&self.hook.id, &all, self.hook.last_page)
                .await?;
            let pages = pages.unwrap_or_default();
            if pages.is_empty() {
                return self.pass_to(self.hook.pages_until).await.map(|()| true);
            }
            for JobContent { page, json } in pages {
                let content = serde_json::from_slice(&json).ok();
                let number = Some(page.number);
                if !self.tell(job, Kind::Page, number, content).await? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    async fn tells_pages(&mut self) -> Result<bool, StoreError> {
        let is_given_up = self.hook.failures >= GIVE_UP_AFTER;
        if self.hook.tells_pages && (is_given_up || !self.webhook.wants(Kind::Page)) {
            if is_given_up {
                tracing::warn!(job.id = self.hook.id, "a receiver is given up");
            }
            self.hook.tells_pages = false;
            self.keep(None).await?;
        }
        Ok(self.hook.tells_pages)
    }

    /// The pages up to this number are told of, or gone.
    async fn pass_to(&mut self, page: u64) -> Result<(), StoreError> {
        if self.hook.last_page >= page {
            return Ok(());
        }
        self.hook.last_page = page;
        self.keep(None).await
    }

    /// Tries once. Returns whether the turn goes on.
    async fn tell(
        &mut self,
        job: &Job,
        kind: Kind,
        page: Option<u64>,
        content: Option<PageResult>,
    ) -> Result<bool, StoreError> {
        if !self.webhook.wants(kind) {
            self.pass(job, kind, page);
            return self.keep(None).await.map(|()| true);
        }
        let mut delivery = self.delivery_of(kind, page).await?;
        let event = deliver::event(&self.webhook, job, delivery.number, kind, content);
        let attempt = deliver::try_once(self.rooms, &self.webhook, &event).await;
        delivery.delivered = attempt.is_good();
        let tries = delivery.attempts.len();
        delivery.attempts.push(attempt);
        if !delivery.delivered
            && let Some(rest) = BETWEEN_TRIES.get(tries)
        {
            self.rest = *rest;
            self.hook.under_way = Some(delivery);
            return self.keep(None).await.map(|()| false);
        }
        self.hook.failures = match delivery.delivered {
            true => 0,
            false => self.hook.failures.saturating_add(1),
        };
        self.pass(job, kind, page);
        self.keep(Some(&delivery)).await?;
        if !delivery.delivered {
            self.rest = rest_after(self.hook.failures);
        }
        Ok(delivery.delivered && Instant::now() < self.ends_at)
    }

    /// The delivery that is under way if it is of this event, or a new one.
    async fn delivery_of(&mut self, kind: Kind, page: Option<u64>) -> Result<Delivery, StoreError> {
        match self.hook.under_way.take() {
            Some(begun) if (begun.event, begun.page) == (kind, page) => return Ok(begun),
            // The job went on, or its page was read again: another event, under another id.
            Some(other) => self.keep(Some(&other)).await?,
            None => {}
        }
        Ok(Delivery {
            number: self.hook.last_delivery + 1,
            event: kind,
            page,
            delivered: false,
            attempts: Vec::new(),
        })
    }

    fn pass(&mut self, job: &Job, kind: Kind, page: Option<u64>) {
        match (kind, page, job.finished_at) {
            (Kind::Started, ..) => self.hook.told = Told::Start,
            (Kind::Page, Some(number), _) => self.hook.last_page = number,
            (_, _, Some(at)) => self.hook.told = Told::End(at),
            // An event of an end is of a job that has one.
            (_, _, None) => {}
        }
    }

    async fn keep(&mut self, delivery: Option<&Delivery>) -> Result<(), StoreError> {
        self.rooms.store.hook_step(&self.hook, delivery).await?;
        if let Some(delivery) = delivery {
            self.hook.last_delivery = delivery.number;
        }
        Ok(())
    }
}

/// A receiver that failed is given time to come back; the store knows the longest.
fn rest_after(failures: u32) -> Duration {
    Duration::from_secs(1 << failures.min(6))
}
