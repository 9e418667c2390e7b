//! The http rung: one exchange over plain HTTP in the shape of Chrome, with its redirects, its
//! cookies and its limits. Each hop goes through the egress door again.

mod body;
mod client;
mod coding;
mod cookies;
mod dial;
mod fault;
mod post;
mod redirect;
mod refresh;
mod trail;

use std::{sync::Arc, time::Duration};

use http::{HeaderMap, StatusCode, header};
use tokio::time::{Instant, timeout, timeout_at};
use url::Url;

use self::{
    body::{Body, Oversize},
    client::Clients,
    dial::{DIAL, Dial, Phase},
    trail::Trail,
};
use crate::{
    FetchError, FetchPlan,
    egress::Door,
    rung::{Exchange, Hops},
};

/// A pooled connection may be dead, and the next one too; what the third one says is believed.
const STALE_RETRIES: usize = 2;

/// The http rung. Cheap to share; keeps its connections alive.
pub(crate) struct HttpFetch {
    door: Arc<Door>,
    clients: Clients,
}

impl HttpFetch {
    /// A rung behind `door`. `proxies` are the operator's own; they may be private.
    pub(crate) fn new(door: Arc<Door>, proxies: &[Url]) -> Result<Self, FetchError> {
        let clients = Clients::new(Arc::clone(&door), proxies)?;
        Ok(Self { door, clients })
    }

    async fn follow(
        &self,
        plan: &FetchPlan,
        hops: &impl Hops,
        deadline: Instant,
        oversize: Oversize,
    ) -> Result<Exchange, FetchError> {
        let begun = Instant::now();
        let mut trail = Trail::new(plan);
        loop {
            let asked = Instant::now();
            let response = self.hop(plan, &trail, deadline).await?;
            let ttfb = asked.elapsed();
            let status = response.status();
            trail.learn(response.headers());
            if let Some(next) = redirect::target(status, response.headers(), &trail.url)? {
                body::drain(
                    response,
                    deadline.min(Instant::now() + ttfb.max(DRAIN_TIME)),
                )
                .await;
                trail.go(next, hops).await?;
                continue;
            }
            let headers = response.headers().clone();
            let body = match has_body(status) {
                true => body::read(response, &plan.limits, deadline, oversize).await?,
                false => Body::default(),
            };
            if let Some(next) = sent_on(status, &headers, &body, &trail.url) {
                trail.go(next, hops).await?;
                continue;
            }
            return Ok(Exchange {
                final_url: trail.url,
                status: status.as_u16(),
                headers,
                body: body.bytes,
                truncated: body.truncated,
                redirects: trail.redirects,
                ttfb,
                elapsed: begun.elapsed(),
                warnings: body.warning.into_iter().collect(),
                rendered: None,
            });
        }
    }

    /// One request, up to the head of its response.
    async fn hop(
        &self,
        plan: &FetchPlan,
        trail: &Trail<'_>,
        deadline: Instant,
    ) -> Result<wreq::Response, FetchError> {
        let limits = &plan.limits;
        let connect_limit = limits
            .connect
            .min(deadline.saturating_duration_since(Instant::now()));
        timeout(connect_limit, self.admit(plan, &trail.url))
            .await
            .map_err(|_| FetchError::TimeoutConnect(connect_limit))??;
        let head_end = deadline.min(Instant::now() + limits.ttfb);
        for _ in 0..STALE_RETRIES {
            let (phase, response) = self.send(plan, trail, head_end).await;
            match response {
                Err(FetchError::Connect(_)) if phase == Phase::Pooled => {}
                done => return done,
            }
        }
        self.send(plan, trail, head_end).await.1
    }

    /// The egress door, for the target and for a proxy that the caller chose. Behind an HTTP or
    /// `socks5h` proxy the proxy resolves the name again: there the target is vetted, not pinned.
    async fn admit(&self, plan: &FetchPlan, url: &Url) -> Result<(), FetchError> {
        self.door.admit(url).await?;
        let Some(proxy) = &plan.proxy else {
            return Ok(());
        };
        if self.clients.trusts(proxy) {
            return Ok(());
        }
        let host = proxy
            .host_str()
            .unwrap_or_default()
            .trim_matches(['[', ']']);
        match self
            .door
            .addresses(host)
            .await
            .map_err(|refusal| refusal.into_error())
        {
            Ok(_) => Ok(()),
            Err(FetchError::Dns) => Err(FetchError::Proxy("its name cannot be resolved".into())),
            Err(_) => Err(FetchError::SsrfBlocked(
                "the proxy is not at a public address".into(),
            )),
        }
    }

    async fn send(
        &self,
        plan: &FetchPlan,
        trail: &Trail<'_>,
        head_end: Instant,
    ) -> (Phase, Result<wreq::Response, FetchError>) {
        let limits = &plan.limits;
        let begun = Instant::now();
        let dial = Dial::new(limits.connect);
        let request = match self.request(plan, trail) {
            Ok(request) => request,
            Err(error) => return (Phase::Dialling, Err(error)),
        };
        let sent = DIAL
            .scope(dial.clone(), timeout_at(head_end, request.send()))
            .await;
        let result = match sent {
            Ok(Ok(response)) if is_proxys_own(plan, &response) => {
                Err(FetchError::Proxy("it asks for credentials".into()))
            }
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(fault::of_request(
                &error,
                plan.proxy.is_some(),
                limits.connect,
            )),
            Err(_) if dial.phase() == Phase::Dialling => {
                Err(FetchError::TimeoutConnect(rounded(begun.elapsed())))
            }
            // On a later hop the rest of the budget is too short a time to blame the server.
            Err(_) if !trail.redirects.is_empty() && begun.elapsed() < limits.ttfb => {
                Err(FetchError::TimeoutTotal(limits.total))
            }
            Err(_) => Err(FetchError::TimeoutTtfb(rounded(begun.elapsed()))),
        };
        (dial.phase(), result)
    }

    fn request(
        &self,
        plan: &FetchPlan,
        trail: &Trail<'_>,
    ) -> Result<wreq::RequestBuilder, FetchError> {
        let client = self
            .clients
            .client(plan.trust.verify_tls, plan.proxy.is_some())?;
        let head = trail.head();
        let without_fragment = &trail.url[..url::Position::AfterQuery];
        let request = client
            .get(without_fragment)
            .default_headers(false)
            .headers(head.headers)
            .orig_headers(head.order);
        match &plan.proxy {
            Some(url) => Ok(request.proxy(client::proxy(url)?)),
            None => Ok(request),
        }
    }
}

/// A robots.txt is followed wherever it leads (RFC 9309 §2.3.1.2).
struct AnyHop;

impl Hops for AnyHop {
    async fn admit(&self, _next: &Url) -> Result<(), FetchError> {
        Ok(())
    }
}

impl HttpFetch {
    /// One exchange. `hops` is asked before each redirect is followed.
    pub(crate) async fn exchange(
        &self,
        plan: &FetchPlan,
        hops: &impl Hops,
        deadline: Instant,
    ) -> Result<Exchange, FetchError> {
        self.follow(plan, hops, deadline, Oversize::Refuse).await
    }

    /// The same, but wherever it leads, and of a body beyond the limit the first bytes are kept.
    pub(crate) async fn prefix(
        &self,
        plan: &FetchPlan,
        deadline: Instant,
    ) -> Result<Exchange, FetchError> {
        self.follow(plan, &AnyHop, deadline, Oversize::Cut).await
    }
}

/// Longest wait for the rest of a redirect's body.
const DRAIN_TIME: Duration = Duration::from_millis(200);

fn has_body(status: StatusCode) -> bool {
    !matches!(
        status,
        StatusCode::NO_CONTENT | StatusCode::RESET_CONTENT | StatusCode::NOT_MODIFIED
    )
}

/// 407 is the proxy's word, whatever the page behind it is.
fn is_proxys_own(plan: &FetchPlan, response: &wreq::Response) -> bool {
    plan.proxy.is_some() && response.status() == StatusCode::PROXY_AUTHENTICATION_REQUIRED
}

/// Where a good page sends its reader at once, by header or element. An error page that does so
/// stays what it is: following it would make a page out of an error.
fn sent_on(status: StatusCode, headers: &HeaderMap, body: &Body, url: &Url) -> Option<Url> {
    if !status.is_success() {
        return None;
    }
    let named = headers.get("refresh").and_then(|value| value.to_str().ok());
    let next = named
        .and_then(|content| refresh::target(content, url))
        .or_else(|| {
            is_html(headers)
                .then(|| refresh::in_html(&body.bytes, url))
                .flatten()
        })?;
    // A page that reloads itself may show more the second time only if it set a cookie.
    let is_reload = next == *url && !headers.contains_key(header::SET_COOKIE);
    (!is_reload).then_some(next)
}

fn is_html(headers: &HeaderMap) -> bool {
    let kind = headers
        .get(header::CONTENT_TYPE)
        .map(|value| value.as_bytes());
    kind.is_none_or(|kind| {
        kind.windows(4)
            .any(|part| part.eq_ignore_ascii_case(b"html"))
    })
}

/// Elapsed time as a caller reads it: to the tenth of a second.
fn rounded(elapsed: Duration) -> Duration {
    Duration::from_millis((elapsed.as_millis() as u64 + 50) / 100 * 100)
}

#[cfg(test)]
mod tests;
