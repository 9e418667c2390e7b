//! Dates that the page shows: marked elements first, then short texts around the main heading.

use super::body::{Body, Candidate, Role};
use super::date::{DayOrder, find_date, read_date};
use crate::dom::{NodeId, Tag};
use crate::text::line_of;

const MAX_TEXT_BYTES: usize = 200;
/// A text that is not marked as a date is little more than one.
const MAX_WRITTEN_BYTES: usize = 90;

/// A date and how sure it is that it is the page's: 3 for `itemprop`, 2 for `time` and plain classes
/// or words, 1 for hints.
pub(super) struct Shown {
    pub(super) date: String,
    pub(super) strength: u8,
}

/// The date of `role` that is marked best; among equals the first.
pub(super) fn marked(body: &Body<'_>, role: Role, order: DayOrder) -> Option<Shown> {
    let mut best: Option<Shown> = None;
    for candidate in body
        .candidates
        .iter()
        .filter(|candidate| candidate.role == role)
    {
        let mut strength = candidate.strength.min(3);
        if candidate.is_aside && strength > 1 {
            strength -= 1;
        }
        if best.as_ref().is_some_and(|best| best.strength >= strength) {
            continue;
        }
        if let Some(date) = date_in(body, candidate, order) {
            best = Some(Shown { date, strength });
        }
    }
    best
}

fn date_in(body: &Body<'_>, candidate: &Candidate, order: DayOrder) -> Option<String> {
    let document = body.document;
    let attr = |name| document.attr(candidate.id, name);
    let written = || {
        let text = line_of(document, candidate.id, MAX_TEXT_BYTES);
        find_date(&text, order)
    };
    let machine = attr("datetime")
        .or_else(|| attr("content"))
        .or_else(|| attr("data-datetime"));
    match document.tag(candidate.id) {
        Tag::Meta => read_date(attr("content")?, order),
        _ => machine
            .and_then(|text| read_date(text, order))
            .or_else(written),
    }
}

/// A date written as a short text of its own near the heading.
pub(super) fn written(body: &Body<'_>, heading: NodeId, order: DayOrder) -> Option<String> {
    body.texts_around(heading)
        .filter(|text| {
            text.len() <= MAX_WRITTEN_BYTES && text.bytes().any(|byte| byte.is_ascii_digit())
        })
        .find_map(|text| find_date(text, order))
}
