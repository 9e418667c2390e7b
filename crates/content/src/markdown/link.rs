//! Links: absolute, never around blocks. A link around a card goes to its heading, or else the
//! whole short card becomes its text, or else the first paragraph of a long one.

use url::Url;

use super::paragraph::Separator;
use super::text::is_blank;
use super::walk::{Flow, Writer};
use crate::address;
use crate::dom::{NodeId, Tag};

/// A card without heading up to this long, in bytes of text, is read as one link text.
const SHORT_CARD: usize = 200;

impl Writer<'_> {
    /// An `a`, with or without a target.
    pub(super) fn link(&mut self, id: NodeId) {
        if let Some(label) = self.notes.label_of(self.document, id) {
            let reference = format!("[^{label}]");
            return self.paragraph.raw(&reference);
        }
        if self.is_tool(id) {
            return;
        }
        self.part_from_neighbour(id);
        let Some(url) = self.target(id) else {
            // What leads nowhere is pressed like a button, and looks apart from the text like one.
            if self.document.attr(id, "href").is_some() && self.paragraph.ends_in_word() {
                self.paragraph.separate(Separator::Space);
            }
            return self.children(id);
        };
        let is_card = self.flow == Flow::Blocks && self.has_block(id);
        if is_card {
            return self.card(id, url);
        }
        self.paragraph.open_link(url, false);
        self.children(id);
        self.paragraph.close();
        let after = self.document.next_sibling(id);
        if after.is_some_and(|near| self.document.tag(near) == Tag::Span)
            && self.paragraph.ends_in_word()
        {
            self.paragraph.separate(Separator::Space);
        }
    }

    /// A link next to another, or right after an element that ends in a word, is set apart by its
    /// looks; the text needs a space.
    fn part_from_neighbour(&mut self, id: NodeId) {
        let before = self.document.prev_sibling(id);
        let is_apart = before.is_some_and(|near| match self.document.tag(near) {
            Tag::A => true,
            Tag::None => false,
            _ => self.paragraph.ends_in_word(),
        });
        if is_apart {
            self.paragraph.separate(Separator::Space);
        }
    }

    fn card(&mut self, id: NodeId, url: String) {
        self.flush();
        let has_heading = self
            .kept_below(id)
            .any(|node| self.outline.level(node).is_some());
        let is_short = !has_heading && self.is_short(id);
        self.paragraph.open_link(url, has_heading);
        if is_short {
            self.on_one_line(Separator::Space, |writer| writer.children(id));
        } else {
            self.children(id);
        }
        self.flush();
        self.paragraph.close();
    }

    fn is_short(&self, id: NodeId) -> bool {
        let is_structured = |node| {
            matches!(
                self.document.tag(node),
                Tag::Pre | Tag::Table | Tag::Ul | Tag::Ol
            )
        };
        if self.kept_below(id).any(is_structured) {
            return false;
        }
        let texts = self
            .kept_below(id)
            .filter_map(|node| self.document.text(node));
        texts.map(|text| text.trim().len()).sum::<usize>() <= SHORT_CARD
    }

    /// A link within the page whose text says nothing: permalinks and ways back from a footnote.
    fn is_tool(&self, id: NodeId) -> bool {
        let is_local = self
            .document
            .attr(id, "href")
            .is_some_and(|href| href.trim().contains('#'));
        if !is_local {
            return false;
        }
        let mut has_text = false;
        for node in self.kept_below(id) {
            if self.document.tag(node) == Tag::Img {
                return false;
            }
            if let Some(text) = self.document.text(node) {
                if text.chars().any(char::is_alphanumeric) {
                    return false;
                }
                has_text |= !is_blank(text);
            }
        }
        has_text
    }

    /// Where a link leads; `None` when nowhere that a reader could go.
    pub(super) fn target(&self, id: NodeId) -> Option<String> {
        let href = self.document.attr(id, "href")?.trim();
        let is_own_section = self.is_in_heading && href.starts_with('#');
        if href.is_empty() || href == "#" || is_own_section {
            return None;
        }
        self.resolve(href)
    }

    /// An absolute address, if it is one that a reader can follow.
    pub(super) fn resolve(&self, href: &str) -> Option<String> {
        let url = address::absolute(self.convert.base, href)?;
        is_followable(&url).then(|| url.into())
    }
}

fn is_followable(url: &Url) -> bool {
    !matches!(
        url.scheme(),
        "javascript" | "vbscript" | "data" | "blob" | "about" | "chrome" | "file"
    )
}
