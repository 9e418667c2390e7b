//! What serde found, in words for people who never heard of it.

use std::fmt::Display;

use serde::de::{self, Expected, Unexpected};

use super::invalid;
use crate::InvalidOption;

/// Longest piece of a caller's text that is shown again.
const MAX_QUOTE: usize = 40;

/// A mistake below some field.
#[derive(Debug, thiserror::Error)]
#[error("{problem}")]
pub(super) struct Mistake {
    /// The field, when the mistake is about having it.
    field: Option<String>,
    problem: String,
}

impl Mistake {
    fn of(problem: impl Into<String>) -> Self {
        Self {
            field: None,
            problem: problem.into(),
        }
    }

    fn about(field: &str, problem: impl Into<String>) -> Self {
        Self {
            field: Some(quote(field)),
            problem: problem.into(),
        }
    }

    /// The same with the whole path of its field. `parents` is what `serde_path_to_error` knows: the
    /// way to the object, which may end in the field already, or in `?` for want of it.
    pub(super) fn under(self, parents: &str) -> InvalidOption {
        let parents = parents.trim_end_matches(['?', '.']);
        let path = match &self.field {
            None => parents.to_owned(),
            Some(field) if parents.is_empty() => field.clone(),
            Some(field) => {
                let is_there = parents
                    .strip_suffix(field.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
                match is_there {
                    true => parents.to_owned(),
                    false => format!("{parents}.{field}"),
                }
            }
        };
        invalid(path, self.problem)
    }
}

impl de::Error for Mistake {
    fn custom<T: Display>(message: T) -> Self {
        Self::of(message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        Self::of(format!("must be {}, not {}", wish(wanted), kind(found)))
    }

    fn invalid_value(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        Self::of(format!("must be {}, not {}", wish(wanted), value(found)))
    }

    fn invalid_length(length: usize, wanted: &dyn Expected) -> Self {
        Self::of(format!("must be {}, not {length} entries", wish(wanted)))
    }

    fn unknown_variant(found: &str, known: &'static [&'static str]) -> Self {
        let known = known.join(", ");
        Self::of(format!("must be one of {known}, not {:?}", quote(found)))
    }

    fn unknown_field(field: &str, known: &'static [&'static str]) -> Self {
        let known = known.join(", ");
        Self::about(field, format!("is no field here; these are: {known}"))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::about(field, "is missing")
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::about(field, "comes twice")
    }
}

/// serde's names of what it wants.
fn wish(wanted: &dyn Expected) -> String {
    let wanted = wanted.to_string();
    match wanted.as_str() {
        "u8" => "a whole number from 0 to 255".into(),
        "u16" => "a whole number from 0 to 65535".into(),
        "u32" => "a whole number from 0 to 4294967295".into(),
        "u64" | "usize" => "a whole number, 0 or more".into(),
        "i32" | "i64" => "a whole number".into(),
        "f32" | "f64" => "a number".into(),
        "a boolean" => "true or false".into(),
        "a sequence" => "a list".into(),
        "a map" => "an object".into(),
        other if other.starts_with("struct ") => "an object".into(),
        other => other.into(),
    }
}

fn kind(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(_) => "true or false".into(),
        Unexpected::Unsigned(_) | Unexpected::Signed(_) | Unexpected::Float(_) => "a number".into(),
        Unexpected::Str(_) | Unexpected::Char(_) => "a string".into(),
        Unexpected::Unit | Unexpected::Option => "null".into(),
        Unexpected::Seq => "a list".into(),
        Unexpected::Map => "an object".into(),
        other => other.to_string(),
    }
}

fn value(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Unsigned(number) => number.to_string(),
        Unexpected::Signed(number) => number.to_string(),
        Unexpected::Float(number) => number.to_string(),
        Unexpected::Str(text) => format!("{:?}", quote(text)),
        other => kind(other),
    }
}

fn quote(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
