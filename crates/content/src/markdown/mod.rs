//! From the kept part of a document to Markdown.

use url::Url;

use crate::dom::{Document, Kept, NodeId};

/// What a conversion needs to know.
pub(crate) struct Convert<'a> {
    pub(crate) document: &'a Document,
    pub(crate) kept: &'a Kept,
    pub(crate) base: &'a Url,
    pub(crate) keep_data_images: bool,
    pub(crate) title: Option<&'a str>,
}

/// Tidied Markdown of the roots, in order.
pub(crate) fn convert(convert: &Convert, roots: &[NodeId]) -> String {
    let texts = roots
        .iter()
        .flat_map(|&root| convert.document.kept_descendants(root, convert.kept))
        .filter_map(|id| convert.document.text(id))
        .map(str::trim)
        .filter(|text| !text.is_empty());
    texts.collect::<Vec<_>>().join("\n\n")
}
