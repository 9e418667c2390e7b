//! The result of one page, as callers see it and as it is stored.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::{ActionKind, Attempt, ErrorInfo, FetchMode, Outcome, PageMetadata, PageStatus};

/// One page. Formats that were not asked for are absent; a failed page carries `error`, and
/// whatever content was read stays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PageResult {
    /// Opens the page again at `/v1/pages/{id}`.
    pub id: String,
    /// The URL that was asked for.
    pub url: String,
    /// The URL after redirects.
    pub final_url: String,
    /// ok, failed or skipped.
    pub status: PageStatus,
    /// success, empty, failed or skipped.
    pub outcome: Outcome,
    /// Status of the final response.
    pub http_status: Option<u16>,
    /// Media type as the server declared it.
    pub content_type: Option<String>,
    /// The rung that brought the page.
    pub fetch_mode_used: Option<FetchMode>,
    /// Clean Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub markdown: Option<String>,
    /// Cleaned HTML of the same content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
    /// The document as served, decoded to UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_html: Option<String>,
    /// Structured data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json_data: Option<JsonData>,
    /// Every link of the page, in document order, once per URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<Vec<Link>>,
    /// Images of the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub images: Option<Vec<Image>>,
    /// Data tables of the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tables: Option<Vec<Table>>,
    /// What the page says about itself; with every page that was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<PageMetadata>,
    /// Pieces for retrieval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunks: Option<Vec<Chunk>>,
    /// Where the screenshot is: `/v1/blobs/{id}`, absolute when the server knows its address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot_url: Option<String>,
    /// Where the printed page is, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pdf_url: Option<String>,
    /// What the actions brought, in their order; of a page that a browser rendered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actions: Option<Vec<ActionResult>>,
    /// How far the content can be trusted.
    pub quality: Quality,
    /// What was lost or doubtful, one sentence each.
    pub warnings: Vec<String>,
    /// Why it failed or was skipped.
    pub error: Option<ErrorInfo>,
    /// One row per try.
    pub trace: Vec<Attempt>,
    /// Where the time went.
    pub timings: Timings,
    /// RFC 3339, UTC.
    #[schema(value_type = String, format = DateTime)]
    pub fetched_at: jiff::Timestamp,
    /// Links away from the crawl's start.
    pub depth: Option<u32>,
    /// The page that linked here.
    pub referrer: Option<String>,
    /// Served from the page cache?
    pub from_cache: bool,
}

/// How far the content can be trusted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Quality {
    /// 0 to 1: how likely the Markdown is the page's content and nothing else.
    pub confidence: f32,
    /// 0 to 1: share of the visible text that was kept.
    pub main_content_ratio: f32,
}

/// What one action brought.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ActionResult {
    /// What was done.
    pub kind: ActionKind,
    /// How long it took.
    pub duration_ms: u64,
    /// Of `evaluate`: what the script came to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Of `scrape`: the document as it was then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
    /// Of `screenshot`: where the picture is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot_url: Option<String>,
}

/// A link of the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Link {
    /// Absolute.
    pub url: String,
    /// Visible text, or the image's alt text.
    pub text: String,
    /// The `rel` attribute.
    pub rel: Option<String>,
    /// Where it leads.
    pub kind: LinkKind,
    /// Text of the block around it, cut to 200 characters.
    pub context: Option<String>,
}

/// Where a link leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinkKind {
    /// The same registrable domain.
    Internal,
    /// Another site.
    External,
    /// `mailto:`
    Email,
    /// `tel:`
    Tel,
}

/// An image of the content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Image {
    /// Absolute; the best of `src`, lazy sources and `srcset`.
    pub url: String,
    /// Alternative text.
    pub alt: Option<String>,
    /// Caption of its figure.
    pub caption: Option<String>,
    /// Declared width in CSS pixels.
    pub width: Option<u32>,
    /// Declared height in CSS pixels.
    pub height: Option<u32>,
}

/// A data table; every row has as many cells as there are columns (spans are repeated).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Table {
    /// Its caption.
    pub caption: Option<String>,
    /// Cells of the head row; empty when the table has none.
    pub headers: Vec<String>,
    /// Cells as plain text.
    pub rows: Vec<Vec<String>>,
}

/// A piece for retrieval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Chunk {
    /// From 0.
    pub index: u32,
    /// Headings above it, outermost first.
    pub heading_path: Vec<String>,
    /// Its text, exactly `markdown[char_range]`.
    pub text: String,
    /// Tokens (cl100k).
    pub token_count: u32,
    /// Start and end in characters of the Markdown.
    pub char_range: (u32, u32),
    /// The page's URL.
    pub url: String,
}

/// Structured data of a page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct JsonData {
    /// What `extract` asked for.
    pub data: Option<Value>,
    /// One per field that could not be had.
    pub errors: Vec<ErrorInfo>,
    /// JSON-LD objects, `@graph` unfolded.
    pub jsonld: Vec<Value>,
    /// Microdata items as JSON (`type`, `properties`).
    pub microdata: Vec<Value>,
}

/// Where the time went, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Timings {
    /// Until the final response's head.
    pub ttfb_ms: Option<u64>,
    /// Until its body was complete, all tries included.
    pub fetch_ms: Option<u64>,
    /// In the browser: from the head of the response to the finished document.
    pub render_ms: Option<u64>,
    /// Reading bytes into a page.
    pub process_ms: Option<u64>,
    /// From request to result.
    pub total_ms: u64,
}
