//! `/v1/jobs/{id}/deliveries`: what a job's webhook was told.

use axum::{
    extract::{FromRequestParts, Path, State},
    http::request::Parts,
    response::Response,
};
use serde::Deserialize;
use trawls_contract::{Delivery, List};
use utoipa::IntoParams;

use super::{jobs::limit, json, stored};
use crate::{
    App,
    address::{Id, Query},
    error::HttpError,
};

/// Which deliveries.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct DeliveryQuery {
    /// `next_cursor` of the last list.
    cursor: Option<u64>,
    /// 1 to 1,000.
    limit: Option<u32>,
}

/// A job and the number of one of its deliveries. What cannot be one is nothing's.
pub(crate) struct Numbered(String, u64);

impl<S: Send + Sync> FromRequestParts<S> for Numbered {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, HttpError> {
        let found = Path::<(String, u64)>::from_request_parts(parts, state).await;
        found
            .map(|Path((id, number))| Self(id, number))
            .map_err(|_| HttpError::NotStored)
    }
}

/// List what a job's webhook was told, in the order of the events
#[utoipa::path(
    get,
    path = "/v1/jobs/{id}/deliveries",
    tag = "jobs",
    params(("id" = String, Path, description = "The job's `id`."), DeliveryQuery),
    responses((status = 200, description = "Deliveries with all their tries.", body = List<Delivery>))
)]
pub(crate) async fn deliveries(
    State(app): State<App>,
    Id(id): Id,
    Query(asked): Query<DeliveryQuery>,
) -> Result<Response, HttpError> {
    let limit = limit(asked.limit)?;
    let after = asked.cursor.unwrap_or(0);
    json(&stored(app.engine.deliveries(&id, after, limit).await)?)
}

/// Tell a webhook of an event again
///
/// Once, at once, with the same `id`, and with job and page as they are now.
#[utoipa::path(
    post,
    path = "/v1/jobs/{id}/deliveries/{number}/resend",
    tag = "jobs",
    params(
        ("id" = String, Path, description = "The job's `id`."),
        ("number" = u64, Path, description = "The delivery's `number`.")
    ),
    responses((status = 200, description = "The delivery with one more try.", body = Delivery))
)]
pub(crate) async fn resend(
    State(app): State<App>,
    Numbered(id, number): Numbered,
) -> Result<Response, HttpError> {
    let _slot = app.slots.try_acquire().map_err(|_| HttpError::Busy)?;
    json(&stored(app.engine.resend(&id, number).await)?)
}
