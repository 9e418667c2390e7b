//! Who wrote it: names cleaned of what stands around them ("By …", dates, counts), and bylines found
//! in the page.

use super::body::{Body, Role};
use super::month::month_of;
use crate::dom::{Document, NodeId, Tag};
use crate::text::{fold, line_of};

const MAX_NAME_CHARS: usize = 120;
const MAX_BYLINE_BYTES: usize = 300;

/// What stands before a name.
const LEADS: [&str; 34] = [
    "text by",
    "article by",
    "post by",
    "contributed by",
    "by:",
    "by ",
    "written by",
    "posted by",
    "published by",
    "authored by",
    "created by",
    "words by",
    "story by",
    "reviewed by",
    "author:",
    "authors:",
    "author ",
    "writer:",
    "from ",
    "started by",
    "asked by",
    "submitted by",
    "von ",
    "autor:",
    "autor ",
    "par ",
    "por ",
    "di ",
    "door ",
    "av ",
    "af ",
    "作者：",
    "作者:",
    "文/",
];
/// What ends it.
const ENDS: [&str; 22] = [
    " » ",
    " reviewed by",
    " | ",
    " • ",
    " · ",
    " — ",
    " – ",
    " / ",
    "·",
    "•",
    "|",
    " on ",
    " published",
    " updated",
    " posted",
    " last ",
    " min read",
    " in: ",
    " at ",
    " ago",
    " -- ",
    " - ",
];
/// Names that name nobody.
const NOBODY: [&str; 21] = [
    "the author",
    "email",
    "posts",
    "here",
    "contributor",
    "admin",
    "administrator",
    "author",
    "authors",
    "unknown",
    "anonymous",
    "guest",
    "user",
    "none",
    "null",
    "undefined",
    "share",
    "by",
    "editor",
    "follow",
    "written by",
];

/// A name as it may be shown, or `None` if it is none.
pub(super) fn clean_name(text: &str) -> Option<String> {
    let text = fold(text);
    let mut name = text.as_str();
    let mut has_lead = true;
    while has_lead {
        has_lead = false;
        for lead in LEADS {
            if let Some(rest) = strip_lead(name, lead) {
                name = rest;
                has_lead = true;
            }
        }
    }
    let lower = name.to_lowercase();
    if lower.len() == name.len() {
        let ends = ENDS
            .iter()
            .filter_map(|end| lower.find(end))
            .filter(|end| *end > 0);
        if let Some(end) = ends.min().filter(|end| name.is_char_boundary(*end)) {
            name = &name[..end];
        }
    }
    let name = before_numbers(name);
    let name = name.trim_matches(|c: char| {
        c.is_whitespace()
            || matches!(
                c,
                ',' | ';' | ':' | '|' | '-' | '–' | '—' | '·' | '•' | '@' | '"'
            )
    });
    is_name(name).then(|| name.to_owned())
}

/// A date or a count after a name is none of it; a name itself may start with a digit.
fn before_numbers(name: &str) -> &str {
    let starts_with_digit = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let mut words = name.split(' ').peekable();
    let mut end = words.next().map_or(0, str::len);
    while let Some(word) = words.next() {
        let is_date = month_of(word.trim_end_matches('.')).is_some()
            && words.peek().is_some_and(|next| starts_with_digit(next));
        if starts_with_digit(word) || is_date {
            break;
        }
        end += 1 + word.len();
    }
    &name[..end]
}

fn strip_lead<'a>(text: &'a str, lead: &str) -> Option<&'a str> {
    let head = text.get(..lead.len())?;
    let rest = &text[lead.len()..];
    let is_lead = head.eq_ignore_ascii_case(lead)
        && (lead.ends_with([' ', ':', '：', '/']) || rest.starts_with([' ', ':']));
    is_lead.then(|| rest.trim_start_matches([' ', ':']))
}

fn is_name(name: &str) -> bool {
    let lower = name.to_lowercase();
    let is_address = lower.contains("://")
        || lower.starts_with("www.")
        || lower.contains('@') && lower.contains('.')
        || !lower.contains(' ') && lower.matches('.').count() > 1
        || lower.contains(['{', '}', '<', '[', '#', '?', '!']);
    name.chars().any(char::is_alphabetic)
        && name.chars().count() <= MAX_NAME_CHARS
        && !is_address
        && !NOBODY.contains(&lower.as_str())
}

/// The byline of the page's main text, which starts at `heading`: what is surely marked, what is worded
/// as one, what may be one.
pub(super) fn byline(body: &Body<'_>, heading: Option<NodeId>) -> Option<String> {
    let marked = marked(body, heading);
    let sure = marked
        .as_ref()
        .filter(|(_, strength)| *strength >= 3)
        .map(|(name, _)| name.clone());
    sure.or_else(|| written(body, heading?))
        .or(marked.map(|(name, _)| name))
}

/// The best element that is marked as the author.
fn marked(body: &Body<'_>, heading: Option<NodeId>) -> Option<(String, u8)> {
    let mut best: Option<(String, u8)> = None;
    for candidate in body
        .candidates
        .iter()
        .filter(|candidate| candidate.role == Role::Author)
    {
        let is_before = heading.is_some_and(|heading| candidate.id < heading);
        let mut strength =
            candidate.strength - u8::from(candidate.is_aside && candidate.strength > 1);
        // A byline over the heading is rare; a name in the page's bar is not.
        strength -= u8::from(is_before && strength > 1);
        if best.as_ref().is_some_and(|(_, known)| *known >= strength) {
            continue;
        }
        if let Some(name) = name_in(body.document, candidate.id) {
            best = Some((name, strength));
        }
    }
    best
}

/// The name inside a marked element: its text, or that of a link or part marked as the name.
fn name_in(document: &Document, id: NodeId) -> Option<String> {
    if document.tag(id) == Tag::Meta {
        return clean_name(document.attr(id, "content")?);
    }
    let below = || document.descendants(id).take(60);
    let is_named = |id: &NodeId| {
        let is_name = |attr: &str| {
            attr.split_whitespace()
                .any(|word| word == "name" || word == "fn")
        };
        document.attr(*id, "itemprop").is_some_and(is_name)
            || document.attr(*id, "class").is_some_and(is_name)
            || document
                .attr(*id, "rel")
                .is_some_and(|rel| rel.contains("author"))
    };
    let named = below()
        .filter(is_named)
        .find_map(|id| short_name(document, id));
    let link = || {
        below()
            .filter(|id| document.tag(*id) == Tag::A)
            .find_map(|id| short_name(document, id))
    };
    named.or_else(|| short_name(document, id)).or_else(link)
}

fn short_name(document: &Document, id: NodeId) -> Option<String> {
    let text = line_of(document, id, MAX_BYLINE_BYTES);
    let name = clean_name(&text)?;
    (name.split(' ').count() <= 12 && text.len() < MAX_BYLINE_BYTES).then_some(name)
}

/// "By …" as a text of its own shortly after the heading; the name may stand in the element after it.
fn written(body: &Body<'_>, heading: NodeId) -> Option<String> {
    let mut texts = body.texts_near(heading);
    while let Some((_, text)) = texts.next() {
        let lower = text
            .get(..24.min(text.len()))
            .unwrap_or(text)
            .to_lowercase();
        let is_lead_only = [
            "by",
            "by:",
            "written by",
            "posted by",
            "written by:",
            "author:",
            "by,",
            "von",
            "words by",
        ]
        .contains(&lower.as_str());
        let has_lead = ["by ", "written by ", "posted by ", "words by "]
            .iter()
            .any(|lead| lower.starts_with(lead));
        let name = if is_lead_only {
            texts.next().and_then(|(_, name)| clean_name(name))
        } else if has_lead {
            clean_name(text)
        } else {
            None
        };
        if let Some(name) = name.filter(|name| looks_like_person(name)) {
            return Some(name);
        }
    }
    None
}

/// One to eight words, the first with a capital: "by hand" is none.
fn looks_like_person(name: &str) -> bool {
    let words = name.split(' ').count();
    (1..=10).contains(&words)
        && name.chars().next().is_some_and(|c| !c.is_lowercase())
        && !name.ends_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_what_stands_around_them() {
        for (text, name) in [
            ("By Ann Lee", "Ann Lee"),
            ("Written by:  Ann   Lee | 3 May", "Ann Lee"),
            ("Posted by Ann Lee on May 3, 2019", "Ann Lee"),
            ("Ann Lee, Bo Park", "Ann Lee, Bo Park"),
            ("Ann Lee • 5 min read", "Ann Lee"),
            ("Byron Dale", "Byron Dale"),
            ("von Ada Berg", "Ada Berg"),
            ("Ann Lee Dec 18, 2025", "Ann Lee"),
            ("Text by Ann Lee 22 June 2020", "Ann Lee"),
            ("user4472 55922 silver badges", "user4472"),
        ] {
            assert_eq!(clean_name(text).as_deref(), Some(name), "{text}");
        }
    }

    #[test]
    fn addresses_and_placeholders_are_no_names() {
        for text in [
            "https://www.facebook.com/x",
            "ann@example.org",
            "admin",
            "",
            "{{ author }}",
            "By",
            "12",
        ] {
            assert_eq!(clean_name(text), None, "{text}");
        }
    }
}
