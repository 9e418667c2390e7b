//! What a page says about itself. Each source is read in its own file and makes its `Claims`; `merge`
//! decides whom to believe. All lengths and numbers are bounded where they are read.

mod author;
mod body;
mod date;
mod dublin_core;
mod head;
mod language;
mod merge;
mod microdata;
mod month;
mod open_graph;
mod page_date;
mod schema_org;
mod title;

use trawls_contract::PageMetadata;
use url::Url;

use crate::Structured;
use crate::dom::Document;
use crate::entities;

/// What one source says, as it says it.
#[derive(Debug, Default)]
struct Claims {
    title: Option<String>,
    description: Option<String>,
    language: Option<String>,
    author: Option<String>,
    published: Option<String>,
    modified: Option<String>,
    site_name: Option<String>,
    image: Option<String>,
    keywords: Vec<String>,
    kind: Option<String>,
}

impl Claims {
    /// Texts that were escaped twice are common in every source.
    fn decoded(mut self) -> Self {
        for text in [
            &mut self.title,
            &mut self.description,
            &mut self.author,
            &mut self.site_name,
        ] {
            if let Some(text) = text
                && text.contains('&')
            {
                *text = entities::decode(text).into_owned();
            }
        }
        self
    }
}

/// Merged from all sources.
pub(crate) fn metadata(
    document: &Document,
    structured: &Structured,
    url: &Url,
    base: &Url,
) -> PageMetadata {
    let head = head::Head::of(document, url, base);
    let sources = merge::Sources {
        schema: schema_org::claims(&structured.jsonld),
        microdata: schema_org::claims(&microdata::as_objects(&structured.microdata)),
        open_graph: open_graph::open_graph(&head),
        twitter: open_graph::twitter(&head),
        dublin_core: dublin_core::claims(&head),
        meta: head.claims(),
        body: body::Body::of(document),
        head,
    };
    sources.merge(document, url, base)
}
