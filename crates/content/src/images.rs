//! Images of the content.

use trawls_contract::Image;
use url::Url;

use crate::dom::{Document, Kept, NodeId, Tag};

/// Every kept image in document order.
pub(crate) fn images(document: &Document, kept: &Kept, roots: &[NodeId], base: &Url) -> Vec<Image> {
    roots
        .iter()
        .flat_map(|&root| document.kept_descendants(root, kept))
        .filter(|&id| document.tag(id) == Tag::Img)
        .filter_map(|id| {
            Some(Image {
                url: base.join(document.attr(id, "src")?).ok()?.into(),
                alt: document.attr(id, "alt").map(str::to_owned),
                caption: None,
                width: None,
                height: None,
            })
        })
        .collect()
}
