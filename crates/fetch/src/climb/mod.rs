//! One fetch from its first step to its report: breaker, robots, pace, exchange, verdict; then
//! again, or up the ladder, or home. The order of things is here and nowhere else.
//!
//! Dropping the future at any await gives every place back and leaves the host as it was.

mod hops;

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use tokio::time::{Instant, sleep};
use trawls_contract::{Attempt, FetchMode, Verdict};
use url::Url;

use self::hops::PageHops;
use crate::{
    Allowance, FetchConfig, FetchError, FetchPlan, FetchReport, Fetched,
    hosts::{Host, Hosts},
    ladder::{self, Reach, Seen, Step},
    pace::{MAX_REST, Pace},
    proxies::{Chosen, Proxies},
    retry::{End, Tries},
    robots::{Answer, RobotsCache},
    rung::{Exchange, Rungs},
    sign::Sign,
    verdict::{error_of, judge},
};

/// Everything that fetches share, over the rungs that there are.
pub(crate) struct Climb<R> {
    rungs: R,
    hosts: Hosts,
    pace: Pace,
    robots: RobotsCache,
    proxies: Proxies,
    max_body_bytes: usize,
}

/// One fetch under way.
struct Trip {
    plan: FetchPlan,
    host: Arc<Host>,
    /// The host of the last hop.
    asked: Arc<Host>,
    deadline: Instant,
    proxy: Option<Chosen>,
    attempts: Vec<Attempt>,
    warnings: Vec<String>,
}

/// One try: what came of it, what the server asked for, and what it says about the host.
struct Try {
    result: Result<Fetched, FetchError>,
    retry_after: Option<Duration>,
    sign: Sign,
}

/// Why a try ended without a response, and what that says about the host.
struct Halt {
    error: FetchError,
    sign: Sign,
}

impl Halt {
    /// A rule of ours ended it before the host was asked.
    fn ours(error: FetchError) -> Self {
        Self {
            error,
            sign: Sign::Nothing,
        }
    }
}

impl From<FetchError> for Halt {
    /// The host was asked.
    fn from(error: FetchError) -> Self {
        Self {
            sign: Sign::of_error(&error),
            error,
        }
    }
}

impl<R: Rungs> Climb<R> {
    /// Shares nothing with any other.
    pub(crate) fn new(rungs: R, config: &FetchConfig) -> Self {
        Self {
            rungs,
            hosts: Hosts::new(config.per_host),
            pace: Pace::new(config.global),
            robots: RobotsCache::new(),
            proxies: Proxies::new(&config.proxies),
            max_body_bytes: config.max_body_bytes,
        }
    }

    /// The rungs themselves, for what is no page.
    pub(crate) fn rungs(&self) -> &R {
        &self.rungs
    }

    /// Climbs from the lowest rung that the plan allows, as long as the next one promises more.
    pub(crate) async fn fetch(&self, plan: &FetchPlan) -> FetchReport {
        let mut trip = self.set_out(plan);
        let reach = Reach::of(plan, self.rungs.has(FetchMode::Browser));
        let mut rung = reach.from;
        let mut best = self.stay(rung, &mut trip).await;
        let mut step = ladder::next(rung, seen(&best), reach);
        while let Step::Climb(higher) = step {
            rung = higher;
            let result = self.stay(rung, &mut trip).await;
            step = ladder::next(rung, seen(&result), reach);
            best = better(best, result);
        }
        trip.come_home(best)
    }

    /// The sitemaps that robots.txt of the plan's origin names, as written.
    pub(crate) async fn sitemaps(&self, plan: &FetchPlan) -> Vec<String> {
        let deadline = Instant::now() + plan.limits.total;
        let answer = self
            .robots
            .answer(&self.rungs, plan, &plan.url, deadline)
            .await;
        match answer.as_deref() {
            Ok(Answer::Rules(robots)) => robots.sitemaps().to_vec(),
            _ => Vec::new(),
        }
    }

    /// What a crawl may ask of the host of this URL now.
    pub(crate) fn allowance(&self, url: &Url) -> Allowance {
        self.hosts.allowance(url, Instant::now())
    }

    /// Names of the hosts whose breaker is open.
    pub(crate) fn open_breakers(&self) -> Vec<String> {
        self.hosts.open_breakers(Instant::now())
    }

    fn set_out(&self, plan: &FetchPlan) -> Trip {
        let now = Instant::now();
        let mut plan = plan.clone();
        plan.limits.max_body_bytes = plan.limits.max_body_bytes.min(self.max_body_bytes);
        let host = self.hosts.of(&plan.url, now);
        let mut trip = Trip {
            asked: Arc::clone(&host),
            host,
            deadline: now + plan.limits.total,
            proxy: None,
            attempts: Vec::new(),
            warnings: Vec::new(),
            plan,
        };
        if trip.plan.proxy.is_none() {
            trip.go_through(self.proxies.choose(now));
        }
        trip
    }

    /// Tries one rung until its answer is final.
    async fn stay(&self, rung: FetchMode, trip: &mut Trip) -> Result<Fetched, FetchError> {
        if !self.rungs.has(rung) {
            return trip.miss(rung);
        }
        if let Err(rest) = trip.host.admit(Instant::now()) {
            return trip.note_refusal(rung, FetchError::BreakerOpen(rest));
        }
        let mut tries = Tries::default();
        let mut before = None;
        loop {
            let tried = self.try_once(rung, trip).await;
            let wait = tries.wait_after(tried.end());
            let wait = wait.map(|wait| wait.max(trip.plan.limits.delay));
            match wait.filter(|wait| Instant::now() + *wait < trip.deadline) {
                Some(wait) => {
                    self.rotate_failed_proxy(trip, &tried.result);
                    before = Some(tried.result);
                    sleep(wait).await;
                }
                None => {
                    trip.asked.record(tried.sign, Instant::now());
                    return match before {
                        // That time ran out under a later try is not why there is no page.
                        Some(before) if trip.is_cut_short(&tried.result) => before,
                        _ => tried.result,
                    };
                }
            }
        }
    }

    async fn try_once(&self, rung: FetchMode, trip: &mut Trip) -> Try {
        let (started, started_at) = (Instant::now(), Timestamp::now());
        let tried = match self.exchange(rung, trip).await {
            Ok(exchange) => trip.weigh(rung, exchange),
            Err(halt) => Try {
                result: Err(halt.error),
                retry_after: None,
                sign: halt.sign,
            },
        };
        trip.asked.learn(tried.sign);
        if let Some(rest) = tried.retry_after {
            trip.asked.rest_until(Instant::now() + rest.min(MAX_REST));
        }
        trip.note(rung, &tried.result, (started, started_at));
        tried
    }

    /// One exchange, as soon as robots.txt and the pace of the host allow it.
    async fn exchange(&self, rung: FetchMode, trip: &mut Trip) -> Result<Exchange, Halt> {
        trip.asked = Arc::clone(&trip.host);
        let delay = self
            .permission(&trip.plan, &trip.plan.url, trip.deadline)
            .await?;
        let turn = self.pace.turn(&trip.host, delay, trip.deadline).await;
        let _turn = turn.ok_or(Halt::ours(FetchError::TimeoutTotal(trip.plan.limits.total)))?;
        let hops = PageHops::new(self, &trip.plan, Arc::clone(&trip.host), trip.deadline);
        let exchange = self
            .rungs
            .exchange(rung, &trip.plan, &hops, trip.deadline)
            .await;
        trip.asked = hops.into_asked();
        Ok(exchange?)
    }

    /// The delay that robots.txt asks for, if it does not forbid `url`.
    async fn permission(
        &self,
        plan: &FetchPlan,
        url: &Url,
        deadline: Instant,
    ) -> Result<Duration, FetchError> {
        if !plan.trust.respect_robots {
            return Ok(Duration::ZERO);
        }
        let answer = self.robots.answer(&self.rungs, plan, url, deadline).await?;
        match answer.as_ref() {
            Answer::Rules(robots) if robots.allows(url) => {
                Ok(robots.crawl_delay().unwrap_or_default())
            }
            Answer::Rules(_) if *url == plan.url => Err(FetchError::RobotsDenied(
                "robots.txt of the site forbids this page".into(),
            )),
            Answer::Rules(_) => Err(FetchError::RobotsDenied(
                "robots.txt forbids the page that this one redirects to".into(),
            )),
            Answer::OutOfOrder(status) => Err(FetchError::RobotsDenied(format!(
                "robots.txt answered {status}, which forbids the whole site until it recovers"
            ))),
        }
    }

    fn rotate_failed_proxy(&self, trip: &mut Trip, result: &Result<Fetched, FetchError>) {
        let (Err(FetchError::Proxy(_)), Some(failed)) = (result, &trip.proxy) else {
            return;
        };
        let now = Instant::now();
        self.proxies.failed(failed, now);
        trip.go_through(self.proxies.choose(now));
    }
}

impl Try {
    fn end(&self) -> End {
        let Seen { verdict, error, .. } = seen(&self.result);
        End {
            verdict,
            error,
            retry_after: self.retry_after,
        }
    }
}

impl Trip {
    fn go_through(&mut self, proxy: Option<Chosen>) {
        self.plan.proxy = proxy.as_ref().map(|chosen| chosen.url.clone());
        self.proxy = proxy;
    }

    /// A response is a result, whatever it says; the verdict tells what it is worth.
    fn weigh(&mut self, mode: FetchMode, exchange: Exchange) -> Try {
        let judgement = judge(&exchange, Timestamp::now());
        for warning in exchange.warnings {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        let fetched = Fetched {
            final_url: exchange.final_url,
            status: exchange.status,
            headers: exchange.headers,
            body: exchange.body,
            truncated: exchange.truncated,
            mode,
            verdict: judgement.verdict,
            why: judgement.why,
            vendor: judgement.vendor,
            redirects: exchange.redirects,
            ttfb: exchange.ttfb,
            elapsed: exchange.elapsed,
            rendered: exchange.rendered,
        };
        Try {
            sign: Sign::of(&fetched),
            retry_after: judgement.retry_after,
            result: Ok(fetched),
        }
    }

    /// A rung that does not exist here: a row in the trace, and what there was stays.
    fn miss(&mut self, rung: FetchMode) -> Result<Fetched, FetchError> {
        if self
            .attempts
            .last()
            .is_some_and(|last| last.verdict == Verdict::Thin)
        {
            self.warnings
                .push("the page may need a browser, and none is available".into());
        }
        self.note_refusal(rung, FetchError::BrowserUnavailable)
    }

    fn note_refusal(&mut self, rung: FetchMode, error: FetchError) -> Result<Fetched, FetchError> {
        let result = Err(error);
        self.note(rung, &result, (Instant::now(), Timestamp::now()));
        result
    }

    /// Did the end of the whole fetch's time end this try?
    fn is_cut_short(&self, result: &Result<Fetched, FetchError>) -> bool {
        match result {
            Err(FetchError::TimeoutTotal(_)) => true,
            Err(
                FetchError::TimeoutConnect(_)
                | FetchError::TimeoutTtfb(_)
                | FetchError::TimeoutRead(_)
                | FetchError::TooSlow(_),
            ) => Instant::now() >= self.deadline,
            _ => false,
        }
    }

    /// One row of the trace.
    fn note(
        &mut self,
        mode: FetchMode,
        result: &Result<Fetched, FetchError>,
        (started, started_at): (Instant, Timestamp),
    ) {
        let Seen {
            verdict,
            status,
            error,
        } = seen(result);
        let why = match result {
            Ok(fetched) => fetched.why.clone(),
            Err(error) => error.to_string(),
        };
        let duration_ms = started.elapsed().as_millis().try_into().unwrap_or(u64::MAX);
        tracing::debug!(
            mode = mode.as_str(),
            ?verdict,
            status,
            duration_ms,
            why,
            "attempt"
        );
        self.attempts.push(Attempt {
            mode,
            verdict,
            http_status: status,
            error: error.or(error_of(verdict)),
            proxy: self.proxy_label(),
            started_at,
            duration_ms,
            why,
        });
    }

    fn proxy_label(&self) -> Option<String> {
        match &self.proxy {
            Some(chosen) => Some(chosen.label.clone()),
            None => self.plan.proxy.is_some().then(|| "own".into()),
        }
    }

    fn come_home(self, result: Result<Fetched, FetchError>) -> FetchReport {
        FetchReport {
            attempts: self.attempts,
            result,
            warnings: self.warnings,
        }
    }
}

/// What the ladder needs to know.
fn seen(result: &Result<Fetched, FetchError>) -> Seen {
    match result {
        Ok(fetched) => Seen {
            verdict: fetched.verdict,
            status: Some(fetched.status),
            error: None,
        },
        Err(error) => Seen {
            verdict: match error {
                FetchError::BrowserUnavailable => Verdict::Unavailable,
                _ => Verdict::Failed,
            },
            status: None,
            error: Some(error.code()),
        },
    }
}

/// A higher rung's answer is the better one, but no answer never replaces one, and a refusal never
/// a page that was only thin.
fn better(
    lower: Result<Fetched, FetchError>,
    higher: Result<Fetched, FetchError>,
) -> Result<Fetched, FetchError> {
    match (&lower, &higher) {
        (_, Err(FetchError::BrowserUnavailable)) | (Ok(_), Err(_)) => lower,
        (Ok(thin), Ok(refusal)) if has_content(thin) && !has_content(refusal) => lower,
        _ => higher,
    }
}

/// Is it the page, if perhaps not all of it?
fn has_content(fetched: &Fetched) -> bool {
    use Verdict::{Lossy, Thin, Usable};
    matches!(fetched.verdict, Usable | Thin | Lossy)
}

#[cfg(test)]
mod tests;
