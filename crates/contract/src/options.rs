//! What a caller writes: the wire shape of the options, with defaults. Unknown fields are refused
//! by serde and named; what the values mean is decided once, in `request`.

use std::{collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{
        self, DeserializeSeed, IntoDeserializer, MapAccess, Visitor, value::MapAccessDeserializer,
    },
};
use serde_json::Value;
use utoipa::ToSchema;

/// The body of `POST /v1/scrape`: the URL beside the options, all in one flat object.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ScrapeBody {
    /// The page: an absolute http or https URL.
    pub url: String,
    /// How to fetch it and what to return.
    #[serde(flatten)]
    pub options: ScrapeOptions,
}

/// By hand: `flatten` would let unknown fields pass, and forget which field a mistake is in.
impl<'de> Deserialize<'de> for ScrapeBody {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(UrlAndOptions)
    }
}

struct UrlAndOptions;

impl<'de> Visitor<'de> for UrlAndOptions {
    type Value = ScrapeBody;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<ScrapeBody, A::Error> {
        let mut url = None;
        let others = WithoutUrl {
            fields,
            url: &mut url,
        };
        let options = ScrapeOptions::deserialize(MapAccessDeserializer::new(others))?;
        let url = url.ok_or_else(|| de::Error::missing_field("url"))?;
        Ok(ScrapeBody { url, options })
    }
}

/// The other fields; `url` is laid aside as it comes by.
struct WithoutUrl<'a, A> {
    fields: A,
    url: &'a mut Option<String>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for WithoutUrl<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        while let Some(name) = self.fields.next_key::<String>()? {
            if name != "url" {
                return seed.deserialize(name.into_deserializer()).map(Some);
            }
            *self.url = Some(self.fields.next_value()?);
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.fields.next_value_seed(seed)
    }
}

/// How to fetch a page and what to return of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ScrapeOptions {
    /// What to return.
    pub formats: Vec<Format>,
    /// Only the main content, without navigation, rails and footers.
    pub only_main_content: bool,
    /// CSS selectors: keep only what matches.
    pub include_tags: Vec<String>,
    /// CSS selectors: drop what matches.
    pub exclude_tags: Vec<String>,
    /// A CSS selector to wait for, or milliseconds. Starts in the browser.
    pub wait_for: Option<WaitFor>,
    /// Budget of the whole request, 1 to 600,000 ms.
    pub timeout_ms: u64,
    /// Which rungs of the ladder may be used.
    pub mode: Mode,
    /// Request headers, laid over the ones of the identity.
    pub headers: BTreeMap<String, String>,
    /// Cookies by name.
    pub cookies: BTreeMap<String, String>,
    /// Proxy URL (http, https, socks5 or socks5h).
    pub proxy: Option<String>,
    /// Browser actions before reading, at most 50.
    pub actions: Vec<Action>,
    /// Where the visitor seems to be.
    pub location: Option<Location>,
    /// Come as a phone.
    pub mobile: bool,
    /// Drop `data:` images.
    pub remove_base64_images: bool,
    /// Block ads and trackers in the browser.
    pub block_ads: bool,
    /// Scroll to the bottom, bounded, to load lazy content. Starts in the browser.
    pub scroll: bool,
    /// How to cut chunks.
    pub chunk: Option<ChunkOptions>,
    /// Fields to extract.
    pub extract: Option<ExtractOptions>,
    /// Use of the page cache.
    pub cache: CacheMode,
    /// Oldest cached page that will do, in seconds.
    pub max_age_s: u64,
    /// Links as numbered references at the end.
    pub citations: bool,
    /// Refuse bad certificates.
    pub verify_ssl: bool,
    /// Obey robots.txt.
    pub respect_robots: bool,
}

impl Default for ScrapeOptions {
    fn default() -> Self {
        Self {
            formats: vec![Format::Markdown],
            only_main_content: true,
            include_tags: Vec::new(),
            exclude_tags: Vec::new(),
            wait_for: None,
            timeout_ms: crate::SCRAPE_TIMEOUT_MS,
            mode: Mode::Auto,
            headers: BTreeMap::new(),
            cookies: BTreeMap::new(),
            proxy: None,
            actions: Vec::new(),
            location: None,
            mobile: false,
            remove_base64_images: true,
            block_ads: true,
            scroll: false,
            chunk: None,
            extract: None,
            cache: CacheMode::Use,
            max_age_s: 86_400,
            citations: false,
            verify_ssl: true,
            respect_robots: true,
        }
    }
}

/// Something to return.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Clean Markdown.
    Markdown,
    /// Cleaned HTML.
    Html,
    /// The document as served, decoded.
    RawHtml,
    /// Structured data: JSON-LD, microdata and what `extract` asks for.
    Json,
    /// Links with kind and context.
    Links,
    /// Images of the content.
    Images,
    /// Screenshot of the viewport.
    Screenshot,
    /// Screenshot of the whole page.
    ScreenshotFull,
    /// The page printed to PDF.
    Pdf,
    /// Pieces for retrieval.
    Chunks,
    /// What the page says about itself; it comes with every page that was read.
    Metadata,
    /// Data tables.
    Tables,
}

impl Format {
    /// The wire name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Html => "html",
            Self::RawHtml => "raw_html",
            Self::Json => "json",
            Self::Links => "links",
            Self::Images => "images",
            Self::Screenshot => "screenshot",
            Self::ScreenshotFull => "screenshot_full",
            Self::Pdf => "pdf",
            Self::Chunks => "chunks",
            Self::Metadata => "metadata",
            Self::Tables => "tables",
        }
    }
}

/// Which rungs of the ladder may be used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Start cheap and climb as needed.
    #[default]
    Auto,
    /// Plain HTTP only.
    Http,
    /// The browser only.
    Browser,
    /// The stealth browser only.
    Stealth,
}

/// Use of the page cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CacheMode {
    /// Serve from it, fill it.
    #[default]
    Use,
    /// Neither serve from it nor fill it.
    Bypass,
    /// Fetch anew and fill it.
    Refresh,
}

/// What to wait for in the browser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged, expecting = "must be milliseconds or a CSS selector")]
pub enum WaitFor {
    /// Milliseconds.
    Milliseconds(u64),
    /// A CSS selector.
    Selector(String),
}

/// One browser action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// Click the first match.
    Click {
        /// CSS selector.
        selector: String,
    },
    /// Type into an element.
    Type {
        /// CSS selector.
        selector: String,
        /// What to type.
        text: String,
    },
    /// Press a key.
    Press {
        /// Key name as in `KeyboardEvent.key`.
        key: String,
    },
    /// Scroll the page.
    Scroll {
        /// CSS pixels, down if positive.
        #[serde(default)]
        pixels: Option<i32>,
    },
    /// Wait for a selector or for milliseconds.
    Wait {
        /// What to wait for.
        wait_for: WaitFor,
    },
    /// Run JavaScript in the page.
    Evaluate {
        /// The script; its value is returned.
        script: String,
    },
    /// Take a screenshot now.
    Screenshot {
        /// The whole page?
        #[serde(default)]
        full_page: bool,
    },
    /// Keep the HTML as it is now.
    Scrape {},
}

impl Action {
    /// Which one it is.
    pub fn kind(&self) -> ActionKind {
        match self {
            Self::Click { .. } => ActionKind::Click,
            Self::Type { .. } => ActionKind::Type,
            Self::Press { .. } => ActionKind::Press,
            Self::Scroll { .. } => ActionKind::Scroll,
            Self::Wait { .. } => ActionKind::Wait,
            Self::Evaluate { .. } => ActionKind::Evaluate,
            Self::Screenshot { .. } => ActionKind::Screenshot,
            Self::Scrape {} => ActionKind::Scrape,
        }
    }
}

/// The `type` of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "each is the action of its name")]
pub enum ActionKind {
    Click,
    Type,
    Press,
    Scroll,
    Wait,
    Evaluate,
    Screenshot,
    Scrape,
}

/// Where the visitor seems to be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Location {
    /// ISO 3166-1 alpha-2.
    pub country: Option<String>,
    /// BCP 47 tags, best first.
    pub languages: Vec<String>,
    /// IANA time zone.
    pub timezone: Option<String>,
}

/// How to cut chunks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ChunkOptions {
    /// Where to cut.
    pub strategy: ChunkStrategy,
    /// by_heading: smaller sections are merged.
    pub min_tokens: Option<u32>,
    /// by_heading: larger sections are cut.
    pub max_tokens: Option<u32>,
    /// by_tokens: size of a chunk.
    pub size_tokens: u32,
    /// Tokens that neighbours share.
    pub overlap_tokens: u32,
}

impl Default for ChunkOptions {
    fn default() -> Self {
        Self {
            strategy: ChunkStrategy::ByHeading,
            min_tokens: None,
            max_tokens: None,
            size_tokens: 512,
            overlap_tokens: 64,
        }
    }
}

/// Where to cut chunks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChunkStrategy {
    /// At headings.
    #[default]
    ByHeading,
    /// Every `size_tokens`.
    ByTokens,
}

/// Fields to extract, by rules or by a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractOptions {
    /// Field name → CSS rule.
    pub css: Option<BTreeMap<String, Value>>,
    /// Schema and prompt for a model.
    pub llm: Option<Value>,
}
