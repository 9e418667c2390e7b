//! Which picture an `img` stands for: scripts put the real address into other attributes and a
//! placeholder into `src`; responsive images carry several. Tracking pixels are no pictures.

use url::Url;

use crate::address;
use crate::dom::{Document, NodeId, Tag};

/// Attributes that hold the real address until a script moves it to `src`, the usual ones first.
const LAZY: [&str; 11] = [
    "data-src",
    "data-lazy-src",
    "data-original",
    "data-original-src",
    "data-lazy",
    "data-hi-res-src",
    "data-full-src",
    "data-hires",
    "data-actualsrc",
    "data-url",
    "data-image",
];
const LAZY_SETS: [&str; 2] = ["data-srcset", "data-lazy-srcset"];
/// How the names of files start that only hold a picture's place. `photo_1x1.jpg` is a square picture.
const PLACEHOLDERS: [&str; 7] = [
    "blank.",
    "spacer",
    "transparent.",
    "pixel.",
    "1x1.",
    "loading.",
    "lazyload",
];

/// The web address of the picture, if it has one: what a script would load, what `src` says, or the
/// largest of `srcset` and of the `picture` around. A `data:` image is left to the caller.
pub(crate) fn best_source(document: &Document, img: NodeId, base: &Url) -> Option<Url> {
    let attr = |name: &&str| document.attr(img, name);
    let lazy = LAZY
        .iter()
        .filter_map(attr)
        .filter(|value| looks_like_address(value));
    let source = document.attr(img, "src").filter(|src| !is_placeholder(src));
    let sets = LAZY_SETS
        .iter()
        .chain(&["srcset"])
        .filter_map(attr)
        .filter_map(largest);
    lazy.chain(source)
        .chain(sets)
        .chain(picture_source(document, img))
        .find_map(|source| address::web(base, source))
}

/// Is it declared so thin that it counts or spaces instead of showing?
pub(crate) fn is_pixel(document: &Document, img: NodeId) -> bool {
    let is_thin = |name| dimension(document, img, name).is_some_and(|size| size <= 2);
    is_thin("width") || is_thin("height")
}

/// A declared size in CSS pixels.
pub(crate) fn dimension(document: &Document, img: NodeId, name: &str) -> Option<u32> {
    let value = document.attr(img, name)?.trim();
    value
        .strip_suffix("px")
        .unwrap_or(value)
        .trim_end()
        .parse()
        .ok()
}

/// An address has a path or a file's name; a component's name or a flag has not.
fn looks_like_address(value: &str) -> bool {
    let value = value.trim();
    value.contains(['/', '.']) && !value.starts_with(['{', '[', '<']) && !is_placeholder(value)
}

fn is_placeholder(source: &str) -> bool {
    let source = source.trim();
    if source.is_empty() || source.starts_with("data:") || source.starts_with("about:") {
        return true;
    }
    let path = source.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    let name = &name[..name.floor_char_boundary(64)];
    let name = name.to_ascii_lowercase();
    name.contains("placeholder") || PLACEHOLDERS.iter().any(|start| name.starts_with(start))
}

fn picture_source(document: &Document, img: NodeId) -> Option<&str> {
    let picture = document
        .parent(img)
        .filter(|up| document.tag(*up) == Tag::Picture)?;
    document
        .children(picture)
        .filter(|id| document.tag(*id) == Tag::Source)
        .find_map(|id| {
            let set = document
                .attr(id, "srcset")
                .or_else(|| document.attr(id, "data-srcset"));
            set.and_then(largest)
        })
}

/// The candidate of a `srcset` with the largest descriptor.
fn largest(set: &str) -> Option<&str> {
    let mut best: Option<(f64, &str)> = None;
    let mut rest = set;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        if rest.is_empty() {
            return best.map(|(_, source)| source);
        }
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let source = rest[..end].trim_end_matches(',');
        let has_descriptor = source.len() == end;
        rest = &rest[end..];
        let mut size = 1.0;
        if has_descriptor {
            let end = rest.find(',').unwrap_or(rest.len());
            let number = rest[..end].trim().trim_end_matches(['w', 'x', 'h']);
            size = number.parse().unwrap_or(1.0);
            rest = &rest[end..];
        }
        let is_web = !source.starts_with("data:");
        if is_web && best.is_none_or(|(largest, _)| size > largest) {
            best = Some((size, source));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(html: &str) -> Option<String> {
        let document = Document::of(html);
        let img = document
            .nodes()
            .find(|id| document.tag(*id) == Tag::Img)
            .unwrap();
        let base = Url::parse("https://example.org/").unwrap();
        best_source(&document, img, &base).map(String::from)
    }

    #[test]
    fn the_real_picture_is_found_behind_its_placeholder() {
        for (html, name) in [
            ("<img src=a.jpg>", "a.jpg"),
            (
                "<img src='data:image/gif;base64,R0' data-src=a.jpg>",
                "a.jpg",
            ),
            ("<img src=tiny.jpg data-lazy-src=a.jpg>", "a.jpg"),
            (
                "<img src=/i/blank.gif srcset='s.jpg 320w, l.jpg 1280w'>",
                "l.jpg",
            ),
            ("<img srcset='s.jpg, l.jpg 2x'>", "l.jpg"),
            (
                "<img srcset='data:image/gif;base64,R0 1x, l.jpg 0.5x'>",
                "l.jpg",
            ),
            (
                "<picture><source srcset='a.webp 100w,b.webp 200w'><img></picture>",
                "b.webp",
            ),
            ("<img src=a.jpg data-src=hero>", "a.jpg"),
        ] {
            assert_eq!(
                source(html),
                Some(format!("https://example.org/{name}")),
                "{html}"
            );
        }
    }

    #[test]
    fn an_image_without_a_web_address_has_none() {
        for html in [
            "<img>",
            "<img src=''>",
            "<img src='data:image/png;base64,AA'>",
            "<img src='javascript:x'>",
            "<img src=/i/blank.gif>",
        ] {
            assert_eq!(source(html), None, "{html}");
        }
    }
}
