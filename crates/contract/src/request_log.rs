//! One row of the request log (`GET /v1/requests`).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One call of the API. Never holds query strings, bodies or keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RequestRecord {
    /// The request id that the answer and the log lines carry.
    pub id: String,
    /// RFC 3339, UTC.
    #[schema(value_type = String, format = DateTime)]
    pub received_at: jiff::Timestamp,
    /// HTTP method.
    pub method: String,
    /// Path without the query.
    pub path: String,
    /// HTTP status of the answer.
    pub status: u16,
    /// Milliseconds from request to answer.
    pub duration_ms: u64,
    /// Label of the API key, if one was used; never the key.
    pub key_label: Option<String>,
    /// Error code of the page or of the API, if the call failed.
    pub code: Option<String>,
}
