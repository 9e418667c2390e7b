//! `GET /v1/pages/{id}`

use axum::{extract::State, response::Response};
use trawls_contract::PageResult;

use super::{json, stored};
use crate::{App, address::Id, error::HttpError};

/// Read a stored page again
#[utoipa::path(
    get,
    path = "/v1/pages/{id}",
    tag = "pages",
    params(("id" = String, Path, description = "The page's `id`.")),
    responses((status = 200, description = "The page as it was.", body = PageResult))
)]
pub(crate) async fn page(State(app): State<App>, Id(id): Id) -> Result<Response, HttpError> {
    json(&stored(app.engine.page(&id).await)?)
}
