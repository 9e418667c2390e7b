//! Microdata items as JSON: `{type, id, properties}`, each property a list. One pass in document order
//! with the open items on a stack, so nesting costs nothing. `itemref` is not followed.

use serde_json::{Map, Value, json};
use url::Url;

use crate::address;
use crate::dom::{Document, NodeId, Tag};
use crate::text::line_of;

const MAX_ITEMS: usize = 5_000;
/// Deeper items stand alone instead of in their parent, so that the JSON stays readable by any parser.
const MAX_DEPTH: usize = 16;
const MAX_VALUE_BYTES: usize = 100_000;
/// Text of all values together: nested properties hold the same text again and again.
const MAX_TOTAL_BYTES: usize = 4 << 20;

struct Item {
    scope: NodeId,
    /// The property of the item around that it is a value of.
    property: Option<String>,
    json: Map<String, Value>,
    properties: Map<String, Value>,
}

/// The items that belong to no other, in the order in which they end.
pub(super) fn items(document: &Document, base: &Url) -> Vec<Value> {
    let mut reader = Reader {
        document,
        base,
        open: Vec::new(),
        done: Vec::new(),
        items: 0,
        bytes: 0,
    };
    for id in document.nodes() {
        reader.close_before(Some(id));
        if document.tag(id) != Tag::None {
            reader.visit(id);
        }
    }
    reader.close_before(None);
    reader.done
}

struct Reader<'a> {
    document: &'a Document,
    base: &'a Url,
    open: Vec<Item>,
    done: Vec<Value>,
    items: usize,
    bytes: usize,
}

impl Reader<'_> {
    /// Closes the items that end before `id`, or all.
    fn close_before(&mut self, id: Option<NodeId>) {
        while let Some(item) = self
            .open
            .pop_if(|item| id.is_none_or(|id| !self.document.contains(item.scope, id)))
        {
            let mut json = item.json;
            json.insert("properties".to_owned(), Value::Object(item.properties));
            match (item.property, self.open.last_mut()) {
                (Some(names), Some(parent)) => add(parent, &names, Value::Object(json)),
                _ => self.done.push(Value::Object(json)),
            }
        }
    }

    fn visit(&mut self, id: NodeId) {
        // Both attributes at once: most elements have neither.
        let (mut has_scope, mut property) = (false, None);
        for (name, value) in self.document.attrs(id) {
            match name {
                "itemscope" => has_scope = true,
                "itemprop" => property = Some(value),
                _ => {}
            }
        }
        if has_scope && self.items < MAX_ITEMS {
            self.items += 1;
            let is_part = !self.open.is_empty() && self.open.len() < MAX_DEPTH;
            self.open.push(Item {
                scope: id,
                property: property.filter(|_| is_part).map(str::to_owned),
                json: self.head_of(id),
                properties: Map::new(),
            });
        } else if let Some(names) = property.filter(|_| !has_scope && !self.open.is_empty()) {
            let value = self.value_of(id);
            self.bytes += value.len();
            if let Some(item) = self
                .open
                .last_mut()
                .filter(|_| self.bytes <= MAX_TOTAL_BYTES)
            {
                add(item, names, Value::String(value));
            }
        }
    }

    fn head_of(&self, id: NodeId) -> Map<String, Value> {
        let mut json = Map::new();
        let types: Vec<&str> = self
            .document
            .attr(id, "itemtype")
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        json.insert("type".to_owned(), json!(types));
        if let Some(itemid) = self.document.attr(id, "itemid") {
            json.insert("id".to_owned(), json!(itemid));
        }
        json
    }

    /// What HTML defines as the value of a property's element.
    fn value_of(&self, id: NodeId) -> String {
        let attr = |name| self.document.attr(id, name);
        let (value, is_address) = match self.document.tag(id) {
            Tag::Meta => (attr("content"), false),
            Tag::A | Tag::Area | Tag::Link => (attr("href"), true),
            Tag::Audio
            | Tag::Embed
            | Tag::Iframe
            | Tag::Img
            | Tag::Source
            | Tag::Track
            | Tag::Video => (attr("src"), true),
            Tag::Object => (attr("data"), true),
            Tag::Data | Tag::Meter => (attr("value"), false),
            Tag::Time => (attr("datetime"), false),
            // Not in the standard, but widely written and what search engines read.
            _ => (attr("content"), false),
        };
        match value {
            Some(address) if is_address => {
                address::web(self.base, address).map_or_else(String::new, String::from)
            }
            Some(value) => value[..value.floor_char_boundary(MAX_VALUE_BYTES)].to_owned(),
            None if self.bytes > MAX_TOTAL_BYTES => String::new(),
            None => line_of(self.document, id, MAX_VALUE_BYTES),
        }
    }
}

fn add(item: &mut Item, names: &str, value: Value) {
    for name in names.split_whitespace().take(8) {
        let values = item.properties.entry(name).or_insert_with(|| json!([]));
        if let Value::Array(values) = values {
            values.push(value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(html: &str) -> Vec<Value> {
        items(
            &Document::of(html),
            &Url::parse("https://example.org/").unwrap(),
        )
    }

    #[test]
    fn items_nest_and_values_come_from_the_right_attribute() {
        let items = read(
            "<div itemscope itemtype=https://schema.org/Product><b itemprop=name>A  kite</b>\
             <img itemprop=image src=k.jpg><div itemprop=offers itemscope><meta itemprop=price content=12>\
             </div><time itemprop=releaseDate datetime=2020-01-02>soon</time></div><p itemprop=name>loose</p>",
        );
        assert_eq!(
            items,
            [
                json!({"type": ["https://schema.org/Product"], "properties": {
                    "name": ["A kite"],
                    "image": ["https://example.org/k.jpg"],
                    "offers": [{"type": [], "properties": {"price": ["12"]}}],
                    "releaseDate": ["2020-01-02"],
                }})
            ]
        );
    }

    #[test]
    fn deep_and_many_items_are_bounded() {
        let deep = read(&"<div itemscope itemprop=a>".repeat(400));
        assert!(deep.len() > 1);
        assert!(read(&"<i itemscope></i>".repeat(10_000)).len() <= MAX_ITEMS);
        let nested = format!(
            "<div itemscope>{}{}",
            "<div itemprop=a>".repeat(400),
            "x ".repeat(100_000)
        );
        assert!(read(&nested)[0].to_string().len() <= MAX_TOTAL_BYTES + MAX_VALUE_BYTES);
    }
}
