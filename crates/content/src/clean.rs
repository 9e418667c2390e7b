//! Takes out what no reader sees: code, styles, inert and hidden elements, form controls.

use crate::dom::{Document, Kept, Tag};

/// Everything visible, as a mask.
pub(crate) fn clean(document: &Document) -> Kept {
    let mut kept = Kept::all(document);
    for id in document.nodes() {
        let is_unseen = matches!(
            document.tag(id),
            Tag::Script
                | Tag::Style
                | Tag::Template
                | Tag::Head
                | Tag::Noscript
                | Tag::Textarea
                | Tag::Select
                | Tag::Datalist
                | Tag::Input
                | Tag::Button
        ) || document.attr(id, "hidden").is_some();
        if is_unseen {
            kept.drop(id);
        }
    }
    kept
}
