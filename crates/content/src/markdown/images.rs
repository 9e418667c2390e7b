//! Images: the picture that a browser would end up showing, not its placeholder.

use super::paragraph::Paragraph;
use super::text::is_blank;
use super::typeset::{Place, typeset};
use super::walk::Writer;
use crate::dom::NodeId;
use crate::image_source;

/// `data:` images smaller than this, in bytes, are placeholders.
const PLACEHOLDER_BYTES: usize = 400;

impl Writer<'_> {
    /// An `img`.
    pub(super) fn image(&mut self, id: NodeId) {
        if image_source::is_pixel(self.document, id) {
            return;
        }
        let document = self.document;
        let alt = document
            .attr(id, "alt")
            .filter(|alt| !is_blank(alt))
            .unwrap_or_default();
        let class = document.attr(id, "class").unwrap_or_default();
        let is_character = ["emoji", "wp-smiley", "smiley"]
            .iter()
            .any(|name| class.contains(name));
        if is_character && !alt.is_empty() {
            return self.paragraph.text(alt);
        }
        if matches!(
            class.split_ascii_whitespace().next(),
            Some("latex" | "tex" | "math")
        ) && !alt.is_empty()
        {
            return self.tex(alt, false);
        }
        match self.source(id) {
            Some(url) if url == self.last_image => {}
            Some(url) => {
                let image = markdown(alt, &url);
                self.paragraph.raw(&image);
                self.last_image = url;
            }
            None => {
                let is_picture = document
                    .attr(id, "src")
                    .is_some_and(|src| src.len() > PLACEHOLDER_BYTES);
                if is_picture {
                    self.paragraph.text(alt);
                }
            }
        }
    }

    /// The address of the picture; a `data:` one only where they are kept.
    fn source(&self, id: NodeId) -> Option<String> {
        if let Some(url) = image_source::best_source(self.document, id, self.convert.base) {
            return Some(url.into());
        }
        let src = self.document.attr(id, "src")?.trim();
        let is_kept = self.convert.keep_data_images && src.starts_with("data:");
        (is_kept && src.len() > PLACEHOLDER_BYTES).then(|| src.to_owned())
    }
}

/// `![alt](url)`.
pub(super) fn markdown(alt: &str, url: &str) -> String {
    let mut image = String::from("!");
    let mut paragraph = Paragraph::default();
    paragraph.open_link(url.to_owned(), false);
    paragraph.text(alt);
    paragraph.close();
    typeset(&mut paragraph, Place::Heading, None, &mut image);
    if image.len() == 1 {
        image.push_str("[](");
        super::escape::destination(&mut image, url);
        image.push(')');
    }
    image
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternative_text_is_escaped() {
        assert_eq!(markdown("a ] b", "http://x/y"), "![a \\] b](http://x/y)");
        assert_eq!(markdown("", "http://x/y(1"), "![](<http://x/y(1>)");
    }
}
