//! Data that the page embeds for machines, as JSON: JSON-LD and microdata. Hostile data is bounded in
//! size, number and depth.

mod json_ld;
mod lenient_json;
mod microdata;

use url::Url;

use crate::Structured;
use crate::dom::Document;

/// All JSON-LD objects and microdata items of the document.
pub(crate) fn structured(document: &Document, base: &Url) -> Structured {
    Structured {
        jsonld: json_ld::objects(document),
        microdata: microdata::items(document, base),
    }
}
