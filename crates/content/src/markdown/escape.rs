//! Escapes what CommonMark and GFM would misread in text, and nothing else: whether a character
//! is special depends on its neighbours and on what else the paragraph holds.

use super::text::is_punctuation;

/// What a paragraph's text could be confused with.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Hazards {
    /// A `*`, `_` or `~` that opens has another after it that closes.
    pub(super) star: bool,
    pub(super) underscore: bool,
    pub(super) tilde: bool,
    /// A backtick has another to pair with.
    pub(super) backtick: bool,
    /// `[x]` alone may name a reference.
    pub(super) bracket: bool,
}

/// What stands before and after a piece of text; `None` is the edge of a line.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Around {
    pub(super) before: Option<char>,
    pub(super) after: Option<char>,
}

/// How a run of delimiters between two characters reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flanks {
    pub(super) opens: bool,
    pub(super) closes: bool,
}

/// The flanking rules for a run of `delimiter`.
pub(super) fn flanks(delimiter: char, around: Around) -> Flanks {
    let is_space = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let is_mark = |c: Option<char>| c.is_some_and(is_punctuation);
    let Around { before, after } = around;
    let left = !is_space(after) && (!is_mark(after) || is_space(before) || is_mark(before));
    let right = !is_space(before) && (!is_mark(before) || is_space(after) || is_mark(after));
    match delimiter {
        '_' => Flanks {
            opens: left && (!right || is_mark(before)),
            closes: right && (!left || is_mark(after)),
        },
        _ => Flanks {
            opens: left,
            closes: right,
        },
    }
}

/// Bytes that `text` must look at; all others are copied.
const SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    let special = b"\\`*_~[]<&!";
    let mut index = 0;
    while index < special.len() {
        table[special[index] as usize] = true;
        index += 1;
    }
    table
};

/// Does the text hold anything that may need an escape?
pub(super) fn is_plain(text: &str) -> bool {
    !text.bytes().any(|byte| SPECIAL[byte as usize])
}

/// Writes text so that it reads as itself inside a line.
pub(super) fn text(out: &mut String, text: &str, around: Around, hazards: Hazards) {
    let bytes = text.as_bytes();
    let mut from = 0;
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if !SPECIAL[byte as usize] {
            at += 1;
            continue;
        }
        let run = match byte {
            b'*' | b'_' | b'~' | b'`' => run_length(bytes, at),
            _ => 1,
        };
        let near = Around {
            before: text[..at].chars().next_back().or(around.before),
            after: text[at + run..].chars().next().or(around.after),
        };
        if needs_escape(byte, &text[at..], near, hazards) {
            for _ in 0..run {
                out.push_str(&text[from..at]);
                out.push('\\');
                from = at;
                at += 1;
            }
        } else {
            at += run;
        }
    }
    out.push_str(&text[from..]);
}

fn run_length(bytes: &[u8], at: usize) -> usize {
    bytes[at..]
        .iter()
        .take_while(|&&byte| byte == bytes[at])
        .count()
}

fn needs_escape(byte: u8, rest: &str, near: Around, hazards: Hazards) -> bool {
    let could_mark = |delimiter| {
        let flanks = flanks(delimiter, near);
        flanks.opens || flanks.closes
    };
    match byte {
        b'*' => hazards.star && could_mark('*'),
        b'_' => hazards.underscore && could_mark('_'),
        b'~' => hazards.tilde && could_mark('~'),
        b'`' => hazards.backtick,
        b'\\' => near.after.is_none_or(|c| c.is_ascii_punctuation()),
        b'[' => hazards.bracket || rest.starts_with("[^"),
        b']' => hazards.bracket || near.after == Some('('),
        b'<' => near
            .after
            .is_some_and(|c| c.is_ascii_alphabetic() || "/!?".contains(c)),
        b'&' => begins_entity(rest),
        // Before an image or a link of ours; in text the bracket's own escape suffices.
        b'!' => rest.len() == 1 && near.after == Some('['),
        _ => false,
    }
}

/// Does `&…` read as a character reference?
pub(super) fn begins_entity(text: &str) -> bool {
    let name = &text[1..];
    let Some(end) = name.bytes().take(34).position(|byte| byte == b';') else {
        return false;
    };
    let name = &name[..end];
    let digits = name.strip_prefix('#').unwrap_or(name);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Where a backslash must go so that a line does not begin a block; `has_line_above` when it
/// follows a hard break in a paragraph.
pub(super) fn line_start(line: &str, has_line_above: bool) -> Option<usize> {
    let bytes = line.as_bytes();
    let first = *bytes.first()?;
    let is_gap = |at: usize| {
        bytes
            .get(at)
            .is_none_or(|byte| matches!(byte, b' ' | b'\n'))
    };
    let only = |set: &[u8]| bytes.iter().all(|byte| set.contains(byte));
    let is_risky = match first {
        b'#' => {
            let run = run_length(bytes, 0);
            run <= 6 && is_gap(run)
        }
        b'>' => true,
        b'+' => is_gap(1),
        b'-' | b'*' | b'_' => {
            let is_rule =
                only(&[first, b' ']) && bytes.iter().filter(|&&b| b == first).count() >= 3;
            (first != b'_' && is_gap(1))
                || is_rule
                || (first == b'-' && has_line_above && only(b"- |:"))
        }
        b'=' => has_line_above && only(b"= "),
        b'|' | b':' => has_line_above && only(b"|-: ") && line.contains('-'),
        b'`' => run_length(bytes, 0) >= 3 && !bytes[run_length(bytes, 0)..].contains(&b'`'),
        b'~' => run_length(bytes, 0) >= 3,
        b'[' => is_definition(line) || is_check_box(line),
        b'0'..=b'9' => {
            let digits = bytes
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            let is_marker = digits <= 9 && matches!(bytes.get(digits), Some(b'.' | b')'));
            return (is_marker && is_gap(digits + 1)).then_some(digits);
        }
        _ => false,
    };
    is_risky.then_some(0)
}

/// `[x] …`, which an item of a list would show as a box.
fn is_check_box(line: &str) -> bool {
    ["[ ] ", "[x] ", "[X] "]
        .iter()
        .any(|sign| line.starts_with(sign))
}

/// `[label]: …`, which would vanish as a link reference definition. A label holds no bracket.
fn is_definition(line: &str) -> bool {
    let bytes = line.as_bytes();
    let is_bracket = |&at: &usize| matches!(bytes[at], b'[' | b']') && bytes[at - 1] != b'\\';
    let end = (1..bytes.len()).find(is_bracket);
    end.is_some_and(|end| bytes[end] == b']' && bytes.get(end + 1) == Some(&b':'))
}

/// A link or image destination that reads back as exactly this URL.
pub(super) fn destination(out: &mut String, url: &str) {
    let is_bare = !url.is_empty() && !url.starts_with('<') && is_balanced(url, '(', ')');
    if !is_bare {
        out.push('<');
    }
    for (at, c) in url.char_indices() {
        match c {
            ' ' => out.push_str("%20"),
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            '\\' => out.push_str("%5C"),
            c if c.is_control() => {}
            c => {
                if c == '&' && begins_entity(&url[at..]) {
                    out.push('\\');
                }
                out.push(c);
            }
        }
    }
    if !is_bare {
        out.push('>');
    }
}

/// Do the brackets pair up, none closing before it opened?
pub(super) fn is_balanced(text: &str, open: char, close: char) -> bool {
    let mut depth = 0_usize;
    for c in text.chars() {
        if c == open {
            depth += 1;
        } else if c == close {
            let Some(less) = depth.checked_sub(1) else {
                return false;
            };
            depth = less;
        }
        if depth > 30 {
            return false;
        }
    }
    depth == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Hazards = Hazards {
        star: true,
        underscore: true,
        tilde: true,
        backtick: true,
        bracket: false,
    };

    fn escaped(source: &str, hazards: Hazards) -> String {
        let mut out = String::new();
        text(&mut out, source, Around::default(), hazards);
        out
    }

    #[test]
    fn what_reads_as_itself_is_left_alone() {
        for plain in [
            "Sensor-related version 2.5-beta (see north_mole_bell) + tax = 6.",
            "a < b && c, AT&T, R&D [sic] 5 * 3 * 2 wow! C:\\temp",
            "array[0] f(x)[1 <3",
        ] {
            assert_eq!(escaped(plain, ALL), plain);
        }
    }

    #[test]
    fn what_would_be_misread_is_escaped() {
        for (source, expected) in [
            ("*not em*", "\\*not em\\*"),
            ("_not em_ snake_case", "\\_not em\\_ snake_case"),
            ("**x**", "\\*\\*x\\*\\*"),
            ("`code`", "\\`code\\`"),
            ("[a](b)", "[a\\](b)"),
            ("<b> </b> <!--", "\\<b> \\</b> \\<!--"),
            ("&copy; &#169; &", "\\&copy; \\&#169; &"),
            ("\\* and \\", "\\\\\\* and \\\\"),
            ("~~x~~", "\\~\\~x\\~\\~"),
        ] {
            assert_eq!(escaped(source, ALL), expected, "{source}");
        }
    }

    #[test]
    fn lines_that_would_begin_a_block_are_told() {
        for line in [
            "# x", "#", "> x", "- x", "+ x", "* x", "***", "- - -", "```", "~~~ x", "[a]: b", "-",
        ] {
            assert_eq!(line_start(line, false), Some(0), "{line}");
        }
        assert_eq!(line_start("1. x", false), Some(1));
        assert_eq!(line_start("12) x", false), Some(2));
        for line in ["---|---", "===", "|-|"] {
            assert_eq!(line_start(line, true), Some(0), "{line}");
        }
        for line in [
            "#x", "-x", "1.5", "2020 x", "+1", "= x", "*x*", "__x", "|x|", "[a] b", "-- x",
        ] {
            assert_eq!(line_start(line, false), None, "{line}");
        }
    }

    #[test]
    fn destinations_read_back_as_the_url() {
        for (url, expected) in [
            ("http://x/a_(b)", "http://x/a_(b)"),
            ("http://x/a_(b", "<http://x/a_(b>"),
            ("http://x/?a&copy;=1", "http://x/?a\\&copy;=1"),
            ("http://x/<y>", "http://x/%3Cy%3E"),
        ] {
            let mut out = String::new();
            destination(&mut out, url);
            assert_eq!(out, expected);
        }
    }
}
