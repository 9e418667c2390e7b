//! Reading on a bounded set of threads: never on an async thread, never past the deadline, and a
//! panic stays with its page.

use std::sync::Arc;

use tokio::{
    sync::Semaphore,
    time::{Instant, timeout_at},
};
use trawls_content::{Interrupt, Page, RawDocument, ReadError, ReadOptions};

/// Why a document gave no page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReadFailure {
    /// The time of the request was up.
    OutOfTime,
    /// A kind of content that cannot be read.
    Unsupported(String),
    /// The bytes are not what they claim to be.
    Decode(String),
    /// An option that nobody checked.
    Options(String),
    /// A fault of ours.
    Panicked,
}

/// As many readings at once as there are permits; more would only share the same cores.
#[derive(Debug, Clone)]
pub(crate) struct Reader {
    permits: Arc<Semaphore>,
}

/// Tells the reading to stop when nobody waits for it any more.
struct StopOnDrop(Interrupt);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.raise();
    }
}

impl Reader {
    pub(crate) fn new(threads: usize) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(threads.max(1))),
        }
    }

    pub(crate) async fn read(
        &self,
        document: RawDocument,
        options: ReadOptions,
        deadline: Instant,
    ) -> Result<Page, ReadFailure> {
        self.run(deadline, move |interrupt| {
            trawls_content::read(&document, &options, interrupt)
        })
        .await
    }

    async fn run(
        &self,
        deadline: Instant,
        work: impl FnOnce(&Interrupt) -> Result<Page, ReadError> + Send + 'static,
    ) -> Result<Page, ReadFailure> {
        let turn = timeout_at(deadline, self.permits.clone().acquire_owned()).await;
        let Ok(Ok(permit)) = turn else {
            return Err(ReadFailure::OutOfTime);
        };
        let stop = StopOnDrop(Interrupt::default());
        let interrupt = stop.0.clone();
        let reading = tokio::task::spawn_blocking(move || {
            // The permit goes back when the thread is free, not when the waiting ends.
            let _permit = permit;
            work(&interrupt)
        });
        match timeout_at(deadline, reading).await {
            Err(_) => Err(ReadFailure::OutOfTime),
            Ok(Ok(Ok(page))) => Ok(page),
            Ok(Ok(Err(error))) => Err(error.into()),
            Ok(Err(panic)) => {
                tracing::error!(error = %panic, "reading a page panicked");
                Err(ReadFailure::Panicked)
            }
        }
    }
}

impl From<ReadError> for ReadFailure {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Interrupted => Self::OutOfTime,
            ReadError::Unsupported(what) => Self::Unsupported(what),
            ReadError::Decode(what) => Self::Decode(what),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    #[tokio::test]
    async fn a_panic_stays_with_its_page() {
        let reader = Reader::new(1);
        for _ in 0..3 {
            let failed = reader.run(soon(), |_| panic!("on purpose")).await;
            assert_eq!(failed.unwrap_err(), ReadFailure::Panicked);
        }
    }

    #[tokio::test]
    async fn a_reading_that_outlives_its_deadline_is_told_to_stop() {
        let reader = Reader::new(1);
        let (stopped, was_stopped) = tokio::sync::oneshot::channel();
        let failed = reader
            .run(
                Instant::now() + Duration::from_millis(1),
                move |interrupt| {
                    while !interrupt.is_raised() {
                        std::thread::yield_now();
                    }
                    stopped.send(()).unwrap();
                    Err(ReadError::Interrupted)
                },
            )
            .await;
        assert_eq!(failed.unwrap_err(), ReadFailure::OutOfTime);
        was_stopped.await.unwrap();
    }
}
