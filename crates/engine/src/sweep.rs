//! Removes what is older than the time that results live, in small steps between the pages.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::task::JoinHandle;
use trawls_store::Store;

/// Results live for days; an hour more or less does not matter.
const EVERY: Duration = Duration::from_secs(3600);

/// The sweeping task; its owner aborts it.
pub(crate) fn start(store: Store, result_ttl: Duration) -> JoinHandle<()> {
    tokio::spawn(async move {
        let mut hours = tokio::time::interval(EVERY);
        loop {
            hours.tick().await;
            sweep(&store, result_ttl, Timestamp::now()).await;
        }
    })
}

pub(crate) async fn sweep(store: &Store, result_ttl: Duration, now: Timestamp) {
    let ttl = SignedDuration::try_from(result_ttl).unwrap_or(SignedDuration::MAX);
    let Ok(before) = now.checked_sub(ttl) else {
        return;
    };
    // A job's pages go with it.
    if let Err(error) = store.sweep_jobs(before).await {
        tracing::warn!(%error, "old jobs were not swept");
    }
    loop {
        match store.sweep(before).await {
            Ok(true) => tokio::task::yield_now().await,
            Ok(false) => return,
            Err(error) => {
                tracing::warn!(%error, "old results were not swept");
                return;
            }
        }
    }
}
