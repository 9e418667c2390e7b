//! What the address of a call says: which thing, and which part of a list.

use axum::{
    extract::{FromRequestParts, Path},
    http::request::Parts,
};
use serde::de::DeserializeOwned;
use trawls_contract::read_query;

use crate::error::HttpError;

/// The `{id}` of the path. What cannot be an id is nothing's.
pub(crate) struct Id(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for Id {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, HttpError> {
        let id = Path::<String>::from_request_parts(parts, state).await;
        id.map(|Path(id)| Self(id))
            .map_err(|_| HttpError::NotStored)
    }
}

/// The query, read.
pub(crate) struct Query<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, HttpError> {
        let query = parts.uri.query().unwrap_or_default();
        Ok(Self(read_query(query)?))
    }
}
