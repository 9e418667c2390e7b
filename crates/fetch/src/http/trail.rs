//! The way of one exchange through its redirects: where it is, where it was, which cookies it
//! carries, and what of the caller's headers may go to the present host.

use http::{HeaderMap, HeaderValue, header};
use jiff::Timestamp;
use trawls_contract::{Login, MAX_URL_BYTES};
use url::Url;

use super::cookies::Jar;
use crate::{FetchError, FetchPlan, callers::Callers, identity::RequestHead, rung::Hops};

/// Where an exchange is and where it was.
pub(super) struct Trail<'a> {
    plan: &'a FetchPlan,
    /// Without user and password.
    pub(super) url: Url,
    pub(super) redirects: Vec<Url>,
    callers: Callers,
    jar: Jar,
}

impl<'a> Trail<'a> {
    pub(super) fn new(plan: &'a FetchPlan) -> Self {
        let mut url = plan.url.clone();
        let mut callers = Callers::of(plan);
        callers.logins.extend(Login::take(&mut url));
        let mut jar = Jar::default();
        for (name, value) in &callers.cookies {
            jar.add(&callers.home, name, value);
        }
        Self {
            plan,
            url,
            redirects: Vec::new(),
            callers,
            jar,
        }
    }

    /// The headers of the request to the present URL.
    pub(super) fn head(&self) -> RequestHead {
        let callers = self.callers.headers(&self.url);
        let mut own = HeaderMap::new();
        if let Some(login) = self.callers.login(&self.url) {
            own.insert(header::AUTHORIZATION, login);
        }
        if let Some(cookies) = self.jar.header(&self.url) {
            own.insert(header::COOKIE, cookies);
        }
        // Validators belong to the page that was asked for, whatever its redirects lead to.
        if let Some(validators) = &self.plan.validators {
            let mut put = |name, text: &Option<String>| {
                if let Some(value) = text
                    .as_deref()
                    .and_then(|text| HeaderValue::from_str(text).ok())
                {
                    own.insert(name, value);
                }
            };
            put(header::IF_NONE_MATCH, &validators.etag);
            put(header::IF_MODIFIED_SINCE, &validators.last_modified);
        }
        RequestHead::new(&self.url, &self.plan.identity, callers, own)
    }

    /// Takes the cookies of a response from the present URL.
    pub(super) fn learn(&mut self, headers: &HeaderMap) {
        let mut cookies = headers.get_all(header::SET_COOKIE).iter().peekable();
        if cookies.peek().is_none() {
            return;
        }
        let now = Timestamp::now();
        for cookie in cookies {
            self.jar.set(&self.url, cookie, now);
        }
    }

    /// Goes on to `next`.
    ///
    /// # Errors
    /// `TooManyRedirects` at the plan's limit, `InvalidUrl` when it is too long to be one, or what
    /// `hops` say against it.
    pub(super) async fn go(&mut self, mut next: Url, hops: &impl Hops) -> Result<(), FetchError> {
        let limit = self.plan.limits.max_redirects;
        if self.redirects.len() >= limit {
            return Err(FetchError::TooManyRedirects(limit));
        }
        if next.as_str().len() > MAX_URL_BYTES {
            return Err(FetchError::InvalidUrl(format!(
                "a redirect leads to one of more than {MAX_URL_BYTES} bytes"
            )));
        }
        // What another page writes there is not the caller's.
        Login::take(&mut next);
        hops.admit(&next).await?;
        self.redirects.push(std::mem::replace(&mut self.url, next));
        Ok(())
    }
}
