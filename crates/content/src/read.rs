//! The order of the steps from bytes to page. Each takes what the one before made.

use trawls_contract::{PageMetadata, Quality};
use url::Url;

use crate::decode::{self, Decoded, Markup};
use crate::dom::{Document, Interrupted, Kept, NodeId, serialize};
use crate::main_content::{Context, Scorer, Selection, select};
use crate::markdown::{self, Convert};
use crate::media::{self, Media};
use crate::{Interrupt, Page, RawDocument, ReadError, ReadOptions};
use crate::{address, clean, images, links, metadata, plain, structured, tables};

/// Nothing was chosen, so nothing was lost.
const WHOLE: Quality = Quality {
    confidence: 1.0,
    main_content_ratio: 1.0,
};

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
    read_scored(document, options, interrupt, Scorer::built_in())
}

/// `read` with another scorer of blocks, for measurements.
pub(crate) fn read_scored(
    document: &RawDocument,
    options: &ReadOptions,
    interrupt: &Interrupt,
    scorer: Option<&Scorer>,
) -> Result<Page, ReadError> {
    let content_type = document.content_type.as_deref();
    let media = media::kind(&document.body, content_type)?;
    let markup = match media {
        Media::Html => Markup::Html,
        Media::Xml => Markup::Xml,
        Media::Json | Media::Markdown | Media::Text(_) => Markup::None,
    };
    let Decoded { text, warning } = decode::decode(&document.body, content_type, markup);
    let mut page = match media {
        Media::Html => read_html(&text, &document.url, options, interrupt, scorer)?,
        Media::Xml => match plain::feed_as_html(&text) {
            Some(html) => read_feed(&html, &document.url, options, interrupt)?,
            None => read_plain(media, &text, document),
        },
        Media::Json | Media::Markdown | Media::Text(_) => read_plain(media, &text, document),
    };
    page.warnings.extend(warning);
    page.raw_html = options.want.raw_html.then(|| text.into_owned());
    Ok(page)
}

/// A feed has nothing but content.
fn read_feed(
    html: &str,
    url: &Url,
    options: &ReadOptions,
    interrupt: &Interrupt,
) -> Result<Page, ReadError> {
    let options = ReadOptions {
        only_main_content: false,
        ..options.clone()
    };
    read_html(html, url, &options, interrupt, None)
}

fn read_plain(media: Media, text: &str, document: &RawDocument) -> Page {
    let markdown = plain::markdown(media, text, &document.url);
    Page {
        metadata: PageMetadata {
            title: plain::title(&markdown),
            ..PageMetadata::default()
        },
        markdown,
        quality: WHOLE,
        ..Page::default()
    }
}

fn read_html(
    html: &str,
    url: &Url,
    options: &ReadOptions,
    interrupt: &Interrupt,
    scorer: Option<&Scorer>,
) -> Result<Page, ReadError> {
    let check = || match interrupt.is_raised() {
        true => Err(ReadError::Interrupted),
        false => Ok(()),
    };
    let document = Document::parse(html, interrupt)?;
    let base = address::base_url(&document, url);
    let structured = structured::structured(&document, &base);
    let metadata = metadata::metadata(&document, &structured, url, &base);
    check()?;
    let context = Context { url, scorer };
    let Selection {
        roots,
        kept,
        quality,
    } = choose(&document, options, &context, interrupt)?;
    check()?;
    let convert = Convert {
        document: &document,
        kept: &kept,
        base: &base,
        keep_data_images: !options.remove_base64_images,
        citations: options.citations,
        title: metadata.title.as_deref(),
    };
    let markdown = markdown::convert(&convert, &roots);
    check()?;
    let want = options.want;
    Ok(Page {
        markdown,
        html: want
            .html
            .then(|| serialize(&document, &kept, &roots, &base)),
        raw_html: None,
        links: want.links.then(|| links::links(&document, &base, url)),
        images: want
            .images
            .then(|| images::images(&document, &kept, &roots, &base)),
        tables: want
            .tables
            .then(|| tables::tables(&document, &kept, &roots)),
        structured: want.structured.then_some(structured),
        metadata,
        quality,
        warnings: Vec::new(),
    })
}

/// Which part of the document is read: what `include` names, the main content, or all of it.
fn choose(
    document: &Document,
    options: &ReadOptions,
    context: &Context,
    interrupt: &Interrupt,
) -> Result<Selection, Interrupted> {
    let is_whole = options.include.is_empty() && !options.only_main_content;
    let mut kept = match is_whole {
        true => clean::clean_with_commands(document, interrupt)?,
        false => clean::clean(document, interrupt)?,
    };
    for selector in &options.exclude {
        for id in selector.select(document, interrupt)? {
            kept.drop(id);
        }
    }
    if !options.include.is_empty() {
        return included(document, kept, options, interrupt);
    }
    if options.only_main_content {
        return Ok(select(document, kept, context));
    }
    Ok(everything(document.body().into_iter().collect(), kept))
}

/// The matches in document order; one inside another counts once.
fn included(
    document: &Document,
    kept: Kept,
    options: &ReadOptions,
    interrupt: &Interrupt,
) -> Result<Selection, Interrupted> {
    let mut found: Vec<NodeId> = Vec::new();
    for selector in &options.include {
        found.extend(selector.select(document, interrupt)?);
    }
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
    Ok(everything(roots, kept))
}

fn everything(roots: Vec<NodeId>, kept: Kept) -> Selection {
    Selection {
        roots,
        kept,
        quality: WHOLE,
    }
}
