//! When two URLs are the same page. Pure text work: the path, the order of the query and the
//! spelling of escapes stay as written, for servers may tell them apart; what no server sees
//! (fragment) or uses to choose the page (click tracking) goes.

use url::Url;

/// Parameters that advertising and mailing systems append to any page's URL.
const TRACKING: [&str; 14] = [
    "gclid", "gclsrc", "gbraid", "wbraid", "dclid", "fbclid", "msclkid", "twclid", "ttclid",
    "yclid", "igshid", "mc_cid", "mc_eid", "_hsenc",
];
/// Families of such parameters.
const TRACKING_PREFIXES: [&str; 1] = ["utm_"];

/// The same for all spellings of one page. The scheme's default port and the host's case are
/// already settled by `Url`.
pub(crate) fn canonical(url: &Url) -> Url {
    let mut canonical = url.clone();
    // Whose visit it is does not choose the page either, and is nobody's business.
    let _ = canonical.set_username("");
    let _ = canonical.set_password(None);
    // `#!/path` and `#/path` are routes of script applications: another page in a browser.
    let routes = |fragment: &str| fragment.starts_with('!') || fragment.starts_with('/');
    if !url.fragment().is_some_and(routes) {
        canonical.set_fragment(None);
    }
    if let Some(query) = url.query() {
        let kept: Vec<&str> = query.split('&').filter(|pair| !is_tracking(pair)).collect();
        let kept = kept.join("&");
        canonical.set_query(Some(kept.as_str()).filter(|query| !query.is_empty()));
    }
    canonical
}

fn is_tracking(pair: &str) -> bool {
    let name = pair.split_once('=').map_or(pair, |(name, _)| name);
    let name = name.to_ascii_lowercase();
    TRACKING.contains(&name.as_str()) || TRACKING_PREFIXES.iter().any(|p| name.starts_with(p))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, expected: &str) {
        assert_eq!(canonical(&Url::parse(url).unwrap()).as_str(), expected);
    }

    #[test]
    fn what_does_not_choose_the_page_goes() {
        check("HTTP://Example.COM:80/a#top", "http://example.com/a");
        check("https://example.com:443/?", "https://example.com/");
        check(
            "http://e.com/?utm_source=x&a=1&fbclid=2&UTM_Medium=y",
            "http://e.com/?a=1",
        );
        check("http://e.com/?gclid=1", "http://e.com/");
        check("http://user:secret@e.com/", "http://e.com/");
    }

    #[test]
    fn what_may_choose_the_page_stays() {
        check("http://e.com/?b=2&a=1", "http://e.com/?b=2&a=1");
        check("http://e.com/A%2fb?x=%7e&x", "http://e.com/A%2fb?x=%7e&x");
        check("http://e.com/#!/inbox", "http://e.com/#!/inbox");
        check("http://e.com/#/inbox", "http://e.com/#/inbox");
        check("http://e.com:8080/", "http://e.com:8080/");
        check("http://e.com/a/", "http://e.com/a/");
        check(
            "http://e.com/?form=utm_source",
            "http://e.com/?form=utm_source",
        );
    }
}
