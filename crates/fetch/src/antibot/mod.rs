//! Is this an anti-bot system's page instead of the page? Asked of status, headers and body.
//!
//! Both mistakes cost: a challenge taken for the page is garbage in the caller's hands, a page
//! taken for a challenge is a page lost. So each row of the table says in which company its signs
//! are believed, and a page with enough to read is only ever condemned by a header.

mod vendors;

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use http::HeaderMap;

use crate::glance::Glance;
use vendors::{ROWS, Row, Sign, Tier};

/// Refusal pages are small; the largest seen carry a few hundred kilobytes of style before the text.
const MAX_SEARCHED_BYTES: usize = 512 * 1024;

/// A bare page has fewer visible characters: a headline, a sentence or two, a reference number.
const BARE_CHARS: usize = 500;

/// What anti-bot systems answer with besides 200.
const REFUSALS: [u16; 7] = [401, 403, 405, 406, 429, 468, 503];

/// All words of the table, and the automaton that finds them in one pass over a body.
static LEXICON: LazyLock<Option<Lexicon>> = LazyLock::new(|| {
    let words: Vec<_> = words().collect();
    let mut builder = AhoCorasick::builder();
    let automaton = builder.ascii_case_insensitive(true).build(&words).ok()?;
    Some(Lexicon { automaton, words })
});

struct Lexicon {
    automaton: AhoCorasick,
    words: Vec<&'static str>,
}

/// A response as far as recognition needs it.
#[derive(Clone, Copy)]
pub(crate) struct Suspect<'a> {
    pub(crate) status: u16,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) body: &'a [u8],
    /// `None` when the body is not HTML.
    pub(crate) glance: Option<&'a Glance>,
}

/// The vendor whose page this HTML is.
pub(crate) fn recognise_html(
    status: u16,
    headers: &HeaderMap,
    body: &[u8],
) -> Option<&'static str> {
    let glance = Glance::at(body);
    recognise(Suspect {
        status,
        headers,
        body,
        glance: Some(&glance),
    })
}

/// The vendor whose page this is.
pub(crate) fn recognise(suspect: Suspect<'_>) -> Option<&'static str> {
    let is_refusal = REFUSALS.contains(&suspect.status);
    let says_enough = suspect.glance.is_none_or(Glance::says_enough);
    let words = if says_enough && !is_refusal {
        Words::default()
    } else {
        Words::of(suspect)
    };
    let is_bare = suspect.glance.is_some_and(|glance| {
        glance.chars < BARE_CHARS && (glance.has_scripts || is_refusal) && !glance.has_fields
    });
    let believes = |row: &Row| match row.tier {
        Tier::Anywhere => true,
        Tier::OnRefusal => is_refusal,
        Tier::OnBarePage => is_bare,
    };
    ROWS.iter()
        .filter(|row| believes(row))
        .find(|row| {
            row.signs
                .iter()
                .all(|sign| words.show(sign, suspect.headers))
        })
        .map(|row| row.vendor)
}

/// Which words of the table the response holds, and where.
#[derive(Default)]
struct Words {
    in_markup: Vec<&'static str>,
    in_text: Vec<&'static str>,
}

impl Words {
    fn of(suspect: Suspect<'_>) -> Self {
        let Some(glance) = suspect.glance else {
            let found = found_in(suspect.body);
            return Self {
                in_markup: found.clone(),
                in_text: found,
            };
        };
        let mut in_text = found_in(glance.title.as_bytes());
        in_text.extend(found_in(glance.text.as_bytes()));
        // What a person can read on the page was written by one: an article quotes a script.
        let mut in_markup = found_in(suspect.body);
        in_markup.retain(|word| !in_text.contains(word));
        Self { in_markup, in_text }
    }

    fn show(&self, sign: &Sign, headers: &HeaderMap) -> bool {
        match sign {
            Sign::Header(name, value) => headers.get_all(*name).iter().any(|found| {
                String::from_utf8_lossy(found.as_bytes())
                    .to_ascii_lowercase()
                    .contains(value)
            }),
            Sign::Markup(word) => self.in_markup.contains(word),
            Sign::Text(word) => self.in_text.contains(word),
        }
    }
}

fn found_in(haystack: &[u8]) -> Vec<&'static str> {
    let mut found = Vec::new();
    let Some(lexicon) = LEXICON.as_ref() else {
        return found;
    };
    let haystack = &haystack[..haystack.len().min(MAX_SEARCHED_BYTES)];
    for hit in lexicon.automaton.find_overlapping_iter(haystack) {
        let word = lexicon.words[hit.pattern().as_usize()];
        if !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

/// Every word of the table, in its order.
fn words() -> impl Iterator<Item = &'static str> {
    ROWS.iter()
        .flat_map(|row| row.signs)
        .filter_map(|sign| match sign {
            Sign::Markup(word) | Sign::Text(word) => Some(*word),
            Sign::Header(..) => None,
        })
}

#[cfg(test)]
mod tests;
