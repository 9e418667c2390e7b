//! `GET /v1/pages/{id}`

use axum::{
    extract::{Path, State},
    response::Response,
};
use trawls_contract::PageResult;

use super::json;
use crate::{App, error::HttpError};

/// Read a stored page again
#[utoipa::path(
    get,
    path = "/v1/pages/{id}",
    tag = "pages",
    params(("id" = String, Path, description = "The page's `id`.")),
    responses((status = 200, description = "The page as it was.", body = PageResult))
)]
pub(crate) async fn page(
    State(app): State<App>,
    id: Result<Path<String>, axum::extract::rejection::PathRejection>,
) -> Result<Response, HttpError> {
    // An id that isn't even text is no page's.
    let Path(id) = id.map_err(|_| HttpError::NoPage)?;
    match app.engine.page(&id).await {
        Ok(Some(page)) => json(&page),
        Ok(None) => Err(HttpError::NoPage),
        Err(error) => {
            tracing::error!(%error, "a page cannot be read");
            Err(HttpError::Internal)
        }
    }
}
