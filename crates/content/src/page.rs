//! What goes into reading and what comes out.

use bytes::Bytes;
use serde_json::Value;
use trawls_contract::{Image, Link, PageMetadata, Quality, Table};
use url::Url;

use crate::Selector;

/// A body as it was fetched: content-decoded, charset untouched.
#[derive(Debug, Clone)]
pub struct RawDocument {
    /// The bytes.
    pub body: Bytes,
    /// The `Content-Type` header, whatever it says.
    pub content_type: Option<String>,
    /// URL after redirects.
    pub url: Url,
}

/// How to read.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Only the main content; otherwise all that is visible.
    pub only_main_content: bool,
    /// Read only what matches one of these, whatever it looks like.
    pub include: Vec<Selector>,
    /// Leave out what matches one of these.
    pub exclude: Vec<Selector>,
    /// Drop `data:` images.
    pub remove_base64_images: bool,
    /// Links as numbered references at the end.
    pub citations: bool,
    /// What else to make.
    pub want: Want,
}

/// What to make besides Markdown, metadata and quality.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Want {
    /// Cleaned HTML.
    pub html: bool,
    /// The document as served, decoded.
    pub raw_html: bool,
    /// Links of the whole page.
    pub links: bool,
    /// Images of the content.
    pub images: bool,
    /// Tables of the content.
    pub tables: bool,
    /// JSON-LD and microdata.
    pub structured: bool,
}

/// Everything that was read. What was not wanted is `None`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    /// Clean Markdown.
    pub markdown: String,
    /// Cleaned HTML of the same content.
    pub html: Option<String>,
    /// The document as served, decoded to UTF-8.
    pub raw_html: Option<String>,
    /// Every link of the page, in document order, once per URL.
    pub links: Option<Vec<Link>>,
    /// Images of the content.
    pub images: Option<Vec<Image>>,
    /// Data tables of the content.
    pub tables: Option<Vec<Table>>,
    /// Structured data.
    pub structured: Option<Structured>,
    /// What the page says about itself.
    pub metadata: PageMetadata,
    /// How far the content can be trusted.
    pub quality: Quality,
    /// What was lost or doubtful, one sentence each.
    pub warnings: Vec<String>,
}

/// Structured data that the page embeds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Structured {
    /// JSON-LD objects, `@graph` unfolded.
    pub jsonld: Vec<Value>,
    /// Microdata items.
    pub microdata: Vec<Value>,
}

/// Why a body could not be read. HTML always can.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The interrupt was raised.
    #[error("reading was interrupted")]
    Interrupted,
    /// Not a kind of content that can be read; names the kind.
    #[error("{0} cannot be read")]
    Unsupported(String),
    /// The bytes are not what they say; names the problem.
    #[error("the body cannot be decoded: {0}")]
    Decode(String),
}
