//! From the kept part of a document to Markdown: `walk` goes through the DOM once, `paragraph`
//! gathers the inline content of each block, `typeset` writes it, `sheet` lays the blocks out.
//! The result reads back under CommonMark and GFM as the text, links and code that went in.

#[cfg(test)]
mod again;
mod blocks;
mod citations;
mod code;
mod code_table;
mod emphasis;
mod escape;
mod images;
mod link;
mod list;
mod math;
mod mathml;
mod media;
mod notes;
mod outline;
mod paragraph;
#[cfg(test)]
pub(crate) mod readback;
mod sheet;
mod table;
mod text;
mod typeset;
mod walk;

use url::Url;

use crate::dom::{Document, Kept, NodeId};

/// What a conversion needs to know.
pub(crate) struct Convert<'a> {
    pub(crate) document: &'a Document,
    pub(crate) kept: &'a Kept,
    /// What relative addresses are relative to.
    pub(crate) base: &'a Url,
    /// Keep `data:` images; otherwise their alternative text stands for them.
    pub(crate) keep_data_images: bool,
    /// Links as numbered references.
    pub(crate) citations: bool,
    /// Becomes the one h1 when the content has none.
    pub(crate) title: Option<&'a str>,
}

/// Tidied Markdown of the roots, in order; empty when there is nothing to read.
pub(crate) fn convert(convert: &Convert, roots: &[NodeId]) -> String {
    walk::Writer::new(convert, roots).write(roots)
}
