//! `GET /v1/jobs/{id}/export`

use axum::{
    body::Body,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use trawls_contract::{ErrorCode, ExportFormat, Outcome};
use trawls_engine::PageFilter;
use utoipa::IntoParams;

use super::stored;
use crate::{
    App,
    address::{Id, Query},
    error::HttpError,
};

/// Which pages, and how.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ExportQuery {
    /// jsonl (one `PageResult` a line), md (one document), zip (one Markdown file a page) or csv.
    #[serde(default = "lines")]
    format: ExportFormat,
    /// Only this outcome; md and zip hold the successful pages when absent, the others all.
    outcome: Option<Outcome>,
    /// Only this error code.
    code: Option<ErrorCode>,
    /// Only URLs that contain this.
    q: Option<String>,
}

fn lines() -> ExportFormat {
    ExportFormat::Jsonl
}

/// Take the pages of a job along as one file
///
/// Streamed, in the order of completion. Of a running job it is what is there.
#[utoipa::path(
    get,
    path = "/v1/jobs/{id}/export",
    tag = "jobs",
    params(("id" = String, Path, description = "The job's `id`."), ExportQuery),
    responses((status = 200, description = "The file.", content(
        (String = "application/x-ndjson"), (String = "text/markdown"),
        (String = "application/zip"), (String = "text/csv")
    )))
)]
pub(crate) async fn export(
    State(app): State<App>,
    Id(id): Id,
    Query(asked): Query<ExportQuery>,
) -> Result<Response, HttpError> {
    let filter = PageFilter {
        outcome: asked.outcome,
        code: asked.code,
        query: asked.q,
    };
    let format = asked.format;
    let pieces = stored(app.engine.export_job(&id, format, filter).await)?;
    let name = format!("attachment; filename=\"trawls-{id}.{}\"", format.as_str());
    let headers = [
        (header::CONTENT_TYPE, format.media_type().to_owned()),
        (header::CONTENT_DISPOSITION, name),
    ];
    Ok((headers, Body::from_stream(pieces)).into_response())
}
