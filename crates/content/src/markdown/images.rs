//! Images: the picture that a browser would end up showing, not its placeholder.

use super::paragraph::Paragraph;
use super::text::is_blank;
use super::typeset::{Place, typeset};
use super::walk::Writer;
use crate::dom::{NodeId, Tag};

/// Where lazy loaders keep the address, best first.
const LAZY: [&str; 9] = [
    "data-src",
    "data-original",
    "data-lazy-src",
    "data-lazy",
    "data-original-src",
    "data-full-src",
    "data-hires",
    "data-actualsrc",
    "data-url",
];
const LAZY_SETS: [&str; 3] = ["data-srcset", "data-lazy-srcset", "srcset"];

/// `data:` images smaller than this, in bytes, are placeholders.
const PLACEHOLDER_BYTES: usize = 400;

impl Writer<'_> {
    /// An `img`.
    pub(super) fn image(&mut self, id: NodeId) {
        if self.is_pixel(id) {
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

    fn is_pixel(&self, id: NodeId) -> bool {
        ["width", "height"].iter().any(|side| {
            let size = self
                .document
                .attr(id, side)
                .map(|size| size.trim().trim_end_matches("px"));
            matches!(size, Some("0" | "1" | "2"))
        })
    }

    fn source(&self, id: NodeId) -> Option<String> {
        let attr = |name| self.document.attr(id, name).map(str::trim);
        let lazy = LAZY
            .iter()
            .filter_map(|name| attr(name))
            .find(|src| is_real(src));
        let src = attr("src").filter(|src| is_real(src));
        let set = || {
            LAZY_SETS
                .iter()
                .filter_map(|name| attr(name))
                .find_map(best_candidate)
        };
        let found = lazy
            .or(src)
            .or_else(set)
            .or_else(|| self.picture_source(id));
        match found {
            Some(found) => self.resolve(found),
            None if self.convert.keep_data_images => {
                let src = attr("src").filter(|src| src.starts_with("data:"))?;
                (src.len() > PLACEHOLDER_BYTES).then(|| src.to_owned())
            }
            None => None,
        }
    }

    /// From the `source`s of the `picture` around.
    fn picture_source(&self, id: NodeId) -> Option<&str> {
        let document = self.document;
        let picture = document
            .parent(id)
            .filter(|&up| document.tag(up) == Tag::Picture)?;
        document
            .children(picture)
            .filter(|&child| document.tag(child) == Tag::Source)
            .flat_map(|source| {
                LAZY_SETS
                    .iter()
                    .filter_map(move |name| document.attr(source, name))
            })
            .find_map(best_candidate)
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

/// Is it an address of a picture, not a stand-in until a script has run?
fn is_real(src: &str) -> bool {
    const STAND_INS: [&str; 9] = [
        "1x1",
        "blank.gif",
        "blank.png",
        "spacer",
        "placeholder",
        "transparent.",
        "pixel.gif",
        "lazyload",
        "/loading.",
    ];
    let is_data = src
        .get(..5)
        .is_some_and(|start| start.eq_ignore_ascii_case("data:"));
    let name = src.rsplit_once('/').map_or(
        src,
        |(path, name)| if name.is_empty() { path } else { name },
    );
    let is_stand_in = STAND_INS.iter().any(|stand_in| {
        name.contains(stand_in) || (stand_in.starts_with('/') && src.contains(stand_in))
    });
    !src.is_empty()
        && !is_data
        && !is_stand_in
        && !src.starts_with(['{', '<', '['])
        && !src.starts_with("about:")
}

/// The largest picture of a `srcset`. URLs may hold commas; a comma parts candidates only after
/// white space.
fn best_candidate(set: &str) -> Option<&str> {
    let mut best: Option<(&str, f32)> = None;
    let mut rest = set;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
        if rest.is_empty() {
            return best.map(|(url, _)| url);
        }
        let end = rest
            .find(|c: char| c.is_ascii_whitespace())
            .unwrap_or(rest.len());
        let (url, after) = rest.split_at(end);
        let is_bare = url.ends_with(',');
        let end = if is_bare {
            0
        } else {
            after.find(',').unwrap_or(after.len())
        };
        let size = after[..end]
            .trim()
            .trim_end_matches(['w', 'x', 'h'])
            .parse()
            .unwrap_or(0.0);
        rest = &after[end..];
        let url = url.trim_end_matches(',');
        if is_real(url) && best.is_none_or(|(_, largest)| size > largest) {
            best = Some((url, size));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_candidate_wins_and_commas_in_urls_are_part_of_them() {
        assert_eq!(
            best_candidate("a.jpg 480w, b.jpg 1200w,c.jpg 800w"),
            Some("b.jpg")
        );
        assert_eq!(
            best_candidate("/i/w_1,h_2/a.jpg 1x, /i/w_2,h_4/a.jpg 2x"),
            Some("/i/w_2,h_4/a.jpg")
        );
        assert_eq!(best_candidate("only.jpg"), Some("only.jpg"));
        assert_eq!(best_candidate("data:image/gif;base64,AA 1w"), None);
    }

    #[test]
    fn alternative_text_is_escaped() {
        assert_eq!(markdown("a ] b", "http://x/y"), "![a \\] b](http://x/y)");
        assert_eq!(markdown("", "http://x/y(1"), "![](<http://x/y(1>)");
    }
}
