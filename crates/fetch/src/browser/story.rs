//! The story of one visit: go there, let the page settle, do what the plan says, write the document
//! down. Beside it the guard watches, and whatever comes first ends the visit.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, header};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use trawls_contract::{FetchMode, WaitFor};
use url::Url;

use super::{
    cdp::CdpError,
    document::{self, Document},
    facts::{Board, Facts, Stage},
    fault,
    instance::Context,
    pictures, world,
};
use crate::{FetchError, FetchPlan, Frame, Rendered, antibot, rung::Exchange};

const SETTLE: &str = include_str!("scripts/settle.js");
const SCROLL: &str = include_str!("scripts/scroll.js");
const CONSENT: &str = include_str!("scripts/consent.js");

/// Longest wait for a still network, from SPEC.
const STILL_TIME: Duration = Duration::from_secs(15);
/// Text that has not changed for so long is whole.
const QUIET: Duration = Duration::from_millis(300);
/// And longest wait for that, where there is too little text yet.
const LATE: Duration = Duration::from_secs(5);
/// The same after an action.
const QUIET_AGAIN: Duration = Duration::from_millis(150);
const LATE_AGAIN: Duration = Duration::from_secs(2);
/// Time to decline cookies.
const CONSENT_TIME: Duration = Duration::from_secs(3);
/// Longest scrolling.
const SCROLL_TIME: Duration = Duration::from_secs(20);
const SCROLL_STEPS: u32 = 200;
const SCROLL_HEIGHT: u32 = 200_000;
/// Kept for writing the document down, when waiting would use up all time.
const RESERVE: Duration = Duration::from_secs(2);
/// A page that leads its visitor on more often never arrives.
const MAX_MOVES: u32 = 10;
/// Time for a navigation that was announced to begin.
const LEAVING_TIME: Duration = Duration::from_millis(1500);
/// Time for a document that has come to be shown.
const BEGIN_TIME: Duration = Duration::from_secs(1);
/// Time for an anti-bot page to be content with its visitor.
const CHALLENGE_TIME: Duration = Duration::from_secs(10);

/// One visit.
pub(super) struct Story<'a> {
    pub(super) context: &'a Context,
    pub(super) plan: &'a FetchPlan,
    pub(super) rung: FetchMode,
    pub(super) board: &'a Board,
    pub(super) begun: Instant,
    pub(super) deadline: Instant,
}

/// What a script of ours says of the page's text.
#[derive(Deserialize)]
struct Settled {
    why: String,
}

impl Story<'_> {
    /// Tells it to its end.
    ///
    /// # Errors
    /// Why there is no document.
    pub(super) async fn tell(&self) -> Result<Exchange, FetchError> {
        if let Some(file) = self.go().await? {
            return Ok(self.exchange(file, None, None));
        }
        self.arrive().await?;
        let work = &self.plan.browser;
        let clicked = self.run_aside("consent", CONSENT, CONSENT_TIME).await;
        if clicked.is_some_and(|clicked| !clicked.is_null()) {
            self.settle_again().await;
        }
        if work.scroll || work.screenshot == Some(Frame::FullPage) {
            self.scroll().await;
        }
        let actions = self.act(&work.actions).await?;
        let document = self.write_down().await?;
        let rendered = Rendered {
            screenshot: match work.screenshot {
                Some(frame) => self.make("screenshot", self.picture(frame)).await,
                None => None,
            },
            pdf: match work.pdf {
                true => self.make("PDF", pictures::print(&self.context.tab)).await,
                false => None,
            },
            actions,
            elapsed: self.since_head(),
        };
        let body = document.html.into_bytes().into();
        Ok(self.exchange(body, Url::parse(&document.url).ok(), Some(rendered)))
    }

    /// Opens the page; a document that is no page comes back as it is.
    async fn go(&self) -> Result<Option<Bytes>, FetchError> {
        let url = &self.plan.url;
        let how = json!({ "url": url.as_str(), "transitionType": "typed" });
        let left = self.left();
        let answer = self.context.tab.call::<Value>("Page.navigate", how, left);
        let answer = answer.await.map_err(|error| match error {
            CdpError::Silent(_) => FetchError::TimeoutTtfb(self.begun.elapsed()),
            error => fault::of_tab(error),
        })?;
        let (file, fault, has_head) = self.board.read(|facts| {
            let file = facts.file.clone();
            (file, facts.fault.clone(), facts.head.is_some())
        });
        if let Some(fault) = fault {
            return Err(fault);
        }
        match (file, answer["errorText"].as_str()) {
            (Some(file), _) => Ok(Some(file)),
            (None, None) => {
                // The tab may not have said yet that it shows this document and no older one.
                let begins = self.deadline.min(Instant::now() + BEGIN_TIME);
                let loader = answer["loaderId"].as_str().unwrap_or_default();
                self.board
                    .until(begins, |facts| facts.loader == loader)
                    .await;
                Ok(None)
            }
            // A status with nothing to show is an answer all the same.
            (
                None,
                Some(
                    "net::ERR_HTTP_RESPONSE_CODE_FAILURE"
                    | "net::ERR_INVALID_AUTH_CREDENTIALS"
                    | "net::ERR_ABORTED",
                ),
            ) if has_head => Ok(Some(Bytes::new())),
            (None, Some(text)) => {
                let host = url.host_str().unwrap_or_default();
                let known = self.context.gate.fault(host.trim_matches(['[', ']']));
                Err(known.unwrap_or_else(|| fault::of_navigation(text)))
            }
        }
    }

    /// Waits for the page that the way ends at.
    async fn arrive(&self) -> Result<(), FetchError> {
        match &self.plan.browser.wait_for {
            Some(WaitFor::Selector(selector)) => {
                self.parsed().await?;
                if !self.appears(selector, self.last_call()).await {
                    self.board.warn(format!(
                        "WAIT_FOR_TIMEOUT: nothing matched {selector} in time; the page may be incomplete"
                    ));
                }
            }
            Some(WaitFor::Milliseconds(time)) => {
                self.settle(QUIET, LATE).await?;
                sleep(Duration::from_millis(*time)).await;
            }
            None => self.settle(QUIET, LATE).await?,
        }
        Ok(())
    }

    async fn parsed(&self) -> Result<(), FetchError> {
        let is_parsed = |facts: &Facts| facts.stage >= Stage::Parsed;
        if self.board.until(self.last_call(), is_parsed).await {
            return Ok(());
        }
        if self.board.read(|facts| facts.documents) == 0 {
            return Err(FetchError::TimeoutRender(self.plan.limits.total));
        }
        self.board
            .warn("the page had not come to its end in time; it is partial");
        self.terminate().await.map_err(fault::of_tab)
    }

    /// When waiting must end, so that the document can still be written down.
    pub(super) fn last_call(&self) -> Instant {
        self.deadline - RESERVE.min(self.left() / 2)
    }

    /// Until a document stays, its network is still and its text is quiet.
    async fn settle(&self, quiet: Duration, late: Duration) -> Result<(), FetchError> {
        for _ in 0..MAX_MOVES {
            self.parsed().await?;
            if self.board.read(|facts| facts.stage) < Stage::Parsed {
                break;
            }
            let document = self.board.read(|facts| facts.documents);
            let limit = self.last_call().min(Instant::now() + STILL_TIME);
            let is_done =
                |facts: &Facts| facts.stage == Stage::Still || facts.documents != document;
            let text = self.text_is_quiet(
                quiet,
                late.min(limit.saturating_duration_since(Instant::now())),
            );
            let (_, text) = tokio::join!(self.board.until(limit, is_done), text);
            if let Some(warning) = text {
                self.board.warn(warning);
            }
            if self.board.read(|facts| facts.is_leaving) {
                let leaves = Instant::now() + LEAVING_TIME;
                let has_left = |facts: &Facts| facts.documents != document;
                self.board.until(leaves, has_left).await;
            }
            if self.board.read(|facts| facts.documents) == document {
                break;
            }
        }
        Ok(())
    }

    /// After something was done: at once if nothing follows.
    pub(super) async fn settle_again(&self) {
        let document = self.board.read(|facts| facts.documents);
        self.text_is_quiet(QUIET_AGAIN, LATE_AGAIN).await;
        let moves = self
            .board
            .read(|facts| facts.is_leaving || facts.documents != document);
        if moves {
            // What is wrong with the next page is found when it is written down.
            let _ = self.settle(QUIET, LATE).await;
        }
    }

    /// Waits for the text; says what is doubtful about it.
    async fn text_is_quiet(&self, quiet: Duration, late: Duration) -> Option<String> {
        let script = SETTLE
            .replace("__QUIET_MS__", &quiet.as_millis().to_string())
            .replace("__LIMIT_MS__", &late.as_millis().to_string());
        match self.evaluate::<Settled>(&script, late + RESERVE).await {
            Ok(settled) if settled.why == "limit" => {
                Some("the page was still changing when it was read".into())
            }
            Err(CdpError::Silent(_)) => {
                self.stop_scripts().await;
                None
            }
            _ => None,
        }
    }

    /// A script that runs without end lets nobody read the page.
    async fn stop_scripts(&self) {
        self.board
            .warn("a script of the page ran without end and was stopped");
        // A browser that is gone is noticed by the guard.
        let _ = self.terminate().await;
    }

    async fn terminate(&self) -> Result<(), CdpError> {
        let tab = &self.context.tab;
        tab.tell("Runtime.terminateExecution", json!({})).await
    }

    async fn scroll(&self) {
        let limit = SCROLL_TIME.min(self.left().saturating_sub(RESERVE));
        let script = SCROLL
            .replace("__MAX_STEPS__", &SCROLL_STEPS.to_string())
            .replace("__MAX_HEIGHT__", &SCROLL_HEIGHT.to_string())
            .replace("__LIMIT_MS__", &limit.as_millis().to_string());
        self.run_aside("scrolling", &script, limit + RESERVE).await;
        self.settle_again().await;
    }

    /// What a script of ours says whose failure costs the page nothing.
    async fn run_aside(&self, what: &str, script: &str, patience: Duration) -> Option<Value> {
        match self.evaluate(script, patience).await {
            Ok(said) => return Some(said),
            Err(CdpError::Silent(_)) => self.stop_scripts().await,
            Err(error) => tracing::debug!(%error, what, "a script failed on the page"),
        }
        None
    }

    /// The document, once anti-bot pages have had the time to let a visitor pass.
    async fn write_down(&self) -> Result<Document, FetchError> {
        let mut document = self.write_once().await?;
        let patience = self.deadline.min(Instant::now() + CHALLENGE_TIME);
        while self.rung == FetchMode::Stealth
            && self.is_challenge(&document)
            && Instant::now() + RESERVE < patience
        {
            let seen = self.board.read(|facts| facts.documents);
            let moved = |facts: &Facts| facts.documents != seen;
            if self.board.until(patience, moved).await {
                self.settle(QUIET, LATE).await?;
            }
            document = self.write_once().await?;
        }
        Ok(document)
    }

    /// A page may go elsewhere while it is written down; then the next one is.
    async fn write_once(&self) -> Result<Document, FetchError> {
        let mut last = CdpError::Gone;
        for _ in 0..3 {
            match document::write_down(&self.context.tab, &self.context.frame).await {
                Ok(document) if document.url.starts_with("http") => return Ok(document),
                Ok(document) => {
                    let scheme = document.url.split(':').next().unwrap_or_default();
                    let why = format!("the page leads to an address that begins with {scheme}:");
                    return Err(FetchError::InvalidUrl(why));
                }
                Err(CdpError::Gone) => break,
                Err(error @ CdpError::Silent(_)) => {
                    self.stop_scripts().await;
                    last = error;
                }
                Err(error) => {
                    last = error;
                    self.settle(QUIET_AGAIN, LATE_AGAIN).await?;
                }
            }
        }
        Err(fault::of_tab(last))
    }

    fn is_challenge(&self, document: &Document) -> bool {
        let html = document.html.as_bytes();
        self.board.read(|facts| {
            let head = facts.head.as_ref();
            head.is_some_and(|head| {
                antibot::recognise_html(head.status, &head.headers, html).is_some()
            })
        })
    }

    pub(super) async fn picture(&self, frame: Frame) -> Result<Bytes, CdpError> {
        let Context { tab, persona, .. } = self.context;
        pictures::take(tab, frame, persona.ratio()).await
    }

    /// Something beside the document; without it the page is still a page.
    async fn make(
        &self,
        what: &str,
        making: impl Future<Output = Result<Bytes, CdpError>>,
    ) -> Option<Bytes> {
        match making.await {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                self.board.warn(format!("no {what} could be made: {error}"));
                None
            }
        }
    }

    pub(super) async fn evaluate<T: DeserializeOwned>(
        &self,
        script: &str,
        patience: Duration,
    ) -> Result<T, CdpError> {
        let (tab, frame) = (&self.context.tab, &self.context.frame);
        world::evaluate(tab, frame, script, patience.min(self.left())).await
    }

    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    fn since_head(&self) -> Duration {
        self.board
            .read(|facts| facts.head.as_ref().map(|head| head.at.elapsed()))
            .unwrap_or_default()
    }

    fn exchange(&self, body: Bytes, shown: Option<Url>, rendered: Option<Rendered>) -> Exchange {
        let mut facts = self.board.read(Facts::clone);
        let refused = self.context.gate.refused();
        if !refused.is_empty() {
            let hosts = refused.join(", ");
            facts.warnings.push(format!(
                "the page asked for addresses that are not public, and was refused: {hosts}"
            ));
        }
        let (url, status, mut headers, ttfb) = match facts.head {
            Some(head) => (head.url, head.status, head.headers, head.at - self.begun),
            None => (
                self.plan.url.clone(),
                200,
                http::HeaderMap::new(),
                Duration::ZERO,
            ),
        };
        headers.remove(header::CONTENT_ENCODING);
        headers.remove(header::CONTENT_LENGTH);
        if rendered.is_some() {
            let kind = HeaderValue::from_static("text/html; charset=utf-8");
            headers.insert(header::CONTENT_TYPE, kind);
        }
        Exchange {
            final_url: shown.filter(|shown| shown.has_host()).unwrap_or(url),
            status,
            headers,
            body,
            truncated: None,
            redirects: facts.redirects,
            ttfb,
            elapsed: self.begun.elapsed(),
            warnings: facts.warnings,
            rendered,
        }
    }
}
