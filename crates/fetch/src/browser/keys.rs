//! Keys by the names of `KeyboardEvent.key` (UI Events KeyboardEvent key values), as DevTools wants
//! them pressed.

use serde_json::{Value, json};

/// Name, code, Windows virtual key, text.
const NAMED: [(&str, &str, u32, &str); 17] = [
    ("Enter", "Enter", 13, "\r"),
    ("Tab", "Tab", 9, ""),
    ("Escape", "Escape", 27, ""),
    ("Backspace", "Backspace", 8, ""),
    ("Delete", "Delete", 46, ""),
    ("Insert", "Insert", 45, ""),
    ("Home", "Home", 36, ""),
    ("End", "End", 35, ""),
    ("PageUp", "PageUp", 33, ""),
    ("PageDown", "PageDown", 34, ""),
    ("ArrowUp", "ArrowUp", 38, ""),
    ("ArrowDown", "ArrowDown", 40, ""),
    ("ArrowLeft", "ArrowLeft", 37, ""),
    ("ArrowRight", "ArrowRight", 39, ""),
    ("Space", "Space", 32, " "),
    (" ", "Space", 32, " "),
    ("F5", "F5", 116, ""),
];

/// A key pressed and let go; `None` when there is no such key.
pub(super) fn press(key: &str) -> Option<[Value; 2]> {
    if let Some((name, code, virtual_key, text)) = NAMED.iter().find(|named| named.0 == key) {
        let name = if *name == "Space" { " " } else { name };
        return Some(stroke(name, code, *virtual_key, text));
    }
    let mut letters = key.chars();
    match (letters.next(), letters.next()) {
        (Some(only), None) => Some(letter(only)),
        _ => None,
    }
}

/// A letter typed.
pub(super) fn letter(letter: char) -> [Value; 2] {
    let text = letter.to_string();
    match letter {
        '\n' | '\r' => stroke("Enter", "Enter", 13, "\r"),
        '\t' => stroke("Tab", "Tab", 9, ""),
        'a'..='z' | 'A'..='Z' => {
            let upper = letter.to_ascii_uppercase();
            stroke(&text, &format!("Key{upper}"), upper.into(), &text)
        }
        '0'..='9' => stroke(&text, &format!("Digit{letter}"), letter.into(), &text),
        _ => stroke(&text, "", 0, &text),
    }
}

fn stroke(key: &str, code: &str, virtual_key: u32, text: &str) -> [Value; 2] {
    let event = |kind: &str, text: &str| {
        let mut event = json!({
            "type": kind,
            "key": key,
            "code": code,
            "windowsVirtualKeyCode": virtual_key,
        });
        if !text.is_empty() {
            event["text"] = Value::from(text);
        }
        event
    };
    let down = if text.is_empty() {
        "rawKeyDown"
    } else {
        "keyDown"
    };
    [event(down, text), event("keyUp", "")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_known_by_its_name_or_its_letter() {
        assert_eq!(press("Enter").unwrap()[0]["text"], "\r");
        assert_eq!(press("x").unwrap()[0]["code"], "KeyX");
        assert_eq!(press("é").unwrap()[0]["text"], "é");
        assert_eq!(press("Space").unwrap()[0]["key"], " ");
        assert!(press("NoSuchKey").is_none() && press("").is_none());
    }
}
