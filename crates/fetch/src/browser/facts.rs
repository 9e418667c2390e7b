//! What is known of a visit: written by the guard, who hears the tab's events, and read by the
//! story, which waits for them.

use bytes::Bytes;
use http::HeaderMap;
use tokio::{
    sync::watch,
    time::{Instant, timeout_at},
};
use url::Url;

use crate::FetchError;

/// The head of the main document's response.
#[derive(Debug, Clone)]
pub(super) struct Head {
    pub(super) url: Url,
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) at: Instant,
}

/// How far the main document is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// Nothing of it is parsed.
    #[default]
    Loading,
    /// Parsed: `DOMContentLoaded`.
    Parsed,
    /// And the network has been still for half a second.
    Still,
}

/// What is known now.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    pub(super) head: Option<Head>,
    /// A document that Chromium does not show as a page: its bytes.
    pub(super) file: Option<Bytes>,
    /// The URLs that led elsewhere, in order.
    pub(super) redirects: Vec<Url>,
    /// Times that the main frame set out for a document, reloads and redirects included.
    pub(super) moves: usize,
    pub(super) stage: Stage,
    /// Documents that the main frame has begun to show.
    pub(super) documents: u32,
    /// The one it shows now.
    pub(super) loader: String,
    /// And how much of it has come.
    pub(super) bytes: usize,
    /// Is the main frame on its way to another document?
    pub(super) is_leaving: bool,
    /// Why the visit may not go on.
    pub(super) fault: Option<FetchError>,
    /// What the caller should know.
    pub(super) warnings: Vec<String>,
}

/// Both ends of the facts.
pub(super) struct Board(watch::Sender<Facts>);

impl Board {
    pub(super) fn new() -> Self {
        Self(watch::Sender::new(Facts::default()))
    }

    pub(super) fn write(&self, change: impl FnOnce(&mut Facts)) {
        self.0.send_modify(change);
    }

    pub(super) fn read<T>(&self, look: impl FnOnce(&Facts) -> T) -> T {
        look(&self.0.borrow())
    }

    /// Waits until it is so; false when it was not so in time.
    pub(super) async fn until(&self, deadline: Instant, is_so: impl FnMut(&Facts) -> bool) -> bool {
        let mut facts = self.0.subscribe();
        matches!(timeout_at(deadline, facts.wait_for(is_so)).await, Ok(Ok(_)))
    }

    /// Waits for a reason to end the visit.
    pub(super) async fn fault(&self) -> FetchError {
        let mut facts = self.0.subscribe();
        let found = facts.wait_for(|facts| facts.fault.is_some()).await;
        let fault = found.ok().and_then(|facts| facts.fault.clone());
        // The board outlives whoever waits at it.
        fault.unwrap_or(FetchError::BrowserUnavailable)
    }

    pub(super) fn warn(&self, warning: impl Into<String>) {
        let warning = warning.into();
        self.write(|facts| {
            if !facts.warnings.contains(&warning) {
                facts.warnings.push(warning);
            }
        });
    }
}
