//! One running browser, ours or a remote one, and the contexts in it. A context is one visitor: its
//! own cookies and cache, its own gate, and one tab that is used again.

use std::{
    collections::HashMap,
    net::IpAddr,
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{
    process::Command,
    sync::mpsc,
    task::AbortHandle,
    time::{Instant, timeout},
};
use url::Url;

use super::{
    cdp::{Cdp, CdpError, Event, Session},
    gate::{Gate, LOOPBACK, Rules},
    identity::{Kind, Persona, Version},
    process::Process,
    remote, world,
};
use crate::{BrowserConfig, BrowserSource, FetchError};

/// A healthy browser answers its own session at once, even on a busy machine.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);
/// A page that has been read answers at once, or hangs.
const AWAKE: Duration = Duration::from_secs(2);
/// Time from the start of the process to its first answer.
const START_TIME: Duration = Duration::from_secs(20);

/// A running browser.
pub(super) struct Instance {
    root: Session,
    cdp: Arc<Cdp>,
    process: Mutex<Option<Process>>,
    version: Version,
    /// Where gates stand, and who may come to them.
    gate_at: (IpAddr, IpAddr),
    /// Who is who, by the id of the context.
    personas: Arc<Mutex<HashMap<String, Arc<Persona>>>>,
    contexts_made: AtomicU32,
    started: Instant,
    watcher: AbortHandle,
    /// A remote browser's connection.
    _remote: Option<remote::Transport>,
}

/// One visitor and the one tab in which it reads.
pub(super) struct Context {
    id: String,
    pub(super) gate: Gate,
    pub(super) tab: Session,
    pub(super) frame: String,
    pub(super) persona: Arc<Persona>,
    pub(super) version: Version,
    pub(super) made: Instant,
    /// Where it has been.
    pub(super) pages: Vec<Url>,
    /// How many of these it has left for a blank page.
    left: usize,
    /// Its page would not let the next one come.
    pub(super) is_spoilt: AtomicBool,
}

impl Context {
    /// Does it show a page that nobody reads any more?
    pub(super) fn is_on_a_page(&self) -> bool {
        self.left < self.pages.len()
    }

    /// Leaves the page that it shows: its scripts would go on for nobody. False when it hangs.
    pub(super) async fn leave(&mut self) -> bool {
        self.left = self.pages.len();
        let blank = json!({ "url": "about:blank" });
        self.tab.run("Page.navigate", blank, AWAKE).await.is_ok()
    }

    /// Does its page still listen?
    pub(super) async fn is_awake(&self) -> bool {
        let anything = json!({ "expression": "0" });
        self.tab
            .run("Runtime.evaluate", anything, AWAKE)
            .await
            .is_ok()
    }

    /// Forgets what the last visitor of `url` left in the browser: cookies and stores. What its
    /// cache holds stays, as that of a visitor who comes again.
    ///
    /// # Errors
    /// The tab hangs or is gone.
    pub(super) async fn forget_visitor(&self, url: &Url) -> Result<(), CdpError> {
        const STORES: &str =
            "file_systems,indexeddb,local_storage,cache_storage,shared_storage,storage_buckets";
        let tab = &self.tab;
        tab.tell("Network.clearBrowserCookies", json!({})).await?;
        let of_site = json!({
            "origin": url.origin().ascii_serialization(),
            "storageTypes": STORES,
        });
        tab.tell("Storage.clearDataForOrigin", of_site).await?;
        let of_tab = "try { sessionStorage.clear() } catch { null }";
        let done = world::evaluate::<Value>(tab, &self.frame, of_tab, AWAKE);
        match done.await {
            // The script has no value.
            Ok(_) | Err(CdpError::Refused(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Attached {
    pub(super) session_id: String,
    pub(super) target_info: TargetInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TargetInfo {
    pub(super) target_id: String,
    pub(super) r#type: String,
    #[serde(default)]
    browser_context_id: String,
}

impl Instance {
    /// Starts the browser, or connects to it.
    ///
    /// # Errors
    /// `BrowserUnavailable` when there is none, `BrowserCrashed` when it does not come to life.
    pub(super) async fn start(config: &BrowserConfig) -> Result<Self, FetchError> {
        match &config.source {
            BrowserSource::Local(binary) => {
                let version = version_of(binary).await?;
                let started = Process::start(binary, &config.profiles, &version);
                let (process, cdp) = started.map_err(|error| {
                    tracing::error!(%error, "the browser was not started");
                    FetchError::BrowserUnavailable
                })?;
                Self::greet(cdp, Some(process), None, (LOOPBACK, LOOPBACK)).await
            }
            BrowserSource::Remote(url) => {
                let (cdp, transport) = remote::connect(url).await?;
                let ends = transport.ends;
                Self::greet(cdp, None, Some(transport), ends).await
            }
        }
    }

    async fn greet(
        cdp: Arc<Cdp>,
        process: Option<Process>,
        transport: Option<remote::Transport>,
        gate_at: (IpAddr, IpAddr),
    ) -> Result<Self, FetchError> {
        let root = cdp.root();
        let events = root.events();
        let answer = root.call::<Value>("Browser.getVersion", json!({}), START_TIME);
        let product = answer.await.map_err(not_well)?;
        let version = product["product"].as_str().and_then(Version::find);
        let version = version.ok_or(FetchError::BrowserUnavailable)?;
        let personas = Arc::new(Mutex::new(HashMap::new()));
        // Workers that several tabs share belong to no tab's session.
        root.attach_to(&["shared_worker", "service_worker"])
            .await
            .map_err(not_well)?;
        let windows = json!({ "discover": true, "filter": [{ "type": "page" }] });
        root.run("Target.setDiscoverTargets", windows, PATIENCE)
            .await
            .map_err(not_well)?;
        let watch = watch(
            Arc::clone(&cdp),
            events,
            version.clone(),
            Arc::clone(&personas),
        );
        Ok(Self {
            watcher: tokio::spawn(watch).abort_handle(),
            root,
            cdp,
            process: Mutex::new(process),
            version,
            gate_at,
            personas,
            contexts_made: AtomicU32::new(0),
            started: Instant::now(),
            _remote: transport,
        })
    }

    pub(super) fn is_gone(&self) -> bool {
        self.cdp.is_gone()
    }

    /// Contexts made so far, and for how long it runs.
    pub(super) fn wear(&self) -> (u32, Duration) {
        let made = self.contexts_made.load(Ordering::Relaxed);
        (made, self.started.elapsed())
    }

    pub(super) fn product(&self) -> String {
        format!("Chromium {}", self.version.full)
    }

    /// A new visitor behind a gate with these rules.
    ///
    /// # Errors
    /// The browser hangs or is gone.
    pub(super) async fn context(
        &self,
        persona: Arc<Persona>,
        rules: Rules,
    ) -> Result<Context, FetchError> {
        let (at, peer) = self.gate_at;
        let gate = Gate::open(rules, at, peer).await.map_err(|error| {
            tracing::error!(%error, "no gate for the browser");
            FetchError::BrowserUnavailable
        })?;
        let id = self.isolate(&gate).await.map_err(not_well)?;
        self.personas().insert(id.clone(), Arc::clone(&persona));
        self.contexts_made.fetch_add(1, Ordering::Relaxed);
        let opened = self.open_tab(&id, &persona).await;
        let (tab, frame) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                self.dispose(&id).await;
                return Err(not_well(error));
            }
        };
        Ok(Context {
            id,
            gate,
            tab,
            frame,
            persona,
            version: self.version.clone(),
            made: Instant::now(),
            pages: Vec::new(),
            left: 0,
            is_spoilt: AtomicBool::new(false),
        })
    }

    /// A context of its own, which has no way out but the gate, not even to this machine.
    async fn isolate(&self, gate: &Gate) -> Result<String, CdpError> {
        let rules = json!({
            "proxyServer": gate.url(),
            "proxyBypassList": "<-loopback>",
            "disposeOnDetach": true,
        });
        let context: Value = self
            .root
            .call("Target.createBrowserContext", rules, PATIENCE)
            .await?;
        let id = text(&context, "browserContextId")?;
        let downloads = json!({ "behavior": "deny", "browserContextId": id });
        self.root
            .tell("Browser.setDownloadBehavior", downloads)
            .await?;
        Ok(id)
    }

    async fn open_tab(
        &self,
        context: &str,
        persona: &Persona,
    ) -> Result<(Session, String), CdpError> {
        let target = json!({ "url": "about:blank", "browserContextId": context });
        let target: Value = self
            .root
            .call("Target.createTarget", target, PATIENCE)
            .await?;
        let target = text(&target, "targetId")?;
        let how = json!({ "targetId": target, "flatten": true });
        let attached: Value = self
            .root
            .call("Target.attachToTarget", how, PATIENCE)
            .await?;
        let tab = self.cdp.session(&text(&attached, "sessionId")?);
        tab.tell("Page.enable", json!({})).await?;
        let lifecycle = json!({ "enabled": true });
        tab.tell("Page.setLifecycleEventsEnabled", lifecycle)
            .await?;
        tab.tell("Inspector.enable", json!({})).await?;
        // Nothing is kept for DevTools to look at again.
        let network = json!({ "maxTotalBufferSize": 0, "maxResourceBufferSize": 0 });
        tab.tell("Network.enable", network).await?;
        let bypass = json!({ "bypass": true });
        tab.tell("Network.setBypassServiceWorker", bypass).await?;
        persona.put_on(&tab, &self.version, Kind::Tab).await?;
        // Not windows: whoever opens one waits until it may begin.
        tab.attach_to(&["worker", "iframe"]).await?;
        // A tab's main frame has the id of its target.
        Ok((tab, target))
    }

    /// Forgets a visitor. A renderer that hangs is crashed first: it would not hear anything else.
    /// False when the browser itself hangs.
    pub(super) async fn forget(&self, context: Context) -> bool {
        let Context { id, gate, tab, .. } = context;
        tab.forget();
        let _ = tab.tell("Page.crash", json!({})).await;
        drop(gate);
        self.dispose(&id).await
    }

    async fn dispose(&self, id: &str) -> bool {
        self.personas().remove(id);
        let which = json!({ "browserContextId": id });
        let disposed = self
            .root
            .run("Target.disposeBrowserContext", which, PATIENCE);
        !matches!(disposed.await, Err(CdpError::Silent(_) | CdpError::Gone))
    }

    /// Ends a browser that is replaced, as soon as its last page is done.
    pub(super) async fn retire(self: Arc<Self>) {
        if self.is_gone() || Arc::strong_count(&self) == 1 {
            self.end().await;
        }
    }

    /// Ends the browser, or leaves the remote one. What still runs in it fails.
    pub(super) async fn end(&self) {
        let process = self
            .process
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(process) = process {
            process.end(&self.cdp).await;
        }
        self.cdp.close();
    }

    /// The process of a local browser.
    #[cfg(test)]
    pub(super) fn pid(&self) -> Option<u32> {
        let process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        process.as_ref().and_then(Process::id)
    }

    fn personas(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<Persona>>> {
        self.personas.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        self.watcher.abort();
        self.cdp.close();
    }
}

/// Windows that pages open are closed; shared workers play their context's persona; service
/// workers, which would answer later visits from their own store, never run.
async fn watch(
    cdp: Arc<Cdp>,
    mut events: mpsc::Receiver<Event>,
    version: Version,
    personas: Arc<Mutex<HashMap<String, Arc<Persona>>>>,
) {
    while let Some(event) = events.recv().await {
        if event.method == "Target.targetCreated" {
            close_window(&cdp, &event).await;
        }
        if event.method != "Target.attachedToTarget" {
            continue;
        }
        let Some(Attached {
            session_id,
            target_info,
        }) = event.read()
        else {
            continue;
        };
        let worker = cdp.session(&session_id);
        if target_info.r#type == "service_worker" {
            let which = json!({ "targetId": target_info.target_id });
            let _ = cdp.root().tell("Target.closeTarget", which).await;
            continue;
        }
        let persona = {
            let personas = personas.lock().unwrap_or_else(PoisonError::into_inner);
            personas.get(&target_info.browser_context_id).cloned()
        };
        if let Some(persona) = persona {
            let _ = persona.put_on(&worker, &version, Kind::SharedWorker).await;
        }
        // A worker that is never resumed hangs its page.
        let _ = worker
            .tell("Runtime.runIfWaitingForDebugger", json!({}))
            .await;
    }
}

/// A window that a page opened is closed; the tabs that we open have no opener.
async fn close_window(cdp: &Arc<Cdp>, event: &Event) {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Created {
        target_info: Opened,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Opened {
        target_id: String,
        opener_id: Option<String>,
    }
    if let Some(Created { target_info }) = event.read()
        && target_info.opener_id.is_some()
    {
        let which = json!({ "targetId": target_info.target_id });
        // A browser that is gone has no windows.
        let _ = cdp.root().tell("Target.closeTarget", which).await;
    }
}

/// What the binary says of itself.
async fn version_of(binary: &Path) -> Result<Version, FetchError> {
    let asked = Command::new(binary)
        .arg("--version")
        .kill_on_drop(true)
        .output();
    let output = timeout(START_TIME, asked).await;
    let version = output
        .ok()
        .and_then(Result::ok)
        .and_then(|output| Version::find(&String::from_utf8_lossy(&output.stdout)));
    version.ok_or(FetchError::BrowserUnavailable)
}

fn text(answer: &Value, name: &'static str) -> Result<String, CdpError> {
    let found = answer[name].as_str().map(str::to_owned);
    found.ok_or_else(|| CdpError::Refused(format!("an answer without {name}")))
}

/// The browser's own session failed: that is the browser's fault, never a page's.
pub(super) fn not_well(error: CdpError) -> FetchError {
    FetchError::BrowserCrashed(error.to_string())
}
