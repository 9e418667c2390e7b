//! `POST /v1/crawl`

use axum::{extract::State, http::HeaderMap, response::Response};
use trawls_contract::{CrawlBody, Job, body_from_json};

use super::{accepted, idempotency, not_made};
use crate::{App, body::JsonBytes, error::HttpError};

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
    headers: HeaderMap,
    JsonBytes(body): JsonBytes,
) -> Result<Response, HttpError> {
    let crawl: CrawlBody = body_from_json(&body).map_err(|fault| super::invalid(&body, fault))?;
    let job = app.engine.start_crawl(crawl, idempotency(&headers)?).await;
    accepted(&job.map_err(not_made)?)
}
