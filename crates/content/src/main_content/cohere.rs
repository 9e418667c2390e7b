//! The content holds together: a block inside of it that the scorer would leave out comes back
//! unless something speaks against it. Losing content is worse than a little boilerplate.

use std::ops::Range;

use crate::dom::{Document, Tag};

use super::landmark;
use super::narrow::innermost;
use super::patterns::{Families, NAME_FAMILIES, TEXT_FAMILIES, family};
use super::segment::{Block, Frame, Segments, heading_level};

/// On a page with fewer words the scorer has too little to go by: all of it holds together.
const SMALL_PAGE_WORDS: u32 = 250;
/// An element holds together if the scorer keeps this share of the words that nothing speaks
/// against.
const COHERENT_SHARE: f32 = 0.6;
/// How likely content must be to come back: code, tables and quotes between what is kept, all
/// else there, and what stands before and after.
const SET_PIECE_LIKELY: f32 = 0.15;
const BETWEEN_LIKELY: f32 = 0.3;
const AROUND_LIKELY: f32 = 0.4;
/// A name says nothing about an element that holds a larger share of the content.
const MAX_NAMED_SHARE: f32 = 0.5;
/// From this share of characters in links on, a group of links leads elsewhere.
const LINK_GROUP_SHARE: f32 = 0.7;
/// A longer text is not a label.
const MAX_LABEL_WORDS: u32 = 8;

const CONTENT: u32 = landmark::MAIN | landmark::ARTICLE;
const OUTSIDE: u32 = landmark::NAV
    | landmark::HEADER
    | landmark::FOOTER
    | landmark::ASIDE
    | landmark::DIALOG
    | landmark::HIDDEN
    | landmark::BUTTON;
const SET_PIECES: u32 = landmark::QUOTE | landmark::FIGURE | landmark::TABLE | landmark::TERMS;

/// Names of what stands inside the content without belonging to it.
const FOREIGN_NAMES: [&str; 13] = [
    "nav",
    "crumb",
    "pager",
    "sidebar",
    "footer",
    "share",
    "related",
    "promo",
    "consent",
    "newsletter",
    "overlay",
    "account",
    "comment",
];
/// Names that speak against a block only where the scorer has enough to go by.
const DOUBTFUL_NAMES: [&str; 6] = ["filter", "user", "review", "form", "carousel", "meta"];
/// What the labels of such things say.
const FOREIGN_LABELS: [&str; 8] = [
    "share",
    "consent",
    "rights",
    "newsletter",
    "login",
    "cart",
    "ad",
    "skip",
];

/// Puts back what belongs to the content that `keep` holds.
pub(crate) fn cohere(
    document: &Document,
    segments: &Segments,
    probabilities: &[f32],
    keep: &mut [bool],
) {
    let page = segments.frames.first();
    let is_small = page.is_some_and(|page| page.sums.text.words < SMALL_PAGE_WORDS);
    for container in containers(document, segments, keep, is_small) {
        let range = blocks_of(&segments.frames[container]);
        let foreign = foreign(document, segments, container, is_small);
        let is_own = |index: usize| keep[index] || !foreign[index - range.start];
        let own = words(segments, range.clone().filter(|&index| is_own(index)));
        let kept = words(segments, range.clone().filter(|&index| keep[index]));
        if !is_small && (kept as f32) < COHERENT_SHARE * own as f32 {
            continue;
        }
        let first = range.clone().find(|&index| keep[index]);
        let last = range.clone().rfind(|&index| keep[index]);
        for index in range.clone() {
            let is_between = first < Some(index) && Some(index) < last;
            let likely = match is_between {
                _ if is_small => 0.0,
                true if is_set_piece(segments, index) => SET_PIECE_LIKELY,
                true => BETWEEN_LIKELY,
                false => AROUND_LIKELY,
            };
            keep[index] |= probabilities[index] >= likely && !foreign[index - range.start];
        }
    }
}

fn words(segments: &Segments, indices: impl Iterator<Item = usize>) -> u32 {
    indices
        .map(|index| segments.blocks[index].sums.text.words)
        .sum()
}

fn blocks_of(frame: &Frame) -> Range<usize> {
    frame.first_block as usize..(frame.first_block + frame.sums.blocks) as usize
}

/// The frames that hold the content: what the page calls so, else the innermost one around all
/// that is kept; the whole of a small page.
fn containers(
    document: &Document,
    segments: &Segments,
    keep: &[bool],
    is_small: bool,
) -> Vec<usize> {
    if is_small {
        return vec![0];
    }
    let frames = &segments.frames;
    let is_outermost = |index: &usize| {
        let frame = &frames[*index];
        frame.landmarks & CONTENT != 0 && frames[frame.parent as usize].landmarks & CONTENT == 0
    };
    let mut found: Vec<usize> = (1..frames.len()).filter(is_outermost).collect();
    if found.is_empty() {
        found.extend(innermost(document, segments, keep));
    }
    found
}

/// Code, tables, quotes, captions: no menu uses them, and a reader would miss them.
fn is_set_piece(segments: &Segments, index: usize) -> bool {
    let frame = &segments.frames[segments.blocks[index].frame as usize];
    frame.landmarks & SET_PIECES != 0 || frame.in_code
}

/// By block of the container: does something inside of it speak against the block?
fn foreign(
    document: &Document,
    segments: &Segments,
    container: usize,
    is_small: bool,
) -> Vec<bool> {
    let outer = &segments.frames[container];
    let start = outer.first_block as usize;
    let end = document.subtree_end(outer.id);
    let mut names = families(NAME_FAMILIES, &FOREIGN_NAMES);
    if !is_small {
        names |= families(NAME_FAMILIES, &DOUBTFUL_NAMES);
    }
    let max_named = outer.sums.text.words as f32 * MAX_NAMED_SHARE;
    let is_against = |frame: &Frame| {
        let fresh = frame.landmarks & !outer.landmarks;
        let is_part = frame.sums.text.words as f32 <= max_named;
        let leads_elsewhere =
            is_link_group(document, frame) && !(is_small && frame.landmarks & CONTENT != 0);
        fresh & OUTSIDE != 0
            || is_part && (fresh & landmark::FORM != 0 || frame.names & names != 0)
            || leads_elsewhere
    };
    let mut foreign = vec![false; outer.sums.blocks as usize];
    let inside = segments.frames[container + 1..]
        .iter()
        .take_while(|frame| frame.id < end);
    for frame in inside.filter(|frame| is_against(frame)) {
        let blocks = blocks_of(frame);
        foreign[blocks.start - start..blocks.end - start].fill(true);
    }
    for (block, is_foreign) in segments.blocks[start..].iter().zip(&mut foreign) {
        let frame = &segments.frames[block.frame as usize];
        let is_trusted = is_small && frame.landmarks & CONTENT != 0;
        *is_foreign |= !is_trusted && is_label(document, segments, block);
        // Manuals show examples in a panel beside the text; no menu and no advertisement is code.
        *is_foreign &= !frame.in_code;
    }
    foreign
}

/// A list of nothing but links.
fn is_link_group(document: &Document, frame: &Frame) -> bool {
    let can_group = matches!(
        document.tag(frame.id),
        Tag::Ul | Tag::Ol | Tag::Menu | Tag::Div | Tag::P | Tag::Section
    );
    can_group
        && frame.sums.links >= 2
        && frame.sums.headings == 0
        && frame.sums.link_share() > LINK_GROUP_SHARE
}

/// A short text that is there for the page's machinery.
fn is_label(document: &Document, segments: &Segments, block: &Block) -> bool {
    let tag = document.tag(segments.frames[block.frame as usize].id);
    let can_label = heading_level(tag) == 0 && !matches!(tag, Tag::Pre | Tag::Td | Tag::Th);
    can_label
        && block.sums.text.words <= MAX_LABEL_WORDS
        && !block.is_sentence
        && block.texts & families(TEXT_FAMILIES, &FOREIGN_LABELS) != 0
}

fn families(table: &[(&'static str, &'static str)], names: &[&str]) -> Families {
    names.iter().fold(0, |set, name| set | family(table, name))
}

#[cfg(test)]
mod tests {
    use super::super::segment::segment;
    use super::super::text::TitleWords;
    use super::*;
    use crate::dom::Kept;

    const PROSE: &str = "<p>The survey took four summers and was paid for by a levy on every \
                         barrel of herring that the boats landed at the north pier.</p>";

    /// The texts that come back, when the scorer is sure of the long blocks and gives the short
    /// ones `likely`.
    fn back(html: &str, likely: f32) -> Vec<String> {
        let document = Document::of(html);
        let body = document.body().unwrap();
        let segments = segment(
            &document,
            &Kept::all(&document),
            body,
            &TitleWords::default(),
        );
        let is_long = |block: &Block| block.sums.text.words > 15;
        let mut keep: Vec<bool> = segments.blocks.iter().map(is_long).collect();
        let before = keep.clone();
        let probabilities: Vec<f32> = keep
            .iter()
            .map(|&long| if long { 0.9 } else { likely })
            .collect();
        cohere(&document, &segments, &probabilities, &mut keep);
        let blocks = segments.blocks.iter().zip(before.iter().zip(&keep));
        blocks
            .filter(|(_, (before, after))| before != after)
            .map(|(block, _)| match document.text(block.first) {
                Some(text) => text.trim().to_owned(),
                None => document.text_content(block.first),
            })
            .collect()
    }

    #[test]
    fn a_small_page_keeps_all_that_nothing_speaks_against() {
        let html = format!(
            "<nav><a href=/>Home</a></nav><main><h1>Tides</h1>{PROSE}<pre>ebb</pre><ul><li>Oars</ul>\
             <ul class=share><li><a href=/s>Post it</a></ul></main><footer>Imprint</footer>"
        );
        assert_eq!(back(&html, 0.01), ["Tides", "ebb", "Oars"]);
    }

    #[test]
    fn a_link_list_is_content_only_inside_a_small_pages_main_element() {
        let links = "<ul><li><a href=/a>Arne</a><li><a href=/b>Brea</a></ul>";
        let html = format!("<main>{PROSE}{links}</main>{links}");
        assert_eq!(back(&html, 0.01), ["Arne", "Brea"]);
        let html = format!("<main>{}{links}{PROSE}</main>", PROSE.repeat(20));
        assert!(back(&html, 0.39).is_empty());
    }

    #[test]
    fn a_label_is_content_only_inside_a_small_pages_main_element() {
        let html = format!("<main>{PROSE}<ul><li>open</ul></main><p>Search</p>");
        assert_eq!(back(&html, 0.01), ["open"]);
    }

    #[test]
    fn on_a_large_page_a_set_piece_needs_less_than_a_paragraph() {
        let prose = PROSE.repeat(20);
        let html = format!("<article>{prose}<pre>ebb</pre><p>Short.</p>{PROSE}</article>");
        assert_eq!(back(&html, 0.2), ["ebb"]);
        assert_eq!(back(&html, 0.35), ["ebb", "Short."]);
        assert!(back(&html, 0.1).is_empty());
    }

    #[test]
    fn a_name_on_the_wrapper_of_everything_says_nothing() {
        let prose = PROSE.repeat(20);
        let html = format!("<main><div class=has-sidebar>{prose}<p>Short.</p>{PROSE}</div></main>");
        assert_eq!(back(&html, 0.35), ["Short."]);
    }

    #[test]
    fn a_container_of_which_little_is_kept_stays_as_it_is() {
        let entries = "<p>Short text.</p>".repeat(300);
        let html = format!("<main>{PROSE}{entries}{PROSE}</main>");
        assert!(back(&html, 0.35).is_empty());
    }
}
