//! JSON-LD of a page as plain objects: arrays opened, `@graph` unfolded, nothing else changed. Scripts
//! that are no JSON are passed over; size and number are bounded.

use serde_json::Value;

use super::lenient_json;
use crate::dom::{Document, NodeId, Tag};

/// Longer scripts are data dumps, not descriptions.
const MAX_SCRIPT_BYTES: usize = 2 << 20;
const MAX_SCRIPTS: usize = 64;
const MAX_OBJECTS: usize = 2_000;
/// Deeper values become null, so that a stored page can be read back: parsers stop at 128 levels.
const MAX_DEPTH: usize = 64;

/// The objects in document order.
pub(super) fn objects(document: &Document) -> Vec<Value> {
    let mut objects = Vec::new();
    for script in document
        .nodes()
        .filter(|id| is_script(document, *id))
        .take(MAX_SCRIPTS)
    {
        let text = document.text_content(script);
        if text.len() > MAX_SCRIPT_BYTES {
            continue;
        }
        for mut value in lenient_json::read_values(text.trim()) {
            cut_below(&mut value, MAX_DEPTH);
            unfold(value, &mut objects);
        }
    }
    objects.truncate(MAX_OBJECTS);
    objects
}

/// Is this element a JSON-LD script?
fn is_script(document: &Document, id: NodeId) -> bool {
    document.tag(id) == Tag::Script
        && document.attr(id, "type").is_some_and(|kind| {
            let kind = kind.split(';').next().unwrap_or_default().trim();
            kind.eq_ignore_ascii_case("application/ld+json")
        })
}

/// Recursion is as deep as the JSON, which the parser caps.
fn unfold(value: Value, objects: &mut Vec<Value>) {
    match value {
        Value::Array(values) => {
            for value in values {
                unfold(value, objects);
            }
        }
        Value::Object(mut object) => match object.remove("@graph") {
            Some(graph @ (Value::Array(_) | Value::Object(_))) => {
                unfold(graph, objects);
                // What a graph says about itself besides its context is an object of its own.
                object.remove("@context");
                if object.contains_key("@type") {
                    objects.push(Value::Object(object));
                }
            }
            _ => objects.push(Value::Object(object)),
        },
        _ => {}
    }
}

fn cut_below(value: &mut Value, depth: usize) {
    match value {
        Value::Array(_) | Value::Object(_) if depth == 0 => *value = Value::Null,
        Value::Array(values) => values
            .iter_mut()
            .for_each(|value| cut_below(value, depth - 1)),
        Value::Object(object) => {
            object
                .values_mut()
                .for_each(|value| cut_below(value, depth - 1));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(html: &str) -> Vec<Value> {
        objects(&Document::of(html))
    }

    #[test]
    fn arrays_and_graphs_are_unfolded() {
        let script = r#"<script type="Application/LD+JSON; charset=utf-8">
            [{"@context":"x","@graph":[{"@type":"A"},{"@type":"B"}]},{"@type":"C"},null,7]</script>"#;
        assert_eq!(
            read(script),
            [
                json!({"@type": "A"}),
                json!({"@type": "B"}),
                json!({"@type": "C"})
            ]
        );
    }

    #[test]
    fn a_broken_script_is_passed_over() {
        let html = r#"<script type=application/ld+json>{ broken json,, }</script>
            <script type=application/ld+json>{"@type":"A"}</script><script>{"@type":"B"}</script>"#;
        assert_eq!(read(html), [json!({"@type": "A"})]);
    }

    #[test]
    fn deep_data_is_cut() {
        let deep = format!("{}1{}", r#"{"a":"#.repeat(100), "}".repeat(100));
        let read = read(&format!("<script type=application/ld+json>{deep}</script>"));
        assert_eq!(read[0].to_string().matches(r#""a""#).count(), MAX_DEPTH);
    }
}
