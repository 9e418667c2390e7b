//! `POST /v1/scrape`

use std::time::Duration;

use axum::{extract::State, response::Response};
use trawls_contract::{PageResult, ScrapeBody};

use super::json;
use crate::{App, body::JsonBody, error::HttpError};

/// The engine ends a page at its `timeout_ms`; a page that is this late is given up.
const OVERDUE: Duration = Duration::from_secs(5);

/// Scrape one page
///
/// Waits for the page. A page that fails or is skipped is still a 200: `status`, `outcome` and
/// `error` say what happened, `trace` says why.
#[utoipa::path(
    post,
    path = "/v1/scrape",
    tag = "pages",
    request_body = ScrapeBody,
    responses((status = 200, description = "The page.", body = PageResult))
)]
pub(crate) async fn scrape(
    State(app): State<App>,
    JsonBody(ScrapeBody { url, options }): JsonBody<ScrapeBody>,
) -> Result<Response, HttpError> {
    let _slot = app.slots.try_acquire().map_err(|_| HttpError::Busy)?;
    let limit = Duration::from_millis(options.timeout_ms).saturating_add(OVERDUE);
    let request = app.engine.admit(&url, options)?;
    let page = tokio::time::timeout(limit, app.engine.scrape(&request))
        .await
        .map_err(|_| HttpError::Overdue)?;
    let mut response = json(&page)?;
    if let Some(error) = &page.error {
        // For the log: the call went well, the page didn't.
        response.extensions_mut().insert(error.code);
    }
    Ok(response)
}
