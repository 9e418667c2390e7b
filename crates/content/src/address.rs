//! Addresses in a page: what is written in `href`, `src` and the like, resolved as a browser does.

use url::Url;

use crate::dom::{Document, Tag};

/// Longer ones are data in disguise.
const MAX_LENGTH: usize = 16_384;

/// The URL that relative references start from: that of the first `base` with an `href`, unless its
/// scheme is none for pages, otherwise the page's own.
pub(crate) fn base_url(document: &Document, url: &Url) -> Url {
    document
        .nodes()
        .filter(|id| document.tag(*id) == Tag::Base)
        .find_map(|id| document.attr(id, "href"))
        .and_then(|href| web(url, href))
        .unwrap_or_else(|| url.clone())
}

/// `reference` as an absolute http(s) URL.
pub(crate) fn web(base: &Url, reference: &str) -> Option<Url> {
    absolute(base, reference).filter(|url| matches!(url.scheme(), "http" | "https"))
}

/// `reference` as an absolute URL of any scheme; an empty one is none.
pub(crate) fn absolute(base: &Url, reference: &str) -> Option<Url> {
    let reference = reference.trim();
    if reference.is_empty() || reference.len() > MAX_LENGTH {
        return None;
    }
    base.join(reference).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(html: &str) -> String {
        let url = Url::parse("https://example.org/a/page").unwrap();
        base_url(&Document::of(html), &url).into()
    }

    #[test]
    fn the_first_base_with_an_address_counts() {
        assert_eq!(
            base("<base target=_top><base href='/b/'><base href='/c/'>"),
            "https://example.org/b/"
        );
        assert_eq!(
            base("<base href='https://cdn.example/x/'>"),
            "https://cdn.example/x/"
        );
        assert_eq!(base("<p>none"), "https://example.org/a/page");
    }

    #[test]
    fn a_base_that_is_no_web_address_is_ignored() {
        for href in ["javascript:alert(1)", "data:text/html,x", "", "https://"] {
            assert_eq!(
                base(&format!("<base href='{href}'>")),
                "https://example.org/a/page",
                "{href}"
            );
        }
    }
}
