//! The query of a URL: fields whose values are words, read as the numbers and names that they spell.

use std::borrow::Cow;

use serde::{
    Deserializer,
    de::{self, IntoDeserializer, Unexpected, Visitor, value::MapDeserializer},
    forward_to_deserialize_any,
};
use url::form_urlencoded;

use super::mistake::Mistake;

/// A parsed query.
pub(super) struct Query<'a>(form_urlencoded::Parse<'a>);

impl<'a> Query<'a> {
    /// Anything is a query.
    pub(super) fn parse(text: &'a str) -> Self {
        Self(form_urlencoded::parse(text.as_bytes()))
    }
}

impl<'de> Deserializer<'de> for Query<'_> {
    type Error = Mistake;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        let fields = self.0.map(|(name, word)| (name.into_owned(), Word(word)));
        visitor.visit_map(MapDeserializer::new(fields))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct
        option newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct Word<'a>(Cow<'a, str>);

impl<'de> IntoDeserializer<'de, Mistake> for Word<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// One method per type that a word may spell.
macro_rules! spelled {
    ($($read:ident $visit:ident $wanted:literal;)*) => {$(
        fn $read<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
            match self.0.parse() {
                Ok(read) => visitor.$visit(read),
                Err(_) => Err(de::Error::invalid_value(Unexpected::Str(&self.0), &$wanted)),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Word<'_> {
    type Error = Mistake;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        visitor.visit_string(self.0.into_owned())
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        visitor.visit_some(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        visitor.visit_enum(self.0.into_owned().into_deserializer())
    }

    spelled! {
        deserialize_bool visit_bool "true or false";
        deserialize_u16 visit_u16 "u16";
        deserialize_u32 visit_u32 "u32";
        deserialize_u64 visit_u64 "u64";
        deserialize_i64 visit_i64 "i64";
        deserialize_f64 visit_f64 "f64";
    }

    forward_to_deserialize_any! {
        i8 i16 i32 u8 f32 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
