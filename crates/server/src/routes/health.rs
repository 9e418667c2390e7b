//! `GET /healthz` and `GET /readyz`, open to everybody.

use axum::{extract::State, response::Response};
use trawls_contract::{Health, Readiness};

use super::json;
use crate::{App, error::HttpError};

/// Is the process alive?
#[utoipa::path(
    get,
    path = "/healthz",
    tag = "server",
    responses((status = 200, description = "It is.", body = Health))
)]
pub(crate) async fn healthz() -> Result<Response, HttpError> {
    json(&Health { alive: true })
}

/// Can it take work?
///
/// 503 with the same facts in `details.readiness` when it can't. A missing browser is reported
/// and is no reason: the http rung works without it.
#[utoipa::path(
    get,
    path = "/readyz",
    tag = "server",
    responses((status = 200, description = "It can.", body = Readiness))
)]
pub(crate) async fn readyz(State(app): State<App>) -> Result<Response, HttpError> {
    let readiness = app.engine.ready().await;
    if readiness.ready {
        json(&readiness)
    } else {
        Err(HttpError::NotReady(Box::new(readiness)))
    }
}
