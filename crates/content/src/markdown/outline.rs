//! Levels of the headings: one h1, no absurd jumps, otherwise as in the source. Known before
//! writing starts, because which h1 is the page's own shows only when all have been seen.

use super::Convert;
use super::text::is_blank;
use crate::dom::{Document, NodeId, Tag};

/// A heading more than this many levels below the one above it is moved up to be its child.
const MAX_JUMP: u8 = 2;

/// The headings with text, in document order, and the level that each is written at.
#[derive(Debug, Default)]
pub(super) struct Outline {
    levels: Vec<(NodeId, u8)>,
}

impl Outline {
    /// From the headings of the content in document order, as (node, source level).
    pub(super) fn new(convert: &Convert, mut headings: Vec<(NodeId, u8)>) -> Self {
        headings.retain(|&(id, _)| has_text(convert, id));
        let main = main_heading(convert, &headings);
        let mut levels = Vec::with_capacity(headings.len());
        let mut above: Vec<(u8, u8)> = Vec::new();
        let has_top = main.is_some() || convert.title.is_some();
        for (id, source) in headings {
            if main == Some(id) {
                levels.push((id, 1));
                above = vec![(1, 1)];
                continue;
            }
            let source = if has_top { source.max(2) } else { source };
            while above.last().is_some_and(|&(parent, _)| parent >= source) {
                above.pop();
            }
            let parent = above.last().map_or(u8::from(has_top), |&(_, level)| level);
            let level = if parent > 0 && source > parent + MAX_JUMP {
                parent + 1
            } else {
                source
            };
            above.push((source, level));
            levels.push((id, level));
        }
        Self { levels }
    }

    /// The level to write a heading at; `None` when it has no text.
    pub(super) fn level(&self, id: NodeId) -> Option<u8> {
        let index = self.levels.binary_search_by_key(&id, |&(id, _)| id).ok()?;
        self.levels.get(index).map(|&(_, level)| level)
    }

    /// Is one of them the h1?
    pub(super) fn has_top(&self) -> bool {
        self.levels.iter().any(|&(_, level)| level == 1)
    }
}

/// Level that the source gives: by tag, or by role with `aria-level`.
pub(super) fn source_level(document: &Document, id: NodeId) -> Option<u8> {
    match document.tag(id) {
        Tag::H1 => Some(1),
        Tag::H2 => Some(2),
        Tag::H3 => Some(3),
        Tag::H4 => Some(4),
        Tag::H5 => Some(5),
        Tag::H6 => Some(6),
        Tag::Div | Tag::P | Tag::Span if document.attr(id, "role") == Some("heading") => {
            let level = document
                .attr(id, "aria-level")
                .and_then(|level| level.trim().parse().ok());
            Some(level.unwrap_or(2).clamp(1, 6))
        }
        _ => None,
    }
}

fn has_text(convert: &Convert, id: NodeId) -> bool {
    convert
        .document
        .kept_descendants(id, convert.kept)
        .filter_map(|node| convert.document.text(node))
        .any(|text| !is_blank(text))
}

/// The page's own heading: the h1 that the title names, else the first h1, else a first heading
/// that the title names.
fn main_heading(convert: &Convert, headings: &[(NodeId, u8)]) -> Option<NodeId> {
    let title = convert.title.map(letters).filter(|title| !title.is_empty());
    let is_named = |id: NodeId| {
        title.as_deref().is_some_and(|title| {
            let own = letters(&visible_text(convert, id));
            !own.is_empty()
                && (own == title || (own.len() * 2 > title.len() && title.contains(&own)))
        })
    };
    let tops = || {
        headings
            .iter()
            .filter(|&&(_, level)| level == 1)
            .map(|&(id, _)| id)
    };
    if tops().nth(1).is_some()
        && let Some(named) = tops().find(|&id| is_named(id))
    {
        return Some(named);
    }
    tops().next().or_else(|| {
        headings
            .first()
            .map(|&(id, _)| id)
            .filter(|&id| is_named(id))
    })
}

fn visible_text(convert: &Convert, id: NodeId) -> String {
    convert
        .document
        .kept_descendants(id, convert.kept)
        .filter_map(|node| convert.document.text(node))
        .collect()
}

/// Letters and digits in lower case: enough to tell whether two titles are the same.
pub(super) fn letters(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}
