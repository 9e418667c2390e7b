//! Text of the source as readers see it: white space collapsed to single spaces, invisible
//! characters dropped, NFC. Joiners stay where a script or an emoji needs them.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// A piece of collapsed text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// Visible characters, with single spaces between words.
    Words(&'a str),
    /// White space, however much.
    Space,
}

/// Hands out the words of a text node and the white space around them.
pub(super) fn collapse(text: &str, mut take: impl FnMut(Part)) {
    let clean = clean(text);
    let mut rest: &str = &clean;
    loop {
        let words = rest.trim_start_matches(is_space);
        if words.len() < rest.len() {
            take(Part::Space);
        }
        if words.is_empty() {
            return;
        }
        let (words, after) = words.split_at(words_end(words));
        take(Part::Words(words));
        rest = after;
    }
}

/// Where the words that `text` begins with end: at white space that is not one space before a word.
fn words_end(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_single = c == ' ' && chars.peek().is_some_and(|&(_, next)| !is_space(next));
        if is_space(c) && !is_single {
            return at;
        }
    }
    text.len()
}

/// White space that collapses, the no-break kinds included.
pub(super) fn is_space(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0c' | '\x0b');
    }
    matches!(
        c,
        '\u{85}' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// Is there nothing to see?
pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| is_space(c) || is_invisible(c))
}

/// Zero-width and control characters; joiners among them, `clean` decides which stay.
fn is_invisible(c: char) -> bool {
    match c {
        '\0'..='\x08' | '\x0e'..='\x1f' | '\x7f'..='\u{84}' | '\u{86}'..='\u{9f}' => true,
        '\u{ad}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' => {
            true
        }
        _ => is_joiner(c),
    }
}

fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Without invisible characters, in NFC; borrowed when there was nothing to do.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    let is_bad = |b: u8| b.is_ascii_control() && !is_space(b as char);
    // Not `any`: without a way out in the middle, many bytes are looked at in one step.
    if text.is_ascii() && !text.bytes().fold(false, |bad, b| bad | is_bad(b)) {
        return Cow::Borrowed(text);
    }
    let mut clean = Cow::Borrowed(text);
    if text.contains(is_invisible) {
        clean = Cow::Owned(without_invisible(text));
    }
    let is_suspect = clean.chars().any(may_compose);
    if is_suspect && is_nfc_quick(clean.chars()) != IsNormalized::Yes {
        clean = Cow::Owned(clean.nfc().collect());
    }
    clean
}

fn without_invisible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if is_joiner(c) {
            let joins = |c: char| !c.is_ascii() && !is_space(c) && !is_invisible(c);
            if out.chars().next_back().is_some_and(joins) && rest.peek().is_some_and(|&c| joins(c))
            {
                out.push(c);
            }
        } else if !is_invisible(c) {
            out.push(c);
        }
    }
    out
}

/// Can the character make a text not NFC? No for the ranges that most pages are written in.
fn may_compose(c: char) -> bool {
    !matches!(c,
        '\0'..='\u{2ff}'
        | '\u{370}'..='\u{482}'
        | '\u{48a}'..='\u{590}'
        | '\u{2010}'..='\u{20cf}'
        | '\u{2190}'..='\u{2328}'
        | '\u{2500}'..='\u{2a00}'
        | '\u{3001}'..='\u{3029}'
        | '\u{3030}'..='\u{3096}'
        | '\u{309b}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{ff00}'..='\u{ffef}'
        | '\u{1f000}'..='\u{1faff}')
        || matches!(c, '\u{374}' | '\u{37e}' | '\u{387}')
}

/// Would CommonMark call it punctuation? Marks that belong to a letter are not.
pub(super) fn is_punctuation(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_punctuation();
    }
    !(c.is_alphanumeric()
        || is_space(c)
        || is_invisible(c)
        || unicode_normalization::char::is_combining_mark(c)
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collapsed(text: &str) -> String {
        let mut out = String::new();
        collapse(text, |part| match part {
            Part::Words(words) => out.push_str(words),
            Part::Space => out.push(' '),
        });
        out
    }

    #[test]
    fn all_kinds_of_white_space_become_one_space() {
        assert_eq!(collapsed("a\u{a0}\n\t b\u{3000}c\u{2009}"), "a b c ");
    }

    #[test]
    fn invisible_characters_go() {
        assert_eq!(
            collapsed("so\u{ad}ft zero\u{200b}width \u{feff}bom"),
            "soft zerowidth bom"
        );
    }

    #[test]
    fn joiners_stay_between_letters_that_they_shape() {
        for text in ["می\u{200c}خواهم", "👩\u{200d}🚀", "क\u{94d}\u{200d}ष"] {
            assert_eq!(collapsed(text), text);
        }
        assert_eq!(collapsed("a\u{200d}b"), "ab");
    }

    #[test]
    fn text_is_composed() {
        assert_eq!(collapsed("cafe\u{301}"), "café");
        assert_eq!(collapsed("\u{212b}"), "Å");
    }
}
