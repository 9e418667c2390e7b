//! What the offline trainer reads: the rows that the scorer sees, block by block, with their text.

use url::Url;

use crate::decode::{self, Markup};
use crate::dom::{Document, Kept};
use crate::read::read_scored;
use crate::{Interrupt, Page, RawDocument, ReadError, ReadOptions, clean};

use super::features::Table;
use super::segment::Segments;
use super::{Context, Scorer, look};

/// The blocks of a page as the scorer sees them.
#[derive(Debug, Default)]
pub struct Rows {
    /// Text of each block.
    pub texts: Vec<String>,
    /// Columns of the table.
    pub width: usize,
    /// Row after row.
    pub values: Vec<f32>,
}

/// Cuts a page and computes its rows.
pub fn rows(body: &[u8], url: &Url) -> Rows {
    let decoded = decode::decode(body, None, Markup::Html);
    let interrupt = Interrupt::default();
    let Ok(document) = Document::parse(&decoded.text, &interrupt) else {
        return Rows::default();
    };
    let (Ok(mut kept), Some(body)) = (clean::clean(&document, &interrupt), document.body()) else {
        return Rows::default();
    };
    let context = Context { url, scorer: None };
    let (segments, Table { width, values }) = look(&document, &mut kept, body, &context);
    Rows {
        texts: texts(&document, &kept, &segments),
        width,
        values,
    }
}

fn texts(document: &Document, kept: &Kept, segments: &Segments) -> Vec<String> {
    let text = |block: &super::segment::Block| {
        let mut text = String::new();
        let span = document.subtree_end(block.last).index() - block.first.index();
        for id in document.nodes().skip(block.first.index()).take(span) {
            if kept.reaches(document, id) {
                text.push_str(document.text(id).unwrap_or(" "));
            }
        }
        text
    };
    segments.blocks.iter().map(text).collect()
}

/// A trained scorer that is not the built-in one.
#[derive(Debug)]
pub struct Model(Scorer);

impl Model {
    /// Reads a model file; `None` if it is damaged.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        Scorer::read(bytes).map(Self)
    }
}

/// `read` with a trained scorer of its own: cross-validation reads each page with a model that has
/// not seen the page's site.
///
/// # Errors
/// As `read`.
pub fn read_with(
    document: &RawDocument,
    options: &ReadOptions,
    model: &Model,
) -> Result<Page, ReadError> {
    read_scored(document, options, &Interrupt::default(), Some(&model.0))
}
