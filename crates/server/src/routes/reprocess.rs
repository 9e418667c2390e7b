//! `POST /v1/jobs/{id}/reprocess`

use axum::{extract::State, http::StatusCode, response::Response};
use trawls_contract::{ReprocessBody, Reprocessing};

use super::json;
use crate::{App, address::Id, body::OptionalBody, error::HttpError};

/// Read the pages of a job again, without fetching
///
/// From the documents that were kept, with other options if the body has some. Each page stays as
/// it is until it was read again; then it stands at the end of the list, under a new number.
#[utoipa::path(
    post,
    path = "/v1/jobs/{id}/reprocess",
    tag = "jobs",
    params(("id" = String, Path, description = "The job's `id`.")),
    request_body = Option<ReprocessBody>,
    responses((status = 202, description = "The job, queued again.", body = Reprocessing))
)]
pub(crate) async fn reprocess(
    State(app): State<App>,
    Id(id): Id,
    OptionalBody(body): OptionalBody<ReprocessBody>,
) -> Result<Response, HttpError> {
    let queued = app.engine.reprocess_job(&id, body).await?;
    let mut response = json(&queued.ok_or(HttpError::NotStored)?)?;
    *response.status_mut() = StatusCode::ACCEPTED;
    Ok(response)
}
