//! Whether writing works, as the last writes showed. Time is an argument.

use std::time::{Duration, Instant};

use crate::StoreError;

/// A write that worked proves for so long that writing works.
const PROOF: Duration = Duration::from_secs(5);
/// A write that found no space, or no right to write, counts for so long, even when smaller ones
/// work: what is left of a write-ahead log takes those on a full disk.
const TROUBLE: Duration = Duration::from_secs(30);

/// What the last writes showed.
#[derive(Debug, Default)]
pub(crate) struct Condition {
    worked_at: Option<Instant>,
    trouble: Option<(Instant, StoreError)>,
}

impl Condition {
    /// Takes note of a write.
    pub(crate) fn note<T>(&mut self, result: &Result<T, StoreError>, now: Instant) {
        match result {
            Ok(_) => self.worked_at = Some(now),
            Err(error @ (StoreError::Full | StoreError::ReadOnly)) => {
                self.trouble = Some((now, error.clone()));
            }
            Err(_) => {}
        }
    }

    /// What is known now; `None` is to be tried.
    pub(crate) fn known(&self, now: Instant) -> Option<Result<(), StoreError>> {
        if let Some((at, error)) = &self.trouble
            && now.saturating_duration_since(*at) < TROUBLE
        {
            return Some(Err(error.clone()));
        }
        let worked_at = self.worked_at?;
        (now.saturating_duration_since(worked_at) < PROOF).then_some(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_proves_for_a_while_and_a_full_disk_counts_for_longer() {
        let (mut condition, now) = (Condition::default(), Instant::now());
        assert_eq!(condition.known(now), None);
        condition.note(&Ok(()), now);
        assert_eq!(condition.known(now), Some(Ok(())));
        assert_eq!(condition.known(now + PROOF), None);
        condition.note::<()>(&Err(StoreError::Full), now);
        condition.note::<()>(&Err(StoreError::KeyReused), now);
        condition.note(&Ok(()), now + PROOF);
        assert_eq!(condition.known(now + PROOF), Some(Err(StoreError::Full)));
        assert_eq!(condition.known(now + TROUBLE), None);
    }
}
