//! `GET /v1/blobs/{id}`

use axum::{
    extract::State,
    http::{HeaderName, header},
    response::{IntoResponse, Response},
};

use super::stored;
use crate::{App, address::Id, error::HttpError, headers::CSP_BLOB};

/// What was made once never changes, and is not for others on the way.
const CACHED: &str = "private, max-age=86400, immutable";

/// Read a screenshot or a printed page
#[utoipa::path(
    get,
    path = "/v1/blobs/{id}",
    tag = "pages",
    params(("id" = String, Path, description = "The last part of a `screenshot_url` or `pdf_url`.")),
    responses((
        status = 200,
        description = "The bytes.",
        content(
            (Vec<u8> = "image/png"),
            (Vec<u8> = "application/pdf"),
        ),
    ))
)]
pub(crate) async fn blob(State(app): State<App>, Id(id): Id) -> Result<Response, HttpError> {
    let blob = stored(app.engine.blob(&id).await)?;
    let name = format!("inline; filename=\"{}.{}\"", blob.id, blob.kind.extension());
    let headers: [(HeaderName, String); 4] = [
        (header::CONTENT_TYPE, blob.kind.content_type().into()),
        (header::CONTENT_DISPOSITION, name),
        (header::CONTENT_SECURITY_POLICY, CSP_BLOB.into()),
        (header::CACHE_CONTROL, CACHED.into()),
    ];
    Ok((headers, blob.bytes).into_response())
}
