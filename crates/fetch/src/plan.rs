//! What to fetch and how: plain data, decided before the first packet and never edited on the way.
//! No output formats in it; those are content's business.

use std::{path::PathBuf, time::Duration};

use http::HeaderMap;
use trawls_contract::{Action, FetchMode, Login, Mode, WaitFor};
use url::Url;

/// Redirects followed when the caller says nothing else.
pub const MAX_REDIRECTS: usize = 10;
/// Time for name, connection and handshake when the caller says nothing else.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// One page to fetch.
#[derive(Debug, Clone)]
pub struct FetchPlan {
    /// Absolute, http or https.
    pub url: Url,
    /// Which rungs may be used.
    pub mode: Mode,
    /// In mode `auto` the lowest rung that promises anything: http, until more is known of the host.
    pub lowest: FetchMode,
    /// How long and how much.
    pub limits: Limits,
    /// As whom.
    pub identity: Identity,
    /// Through which proxy; holds credentials, so it is never logged.
    pub proxy: Option<Url>,
    /// What to insist on.
    pub trust: Trust,
    /// What the cache knows of the page, to ask only for a newer one.
    pub validators: Option<Validators>,
    /// What to do on a rung that is a browser.
    pub browser: BrowserWork,
}

/// What to do in a browser beside loading the page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BrowserWork {
    /// Wait for this after the page has settled.
    pub wait_for: Option<WaitFor>,
    /// Scroll to the bottom, bounded, to load lazy content.
    pub scroll: bool,
    /// In this order, once the page has settled.
    pub actions: Vec<Action>,
    /// A picture of the page at the end.
    pub screenshot: Option<Frame>,
    /// Print the page at the end.
    pub pdf: bool,
    /// Refuse requests to advertisers and trackers.
    pub block_ads: bool,
}

/// How much of a page a picture shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frame {
    /// What fits the window.
    Viewport,
    /// From top to bottom.
    FullPage,
}

impl BrowserWork {
    /// Can only a browser do this?
    pub fn needs_browser(&self) -> bool {
        let waits_for_element = matches!(self.wait_for, Some(WaitFor::Selector(_)));
        waits_for_element
            || self.scroll
            || !self.actions.is_empty()
            || self.screenshot.is_some()
            || self.pdf
    }
}

/// How long and how much.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Per hop: name, connection and TLS handshake.
    pub connect: Duration,
    /// Per hop: from the request to the response's head.
    pub ttfb: Duration,
    /// Longest silence inside a body.
    pub read_gap: Duration,
    /// The whole exchange, redirects included.
    pub total: Duration,
    /// Least time between two tries of this page. Other pages are not held up by it: whoever wants
    /// them apart starts them apart.
    pub delay: Duration,
    /// Size of the body after content decoding.
    pub max_body_bytes: usize,
    /// Redirects of any kind, meta refresh included.
    pub max_redirects: usize,
}

/// As whom: the caller's additions to the identity of the rung.
#[derive(Debug, Clone, Default)]
pub struct Identity {
    /// Laid over the rung's own headers.
    pub headers: HeaderMap,
    /// Name and value.
    pub cookies: Vec<(String, String)>,
    /// For servers that ask who comes; each goes to its own origin only.
    pub logins: Vec<Login>,
    /// The server that cookies and private headers are for, when it is not the plan's own: a crawl
    /// that leaves its site takes none of them along.
    pub home: Option<Url>,
    /// BCP 47 tags, best first; empty means the rung's own.
    pub languages: Vec<String>,
    /// IANA name; the rung's own when there is none. Only a browser has one.
    pub timezone: Option<String>,
    /// Come as a phone.
    pub mobile: bool,
}

/// What to insist on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trust {
    /// Refuse bad certificates.
    pub verify_tls: bool,
    /// Obey robots.txt.
    pub respect_robots: bool,
}

/// What an earlier response said about its version.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Validators {
    /// `ETag` as it was received.
    pub etag: Option<String>,
    /// `Last-Modified` as it was received.
    pub last_modified: Option<String>,
}

/// What the operator decided for all fetches.
#[derive(Debug, Clone)]
pub struct FetchConfig {
    /// Turns the address rule of the egress door off. Never in production.
    pub allow_private_targets: bool,
    /// The proxy pool; these may stand on private addresses.
    pub proxies: Vec<Url>,
    /// Exchanges at once per host.
    pub per_host: usize,
    /// Exchanges at once.
    pub global: usize,
    /// Ceiling of every plan's `max_body_bytes`.
    pub max_body_bytes: usize,
    /// The browser of the higher rungs; none means that there are none.
    pub browser: Option<BrowserConfig>,
}

/// The browser behind the higher rungs.
#[derive(Debug, Clone)]
pub struct BrowserConfig {
    /// Where it is.
    pub source: BrowserSource,
    /// Pages at once.
    pub pool_size: usize,
    /// Where its profile folders live while it runs.
    pub profiles: PathBuf,
}

/// Where the browser is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BrowserSource {
    /// Chromium's binary on this machine.
    Local(PathBuf),
    /// A DevTools endpoint: `ws`, `wss`, or the `http` address that names one.
    Remote(Url),
}

impl FetchPlan {
    /// A page as anybody would ask for it.
    pub fn to(url: Url, limits: Limits) -> Self {
        Self {
            url,
            mode: Mode::Auto,
            lowest: FetchMode::Http,
            limits,
            identity: Identity::default(),
            proxy: None,
            trust: Trust::default(),
            validators: None,
            browser: BrowserWork::default(),
        }
    }
}

impl Limits {
    /// Limits of a request that may take `total` and return `max_body_bytes`; the rest is usual.
    pub fn within(total: Duration, max_body_bytes: usize) -> Self {
        Self {
            connect: CONNECT_TIMEOUT.min(total),
            ttfb: total,
            read_gap: total,
            total,
            max_body_bytes,
            max_redirects: MAX_REDIRECTS,
            delay: Duration::ZERO,
        }
    }
}

impl Default for Trust {
    fn default() -> Self {
        Self {
            verify_tls: true,
            respect_robots: true,
        }
    }
}
