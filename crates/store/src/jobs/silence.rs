//! Who gives no sign of life. A sign is compared with the one before it, by the clock of the
//! process that watches: a wall clock that is set, back or forth, makes nobody silent.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use sqlx::SqlitePool;

/// Without a sign of life for so long, a job may be taken over. Long, because the death of a
/// process is seen by its lock; this is for one that hangs.
const LEASE: Duration = Duration::from_secs(60);

/// A job, or its webhook, in somebody's hands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) job: i64,
    pub(crate) owner: String,
    /// Another one with each sign of life.
    pub(crate) alive_at: i64,
}

impl Held {
    /// All that a query of these three columns finds.
    pub(super) async fn all(
        db: &SqlitePool,
        query: &'static str,
    ) -> Result<Vec<Self>, sqlx::Error> {
        let rows: Vec<(i64, String, i64)> = sqlx::query_as(query).fetch_all(db).await?;
        let held = rows.into_iter().map(|(job, owner, alive_at)| Self {
            job,
            owner,
            alive_at,
        });
        Ok(held.collect())
    }
}

/// What was last seen of each, and since when it is the same.
#[derive(Debug, Default)]
pub(crate) struct Silence(HashMap<i64, (Held, Instant)>);

impl Silence {
    /// Looks at all that are held `now`. Returns those that stayed as they are for a whole lease.
    pub(super) fn among(&mut self, held: &[Held], now: Instant) -> Vec<Held> {
        let before = std::mem::take(&mut self.0);
        let seen = held.iter().map(|held| {
            let since = match before.get(&held.job) {
                Some((was, since)) if was == held => *since,
                _ => now,
            };
            (held.job, (held.clone(), since))
        });
        self.0 = seen.collect();
        let silent = self.0.values();
        silent
            .filter(|(_, since)| now.duration_since(*since) >= LEASE)
            .map(|(held, _)| held.clone())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(alive_at: i64) -> [Held; 1] {
        [Held {
            job: 1,
            owner: "one".into(),
            alive_at,
        }]
    }

    #[test]
    fn a_clock_that_jumps_makes_nobody_silent_and_a_lease_without_a_sign_does() {
        let (mut silence, start) = (Silence::default(), Instant::now());
        let after = |seconds| start + Duration::from_secs(seconds);
        let hour = 3_600_000;
        for (seconds, alive_at) in [(0, 0), (50, 10 * hour), (100, -10 * hour), (150, 7)] {
            assert_eq!(silence.among(&held(alive_at), after(seconds)), []);
        }
        assert_eq!(silence.among(&held(7), after(209)), []);
        assert_eq!(silence.among(&held(7), after(210)), held(7));
        assert_eq!(silence.among(&[], after(211)), []);
        assert_eq!(silence.among(&held(7), after(212)), []);
    }
}
