//! Every link of the whole page, once per URL in document order, with where it leads and what stands
//! around it. Only addresses that lead somewhere: web, mail and telephone. Number and lengths bounded.

use std::collections::HashMap;

use trawls_contract::{Link, LinkKind};
use url::Url;

use crate::address;
use crate::dom::{Document, NodeId, Tag};
use crate::text::{cut, line_of};

/// No page that a person made has more.
const MAX_LINKS: usize = 20_000;
const MAX_CONTEXT_CHARS: usize = 200;
const MAX_TEXT_BYTES: usize = 1_000;

/// The links of `a` and `area` elements.
pub(crate) fn links(document: &Document, base: &Url, url: &Url) -> Vec<Link> {
    let mut found = Found::new(document, base, url);
    for id in document.nodes() {
        if !matches!(document.tag(id), Tag::A | Tag::Area) {
            continue;
        }
        if let Some(href) = document.attr(id, "href") {
            found.add(id, href);
        }
        if found.links.len() == MAX_LINKS {
            break;
        }
    }
    found.links
}

struct Found<'a> {
    document: &'a Document,
    base: &'a Url,
    site: Option<String>,
    links: Vec<Link>,
    /// Place in `links` by URL.
    places: HashMap<String, usize>,
    /// The block read last and its text: a paragraph often holds several links.
    block: Option<(NodeId, String)>,
}

impl<'a> Found<'a> {
    fn new(document: &'a Document, base: &'a Url, url: &Url) -> Self {
        let (links, places) = (Vec::new(), HashMap::new());
        Found {
            document,
            base,
            site: site_of(url),
            links,
            places,
            block: None,
        }
    }

    fn add(&mut self, id: NodeId, href: &str) {
        let Some(target) = address::absolute(self.base, href) else {
            return;
        };
        let Some(kind) = self.kind_of(&target) else {
            return;
        };
        if let Some(place) = self.places.get(target.as_str()) {
            // The picture of a card often comes before its headline.
            if self.links[*place].text.is_empty() {
                self.links[*place].text = self.text_of(id);
            }
            return;
        }
        let text = self.text_of(id);
        let context = self.context_of(id).filter(|context| *context != text);
        let rel = self.document.attr(id, "rel").map(|rel| {
            let mut rel = rel.trim().to_owned();
            cut(&mut rel, MAX_CONTEXT_CHARS);
            rel
        });
        let url = String::from(target);
        self.places.insert(url.clone(), self.links.len());
        self.links.push(Link {
            url,
            text,
            rel,
            kind,
            context,
        });
    }

    fn kind_of(&self, target: &Url) -> Option<LinkKind> {
        match target.scheme() {
            "mailto" => Some(LinkKind::Email),
            "tel" => Some(LinkKind::Tel),
            "http" | "https" if site_of(target) == self.site => Some(LinkKind::Internal),
            "http" | "https" | "ftp" => Some(LinkKind::External),
            _ => None,
        }
    }

    /// What a reader sees of the link, or hears.
    fn text_of(&self, id: NodeId) -> String {
        let document = self.document;
        let text = line_of(document, id, MAX_TEXT_BYTES);
        if !text.is_empty() {
            return text;
        }
        let images = document
            .descendants(id)
            .filter(|id| document.tag(*id) == Tag::Img);
        let alt = images
            .take(8)
            .chain([id])
            .find_map(|id| said(document, id, "alt"));
        alt.or_else(|| said(document, id, "aria-label"))
            .or_else(|| said(document, id, "title"))
            .unwrap_or_default()
    }

    fn context_of(&mut self, id: NodeId) -> Option<String> {
        let document = self.document;
        let block = document
            .ancestors(id)
            .find(|up| document.tag(*up).is_block())?;
        let is_known = self
            .block
            .as_ref()
            .is_some_and(|(known, _)| *known == block);
        if !is_known {
            // At most four bytes a character.
            let mut text = line_of(document, block, 4 * MAX_CONTEXT_CHARS);
            cut(&mut text, MAX_CONTEXT_CHARS);
            self.block = Some((block, text));
        }
        self.block
            .as_ref()
            .map(|(_, text)| text.clone())
            .filter(|text| !text.is_empty())
    }
}

fn said(document: &Document, id: NodeId, name: &str) -> Option<String> {
    let said = document.attr(id, name)?;
    let said = crate::text::fold(&said[..said.floor_char_boundary(MAX_TEXT_BYTES)]);
    (!said.is_empty()).then_some(said)
}

/// The registrable domain, or the host where there is none (an address, `localhost`).
fn site_of(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    Some(psl::domain_str(host).unwrap_or(host).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(html: &str) -> Vec<Link> {
        let document = Document::of(html);
        let url = Url::parse("https://www.example.co.uk/dir/page").unwrap();
        let base = address::base_url(&document, &url);
        links(&document, &base, &url)
    }

    #[test]
    fn each_url_is_listed_once_in_document_order_with_its_first_text() {
        let links =
            read("<a href=/b><img src=x></a><a href=a>A</a><p>See <a href=/b>the  b</a> now</p>");
        assert_eq!(links.len(), 2);
        assert_eq!(links[0].url, "https://www.example.co.uk/b");
        assert_eq!(links[0].text, "the b");
        assert_eq!(links[1].url, "https://www.example.co.uk/dir/a");
    }

    #[test]
    fn the_kind_follows_the_registrable_domain() {
        let kinds: Vec<LinkKind> = read(
            "<a href=//shop.example.co.uk/>1</a><a href=https://other.co.uk/>2</a>\
             <a href=mailto:a@example.org>3</a><a href=tel:+123>4</a>",
        )
        .iter()
        .map(|link| link.kind)
        .collect();
        assert_eq!(
            kinds,
            [
                LinkKind::Internal,
                LinkKind::External,
                LinkKind::Email,
                LinkKind::Tel
            ]
        );
    }

    #[test]
    fn what_leads_nowhere_is_no_link() {
        let html = "<a>x</a><a href=''>x</a><a href='javascript:alert(1)'>x</a><a href='data:text/html,x'>x</a>\
                    <a href='blob:https://e.org/1'>x</a><a href='http://[bad'>x</a><a href=' JavaScript:1'>x</a>";
        assert_eq!(read(html), []);
    }

    #[test]
    fn a_link_without_text_is_named_by_its_picture_or_label() {
        let links = read(
            "<a href=/1><img alt=' Our  shop '></a><a href=/2 aria-label=Menu></a><map><area href=/3 alt=Map></map>",
        );
        let texts: Vec<&str> = links.iter().map(|link| link.text.as_str()).collect();
        assert_eq!(texts, ["Our shop", "Menu", "Map"]);
    }

    #[test]
    fn the_context_is_the_block_around_cut_on_a_character() {
        let links = read(&format!(
            "<p>Read <a href=/x rel=nofollow>this</a> {}</p>",
            "é".repeat(300)
        ));
        let context = links[0].context.as_deref().unwrap();
        assert!(context.starts_with("Read this é"));
        assert_eq!(context.chars().count(), 200);
        assert_eq!(links[0].rel.as_deref(), Some("nofollow"));
    }

    #[test]
    fn a_flood_of_links_is_bounded() {
        let html: String = (0..30_000)
            .map(|i| format!("<a href=/{i}>{i}</a>"))
            .collect();
        assert_eq!(read(&html).len(), MAX_LINKS);
    }
}
