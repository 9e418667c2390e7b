//! Clearances: the cookies by which anti-bot vendors know a visitor whom they let pass. They are
//! kept per host, identity and proxy, for whom alone they are good, and given to later contexts
//! until the vendor no longer honours them.

use std::time::Duration;

use moka::sync::Cache;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use super::{
    cdp::{CdpError, Session},
    pool::Key,
    world::PATIENCE,
};

/// Longest that a clearance is remembered; most vendors' own lasts half as long.
const LIFETIME: Duration = Duration::from_secs(3600);
/// Hosts remembered.
const MAX_HOSTS: u64 = 1000;

/// Names of the cookies, or how they begin: Cloudflare, DataDome, Akamai, HUMAN, Kasada, Imperva,
/// AWS WAF.
const NAMES: [&str; 14] = [
    "cf_clearance",
    "__cf_bm",
    "datadome",
    "_abck",
    "bm_sz",
    "ak_bmsc",
    "_px",
    "KP_UIDz",
    "visid_incap_",
    "incap_ses_",
    "nlbi_",
    "reese84",
    "aws-waf-token",
    "x-kpsdk-",
];

/// All that are known.
pub(super) struct Clearances(Cache<Key, Vec<Value>>);

impl Clearances {
    pub(super) fn new() -> Self {
        Self(
            Cache::builder()
                .max_capacity(MAX_HOSTS)
                .time_to_live(LIFETIME)
                .build(),
        )
    }

    /// Gives a new context what its like was given before.
    ///
    /// # Errors
    /// The tab hangs or is gone.
    pub(super) async fn hand_to(&self, tab: &Session, key: &Key) -> Result<(), CdpError> {
        match self.0.get(key) {
            Some(cookies) => {
                let cookies = json!({ "cookies": cookies });
                tab.run("Network.setCookies", cookies, PATIENCE).await
            }
            None => Ok(()),
        }
    }

    /// Keeps what the site gave a visitor whom it let pass.
    ///
    /// # Errors
    /// The tab hangs or is gone.
    pub(super) async fn learn(&self, tab: &Session, key: &Key, url: &Url) -> Result<(), CdpError> {
        #[derive(Deserialize)]
        struct Cookies {
            cookies: Vec<Value>,
        }
        let of_page = json!({ "urls": [url.as_str()] });
        let known: Cookies = tab.call("Network.getCookies", of_page, PATIENCE).await?;
        let cleared: Vec<Value> = known
            .cookies
            .iter()
            .filter(|cookie| cookie["name"].as_str().is_some_and(is_clearance))
            .map(as_parameter)
            .collect();
        if !cleared.is_empty() {
            self.0.insert(key.clone(), cleared);
        }
        Ok(())
    }

    /// The site no longer lets such visitors pass.
    pub(super) fn forget(&self, key: &Key) {
        self.0.invalidate(key);
    }
}

fn is_clearance(name: &str) -> bool {
    NAMES.iter().any(|known| name.starts_with(known))
}

/// A cookie as DevTools tells it, in the form in which it wants to be told.
fn as_parameter(cookie: &Value) -> Value {
    let mut parameter = json!({});
    for name in [
        "name", "value", "domain", "path", "secure", "httpOnly", "sameSite",
    ] {
        if !cookie[name].is_null() {
            parameter[name] = cookie[name].clone();
        }
    }
    // A session's cookie has none, or one of -1.
    if cookie["expires"]
        .as_f64()
        .is_some_and(|expires| expires > 0.0)
    {
        parameter["expires"] = cookie["expires"].clone();
    }
    parameter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_clearances_are_kept_and_sessions_stay_sessions() {
        assert!(is_clearance("cf_clearance") && is_clearance("_px3"));
        assert!(!is_clearance("session") && !is_clearance("auth_token"));
        let told = json!({ "name": "datadome", "value": "x", "expires": -1, "size": 9 });
        assert_eq!(
            as_parameter(&told),
            json!({ "name": "datadome", "value": "x" })
        );
    }
}
