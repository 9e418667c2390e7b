//! What the page says about itself.

use trawls_contract::PageMetadata;
use url::Url;

use crate::Structured;
use crate::dom::{Document, Tag};

/// What relative links resolve against: `<base href>`, else the page's URL.
pub(crate) fn base_url(document: &Document, url: &Url) -> Url {
    document
        .nodes()
        .filter(|&id| document.tag(id) == Tag::Base)
        .find_map(|id| url.join(document.attr(id, "href")?).ok())
        .unwrap_or_else(|| url.clone())
}

/// Merged from all sources.
pub(crate) fn metadata(document: &Document, _url: &Url, _base: &Url) -> PageMetadata {
    let title = document
        .nodes()
        .find(|&id| document.tag(id) == Tag::Title)
        .map(|id| document.text_content(id).trim().to_owned());
    PageMetadata {
        title,
        ..PageMetadata::default()
    }
}

/// JSON-LD and microdata.
pub(crate) fn structured(_document: &Document) -> Structured {
    Structured::default()
}
