//! What a page says about itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Merged from head, OpenGraph, Twitter, JSON-LD, microdata and Dublin Core; the raw maps follow.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct PageMetadata {
    /// Title without the site's name.
    pub title: Option<String>,
    /// Summary.
    pub description: Option<String>,
    /// BCP 47 tag, declared or detected.
    pub language: Option<String>,
    /// Author's name; several joined by a comma.
    pub author: Option<String>,
    /// RFC 3339 date or date-time as precise as the page gives it.
    pub published_at: Option<String>,
    /// The same for the last change.
    pub modified_at: Option<String>,
    /// Absolute canonical URL.
    pub canonical: Option<String>,
    /// Name of the site.
    pub site_name: Option<String>,
    /// Absolute URL of the leading image.
    pub image: Option<String>,
    /// Absolute URL of the icon.
    pub favicon: Option<String>,
    /// Keywords, split and trimmed.
    pub keywords: Vec<String>,
    /// `article`, `product`, `website`, … from OpenGraph or JSON-LD.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// `meta[name]` as found.
    pub meta: BTreeMap<String, String>,
    /// `meta[property^=og:]` and `article:` and the like, as found.
    pub open_graph: BTreeMap<String, String>,
    /// `twitter:*` as found.
    pub twitter: BTreeMap<String, String>,
    /// `dc.*` and `dcterms.*` as found.
    pub dublin_core: BTreeMap<String, String>,
}
