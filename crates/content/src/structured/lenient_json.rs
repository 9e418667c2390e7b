//! Reads JSON as pages really contain it: in comments or CDATA, with trailing commas, bare line breaks
//! in strings, HTML entities, several values in a row. Linear; nesting is capped by serde_json at 128.

use serde::Deserialize;
use serde_json::Value;

use crate::entities;

/// The JSON values in `text`, none when it cannot be understood.
pub(super) fn read_values(text: &str) -> Vec<Value> {
    if let Ok(value) = serde_json::from_str(text) {
        return vec![value];
    }
    let repaired = repair(text);
    let values = stream(&repaired);
    if values.is_empty() && text.contains("&quot;") {
        return stream(&repair(&entities::decode(text)));
    }
    values
}

/// Values until the first that cannot be read.
fn stream(text: &str) -> Vec<Value> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let mut values = Vec::new();
    while let Ok(value) = Value::deserialize(&mut reader) {
        values.push(value);
    }
    values
}

/// Drops what JSON does not allow between its tokens, and escapes control characters in strings.
fn repair(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c == '"' {
            rest = copy_string(rest, &mut out);
            continue;
        }
        if let Some(after) = skip_noise(rest) {
            rest = after;
            continue;
        }
        if matches!(c, '}' | ']') {
            drop_trailing_comma(&mut out);
        }
        // A comma before any value, or a second in a row, says nothing. Runs of space are cut to one,
        // so that looking back is cheap.
        let says_nothing = match c {
            ',' => out.trim_end().ends_with([',', '[', '{']),
            ';' | '\u{feff}' => true,
            c => c.is_whitespace() && out.ends_with(char::is_whitespace),
        };
        if !says_nothing {
            out.push(c);
        }
        rest = &rest[c.len_utf8()..];
    }
    out
}

/// Comments and the wrappings that once hid scripts from old browsers.
fn skip_noise(rest: &str) -> Option<&str> {
    for wrapping in ["<!--", "-->", "<![CDATA[", "]]>"] {
        if let Some(after) = rest.strip_prefix(wrapping) {
            return Some(after);
        }
    }
    if let Some(comment) = rest.strip_prefix("/*") {
        return Some(comment.split_once("*/").map_or("", |(_, after)| after));
    }
    let comment = rest.strip_prefix("//")?;
    // `//<![CDATA[` may stand on the line of the value itself.
    let wrapping = ["<![CDATA[", "]]>", "<!--", "-->"];
    if let Some(mark) = wrapping
        .iter()
        .find(|mark| comment.trim_start().starts_with(*mark))
    {
        return comment.split_once(mark).map(|(_, after)| after);
    }
    Some(comment.find('\n').map_or("", |end| &comment[end..]))
}

fn drop_trailing_comma(out: &mut String) {
    let kept = out.trim_end().len();
    if out[..kept].ends_with(',') {
        out.truncate(kept - 1);
    }
}

/// Copies a string literal that starts `rest`; gives what follows it.
fn copy_string<'a>(rest: &'a str, out: &mut String) -> &'a str {
    out.push('"');
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                out.push('"');
                return &rest[at + 1..];
            }
            '\\' => match chars.next() {
                Some((_, escaped @ ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u'))) => {
                    out.push('\\');
                    out.push(escaped);
                }
                Some((_, plain)) if !plain.is_control() => out.push(plain),
                _ => {}
            },
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => {}
            c => out.push(c),
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_as_pages_write_it_is_read() {
        let wanted = json!({"a": [1, 2], "b": "x // y"});
        for text in [
            r#"{"a": [1, 2], "b": "x // y"}"#,
            r#"{"a": [1, 2,], "b": "x // y",}"#,
            "<!-- {\"a\": [1, 2], \"b\": \"x // y\"} -->",
            "//<![CDATA[\n{\"a\": [1, 2], \"b\": \"x // y\"}\n//]]>",
            "/* c */ {\"a\": [1, /* two */ 2], // rest\n \"b\": \"x // y\"};",
            "{&quot;a&quot;: [1, 2], &quot;b&quot;: &quot;x // y&quot;}",
            "\u{feff}{\"a\": [1, 2],, \"b\": \"x // y\"}",
        ] {
            assert_eq!(read_values(text), std::slice::from_ref(&wanted), "{text}");
        }
    }

    #[test]
    fn bare_line_breaks_and_odd_escapes_in_strings_are_kept_as_text() {
        assert_eq!(
            read_values("{\"a\": \"one\ntwo it\\'s\"}"),
            [json!({"a": "one\ntwo it's"})]
        );
    }

    #[test]
    fn several_values_in_one_script_are_all_read() {
        assert_eq!(
            read_values(r#"{"a":1} {"b":2}"#),
            [json!({"a": 1}), json!({"b": 2})]
        );
    }

    #[test]
    fn what_is_no_json_gives_nothing() {
        for text in [
            "",
            "{ broken json,, }",
            "var x = {",
            "{\"a\": ",
            "\"",
            "\\",
            "/*",
        ] {
            assert_eq!(read_values(text), Vec::<Value>::new(), "{text}");
        }
    }

    #[test]
    fn deep_nesting_is_refused_without_recursion() {
        let deep = "[".repeat(1_000_000);
        assert!(read_values(&deep).is_empty());
    }
}
