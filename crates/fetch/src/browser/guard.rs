//! The guard of a visit: hears the tab's events and answers those that must be answered. It admits
//! or refuses where the main frame goes, takes documents that are no pages, dismisses dialogs, sends
//! pictures away that nobody asked for, and tells the story by way of the facts.

use std::{collections::BTreeMap, sync::atomic::Ordering, time::Duration};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, header::AUTHORIZATION};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{sync::mpsc, time::Instant};
use url::Url;

use super::{
    cdp::{CdpError, Event, Session},
    facts::{Board, Head, Stage},
    identity::Kind,
    instance::{Attached, Context},
};
use crate::{FetchError, FetchPlan, callers::Callers, rung::Hops};

/// A page that asks more often does so for ever: its scripts are stopped.
const MAX_DIALOGS: u32 = 100;
/// Read at once of a document that is no page.
const PIECE_BYTES: usize = 1 << 20;
/// Time to hand over a document that is no page.
const BODY_TIME: Duration = Duration::from_secs(60);

/// The guard.
pub(super) struct Guard<'a, H> {
    pub(super) context: &'a Context,
    pub(super) plan: &'a FetchPlan,
    pub(super) callers: &'a Callers,
    pub(super) hops: &'a H,
    pub(super) board: &'a Board,
    pub(super) dialogs: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Paused {
    request_id: String,
    request: Request,
    frame_id: String,
    resource_type: String,
    response_status_code: Option<u16>,
    response_error_reason: Option<String>,
    #[serde(default)]
    response_headers: Vec<Header>,
}

#[derive(Deserialize)]
struct Request {
    url: String,
    #[serde(default)]
    headers: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Header {
    name: String,
    value: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Lifecycle {
    frame_id: String,
    loader_id: String,
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    request_id: String,
    data_length: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Failed {
    request_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Dialog {
    r#type: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Navigation {
    frame_id: String,
    /// `sameDocument` and its like when only the fragment changes.
    #[serde(default)]
    navigation_type: String,
    /// Where the new document is to open.
    disposition: Option<String>,
}

impl<H: Hops> Guard<'_, H> {
    /// Watches until the visit cannot go on; the error says why.
    pub(super) async fn watch(&mut self, events: &mut mpsc::Receiver<Event>) -> FetchError {
        while let Some(event) = events.recv().await {
            if let Err(fault) = self.hear(&event).await {
                return fault;
            }
        }
        match self.tab().is_gone() {
            true => FetchError::BrowserCrashed("it ended while it showed the page".into()),
            false => FetchError::BrowserCrashed("the page drowned it in events".into()),
        }
    }

    async fn hear(&mut self, event: &Event) -> Result<(), FetchError> {
        let answered = match event.method.as_str() {
            "Fetch.requestPaused" => match event.read() {
                Some(paused) => self.judge(paused).await,
                None => Ok(()),
            },
            "Page.lifecycleEvent" => {
                self.note_stage(event);
                Ok(())
            }
            "Network.dataReceived" => {
                self.weigh(event);
                Ok(())
            }
            "Network.loadingFailed" => {
                self.note_early_end(event);
                Ok(())
            }
            "Page.frameStartedNavigating" | "Page.frameRequestedNavigation" => {
                self.note_leaving(event);
                Ok(())
            }
            "Page.javascriptDialogOpening" => self.dismiss(event).await,
            "Target.attachedToTarget" => self.receive(event).await,
            "Inspector.targetCrashed" => {
                return Err(FetchError::BrowserCrashed("the page crashed it".into()));
            }
            _ => Ok(()),
        };
        match answered {
            Err(CdpError::Gone) => Err(FetchError::BrowserCrashed("it ended".into())),
            // What the browser would not be told it no longer needs to know.
            _ => Ok(()),
        }
    }

    fn tab(&self) -> &Session {
        &self.context.tab
    }

    fn note_stage(&self, event: &Event) {
        let Some(stage) = event.read::<Lifecycle>() else {
            return;
        };
        if stage.frame_id != self.context.frame {
            return;
        }
        self.board.write(|facts| match stage.name.as_str() {
            "init" if facts.loader != stage.loader_id => {
                facts.loader = stage.loader_id;
                facts.documents += 1;
                facts.stage = Stage::Loading;
                facts.bytes = 0;
                facts.is_leaving = false;
            }
            _ if facts.loader != stage.loader_id => {}
            "DOMContentLoaded" => facts.stage = facts.stage.max(Stage::Parsed),
            "networkIdle" => facts.stage = Stage::Still,
            _ => {}
        });
    }

    fn note_leaving(&self, event: &Event) {
        let is_leaving = event.read().is_some_and(|navigation: Navigation| {
            let opens_here = navigation
                .disposition
                .is_none_or(|place| place == "currentTab");
            let stays = navigation.navigation_type.ends_with("ameDocument");
            navigation.frame_id == self.context.frame && opens_here && !stays
        });
        if is_leaving {
            self.board.write(|facts| facts.is_leaving = true);
        }
    }

    /// A body that breaks off leaves a document that is never done.
    fn note_early_end(&self, event: &Event) {
        let Some(failed) = event.read::<Failed>() else {
            return;
        };
        self.board.write(|facts| {
            if facts.loader == failed.request_id && facts.stage < Stage::Parsed {
                facts.stage = Stage::Parsed;
                facts
                    .warnings
                    .push("the page's body ended early; it is partial".into());
            }
        });
    }

    /// Adds up the main document, whose request has the id of its loader.
    fn weigh(&self, event: &Event) {
        let most = self.plan.limits.max_body_bytes;
        let Some(data) = event.read::<Data>() else {
            return;
        };
        self.board.write(|facts| {
            if facts.loader == data.request_id {
                facts.bytes += data.data_length;
            }
            if facts.bytes > most {
                facts.fault = Some(FetchError::TooLarge(most));
            }
        });
    }

    /// Says where a request may go; the main frame's documents alone are asked about twice.
    async fn judge(&self, paused: Paused) -> Result<(), CdpError> {
        let is_picture = matches!(paused.resource_type.as_str(), "Image" | "Media" | "Font");
        if is_picture {
            return self.refuse(&paused, "BlockedByClient").await;
        }
        let is_main = paused.resource_type == "Document" && paused.frame_id == self.context.frame;
        if !is_main {
            return self.let_pass(&paused, None).await;
        }
        let is_response =
            paused.response_status_code.is_some() || paused.response_error_reason.is_some();
        match is_response {
            true => self.receive_head(paused).await,
            false => self.send_off(paused).await,
        }
    }

    /// The main frame wants to go somewhere: first to the plan's page, then wherever that leads.
    async fn send_off(&self, paused: Paused) -> Result<(), CdpError> {
        let Ok(url) = Url::parse(&paused.request.url) else {
            return self.refuse(&paused, "AddressUnreachable").await;
        };
        // The first is the plan's own page.
        let moves = self.board.read(|facts| facts.moves);
        self.board.write(|facts| facts.moves += 1);
        let most = self.plan.limits.max_redirects;
        let admitted = match moves {
            0 => Ok(()),
            moves if moves > most => Err(FetchError::TooManyRedirects(most)),
            _ => self.hops.admit(&url).await,
        };
        if let Err(fault) = admitted {
            self.board.write(|facts| facts.fault = Some(fault));
            return self.refuse(&paused, "BlockedByClient").await;
        }
        let left = self
            .board
            .read(|facts| facts.head.as_ref().map(|head| head.url.clone()));
        if let Some(left) = left
            && left != url
        {
            self.board.write(|facts| facts.redirects.push(left));
        }
        let mut headers = self.callers.headers(&url).clone();
        if let Some(login) = self.callers.login(&url) {
            headers.insert(AUTHORIZATION, login);
        }
        let headers = (!headers.is_empty()).then(|| merged(&paused.request.headers, &headers));
        self.let_pass(&paused, headers).await
    }

    /// The head of the main document has come, or of a redirect that leads to it.
    async fn receive_head(&self, paused: Paused) -> Result<(), CdpError> {
        let (Some(status), Ok(url)) =
            (paused.response_status_code, Url::parse(&paused.request.url))
        else {
            return self.let_pass(&paused, None).await;
        };
        let headers = headers_of(&paused.response_headers);
        if matches!(status, 301 | 302 | 303 | 307 | 308) && headers.contains_key("location") {
            self.board.write(|facts| facts.redirects.push(url));
            return self.let_pass(&paused, None).await;
        }
        let is_page = shows_as_page(&headers);
        let most = self.plan.limits.max_body_bytes;
        let declared = content_length(&headers).unwrap_or(0);
        self.board.write(|facts| {
            facts.head = Some(Head {
                url,
                status,
                headers,
                at: Instant::now(),
            });
            if declared > most as u64 {
                facts.fault = Some(FetchError::TooLarge(most));
            }
        });
        if declared > most as u64 {
            return self.refuse(&paused, "BlockedByClient").await;
        }
        if is_page {
            return self.let_pass(&paused, None).await;
        }
        let file = self.take_file(&paused, most).await;
        self.board.write(|facts| match file {
            Ok(bytes) => facts.file = Some(bytes),
            Err(fault) => facts.fault = Some(fault),
        });
        self.refuse(&paused, "Aborted").await
    }

    /// Reads it piece by piece: what it unpacks to may be much more than came over the wire.
    async fn take_file(&self, paused: &Paused, most: usize) -> Result<Bytes, FetchError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Piece {
            data: String,
            base64_encoded: Option<bool>,
            eof: bool,
        }
        let broken = |error: CdpError| match error {
            CdpError::Silent(_) => FetchError::TimeoutRead(BODY_TIME),
            error => FetchError::Connect(error.to_string()),
        };
        let which = json!({ "requestId": paused.request_id });
        let stream = self
            .tab()
            .call::<Value>("Fetch.takeResponseBodyAsStream", which, BODY_TIME);
        let handle = stream.await.map_err(broken)?["stream"].clone();
        let mut file = Vec::new();
        loop {
            let next = json!({ "handle": handle, "size": PIECE_BYTES });
            let piece = self.tab().call::<Piece>("IO.read", next, BODY_TIME).await;
            let piece = piece.map_err(broken)?;
            match piece.base64_encoded {
                Some(true) => BASE64_STANDARD
                    .decode_vec(&piece.data, &mut file)
                    .map_err(|error| FetchError::Decode(error.to_string()))?,
                _ => file.extend_from_slice(piece.data.as_bytes()),
            }
            if file.len() > most {
                return Err(FetchError::TooLarge(most));
            }
            if piece.eof {
                return Ok(file.into());
            }
        }
    }

    async fn let_pass(&self, paused: &Paused, headers: Option<Value>) -> Result<(), CdpError> {
        let mut answer = json!({ "requestId": paused.request_id });
        if let Some(headers) = headers {
            answer["headers"] = headers;
        }
        self.tab().tell("Fetch.continueRequest", answer).await
    }

    async fn refuse(&self, paused: &Paused, reason: &'static str) -> Result<(), CdpError> {
        let answer = json!({ "requestId": paused.request_id, "errorReason": reason });
        self.tab().tell("Fetch.failRequest", answer).await
    }

    /// Accepting lets the page go on; a question is answered with no.
    async fn dismiss(&mut self, event: &Event) -> Result<(), CdpError> {
        self.dialogs += 1;
        let kind = event.read::<Dialog>().map(|dialog| dialog.r#type);
        let accept = matches!(kind.as_deref(), Some("alert" | "beforeunload"));
        if self.dialogs >= MAX_DIALOGS {
            self.board
                .warn("the page opened dialogs without end, so its scripts were stopped");
            self.context.is_spoilt.store(true, Ordering::Relaxed);
            // Timers go on where one script has ended.
            let off = json!({ "value": true });
            self.tab()
                .tell("Emulation.setScriptExecutionDisabled", off)
                .await?;
            self.tab()
                .tell("Runtime.terminateExecution", json!({}))
                .await?;
        }
        let answer = json!({ "accept": accept });
        self.tab().tell("Page.handleJavaScriptDialog", answer).await
    }

    /// A worker of the page is let go as soon as it plays its part.
    async fn receive(&self, event: &Event) -> Result<(), CdpError> {
        let Some(Attached {
            session_id,
            target_info,
        }) = event.read()
        else {
            return Ok(());
        };
        let session = self.tab().sibling(&session_id);
        if target_info.r#type == "worker" {
            let persona = &self.context.persona;
            persona
                .put_on(&session, &self.context.version, Kind::DedicatedWorker)
                .await?;
            let nested = json!({
                "autoAttach": true,
                "waitForDebuggerOnStart": true,
                "flatten": true,
            });
            // Workers of a worker are announced in its own session.
            self.tab().adopt(&session);
            session.tell("Target.setAutoAttach", nested).await?;
        }
        session
            .tell("Runtime.runIfWaitingForDebugger", json!({}))
            .await
    }
}

/// Chromium shows these as pages; everything else is a document to be read as it came.
fn shows_as_page(headers: &HeaderMap) -> bool {
    let text = |name: &str| {
        let value = headers.get(name)?.to_str().ok()?;
        Some(value.trim().to_ascii_lowercase())
    };
    let is_attachment =
        text("content-disposition").is_some_and(|value| value.starts_with("attachment"));
    let kind = text("content-type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    !is_attachment && matches!(kind, "" | "text/html" | "application/xhtml+xml")
}

fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get("content-length")?.to_str().ok()?.parse().ok()
}

fn headers_of(list: &[Header]) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(list.len());
    for Header { name, value } in list {
        // Chromium joins repeated headers by line breaks.
        for value in value.split('\n') {
            if let (Ok(name), Ok(value)) = (
                HeaderName::from_bytes(name.as_bytes()),
                HeaderValue::from_str(value),
            ) {
                headers.append(name, value);
            }
        }
    }
    headers
}

/// The browser's own headers with the caller's laid over them.
fn merged(own: &BTreeMap<String, String>, callers: &HeaderMap) -> Value {
    let mut list: Vec<Value> = own
        .iter()
        .filter(|(name, _)| !callers.contains_key(name.as_str()))
        .map(|(name, value)| json!({ "name": name, "value": value }))
        .collect();
    for (name, value) in callers {
        if let Ok(value) = value.to_str() {
            list.push(json!({ "name": name.as_str(), "value": value }));
        }
    }
    Value::from(list)
}
