//! What a page says about itself. Each source is read in its own file and makes its `Claims`; `merge`
//! decides whom to believe. All lengths and numbers are bounded where they are read.

mod author;
mod body;
mod date;
mod dublin_core;
mod head;
mod language;
mod merge;
mod microdata;
mod month;
mod open_graph;
mod page_date;
mod schema_org;
mod title;

use trawls_contract::PageMetadata;
use url::Url;

use crate::Structured;
use crate::dom::Document;
use crate::entities;

/// What one source says, as it says it.
#[derive(Debug, Default)]
struct Claims {
    title: Option<String>,
    description: Option<String>,
    language: Option<String>,
    author: Option<String>,
    published: Option<String>,
    modified: Option<String>,
    site_name: Option<String>,
    image: Option<String>,
    keywords: Vec<String>,
    kind: Option<String>,
}

impl Claims {
    /// Texts that were escaped twice are common in every source.
    fn decoded(mut self) -> Self {
        for text in [
            &mut self.title,
            &mut self.description,
            &mut self.author,
            &mut self.site_name,
        ] {
            if let Some(text) = text
                && text.contains('&')
            {
                *text = entities::decode(text).into_owned();
            }
        }
        self
    }
}

/// Merged from all sources.
pub(crate) fn metadata(
    document: &Document,
    structured: &Structured,
    url: &Url,
    base: &Url,
) -> PageMetadata {
    let head = head::Head::of(document, url, base);
    let sources = merge::Sources {
        schema: schema_org::claims(&structured.jsonld),
        microdata: schema_org::claims(&microdata::as_objects(&structured.microdata)),
        open_graph: open_graph::open_graph(&head),
        twitter: open_graph::twitter(&head),
        dublin_core: dublin_core::claims(&head),
        meta: head.claims(),
        body: body::Body::of(document),
        head,
    };
    sources.merge(document, url, base)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{address, structured};

    fn read(html: &str) -> PageMetadata {
        let document = Document::of(html);
        let url = Url::parse("https://www.almanac.example/2019/05/harvest").unwrap();
        let base = address::base_url(&document, &url);
        metadata(
            &document,
            &structured::structured(&document, &base),
            &url,
            &base,
        )
    }

    #[test]
    fn every_source_gives_what_it_knows() {
        let page = read(
            r#"<html lang=en_gb><title>Harvest of the ebb | Tidewater Almanac</title>
            <base href="/assets/"><link rel="shortcut icon" href=i.png><link rel=canonical href="/harvest">
            <meta name=Description content="  On  the tide. "><meta name=keywords content="sea, tide ,sea">
            <meta property="og:site_name" content="Tidewater Almanac"><meta property=og:type content=article>
            <meta name=twitter:image content=t.jpg><meta name=dc.creator content="Lee Park">
            <script type=application/ld+json>{"@type":"Article","dateModified":"2019-06-01T10:00:00Z","image":null}</script>
            <h1>Harvest of the ebb</h1><p>By <a>Ann Lee</a></p><time>3 May 2019</time>"#,
        );
        assert_eq!(page.title.as_deref(), Some("Harvest of the ebb"));
        assert_eq!(page.description.as_deref(), Some("On the tide."));
        assert_eq!(page.language.as_deref(), Some("en-GB"));
        assert_eq!(page.author.as_deref(), Some("Lee Park"));
        assert_eq!(page.published_at.as_deref(), Some("2019-05-03"));
        assert_eq!(page.modified_at.as_deref(), Some("2019-06-01T10:00:00Z"));
        assert_eq!(
            page.canonical.as_deref(),
            Some("https://www.almanac.example/harvest")
        );
        assert_eq!(
            page.favicon.as_deref(),
            Some("https://www.almanac.example/assets/i.png")
        );
        assert_eq!(
            page.image.as_deref(),
            Some("https://www.almanac.example/assets/t.jpg")
        );
        assert_eq!(page.site_name.as_deref(), Some("Tidewater Almanac"));
        assert_eq!(page.keywords, ["sea", "tide"]);
        assert_eq!(page.kind.as_deref(), Some("article"));
        assert_eq!(page.dublin_core["dc.creator"], "Lee Park");
        assert_eq!(page.twitter["twitter:image"], "t.jpg");
    }

    #[test]
    fn a_shown_byline_counts_where_the_data_name_only_the_site() {
        let page = read(
            r#"<meta property="og:site_name" content="Almanac"><meta name=author content=Almanac>
            <h1>Ebb</h1><div class="entry-meta"><span>By</span> <a href=/ann>Ann Lee</a> on May 3, 2019</div>"#,
        );
        assert_eq!(page.author.as_deref(), Some("Ann Lee"));
        assert_eq!(page.published_at.as_deref(), Some("2019-05-03"));
    }

    #[test]
    fn an_empty_page_says_nothing() {
        let page = read("");
        assert_eq!(
            (page.title, page.author, page.published_at, page.language),
            (None, None, None, None)
        );
    }

    #[test]
    fn hostile_metadata_is_bounded() {
        let long = "x".repeat(1 << 20);
        let metas: String = (0..20_000)
            .map(|i| format!("<meta name=n{i} content=v>"))
            .collect();
        let page = read(&format!(
            "<html lang='{long}'><title>{long}</title><meta name=description content='{long}'>\
             <meta name='{long}' content=x><link rel=canonical href='/{long}'><link rel='{long}' href=x>{metas}\
             <h1 class='{long}'>{long}</h1><time datetime='{long}'>{long}</time><a rel=author>{long}</a>",
        ));
        let size = serde_json::to_string(&page).unwrap().len();
        assert!(size < 64 << 10, "{size} bytes");
    }
}
