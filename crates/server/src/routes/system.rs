//! `GET /v1/system`

use axum::{extract::State, response::Response};
use trawls_contract::SystemInfo;

use super::json;
use crate::{App, error::HttpError};

/// State of the whole server
#[utoipa::path(
    get,
    path = "/v1/system",
    tag = "server",
    responses((status = 200, description = "Versions, pages, browser, breakers.", body = SystemInfo))
)]
pub(crate) async fn system(State(app): State<App>) -> Result<Response, HttpError> {
    json(&app.engine.system().await)
}
