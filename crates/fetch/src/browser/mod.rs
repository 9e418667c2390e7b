//! The rungs that are a browser: headless Chromium over the DevTools protocol, plain and stealth.
//!
//! `pool` lends contexts of an `instance`; `story` is the visit of one page in one, with a `guard`
//! beside it; `gate` is the only way out, behind the egress door.

mod actions;
mod blocklist;
mod cdp;
mod clearance;
mod document;
mod facts;
mod fault;
mod gate;
mod guard;
mod identity;
mod instance;
mod keys;
mod pictures;
mod pool;
mod process;
mod remote;
mod story;
mod upstream;
mod world;

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until};
use trawls_contract::{Action, FetchMode};
use url::Url;

use self::{
    cdp::CdpError,
    facts::Board,
    guard::Guard,
    identity::Persona,
    instance::Context,
    pool::{Key, Pool},
    story::Story,
    world::PATIENCE,
};
use crate::{
    BrowserConfig, FetchError, FetchPlan,
    callers::Callers,
    egress::Door,
    rung::{Exchange, Hops},
};

/// What a visit may bring in, beside the page: scripts, styles and data of a heavy application.
const MAX_EXTRA_BYTES: u64 = 64 * 1024 * 1024;

/// What the browser does now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BrowserFigures {
    /// Name and version, while it runs.
    pub product: Option<String>,
    /// Pages that it renders now.
    pub pages_running: usize,
    /// Pages that it rendered since this process began.
    pub pages_rendered: u64,
    /// Times that it had to be killed or died by itself.
    pub crashes: u64,
}

/// The browser rungs.
pub(crate) struct BrowserFetch {
    pool: Pool,
}

impl BrowserFetch {
    /// Starts nothing yet. `proxies` are the operator's own; they may be private.
    pub(crate) fn new(door: Arc<Door>, config: BrowserConfig, proxies: &[Url]) -> Self {
        Self {
            pool: Pool::new(door, config, proxies),
        }
    }

    /// One page, from the first request to the finished document. `hops` is asked before the page
    /// goes elsewhere.
    pub(crate) async fn exchange(
        &self,
        rung: FetchMode,
        plan: &FetchPlan,
        hops: &impl Hops,
        deadline: Instant,
    ) -> Result<Exchange, FetchError> {
        let callers = Callers::of(plan);
        let key = Key {
            host: plan.url.host_str().unwrap_or_default().to_owned(),
            persona: Persona::of(plan, rung),
            proxy: plan.proxy.clone(),
            block_ads: plan.browser.block_ads,
            verifies_tls: plan.trust.verify_tls,
        };
        // What one visitor does or is must not meet the next one.
        let is_private = callers.is_personal() || !plan.browser.actions.is_empty();
        let lease = self
            .pool
            .borrow(key, is_private, &plan.url, deadline)
            .await?;
        let visited = match lease.context() {
            Some(context) => visit(context, (rung, plan, &callers), hops, deadline).await,
            None => Err(FetchError::BrowserUnavailable),
        };
        if let Ok(exchange) = &visited
            && !is_private
        {
            lease.remember(exchange).await;
            lease.give_back(exchange, &plan.url).await;
        }
        visited
    }

    pub(crate) fn figures(&self) -> BrowserFigures {
        self.pool.figures()
    }

    /// Ends the browser and removes what it left.
    pub(crate) async fn close(&self) {
        self.pool.close().await;
    }
}

async fn visit<H: Hops>(
    context: &Context,
    (rung, plan, callers): (FetchMode, &FetchPlan, &Callers),
    hops: &H,
    deadline: Instant,
) -> Result<Exchange, FetchError> {
    let board = Board::new();
    let mut events = context.tab.events();
    let most = plan.limits.max_body_bytes as u64;
    context.gate.begin(most + MAX_EXTRA_BYTES);
    prepare(context, plan, callers)
        .await
        .map_err(fault::of_tab)?;
    let mut guard = Guard {
        context,
        plan,
        callers,
        hops,
        board: &board,
        dialogs: 0,
    };
    let story = Story {
        context,
        plan,
        rung,
        board: &board,
        begun: Instant::now(),
        deadline,
    };
    let ended = tokio::select! {
        told = story.tell() => told,
        fault = board.fault() => Err(fault),
        fault = guard.watch(&mut events) => Err(fault),
        () = context.gate.overflow() => Err(FetchError::TooLarge(plan.limits.max_body_bytes)),
        () = sleep_until(deadline) => Err(match board.read(|facts| facts.head.is_some()) {
            true => FetchError::TimeoutRender(plan.limits.total),
            false => FetchError::TimeoutTtfb(plan.limits.total),
        }),
    };
    context.tab.forget();
    ended
}

/// What is asked about, what is sent away unasked, and what the caller brings along.
async fn prepare(context: &Context, plan: &FetchPlan, callers: &Callers) -> Result<(), CdpError> {
    let tab = &context.tab;
    let pattern = |kind: &str, stage: &str| json!({ "resourceType": kind, "requestStage": stage });
    let mut patterns = vec![
        pattern("Document", "Request"),
        pattern("Document", "Response"),
    ];
    if !wants_pictures(plan) {
        for kind in ["Image", "Media", "Font"] {
            patterns.push(pattern(kind, "Request"));
        }
    }
    tab.tell("Fetch.enable", json!({ "patterns": patterns }))
        .await?;
    let scripts = json!({ "value": false });
    tab.tell("Emulation.setScriptExecutionDisabled", scripts)
        .await?;
    let trust = json!({ "ignore": !plan.trust.verify_tls });
    tab.tell("Security.setIgnoreCertificateErrors", trust)
        .await?;
    let cookies: Vec<Value> = callers
        .cookies
        .iter()
        .map(|(name, value)| json!({ "name": name, "value": value, "url": callers.home.as_str() }))
        .collect();
    if !cookies.is_empty() {
        let cookies = json!({ "cookies": cookies });
        tab.run("Network.setCookies", cookies, PATIENCE).await?;
    }
    Ok(())
}

fn wants_pictures(plan: &FetchPlan) -> bool {
    let work = &plan.browser;
    let takes_one = |action: &Action| matches!(action, Action::Screenshot { .. });
    work.screenshot.is_some() || work.pdf || work.actions.iter().any(takes_one)
}

#[cfg(test)]
mod tests;
