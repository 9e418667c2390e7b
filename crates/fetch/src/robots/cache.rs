//! robots.txt per origin: fetched once an hour, by one caller for all who wait, through the same
//! rung and door as pages. A failure is nobody's rule and is not remembered.

use std::{
    sync::Arc,
    time::{Duration, Instant as StdInstant},
};

use moka::{Expiry, future::Cache};
use tokio::time::Instant;
use trawls_contract::Mode;
use url::Url;

use super::rules::{MAX_ROBOTS_BYTES, Robots};
use crate::{FetchError, FetchPlan, Identity, Limits, rung::Rungs};

/// The name that rules are looked up for.
const PRODUCT: &str = "Trawls";
/// Google keeps a file for up to a day; an hour lets a site's change of mind be heard.
const FRESH: Duration = Duration::from_secs(3600);
/// A server that is out of order is asked again soon.
const FRESH_REFUSAL: Duration = Duration::from_secs(60);
/// Heap of all rules together.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// A page's fetch waits for the file no longer than this.
const TIMEOUT: Duration = Duration::from_secs(10);
/// At least five, says the RFC.
const MAX_REDIRECTS: usize = 5;

/// What an origin answers to the question for its robots.txt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Its rules; none when there is no file.
    Rules(Robots),
    /// A status of 500 or more: the rules exist but are out of reach, so everything is forbidden.
    OutOfOrder(u16),
}

/// The answers of all origins asked lately.
pub(crate) struct RobotsCache {
    answers: Cache<String, Arc<Answer>>,
}

impl RobotsCache {
    /// Knows nothing yet.
    pub(crate) fn new() -> Self {
        let weight = |origin: &String, answer: &Arc<Answer>| {
            let rules = match answer.as_ref() {
                Answer::Rules(robots) => robots.weight(),
                Answer::OutOfOrder(_) => 0,
            };
            u32::try_from(origin.len() + rules + 256).unwrap_or(u32::MAX)
        };
        Self {
            answers: Cache::builder()
                .max_capacity(MAX_BYTES)
                .weigher(weight)
                .expire_after(Freshness)
                .build(),
        }
    }

    /// The answer of the origin of `url`, which is the plan's own or one that it was redirected to;
    /// asked for if it is not known.
    ///
    /// # Errors
    /// The origin could not be reached; then its pages could not be either.
    pub(crate) async fn answer(
        &self,
        rungs: &impl Rungs,
        plan: &FetchPlan,
        url: &Url,
        deadline: Instant,
    ) -> Result<Arc<Answer>, FetchError> {
        let origin = url.origin().ascii_serialization();
        let asking = async {
            ask(rungs, plan_for(plan, url), deadline)
                .await
                .map(Arc::new)
        };
        let answer = self.answers.try_get_with(origin, asking).await;
        answer.map_err(|error| (*error).clone())
    }
}

async fn ask(rungs: &impl Rungs, plan: FetchPlan, deadline: Instant) -> Result<Answer, FetchError> {
    let deadline = deadline.min(Instant::now() + TIMEOUT);
    match rungs.prefix(&plan, deadline).await {
        Ok(file) if file.status >= 500 => Ok(Answer::OutOfOrder(file.status)),
        Ok(file) if (200..300).contains(&file.status) => {
            Ok(Answer::Rules(Robots::parse(&file.body, PRODUCT)))
        }
        Ok(_) => Ok(Answer::Rules(Robots::default())),
        // It answered, but with nothing that could be rules. A refusal of our own door is the
        // page's to meet, if it is not only a redirect that leads there.
        Err(
            FetchError::TooManyRedirects(_)
            | FetchError::TooLarge(_)
            | FetchError::Decode(_)
            | FetchError::SsrfBlocked(_)
            | FetchError::InvalidUrl(_),
        ) => Ok(Answer::Rules(Robots::default())),
        Err(error) => Err(error),
    }
}

/// Asks as the page would be asked for, but without what the caller sends to the page alone.
fn plan_for(page: &FetchPlan, url: &Url) -> FetchPlan {
    let limits = Limits {
        max_redirects: MAX_REDIRECTS,
        ..Limits::within(TIMEOUT.min(page.limits.total), MAX_ROBOTS_BYTES)
    };
    FetchPlan {
        mode: Mode::Http,
        identity: Identity {
            languages: page.identity.languages.clone(),
            mobile: page.identity.mobile,
            ..Identity::default()
        },
        proxy: page.proxy.clone(),
        trust: page.trust,
        ..FetchPlan::to(file_of(url), limits)
    }
}

fn file_of(page: &Url) -> Url {
    let mut url = page.clone();
    url.set_path("/robots.txt");
    url.set_query(None);
    url.set_fragment(None);
    url
}

struct Freshness;

impl Expiry<String, Arc<Answer>> for Freshness {
    fn expire_after_create(
        &self,
        _origin: &String,
        answer: &Arc<Answer>,
        _now: StdInstant,
    ) -> Option<Duration> {
        Some(match answer.as_ref() {
            Answer::Rules(_) => FRESH,
            Answer::OutOfOrder(_) => FRESH_REFUSAL,
        })
    }
}
