//! `/v1/jobs`: list, read, stop, retry, remove.

use axum::{extract::State, response::Response};
use serde::Deserialize;
use trawls_contract::{ErrorCode, InvalidOption, Job, JobKind, JobPage, JobStatus, List, Outcome};
use trawls_engine::PageFilter;
use utoipa::IntoParams;

use super::{json, stored};
use crate::{
    App,
    address::{Id, Query},
    error::HttpError,
};

/// Rows of a list when the caller does not say.
const LIMIT: u32 = 100;
/// Most rows of a list.
const MAX_LIMIT: u32 = 1000;

/// Which jobs.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct JobQuery {
    /// Only this kind.
    kind: Option<JobKind>,
    /// Only this status.
    status: Option<JobStatus>,
    /// `next_cursor` of the last list.
    cursor: Option<i64>,
    /// 1 to 1,000.
    limit: Option<u32>,
}

/// Which pages of a job.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageQuery {
    /// Only this outcome.
    outcome: Option<Outcome>,
    /// Only this error code.
    code: Option<ErrorCode>,
    /// Only URLs that contain this.
    q: Option<String>,
    /// `next_cursor` of the last list, or the number of the last page seen.
    cursor: Option<u64>,
    /// 1 to 1,000.
    limit: Option<u32>,
}

pub(super) fn limit(asked: Option<u32>) -> Result<u32, HttpError> {
    match asked.unwrap_or(LIMIT) {
        limit @ 1..=MAX_LIMIT => Ok(limit),
        _ => Err(InvalidOption::new("limit", format!("must be 1 to {MAX_LIMIT}")).into()),
    }
}

/// List jobs, newest first
#[utoipa::path(
    get,
    path = "/v1/jobs",
    tag = "jobs",
    params(JobQuery),
    responses((status = 200, description = "Jobs.", body = List<Job>))
)]
pub(crate) async fn jobs(
    State(app): State<App>,
    Query(asked): Query<JobQuery>,
) -> Result<Response, HttpError> {
    let limit = limit(asked.limit)?;
    let list = app
        .engine
        .jobs(asked.kind, asked.status, asked.cursor, limit)
        .await;
    json(&list?)
}

/// Read a job
#[utoipa::path(
    get,
    path = "/v1/jobs/{id}",
    tag = "jobs",
    params(("id" = String, Path, description = "The job's `id`.")),
    responses((status = 200, description = "The job.", body = Job))
)]
pub(crate) async fn job(State(app): State<App>, Id(id): Id) -> Result<Response, HttpError> {
    json(&stored(app.engine.job(&id).await)?)
}

/// List the pages of a job in the order of their completion
///
/// Stable while the job runs: new pages come at the end. The content is at `/v1/pages/{page_id}`.
#[utoipa::path(
    get,
    path = "/v1/jobs/{id}/pages",
    tag = "jobs",
    params(("id" = String, Path, description = "The job's `id`."), PageQuery),
    responses((status = 200, description = "Pages.", body = List<JobPage>))
)]
pub(crate) async fn pages(
    State(app): State<App>,
    Id(id): Id,
    Query(asked): Query<PageQuery>,
) -> Result<Response, HttpError> {
    let limit = limit(asked.limit)?;
    let filter = PageFilter {
        outcome: asked.outcome,
        code: asked.code,
        query: asked.q,
    };
    let after = asked.cursor.unwrap_or(0);
    let list = app.engine.job_pages(&id, &filter, after, limit).await;
    json(&stored(list)?)
}

/// Stop a job
///
/// The pages it has stay. A job that is over stays as it is.
#[utoipa::path(
    post,
    path = "/v1/jobs/{id}/cancel",
    tag = "jobs",
    params(("id" = String, Path, description = "The job's `id`.")),
    responses((status = 200, description = "The job; it ends within seconds.", body = Job))
)]
pub(crate) async fn cancel(State(app): State<App>, Id(id): Id) -> Result<Response, HttpError> {
    json(&stored(app.engine.cancel_job(&id).await)?)
}

/// Do the failed and empty pages of a job again
///
/// A job that failed itself also goes on where it stopped. What a cancelled job left over, or one
/// that reached its `max_pages` or `max_duration_s`, stays undone; its time begins anew.
#[utoipa::path(
    post,
    path = "/v1/jobs/{id}/retry",
    tag = "jobs",
    params(("id" = String, Path, description = "The job's `id`.")),
    responses((status = 200, description = "The job: queued again, or as it was when it has no such page.", body = Job))
)]
pub(crate) async fn retry(State(app): State<App>, Id(id): Id) -> Result<Response, HttpError> {
    let (job, _pages) = stored(app.engine.retry_job(&id).await)?;
    json(&job)
}

/// Remove a job with its pages
#[utoipa::path(
    delete,
    path = "/v1/jobs/{id}",
    tag = "jobs",
    params(("id" = String, Path, description = "The job's `id`.")),
    responses((status = 200, description = "The job that is gone.", body = Job))
)]
pub(crate) async fn erase(State(app): State<App>, Id(id): Id) -> Result<Response, HttpError> {
    json(&stored(app.engine.erase_job(&id).await)?)
}
