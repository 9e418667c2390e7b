//! Single flight: of several equal requests at once, one fetches and the others wait for it, then
//! look into the cache again. They wait once; if the first did not fill the cache, all go.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::{sync::watch, time::Instant};
use trawls_store::CacheKey;

/// The keys being fetched now.
#[derive(Debug, Clone, Default)]
pub(crate) struct Flights(Arc<Mutex<Landings>>);

type Landings = HashMap<CacheKey, watch::Receiver<()>>;

/// Held by the one that fetches; the others go on when it is dropped.
#[derive(Debug)]
pub(crate) struct Flight {
    flights: Flights,
    key: CacheKey,
    _landing: watch::Sender<()>,
}

impl Flights {
    /// Some: fetch, nobody else does. None: somebody did, and has ended (or `deadline` is over).
    pub(crate) async fn board(&self, key: CacheKey, deadline: Instant) -> Option<Flight> {
        let mut landed = {
            let mut landings = self.lock();
            match landings.get(&key) {
                Some(landing) => landing.clone(),
                None => {
                    let (sender, receiver) = watch::channel(());
                    landings.insert(key, receiver);
                    return Some(Flight {
                        flights: self.clone(),
                        key,
                        _landing: sender,
                    });
                }
            }
        };
        // An error says that the sender is gone, which is what is waited for.
        let _ended = tokio::time::timeout_at(deadline, landed.changed()).await;
        None
    }

    fn lock(&self) -> MutexGuard<'_, Landings> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        self.flights.lock().remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn the_second_waits_for_the_first_and_the_third_goes() {
        let flights = Flights::default();
        let key = CacheKey::of("x");
        let soon = || Instant::now() + Duration::from_secs(60);
        let first = flights.board(key, soon()).await.unwrap();
        let other = flights.board(CacheKey::of("y"), soon()).await;
        assert!(other.is_some());
        let waiting = tokio::spawn({
            let flights = flights.clone();
            async move { flights.board(key, soon()).await.is_none() }
        });
        tokio::task::yield_now().await;
        drop(first);
        assert!(waiting.await.unwrap());
        assert!(flights.board(key, soon()).await.is_some());
    }

    #[tokio::test]
    async fn nobody_waits_past_the_deadline() {
        let flights = Flights::default();
        let key = CacheKey::of("x");
        let _first = flights.board(key, Instant::now()).await;
        assert!(flights.board(key, Instant::now()).await.is_none());
    }
}
