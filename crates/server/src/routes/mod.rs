//! One file per room of the API. A handler translates; it decides nothing.

use axum::{
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::{Serialize, de::IgnoredAny};
use trawls_contract::{ErrorCode, InvalidOption, Job};
use trawls_engine::{Idempotency, NoJob};

use crate::error::HttpError;

pub(crate) mod batch;
pub(crate) mod crawl;
pub(crate) mod events;
pub(crate) mod health;
pub(crate) mod jobs;
pub(crate) mod pages;
pub(crate) mod scrape;
pub(crate) mod system;

/// Longest `Idempotency-Key`.
const MAX_IDEMPOTENCY_KEY: usize = 255;

/// A 200 with a declared type, serialised once.
fn json<T: Serialize>(value: &T) -> Result<Response, HttpError> {
    let bytes = serde_json::to_vec(value).map_err(|error| {
        tracing::error!(%error, "an answer cannot be serialised");
        HttpError::Internal
    })?;
    Ok(([(header::CONTENT_TYPE, "application/json")], bytes).into_response())
}

/// A job that was made.
fn accepted(job: &Job) -> Result<Response, HttpError> {
    let mut response = json(job)?;
    *response.status_mut() = StatusCode::ACCEPTED;
    Ok(response)
}

fn not_made(why: NoJob) -> HttpError {
    match why {
        NoJob::Invalid(mistake) => mistake.into(),
        NoJob::KeyReused => HttpError::KeyReused,
        NoJob::Engine(error) => {
            tracing::error!(%error, "a job was not made");
            HttpError::Internal
        }
    }
}

/// `Idempotency-Key`, with the caller it belongs to.
fn idempotency(headers: &HeaderMap) -> Result<Option<Idempotency>, HttpError> {
    let Some(key) = headers.get("idempotency-key") else {
        return Ok(None);
    };
    let is_good = |key: &&str| (1..=MAX_IDEMPOTENCY_KEY).contains(&key.len());
    let key = key.to_str().ok().filter(is_good).ok_or_else(|| {
        let problem = format!("must be 1 to {MAX_IDEMPOTENCY_KEY} printable characters");
        InvalidOption::new("Idempotency-Key", problem)
    })?;
    Ok(Some(Idempotency {
        caller: String::new(),
        key: key.to_owned(),
    }))
}

fn invalid(body: &[u8], (field, problem): (String, String)) -> HttpError {
    if serde_json::from_slice::<IgnoredAny>(body).is_err() {
        return HttpError::NotJson(problem);
    }
    let code = match field.as_str() {
        "url" => ErrorCode::InvalidUrl,
        _ => ErrorCode::InvalidOptions,
    };
    HttpError::Invalid(InvalidOption {
        code,
        field,
        problem,
    })
}
