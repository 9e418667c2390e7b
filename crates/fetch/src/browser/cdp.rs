//! Chrome DevTools Protocol: one connection to a browser, many sessions on it. Answers find their
//! callers by number, events their session by its id. When the connection ends, every call fails
//! at once and every session's events end: nobody waits for a browser that is gone.
//!
//! Protocol: <https://chromedevtools.github.io/devtools-protocol/>, flat sessions.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json, value::RawValue};
use tokio::{
    sync::{mpsc, oneshot, watch},
    time::timeout,
};

/// Messages to the browser that wait to be written.
const OUTBOX: usize = 1024;
/// A browser that does not read what it is told for so long hangs.
const TELL_TIME: Duration = Duration::from_secs(10);
/// Events that a session may leave unread: a page that floods its reader is given up.
const UNREAD_EVENTS: usize = 8192;

/// Why a call brought nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum CdpError {
    /// The connection ended: the browser died or was killed.
    #[error("the browser is gone")]
    Gone,
    /// No answer: whoever should give it hangs.
    #[error("no answer to {0}")]
    Silent(&'static str),
    /// The browser answered that it could not.
    #[error("{0}")]
    Refused(String),
}

/// Something that happened in a session.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) method: String,
    params: Box<RawValue>,
}

impl Event {
    /// What the event says, as far as `T` wants to know.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.params.get()).ok()
    }
}

/// What the browser says to a call.
type Reply = Result<Box<RawValue>, CdpError>;

/// A connection. Share it behind `Arc`.
pub(super) struct Cdp {
    outbox: mpsc::Sender<String>,
    calls: Mutex<HashMap<u64, oneshot::Sender<Reply>>>,
    sessions: Mutex<HashMap<String, mpsc::Sender<Event>>>,
    next: AtomicU64,
    gone: watch::Sender<bool>,
}

/// One session: a tab, a worker, or with an empty id the browser itself.
#[derive(Clone)]
pub(super) struct Session {
    cdp: Arc<Cdp>,
    id: String,
}

#[derive(Deserialize)]
struct Incoming {
    id: Option<u64>,
    method: Option<String>,
    #[serde(rename = "sessionId", default)]
    session: String,
    params: Option<Box<RawValue>>,
    result: Option<Box<RawValue>>,
    error: Option<Fault>,
}

#[derive(Deserialize)]
struct Fault {
    message: String,
}

impl Cdp {
    /// A connection, and what it wants to have written. The transport writes that, hands each
    /// message that it reads to `deliver`, and calls `close` at the end.
    pub(super) fn new() -> (Arc<Self>, mpsc::Receiver<String>) {
        let (outbox, written) = mpsc::channel(OUTBOX);
        let cdp = Self {
            outbox,
            calls: Mutex::default(),
            sessions: Mutex::default(),
            next: AtomicU64::new(1),
            gone: watch::Sender::new(false),
        };
        (Arc::new(cdp), written)
    }

    /// The browser's own session.
    pub(super) fn root(self: &Arc<Self>) -> Session {
        self.session("")
    }

    /// The session of that id.
    pub(super) fn session(self: &Arc<Self>, id: &str) -> Session {
        Session {
            cdp: Arc::clone(self),
            id: id.to_owned(),
        }
    }

    /// One message from the browser.
    pub(super) fn deliver(&self, message: &[u8]) {
        let Ok(incoming) = serde_json::from_slice::<Incoming>(message) else {
            tracing::debug!(bytes = message.len(), "unreadable message from the browser");
            return;
        };
        match (incoming.id, incoming.method, incoming.params) {
            (Some(id), ..) => {
                let Some(caller) = lock(&self.calls).remove(&id) else {
                    return;
                };
                let answer = match (incoming.result, incoming.error) {
                    (_, Some(fault)) => Err(CdpError::Refused(fault.message)),
                    (Some(result), None) => Ok(result),
                    (None, None) => Err(CdpError::Refused("an empty answer".into())),
                };
                // A caller that gave up wants no answer.
                let _ = caller.send(answer);
            }
            (None, Some(method), Some(params)) => {
                let event = Event { method, params };
                self.hand_over(&incoming.session, event);
            }
            _ => {}
        }
    }

    fn hand_over(&self, session: &str, event: Event) {
        let mut sessions = lock(&self.sessions);
        let Some(reader) = sessions.get(session) else {
            return;
        };
        if reader.try_send(event).is_err() {
            sessions.remove(session);
        }
    }

    /// The connection is over.
    pub(super) fn close(&self) {
        self.gone.send_replace(true);
        lock(&self.calls).clear();
        lock(&self.sessions).clear();
    }

    pub(super) fn is_gone(&self) -> bool {
        *self.gone.borrow()
    }
}

impl Session {
    /// Another session of the same browser.
    pub(super) fn sibling(&self, id: &str) -> Self {
        self.cdp.session(id)
    }

    /// Starts to hear this session's events. One listener each; the last one counts.
    pub(super) fn events(&self) -> mpsc::Receiver<Event> {
        let (reader, events) = mpsc::channel(UNREAD_EVENTS);
        if !self.cdp.is_gone() {
            lock(&self.cdp.sessions).insert(self.id.clone(), reader);
        }
        events
    }

    /// Whoever hears this session hears that one too.
    pub(super) fn adopt(&self, other: &Self) {
        let mut sessions = lock(&self.cdp.sessions);
        if let Some(reader) = sessions.get(&self.id).cloned() {
            sessions.insert(other.id.clone(), reader);
        }
    }

    /// Hears nothing any more, of adopted sessions either.
    pub(super) fn forget(&self) {
        let mut sessions = lock(&self.cdp.sessions);
        if let Some(reader) = sessions.remove(&self.id) {
            sessions.retain(|_, other| !other.same_channel(&reader));
        }
    }

    pub(super) fn is_gone(&self) -> bool {
        self.cdp.is_gone()
    }

    /// Asks and waits for the answer, but not longer than `patience`.
    pub(super) async fn call<T: DeserializeOwned>(
        &self,
        method: &'static str,
        params: Value,
        patience: Duration,
    ) -> Result<T, CdpError> {
        let (caller, answer) = oneshot::channel();
        let id = self.cdp.next.fetch_add(1, Ordering::Relaxed);
        lock(&self.cdp.calls).insert(id, caller);
        let _entry = Entry { cdp: &self.cdp, id };
        let asked = async {
            self.send(id, method, &params).await?;
            answer.await.map_err(|_| CdpError::Gone)?
        };
        let answer = timeout(patience, asked)
            .await
            .map_err(|_| CdpError::Silent(method))??;
        serde_json::from_str(answer.get())
            .map_err(|error| CdpError::Refused(format!("{method}: {error}")))
    }

    /// The same, for the effect alone.
    pub(super) async fn run(
        &self,
        method: &'static str,
        params: Value,
        patience: Duration,
    ) -> Result<(), CdpError> {
        self.call::<serde::de::IgnoredAny>(method, params, patience)
            .await
            .map(drop)
    }

    /// Attaches to what this session starts from now on, of these types; each waits until its own
    /// session lets it go.
    pub(super) async fn attach_to(&self, types: &[&str]) -> Result<(), CdpError> {
        let mut filter: Vec<Value> = types.iter().map(|kind| json!({ "type": kind })).collect();
        filter.push(json!({ "exclude": true }));
        let how = json!({
            "autoAttach": true,
            "waitForDebuggerOnStart": true,
            "flatten": true,
            "filter": filter,
        });
        self.run("Target.setAutoAttach", how, TELL_TIME).await
    }

    /// Tells without waiting for an answer: a session does what it is told in order.
    pub(super) async fn tell(&self, method: &'static str, params: Value) -> Result<(), CdpError> {
        let id = self.cdp.next.fetch_add(1, Ordering::Relaxed);
        let sent = timeout(TELL_TIME, self.send(id, method, &params)).await;
        sent.map_err(|_| CdpError::Silent(method))?
    }

    async fn send(&self, id: u64, method: &str, params: &Value) -> Result<(), CdpError> {
        if self.cdp.is_gone() {
            return Err(CdpError::Gone);
        }
        let mut message = json!({ "id": id, "method": method, "params": params });
        if !self.id.is_empty() {
            message["sessionId"] = Value::from(self.id.as_str());
        }
        let sent = self.cdp.outbox.send(message.to_string()).await;
        sent.map_err(|_| CdpError::Gone)
    }
}

/// A question that waits for its answer; its place is given back even if nobody waits any more.
struct Entry<'a> {
    cdp: &'a Cdp,
    id: u64,
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        lock(&self.cdp.calls).remove(&self.id);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(1);

    #[tokio::test]
    async fn an_answer_finds_its_caller_and_an_event_its_session() {
        let (cdp, mut written) = Cdp::new();
        let tab = cdp.session("tab-1");
        let mut events = tab.events();
        let asking = tab.call::<Value>("Page.navigate", json!({ "url": "x" }), PATIENCE);
        let answering = async {
            let sent: Value = serde_json::from_str(&written.recv().await.unwrap()).unwrap();
            assert_eq!(sent["sessionId"], "tab-1");
            cdp.deliver(br#"{"method":"Page.moved","params":{"to":7},"sessionId":"tab-1"}"#);
            let answer = json!({ "id": sent["id"], "result": { "frameId": "f" } });
            cdp.deliver(answer.to_string().as_bytes());
        };
        let (answer, ()) = tokio::join!(asking, answering);
        assert_eq!(answer.unwrap()["frameId"], "f");
        let event = events.recv().await.unwrap();
        assert_eq!(event.method, "Page.moved");
        assert_eq!(event.read::<Value>().unwrap()["to"], 7);
        assert!(lock(&cdp.calls).is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_browser_is_waited_for_so_long_and_a_dead_one_not_at_all() {
        let (cdp, _written) = Cdp::new();
        let root = cdp.root();
        let silent = root.call::<Value>("Browser.getVersion", json!({}), PATIENCE);
        assert_eq!(
            silent.await.unwrap_err(),
            CdpError::Silent("Browser.getVersion")
        );
        let waiting = root.call::<Value>("Browser.getVersion", json!({}), PATIENCE);
        let dying = async { cdp.close() };
        let (answer, ()) = tokio::join!(waiting, dying);
        assert_eq!(answer.unwrap_err(), CdpError::Gone);
        let late = root.call::<Value>("Browser.getVersion", json!({}), PATIENCE);
        assert_eq!(late.await.unwrap_err(), CdpError::Gone);
        assert!(root.events().recv().await.is_none());
    }

    #[tokio::test]
    async fn an_adopted_session_is_heard_as_long_as_its_parent() {
        let (cdp, _written) = Cdp::new();
        let (tab, worker) = (cdp.session("tab"), cdp.session("worker"));
        let mut events = tab.events();
        tab.adopt(&worker);
        cdp.deliver(br#"{"method":"Target.attached","params":{},"sessionId":"worker"}"#);
        assert_eq!(events.recv().await.unwrap().method, "Target.attached");
        tab.forget();
        assert!(lock(&cdp.sessions).is_empty());
    }

    #[tokio::test]
    async fn a_page_that_floods_its_reader_is_given_up() {
        let (cdp, _written) = Cdp::new();
        let mut events = cdp.session("tab").events();
        for _ in 0..=UNREAD_EVENTS {
            cdp.deliver(br#"{"method":"Page.noise","params":{},"sessionId":"tab"}"#);
        }
        let mut heard = 0;
        while events.recv().await.is_some() {
            heard += 1;
        }
        assert_eq!(heard, UNREAD_EVENTS);
    }
}
