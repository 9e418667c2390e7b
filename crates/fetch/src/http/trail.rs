//! The way of one exchange through its redirects: where it is, where it was, which cookies it
//! carries, and what of the caller's headers may go to the present host.

use http::{HeaderMap, HeaderValue, header};
use jiff::Timestamp;
use trawls_contract::{Login, MAX_URL_BYTES};
use url::Url;

use super::cookies::Jar;
use crate::{FetchError, FetchPlan, identity::RequestHead, rung::Hops};

/// Headers of the caller that every server may see. Any other may be a secret between them and the
/// server they asked for.
const PUBLIC: [header::HeaderName; 7] = [
    header::ACCEPT,
    header::ACCEPT_LANGUAGE,
    header::CACHE_CONTROL,
    header::DNT,
    header::PRAGMA,
    header::REFERER,
    header::USER_AGENT,
];

/// Where an exchange is and where it was.
pub(super) struct Trail<'a> {
    plan: &'a FetchPlan,
    /// Without user and password.
    pub(super) url: Url,
    pub(super) redirects: Vec<Url>,
    start: Url,
    /// The caller's headers for the host they asked for, and those for any host.
    headers_at_home: HeaderMap,
    headers_abroad: HeaderMap,
    logins: Vec<Login>,
    jar: Jar,
}

impl<'a> Trail<'a> {
    pub(super) fn new(plan: &'a FetchPlan) -> Self {
        let mut url = plan.url.clone();
        let mut at_home = plan.identity.headers.clone();
        let mut logins = plan.identity.logins.clone();
        logins.extend(Login::take(&mut url));
        let home = plan.identity.home.clone().unwrap_or_else(|| url.clone());
        let mut jar = Jar::default();
        for value in plan.identity.headers.get_all(header::COOKIE) {
            for pair in String::from_utf8_lossy(value.as_bytes()).split(';') {
                let (name, value) = pair.split_once('=').unwrap_or(("", pair));
                jar.add(&home, name, value);
            }
        }
        for (name, value) in &plan.identity.cookies {
            jar.add(&home, name, value);
        }
        at_home.remove(header::COOKIE);
        let mut abroad = HeaderMap::new();
        for name in PUBLIC {
            for value in at_home.get_all(&name) {
                abroad.append(name.clone(), value.clone());
            }
        }
        Self {
            plan,
            start: home,
            url,
            redirects: Vec::new(),
            headers_at_home: at_home,
            headers_abroad: abroad,
            logins,
            jar,
        }
    }

    /// The headers of the request to the present URL.
    pub(super) fn head(&self) -> RequestHead {
        let is_home = is_same_server(&self.start, &self.url);
        let callers = if is_home {
            &self.headers_at_home
        } else {
            &self.headers_abroad
        };
        let mut own = HeaderMap::new();
        let login = |login: &&Login| is_same_server(&login.server, &self.url);
        if let Some(login) = self.logins.iter().find(login)
            && !callers.contains_key(header::AUTHORIZATION)
        {
            own.insert(header::AUTHORIZATION, login.authorization.clone());
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

/// The same origin, or the same host after the usual step from http to https.
fn is_same_server(start: &Url, now: &Url) -> bool {
    let is_upgrade = start.host() == now.host()
        && (start.scheme(), now.scheme()) == ("http", "https")
        && start.port().is_none()
        && now.port().is_none();
    is_upgrade || start.origin() == now.origin()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upgrade_to_https_stays_with_its_server_and_nothing_else_does() {
        let same =
            |start, now| is_same_server(&Url::parse(start).unwrap(), &Url::parse(now).unwrap());
        assert!(same("http://a.example/x", "https://a.example/y"));
        assert!(same("http://a.example:8080/x", "http://a.example:8080/y"));
        assert!(!same("https://a.example/", "http://a.example/"));
        assert!(!same("http://a.example/", "http://a.example:8080/"));
        assert!(!same("http://a.example/", "https://a.example:8443/"));
        assert!(!same("http://a.example/", "https://b.a.example/"));
    }
}
