//! A JSON body: parsed once, and then read as whatever it is to be.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{
        self, IntoDeserializer, MapAccess, SeqAccess, Unexpected, Visitor,
        value::{MapDeserializer, SeqDeserializer},
    },
    forward_to_deserialize_any,
};
use serde_json::{Map, Value, error::Category};

use super::{Fault, invalid, mistake::Mistake};

/// A value of a body.
pub(super) struct Body(Value);

impl Body {
    /// Parses the whole body.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        let mut parser = serde_json::Deserializer::from_slice(bytes);
        let Strict(value) = serde_path_to_error::deserialize(&mut parser).map_err(|error| {
            let path = error.path().to_string();
            let error = error.into_inner();
            match error.classify() {
                Category::Data => invalid(path, "comes twice".into()).into(),
                _ => not_json(&error),
            }
        })?;
        parser.end().map_err(|error| not_json(&error))?;
        Ok(Self(value))
    }

    fn mistaken(&self, wanted: &dyn de::Expected) -> Mistake {
        let found = match &self.0 {
            Value::Null => Unexpected::Unit,
            Value::Bool(is) => Unexpected::Bool(*is),
            Value::Number(_) => Unexpected::Float(0.0),
            Value::String(text) => Unexpected::Str(text),
            Value::Array(_) => Unexpected::Seq,
            Value::Object(_) => Unexpected::Map,
        };
        de::Error::invalid_type(found, wanted)
    }
}

fn not_json(error: &serde_json::Error) -> Fault {
    Fault::NotJson(match error.classify() {
        Category::Eof => format!(
            "the body ends in the middle of its JSON, at line {} column {}",
            error.line(),
            error.column()
        ),
        _ => format!("the body is not JSON: {error}"),
    })
}

impl<'de> IntoDeserializer<'de, Mistake> for Body {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Body {
    type Error = Mistake;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(is) => visitor.visit_bool(is),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => visitor.visit_u64(number),
                (None, Some(number)) => visitor.visit_i64(number),
                // Not finite is nothing that JSON could say.
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or_default()),
            },
            Value::String(text) => visitor.visit_string(text),
            Value::Array(list) => {
                let mut items = SeqDeserializer::new(list.into_iter().map(Self));
                let read = visitor.visit_seq(&mut items)?;
                items.end()?;
                Ok(read)
            }
            Value::Object(map) => {
                let entries = map.into_iter().map(|(key, value)| (key, Self(value)));
                let mut entries = MapDeserializer::new(entries);
                let read = visitor.visit_map(&mut entries)?;
                entries.end()?;
                Ok(read)
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        match self.0 {
            Value::String(text) => visitor.visit_enum(text.into_deserializer()),
            other => Err(Self(other).mistaken(&"a string")),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        visitor.visit_newtype_struct(self)
    }

    /// A list is none, though serde would take it for the fields in their order.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        match self.0 {
            Value::Object(_) => self.deserialize_any(visitor),
            _ => Err(self.mistaken(&"an object")),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map identifier ignored_any
    }
}

/// A JSON value in which no object has a key twice: which of the two was meant nobody can know.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Strictly).map(Self)
    }
}

struct Strictly;

impl<'de> Visitor<'de> for Strictly {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, is: bool) -> Result<Value, E> {
        Ok(is.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if map.contains_key(&key) {
                entries.next_value::<Twice>()?;
            }
            let Strict(value) = entries.next_value()?;
            map.insert(key, value);
        }
        Ok(map.into())
    }
}

/// What cannot be read: in the place of a value, it leaves the path of its key with the error.
struct Twice;

impl<'de> Deserialize<'de> for Twice {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(de::Error::custom("comes twice"))
    }
}
