//! `POST /v1/crawl`, `POST /v1/batch`: what begins a job.

use axum::{
    extract::{FromRequestParts, State},
    http::{StatusCode, request::Parts},
    response::Response,
};
use serde::Serialize;
use trawls_contract::{BatchBody, BatchJob, CrawlBody, InvalidOption, Job};
use trawls_engine::NoJob;

use super::json;
use crate::{App, body::JsonBody, error::HttpError};

/// Longest `Idempotency-Key`.
const MAX_KEY_BYTES: usize = 255;

/// `Idempotency-Key`, if there is one.
pub(crate) struct Key(Option<String>);

impl<S: Send + Sync> FromRequestParts<S> for Key {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, HttpError> {
        let Some(key) = parts.headers.get("idempotency-key") else {
            return Ok(Self(None));
        };
        let is_good = |key: &&str| (1..=MAX_KEY_BYTES).contains(&key.len());
        let key = key.to_str().ok().filter(is_good).ok_or_else(|| {
            let problem = format!("must be 1 to {MAX_KEY_BYTES} printable characters");
            InvalidOption::new("Idempotency-Key", problem)
        })?;
        Ok(Self(Some(key.to_owned())))
    }
}

/// Crawl a site
///
/// Answers at once; the job goes on by itself, also over a restart of the server. With
/// `Idempotency-Key`, the same call within 24 hours is the same job.
#[utoipa::path(
    post,
    path = "/v1/crawl",
    tag = "jobs",
    params(("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated call the same job.")),
    request_body = CrawlBody,
    responses((status = 202, description = "The job.", body = Job))
)]
pub(crate) async fn crawl(
    State(app): State<App>,
    Key(key): Key,
    JsonBody(body): JsonBody<CrawlBody>,
) -> Result<Response, HttpError> {
    accepted(app.engine.start_crawl(body, key).await)
}

/// Scrape a list of pages
///
/// Answers at once, and says which URLs of the list are not scraped: one that is none is a failed
/// page of the job, one that comes twice is scraped once.
#[utoipa::path(
    post,
    path = "/v1/batch",
    tag = "jobs",
    params(("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated call the same job.")),
    request_body = BatchBody,
    responses((status = 202, description = "The job.", body = BatchJob))
)]
pub(crate) async fn batch(
    State(app): State<App>,
    Key(key): Key,
    JsonBody(body): JsonBody<BatchBody>,
) -> Result<Response, HttpError> {
    accepted(app.engine.start_batch(body, key).await)
}

fn accepted<T: Serialize>(job: Result<T, NoJob>) -> Result<Response, HttpError> {
    let mut response = json(&job?)?;
    *response.status_mut() = StatusCode::ACCEPTED;
    Ok(response)
}
