//! Tells receivers what happens in a job: each event in its order, the jobs side by side and in
//! turns, beside the crawl and never in its way. What there is to tell and how far a receiver was
//! told is in the database, so one that sleeps, or a process that dies, costs nobody anything.

mod deliver;
mod resend;
mod signature;
mod turn;

use std::{sync::Arc, time::Duration};

use serde::Deserialize;
use tokio::{
    sync::watch,
    task::{JoinHandle, JoinSet},
    time::sleep,
};
use trawls_contract::{ErrorCode, InvalidOption, Webhook};

use crate::{Engine, engine::Rooms, jobs::stopped};

/// Jobs told of at once.
const AT_ONCE: usize = 32;
/// Between two looks for something to tell.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Least time between two looks, however much happens.
const LOOK_GAP: Duration = Duration::from_millis(100);

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
                    telling.spawn(turn::take(Arc::clone(&rooms), hook, stop.clone()));
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

impl Body {
    fn webhook(json: &[u8]) -> Option<Webhook> {
        serde_json::from_slice::<Self>(json).ok()?.webhook
    }
}

impl Engine {
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
