//! Indents JSON without parsing it into values: numbers and the order of keys stay as written.

use serde::de::IgnoredAny;

/// Deeper levels stay on the line.
const MAX_INDENT: usize = 32;

/// The same JSON with one value per line; `None` when it is not JSON.
pub(super) fn pretty(text: &str) -> Option<String> {
    serde_json::from_str::<IgnoredAny>(text).ok()?;
    let mut out = String::with_capacity(text.len() * 2);
    let mut depth = 0;
    let mut rest = text;
    while let Some(at) = rest.find(|char: char| !char.is_ascii_whitespace()) {
        rest = &rest[at..];
        let len = token(rest);
        let (token, after) = rest.split_at(len);
        rest = after;
        match token {
            "{" | "[" => {
                out.push_str(token);
                if rest.trim_ascii_start().starts_with(['}', ']']) {
                    continue;
                }
                depth += 1;
                break_line(&mut out, depth);
            }
            "}" | "]" => {
                if !out.ends_with(['{', '[']) {
                    depth -= 1;
                    break_line(&mut out, depth);
                }
                out.push_str(token);
            }
            "," => {
                out.push(',');
                break_line(&mut out, depth);
            }
            ":" => out.push_str(": "),
            value => out.push_str(value),
        }
    }
    Some(out)
}

fn break_line(out: &mut String, depth: usize) {
    if depth <= MAX_INDENT {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    }
}

/// Length of the token at the start.
fn token(text: &str) -> usize {
    let bytes = text.as_bytes();
    match bytes[0] {
        b'{' | b'}' | b'[' | b']' | b',' | b':' => 1,
        b'"' => {
            let mut at = 1;
            while at < bytes.len() && bytes[at] != b'"' {
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
            (at + 1).min(bytes.len())
        }
        _ => text
            .find(|char: char| char.is_ascii_whitespace() || ",:]}[{\"".contains(char))
            .unwrap_or(text.len()),
    }
}
