//! Reads what a caller sends, a body or a query, and says what is wrong with it: which field, and
//! one clear sentence.

mod body;
mod mistake;
mod query;

use serde::{Deserializer, de::DeserializeOwned};

use self::{body::Body, mistake::Mistake, query::Query};
use crate::{ErrorCode, InvalidOption};

/// What is wrong with a body or a query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It is no JSON; the sentence says where it stops being some.
    #[error("{0}")]
    NotJson(String),
    /// A field of it.
    #[error(transparent)]
    Invalid(#[from] InvalidOption),
}

/// Reads a JSON body.
///
/// # Errors
/// What is wrong with it; a key that comes twice in one object is.
pub fn read_body<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Fault> {
    Ok(understand(Body::parse(bytes)?)?)
}

/// Reads the query of a URL, without its `?`.
///
/// # Errors
/// The first mistake, naming its field.
pub fn read_query<T: DeserializeOwned>(query: &str) -> Result<T, InvalidOption> {
    understand(Query::parse(query))
}

fn understand<'de, T, D>(written: D) -> Result<T, InvalidOption>
where
    T: serde::Deserialize<'de>,
    D: Deserializer<'de, Error = Mistake>,
{
    serde_path_to_error::deserialize(written).map_err(|error| {
        let parents = error.path().to_string();
        error.into_inner().under(&parents)
    })
}

/// A mistake in a field; that of the URL has a code of its own.
fn invalid(field: String, problem: String) -> InvalidOption {
    let code = match field.as_str() {
        "url" => ErrorCode::InvalidUrl,
        _ => ErrorCode::InvalidOptions,
    };
    InvalidOption {
        code,
        field,
        problem,
    }
}

#[cfg(test)]
mod tests;
