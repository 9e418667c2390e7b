//! `GET /v1/jobs/{id}/tree`

use axum::{extract::State, response::Response};
use serde::Deserialize;
use trawls_contract::{ErrorCode, InvalidOption, Outcome, Tree};
use trawls_engine::PageFilter;
use utoipa::IntoParams;

use super::{json, stored};
use crate::{
    App,
    address::{Id, Query},
    error::HttpError,
};

/// Pages of a tree when the caller does not say.
const LIMIT: usize = 10_000;
/// Most pages of a tree: some 20 MB of JSON.
const MAX_LIMIT: usize = 50_000;

/// Which pages of a job.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct TreeQuery {
    /// Only this outcome.
    outcome: Option<Outcome>,
    /// Only this error code.
    code: Option<ErrorCode>,
    /// Only URLs that contain this.
    q: Option<String>,
    /// Pages of the tree, 1 to 50,000; 10,000 when absent.
    limit: Option<usize>,
}

/// See the pages of a job by host and path
#[utoipa::path(
    get,
    path = "/v1/jobs/{id}/tree",
    tag = "jobs",
    params(("id" = String, Path, description = "The job's `id`."), TreeQuery),
    responses((status = 200, description = "Hosts, and what is below them.", body = Tree))
)]
pub(crate) async fn tree(
    State(app): State<App>,
    Id(id): Id,
    Query(asked): Query<TreeQuery>,
) -> Result<Response, HttpError> {
    let limit = asked.limit.unwrap_or(LIMIT);
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(InvalidOption::new("limit", format!("must be 1 to {MAX_LIMIT}")).into());
    }
    let filter = PageFilter {
        outcome: asked.outcome,
        code: asked.code,
        query: asked.q,
    };
    json(&stored(app.engine.job_tree(&id, &filter, limit).await)?)
}
