//! `POST /v1/map`

use axum::{extract::State, response::Response};
use trawls_contract::{MapBody, MapResult};

use super::json;
use crate::{App, body::JsonBody, error::HttpError};

/// List the URLs of a site
///
/// From its sitemaps and the links of its first pages, each URL once; best first with `search`.
/// What is more than `limit` comes with `next_cursor`, from the same map. A start that cannot be
/// had, with no sitemap in its stead, is an error with the page's code.
#[utoipa::path(
    post,
    path = "/v1/map",
    tag = "pages",
    request_body = MapBody,
    responses((status = 200, description = "The map, or the next piece of it.", body = MapResult))
)]
pub(crate) async fn map(
    State(app): State<App>,
    JsonBody(body): JsonBody<MapBody>,
) -> Result<Response, HttpError> {
    let _slot = app.slots.try_acquire().map_err(|_| HttpError::Busy)?;
    json(&app.engine.map(body).await?)
}
