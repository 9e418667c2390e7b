//! Microdata items in the shape of JSON-LD, so that both are understood by the same rules.

use serde_json::{Map, Value};

/// `{type, properties}` as `{"@type", …}`. Items are at most a few levels deep.
pub(super) fn as_objects(items: &[Value]) -> Vec<Value> {
    items.iter().map(as_object).collect()
}

fn as_object(item: &Value) -> Value {
    let (Some(kinds), Some(properties)) = (item.get("type"), item["properties"].as_object()) else {
        return item.clone();
    };
    let mut object = Map::new();
    object.insert("@type".to_owned(), kinds.clone());
    for (name, values) in properties {
        let values = values.as_array().map(Vec::as_slice).unwrap_or_default();
        object.insert(name.clone(), Value::Array(as_objects(values)));
    }
    Value::Object(object)
}
