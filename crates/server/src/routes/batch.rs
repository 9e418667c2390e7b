//! `POST /v1/batch`

use axum::{extract::State, http::HeaderMap, response::Response};
use trawls_contract::{BatchBody, Job, body_from_json};

use super::{accepted, idempotency, not_made};
use crate::{App, body::JsonBytes, error::HttpError};

/// Scrape a list of pages
///
/// Answers at once. A URL that is none is a failed page of the job; a URL that comes twice is
/// scraped once.
#[utoipa::path(
    post,
    path = "/v1/batch",
    tag = "jobs",
    params(("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated call the same job.")),
    request_body = BatchBody,
    responses((status = 202, description = "The job.", body = Job))
)]
pub(crate) async fn batch(
    State(app): State<App>,
    headers: HeaderMap,
    JsonBytes(body): JsonBytes,
) -> Result<Response, HttpError> {
    let batch: BatchBody = body_from_json(&body).map_err(|fault| super::invalid(&body, fault))?;
    let job = app.engine.start_batch(batch, idempotency(&headers)?).await;
    accepted(&job.map_err(not_made)?)
}
