//! The order of the steps from bytes to page. Each takes what the one before made.

use trawls_contract::Quality;
use url::Url;

use crate::dom::{Document, Interrupted, Kept, NodeId, serialize};
use crate::main_content::{Context, Selection, select};
use crate::markdown::{Convert, convert};
use crate::{Interrupt, Page, RawDocument, ReadError, ReadOptions};
use crate::{address, clean, decode, images, links, metadata, structured, tables};

impl From<Interrupted> for ReadError {
    fn from(_: Interrupted) -> Self {
        Self::Interrupted
    }
}

/// Reads a body into a page.
///
/// # Errors
/// When the interrupt is raised, or the body is of a kind that cannot be read.
pub fn read(
    document: &RawDocument,
    options: &ReadOptions,
    interrupt: &Interrupt,
) -> Result<Page, ReadError> {
    let text = decode::decode(&document.body, document.content_type.as_deref());
    read_html(text, &document.url, options, interrupt)
}

fn read_html(
    html: String,
    url: &Url,
    options: &ReadOptions,
    interrupt: &Interrupt,
) -> Result<Page, ReadError> {
    let check = || match interrupt.is_raised() {
        true => Err(ReadError::Interrupted),
        false => Ok(()),
    };
    let document = Document::parse(&html, interrupt)?;
    let base = address::base_url(&document, url);
    let structured = structured::structured(&document, &base);
    let metadata = metadata::metadata(&document, &structured, url, &base);
    let want = options.want;
    let mut page = Page {
        structured: want.structured.then_some(structured),
        links: want.links.then(|| links::links(&document, &base, url)),
        ..Page::default()
    };
    check()?;
    let context = Context {
        title: metadata.title.as_deref(),
        base: &base,
    };
    let selection = choose(&document, options, &context);
    check()?;
    let Selection {
        roots,
        kept,
        quality,
    } = &selection;
    page.markdown = convert(
        &Convert {
            document: &document,
            kept,
            base: &base,
            keep_data_images: !options.remove_base64_images,
            title: metadata.title.as_deref(),
        },
        roots,
    );
    check()?;
    page.html = want.html.then(|| serialize(&document, kept, roots, &base));
    page.images = want
        .images
        .then(|| images::images(&document, kept, roots, &base));
    page.tables = want.tables.then(|| tables::tables(&document, kept, roots));
    page.quality = *quality;
    page.metadata = metadata;
    page.raw_html = want.raw_html.then_some(html);
    Ok(page)
}

/// Which part of the document is read: what `include` names, the main content, or all of it.
fn choose(document: &Document, options: &ReadOptions, context: &Context) -> Selection {
    let mut kept = clean::clean(document);
    for selector in &options.exclude {
        for id in selector.select(document) {
            kept.drop(id);
        }
    }
    if !options.include.is_empty() {
        return included(document, kept, options);
    }
    if options.only_main_content {
        return select(document, kept, context);
    }
    everything(document.body().into_iter().collect(), kept)
}

/// The matches in document order; one inside another counts once.
fn included(document: &Document, kept: Kept, options: &ReadOptions) -> Selection {
    let mut found: Vec<NodeId> = options
        .include
        .iter()
        .flat_map(|selector| selector.select(document))
        .collect();
    found.sort_unstable();
    found.dedup();
    let mut roots: Vec<NodeId> = Vec::new();
    for id in found {
        if !roots
            .last()
            .is_some_and(|&last| document.contains(last, id))
        {
            roots.push(id);
        }
    }
    everything(roots, kept)
}

fn everything(roots: Vec<NodeId>, kept: Kept) -> Selection {
    Selection {
        roots,
        kept,
        quality: Quality {
            confidence: 1.0,
            main_content_ratio: 1.0,
        },
    }
}
