//! What the caller sends along, and which servers may see it: cookies, credentials and private
//! headers are for the server that was asked for, and for no other that it leads to.

use http::{HeaderMap, HeaderValue, header};
use trawls_contract::Login;
use url::Url;

use crate::FetchPlan;

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

/// The caller's headers, cookies and logins.
pub(crate) struct Callers {
    /// The server that the private ones are for.
    pub(crate) home: Url,
    at_home: HeaderMap,
    abroad: HeaderMap,
    /// Each for its own server.
    pub(crate) logins: Vec<Login>,
    /// Name and value, for home.
    pub(crate) cookies: Vec<(String, String)>,
}

impl Callers {
    /// Of a plan.
    pub(crate) fn of(plan: &FetchPlan) -> Self {
        let identity = &plan.identity;
        let mut url = plan.url.clone();
        Login::take(&mut url);
        let mut at_home = identity.headers.clone();
        let mut cookies = Vec::new();
        for value in identity.headers.get_all(header::COOKIE) {
            for pair in String::from_utf8_lossy(value.as_bytes()).split(';') {
                let (name, value) = pair.split_once('=').unwrap_or(("", pair));
                cookies.push((name.trim().to_owned(), value.trim().to_owned()));
            }
        }
        cookies.extend(identity.cookies.iter().cloned());
        at_home.remove(header::COOKIE);
        let mut abroad = HeaderMap::new();
        for name in PUBLIC {
            for value in at_home.get_all(&name) {
                abroad.append(name.clone(), value.clone());
            }
        }
        Self {
            home: identity.home.clone().unwrap_or(url),
            at_home,
            abroad,
            logins: identity.logins.clone(),
            cookies,
        }
    }

    /// Does anything of it make a visitor different from any other?
    pub(crate) fn is_personal(&self) -> bool {
        self.at_home.len() > self.abroad.len()
            || !self.logins.is_empty()
            || !self.cookies.is_empty()
    }

    /// The headers that `url` may see.
    pub(crate) fn headers(&self, url: &Url) -> &HeaderMap {
        match is_same_server(&self.home, url) {
            true => &self.at_home,
            false => &self.abroad,
        }
    }

    /// The login for `url`, unless the headers have one already.
    pub(crate) fn login(&self, url: &Url) -> Option<HeaderValue> {
        if self.headers(url).contains_key(header::AUTHORIZATION) {
            return None;
        }
        let login = |login: &&Login| is_same_server(&login.server, url);
        Some(self.logins.iter().find(login)?.authorization.clone())
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
