//! Sites to crawl, made up as they are asked for: `/forest/{pages}/{n}` has so many pages, each
//! linked from one that comes before it and each with a text of its own; in `/thicket/…` every
//! fifth page is broken, in `/bog/…` it is missing.

use crate::Answer;

const WORDS: [&str; 32] = [
    "harbour", "lamp", "tide", "rope", "barrel", "keeper", "bell", "pilot", "stone", "ferry",
    "ledger", "wheel", "oak", "heather", "glass", "plate", "market", "copper", "lantern", "anchor",
    "orchard", "mill", "ridge", "wool", "kiln", "slate", "meadow", "quay", "timber", "brook",
    "thatch", "candle",
];
/// Links of a page to later ones.
const BRANCHES: usize = 5;
/// Words of a page.
const LENGTH: usize = 150;
/// Every so manieth page of a thicket or a bog is no page.
const BROKEN_EVERY: usize = 5;

/// The page of a path, if it is one of these sites.
pub(crate) fn answer(path: &str) -> Option<Answer> {
    let mut parts = path.strip_prefix('/')?.split('/');
    let kind = parts
        .next()
        .filter(|kind| matches!(*kind, "forest" | "thicket" | "bog"))?;
    let pages: usize = parts.next()?.parse().ok()?;
    let number: usize = parts.next()?.parse().ok()?;
    if number >= pages || parts.next().is_some() {
        return None;
    }
    let status = match kind {
        "thicket" => 500,
        "bog" => 404,
        _ => 200,
    };
    if status != 200 && number % BROKEN_EVERY == BROKEN_EVERY - 1 {
        let html = [("Content-Type", "text/html")];
        return Some(Answer::new(status, &html, "<p>Broken</p>"));
    }
    Some(Answer::html(page(kind, pages, number)))
}

fn page(kind: &str, pages: usize, number: usize) -> String {
    let first = number * BRANCHES + 1;
    let links: String = (first..first + BRANCHES)
        .filter(|target| *target < pages)
        .map(|target| format!("<li><a href=\"/{kind}/{pages}/{target}\">Page {target}</a></li>"))
        .collect();
    let text = text(number);
    format!(
        "<!doctype html><html lang=en><title>Page {number}</title><main><h1>Page {number}</h1>\
         <p>{text}</p><ul>{links}<li><a href=\"/{kind}/{pages}/0\">Home</a></li></ul></main></html>"
    )
}

/// The same for the same number, and unlike that of any other.
fn text(number: usize) -> String {
    let mut state = (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut words = Vec::with_capacity(LENGTH);
    for _ in 0..LENGTH {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        words.push(WORDS[(state >> 33) as usize % WORDS.len()]);
    }
    words.join(" ")
}
