//! Which rung a host needs is remembered, so that its next pages do not climb from the ground.
//!
//! A render costs as much as a hundred pages over HTTP, so only what proves the need teaches: a
//! page of which the browser made a good one after a lower rung had failed at it.

use jiff::Timestamp;
use trawls_contract::{FetchMode, Mode, Outcome, ScrapeRequest, Verdict};
use trawls_fetch::{FetchPlan, Fetched};
use url::Url;

use crate::engine::Rooms;

/// The lowest rung that promises anything for this request.
pub(crate) async fn lowest(rooms: &Rooms, request: &ScrapeRequest, now: Timestamp) -> FetchMode {
    let climbs = request.fetch.mode == Mode::Auto && rooms.fetcher.browser().is_some();
    let host = host_of(&request.url).filter(|_| climbs);
    let Some(host) = host else {
        return FetchMode::Http;
    };
    match rooms.store.host_rung(&host, now).await {
        Ok(rung) => rung,
        Err(error) => {
            tracing::warn!(%error, "the rung of a host was not read");
            FetchMode::Http
        }
    }
}

/// Remembers what this page taught about its host, if anything.
pub(crate) async fn learn(
    rooms: &Rooms,
    plan: &FetchPlan,
    fetched: &Fetched,
    outcome: Outcome,
    now: Timestamp,
) {
    if !outcome.is_success() || !teaches(plan, fetched) {
        return;
    }
    let Some(host) = host_of(&fetched.final_url) else {
        return;
    };
    if let Err(error) = rooms.store.remember_rung(&host, fetched.mode, now).await {
        tracing::warn!(%error, "the rung of a host was not remembered");
    }
}

/// A page that asked for a browser says nothing about its host, and one that is as thin in the
/// browser as without it is just a small page.
fn teaches(plan: &FetchPlan, fetched: &Fetched) -> bool {
    plan.mode == Mode::Auto
        && !plan.browser.needs_browser()
        && fetched.mode > plan.lowest
        && fetched.verdict == Verdict::Usable
}

/// Name, and the port when it is not the usual one.
fn host_of(url: &Url) -> Option<String> {
    let name = url.host_str()?;
    Some(match url.port() {
        Some(port) => format!("{name}:{port}"),
        None => name.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::Bytes;
    use trawls_fetch::Limits;

    use super::*;
    use FetchMode::{Browser, Http, Stealth};

    fn plan() -> FetchPlan {
        let url = Url::parse("http://a.example/").unwrap();
        FetchPlan::to(url, Limits::within(Duration::from_secs(1), 1))
    }

    fn fetched(mode: FetchMode) -> Fetched {
        Fetched {
            final_url: Url::parse("http://a.example:8080/").unwrap(),
            status: 200,
            headers: http::HeaderMap::new(),
            body: Bytes::new(),
            truncated: None,
            mode,
            verdict: Verdict::Usable,
            why: String::new(),
            vendor: None,
            redirects: Vec::new(),
            ttfb: Duration::ZERO,
            elapsed: Duration::ZERO,
            rendered: None,
        }
    }

    #[test]
    fn a_climb_that_ended_well_teaches() {
        assert!(teaches(&plan(), &fetched(Browser)) && teaches(&plan(), &fetched(Stealth)));
        assert!(!teaches(&plan(), &fetched(Http)));
        let known = FetchPlan {
            lowest: Browser,
            ..plan()
        };
        assert!(!teaches(&known, &fetched(Browser)) && teaches(&known, &fetched(Stealth)));
    }

    #[test]
    fn a_page_that_asked_for_a_browser_or_stayed_thin_teaches_nothing() {
        let mut pictured = plan();
        pictured.browser.pdf = true;
        assert!(!teaches(&pictured, &fetched(Stealth)));
        let forced = FetchPlan {
            mode: Mode::Browser,
            ..plan()
        };
        assert!(!teaches(&forced, &fetched(Browser)));
        let thin = Fetched {
            verdict: Verdict::Thin,
            ..fetched(Browser)
        };
        assert!(!teaches(&plan(), &thin));
    }

    #[test]
    fn a_host_is_its_name_and_an_unusual_port() {
        let host = |url| host_of(&Url::parse(url).unwrap());
        assert_eq!(
            host("https://A.example:443/x").as_deref(),
            Some("a.example")
        );
        assert_eq!(
            host("http://a.example:8080/").as_deref(),
            Some("a.example:8080")
        );
    }
}
