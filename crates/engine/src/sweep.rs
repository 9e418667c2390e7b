//! Removes what is older than the time that results live, in small steps between the pages.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::{task::JoinHandle, time::Instant};
use trawls_store::Store;

/// Results live for days; an hour more or less does not matter.
const EVERY: Duration = Duration::from_secs(3600);

/// The sweeping task; its owner aborts it.
pub(crate) fn start(store: Store, result_ttl: Duration) -> JoinHandle<()> {
    tokio::spawn(async move {
        let mut hours = tokio::time::interval(EVERY);
        let mut last = None;
        loop {
            hours.tick().await;
            let now = (Timestamp::now(), Instant::now());
            match last.is_none_or(|last| is_steady(last, now)) {
                true => sweep(&store, result_ttl, now.0).await,
                false => tracing::warn!("the clock was set forth; nothing is swept for an hour"),
            }
            last = Some(now);
        }
    })
}

/// Did the wall clock go on as the other one did? One that was set forth makes everything old, and
/// has until the next look to be set right.
fn is_steady(last: (Timestamp, Instant), now: (Timestamp, Instant)) -> bool {
    let passed = now.1.duration_since(last.1);
    let told = now.0.duration_since(last.0);
    told.is_negative() || told.unsigned_abs() <= passed + EVERY
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_was_set_forth_sweeps_nothing_at_once() {
        let start = (Timestamp::UNIX_EPOCH, Instant::now());
        let later = |told: i64| {
            let told = SignedDuration::from_secs(told);
            (start.0 + told, start.1 + EVERY)
        };
        for (told, is) in [(3600, true), (3700, true), (-86_400, true), (86_400, false)] {
            assert_eq!(is_steady(start, later(told)), is, "{told}");
        }
    }
}
