//! Links of the whole page.

use trawls_contract::{Link, LinkKind};
use url::Url;

use crate::dom::{Document, Tag};

/// Every link in document order.
pub(crate) fn links(document: &Document, base: &Url, url: &Url) -> Vec<Link> {
    document
        .nodes()
        .filter(|&id| document.tag(id) == Tag::A)
        .filter_map(|id| {
            let target = base.join(document.attr(id, "href")?).ok()?;
            Some(Link {
                text: document.text_content(id),
                rel: document.attr(id, "rel").map(str::to_owned),
                kind: match target.host_str() == url.host_str() {
                    true => LinkKind::Internal,
                    false => LinkKind::External,
                },
                context: None,
                url: target.into(),
            })
        })
        .collect()
}
