//! One file per room of the API. A handler translates; it decides nothing.

use axum::{
    http::header,
    response::{IntoResponse, Response},
};
use serde::Serialize;
use trawls_engine::EngineError;

use crate::error::HttpError;

pub(crate) mod blobs;
pub(crate) mod deliveries;
pub(crate) mod events;
pub(crate) mod export;
pub(crate) mod health;
pub(crate) mod jobs;
pub(crate) mod map;
pub(crate) mod pages;
pub(crate) mod reprocess;
pub(crate) mod scrape;
pub(crate) mod start;
pub(crate) mod system;
pub(crate) mod tree;

/// A 200 with a declared type, serialised once.
fn json<T: Serialize>(value: &T) -> Result<Response, HttpError> {
    let bytes = serde_json::to_vec(value).map_err(|error| {
        tracing::error!(%error, "an answer cannot be serialised");
        HttpError::Internal
    })?;
    Ok(([(header::CONTENT_TYPE, "application/json")], bytes).into_response())
}

/// What the engine has under an id, or that it has nothing.
fn stored<T>(found: Result<Option<T>, EngineError>) -> Result<T, HttpError> {
    found?.ok_or(HttpError::NotStored)
}
