//! What stands in `head`: `title`, `meta` and `link`, gathered in one pass over the document, because
//! broken pages have them in the body too. The first of a name counts; numbers and lengths are bounded.

use std::collections::BTreeMap;

use url::Url;

use super::Claims;
use crate::address;
use crate::dom::{Document, NodeId, Tag};
use crate::entities;
use crate::text::{fold, line_of};

const MAX_ENTRIES: usize = 400;
const MAX_VALUE_BYTES: usize = 8_000;
const MAX_TITLE_BYTES: usize = 2_000;

/// Names under which pages and their tools give the author, the more exact ones first.
const AUTHORS: [&str; 8] = [
    "citation_author",
    "sailthru.author",
    "parsely-author",
    "byl",
    "author",
    "article.author",
    "dcsext.author",
    "twitter:creator:name",
];
const PUBLISHED: [&str; 16] = [
    "datepublished",
    "article.published",
    "publish-date",
    "publish_date",
    "published-date",
    "pubdate",
    "date_published",
    "publication_date",
    "parsely-pub-date",
    "sailthru.date",
    "citation_publication_date",
    "citation_online_date",
    "citation_date",
    "originalpublicationdate",
    "w-published-date",
    "date",
];
const MODIFIED: [&str; 6] = [
    "datemodified",
    "last-modified",
    "lastmod",
    "article.updated",
    "revised",
    "ms.date",
];

/// The raw maps, and what needs the elements themselves.
#[derive(Default)]
pub(super) struct Head {
    pub(super) title: Option<String>,
    pub(super) language: Option<String>,
    pub(super) canonical: Option<String>,
    pub(super) favicon: Option<String>,
    pub(super) meta: BTreeMap<String, String>,
    pub(super) open_graph: BTreeMap<String, String>,
    pub(super) twitter: BTreeMap<String, String>,
    pub(super) dublin_core: BTreeMap<String, String>,
    /// Names that may be given several times, in document order: (name, value).
    pub(super) repeated: Vec<(String, String)>,
}

impl Head {
    pub(super) fn of(document: &Document, url: &Url, base: &Url) -> Head {
        let mut head = Head::default();
        let mut icon_rank = 0;
        for id in document.nodes() {
            match document.tag(id) {
                Tag::Html => head.language = document.attr(id, "lang").map(str::to_owned),
                Tag::Title if head.title.is_none() => {
                    let title = line_of(document, id, MAX_TITLE_BYTES);
                    head.title = Some(title).filter(|title| !title.is_empty());
                }
                Tag::Meta => head.add_meta(document, id),
                Tag::Link => head.add_link(document, id, base, &mut icon_rank),
                _ => {}
            }
        }
        head.favicon = head
            .favicon
            .or_else(|| address::web(url, "/favicon.ico").map(String::from));
        head
    }

    fn add_meta(&mut self, document: &Document, id: NodeId) {
        let attr = |name| document.attr(id, name);
        let Some(value) = attr("content") else { return };
        let value = fold(&value[..value.floor_char_boundary(MAX_VALUE_BYTES)]);
        if value.is_empty() || self.repeated.len() >= MAX_ENTRIES {
            return;
        }
        if attr("http-equiv").is_some_and(|name| name.eq_ignore_ascii_case("content-language")) {
            self.meta
                .entry("content-language".to_owned())
                .or_insert(value);
            return;
        }
        let names = attr("property")
            .or(attr("name"))
            .or(attr("itemprop"))
            .unwrap_or_default();
        for name in names[..names.floor_char_boundary(200)]
            .split_whitespace()
            .take(4)
        {
            let name = name.to_ascii_lowercase();
            let map = match name.split([':', '.']).next() {
                Some(
                    "og" | "article" | "book" | "profile" | "product" | "video" | "music" | "fb",
                ) if name.contains(':') => &mut self.open_graph,
                Some("twitter") => &mut self.twitter,
                Some("dc" | "dcterms") => &mut self.dublin_core,
                _ => &mut self.meta,
            };
            self.repeated.push((name.clone(), value.clone()));
            map.entry(name).or_insert_with(|| value.clone());
        }
    }

    fn add_link(&mut self, document: &Document, id: NodeId, base: &Url, icon_rank: &mut u8) {
        let (Some(rel), Some(href)) = (document.attr(id, "rel"), document.attr(id, "href")) else {
            return;
        };
        for rel in rel[..rel.floor_char_boundary(100)].split_whitespace() {
            let rank = match rel.to_ascii_lowercase().as_str() {
                "canonical" if self.canonical.is_none() => {
                    self.canonical = address::web(base, href).map(String::from);
                    continue;
                }
                "icon" => 3,
                "apple-touch-icon" => 2,
                "apple-touch-icon-precomposed" => 1,
                _ => continue,
            };
            if rank > *icon_rank
                && let Some(icon) = address::web(base, href)
            {
                *icon_rank = rank;
                self.favicon = Some(icon.into());
            }
        }
    }

    /// All values of a name that may be repeated, each once, joined by a comma.
    pub(super) fn joined(&self, wanted: &str) -> Option<String> {
        let mut values: Vec<&str> = Vec::new();
        for (name, value) in &self.repeated {
            if name == wanted && !values.contains(&value.as_str()) && values.len() < 50 {
                values.push(value);
            }
        }
        (!values.is_empty()).then(|| values.join(", "))
    }

    /// What the plain `meta` names claim.
    pub(super) fn claims(&self) -> Claims {
        let first = |names: &[&str]| names.iter().find_map(|name| self.meta.get(*name).cloned());
        let image = first(&["image", "thumbnail", "image_src", "msapplication-tileimage"]);
        Claims {
            title: first(&[
                "title",
                "headline",
                "citation_title",
                "sailthru.title",
                "parsely-title",
            ]),
            description: first(&["description", "sailthru.description", "abstract"]),
            author: AUTHORS.iter().find_map(|name| self.joined(name)),
            published: first(&PUBLISHED),
            modified: first(&MODIFIED),
            site_name: first(&[
                "application-name",
                "apple-mobile-web-app-title",
                "citation_journal_title",
            ]),
            image: image.filter(|image| !image.contains("tile")),
            keywords: first(&["keywords", "news_keywords", "sailthru.tags", "parsely-tags"])
                .map(|words| split_keywords(&words))
                .unwrap_or_default(),
            language: first(&["content-language", "language"]),
            ..Claims::default()
        }
        .decoded()
    }
}

/// Splits at commas, or where there is none at semicolons.
pub(super) fn split_keywords(text: &str) -> Vec<String> {
    let mark = if text.contains([',', '，', '、']) {
        [',', '，', '、']
    } else {
        [';', ';', ';']
    };
    let mut words: Vec<String> = Vec::new();
    for word in text.split(mark).take(200) {
        let word = entities::decode(word.trim()).into_owned();
        if !word.is_empty() && !words.contains(&word) {
            words.push(word);
        }
    }
    words
}
