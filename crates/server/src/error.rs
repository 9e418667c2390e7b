//! What can go wrong with a call, and the only place that decides HTTP statuses.
//!
//! A handler returns an `HttpError`; the response carries it as an extension until `render` writes
//! the body, because only the outermost layer knows the request id.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use trawls_contract::{ApiError, ErrorBody, ErrorCode, ErrorInfo, Fault, InvalidOption, Readiness};
use trawls_engine::{EngineError, NoJob, NoMap};

/// Seconds after which a busy server is worth another try: about the time of one page.
const RETRY_AFTER_S: &str = "1";

/// What is wrong with a call. A failed page is not among these: it is data.
#[derive(Debug, Clone)]
pub(crate) enum HttpError {
    /// A field of the request.
    Invalid(InvalidOption),
    /// The body is not JSON.
    NotJson(String),
    /// The body could not be read as sent.
    BadBody,
    /// The content type is not JSON.
    NotJsonType,
    /// The body exceeds the limit in bytes.
    BodyTooLarge(usize),
    /// The body came too slowly.
    BodyTimeout,
    /// No key, or a wrong one.
    Unauthorized,
    /// `Host` names another machine: DNS rebinding, or a proxy that nobody told us about.
    ForeignHost,
    /// A page of another site sent this request.
    ForeignOrigin,
    /// No such route.
    NoRoute,
    /// No page or job has this id.
    NotStored,
    /// The job runs, and what is asked needs it to be over.
    JobRuns,
    /// The idempotency key was used for another body.
    KeyReused,
    /// The route exists, the method doesn't.
    NoMethod,
    /// The database takes or gives nothing now, and why.
    NoStore(String),
    /// Every slot is taken.
    Busy,
    /// The target of the call cannot be had.
    Target(ErrorInfo),
    /// The page's own deadline passed and the page did not return.
    Overdue,
    /// Database or worker are not well.
    NotReady(Box<Readiness>),
    /// A fault of ours; the log has the cause.
    Internal,
    /// A status that a layer below set without saying more.
    Bare(StatusCode),
}

impl HttpError {
    fn status(&self) -> StatusCode {
        match self {
            Self::Invalid(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::NotJson(_) | Self::BadBody => StatusCode::BAD_REQUEST,
            Self::NotJsonType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::BodyTooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::BodyTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::ForeignHost => StatusCode::MISDIRECTED_REQUEST,
            Self::ForeignOrigin => StatusCode::FORBIDDEN,
            Self::NoRoute | Self::NotStored => StatusCode::NOT_FOUND,
            Self::JobRuns | Self::KeyReused => StatusCode::CONFLICT,
            Self::NoMethod => StatusCode::METHOD_NOT_ALLOWED,
            Self::Busy | Self::NoStore(_) | Self::NotReady(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Target(error) => status_of_target(error.code),
            Self::Overdue => StatusCode::GATEWAY_TIMEOUT,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Bare(status) => *status,
        }
    }

    /// A page code where one fits, else one of the HTTP face's own.
    fn code(&self) -> &'static str {
        match self {
            Self::Invalid(mistake) => mistake.code.as_str(),
            Self::NotJson(_) => "INVALID_JSON",
            Self::BadBody => "BAD_REQUEST",
            Self::NotJsonType => "UNSUPPORTED_MEDIA_TYPE",
            Self::BodyTooLarge(_) => "PAYLOAD_TOO_LARGE",
            Self::BodyTimeout => "REQUEST_TIMEOUT",
            Self::Unauthorized => "UNAUTHORIZED",
            Self::ForeignHost => "FOREIGN_HOST",
            Self::ForeignOrigin => "FOREIGN_ORIGIN",
            Self::NoRoute | Self::NotStored => ErrorCode::NotFound.as_str(),
            Self::JobRuns => "JOB_RUNS",
            Self::KeyReused => "IDEMPOTENCY_CONFLICT",
            Self::NoMethod => "METHOD_NOT_ALLOWED",
            Self::NoStore(_) => "STORE_UNAVAILABLE",
            Self::Busy => "OVERLOADED",
            Self::Target(error) => error.code.as_str(),
            Self::Overdue => ErrorCode::TimeoutTotal.as_str(),
            Self::NotReady(_) => "NOT_READY",
            Self::Internal => ErrorCode::Internal.as_str(),
            Self::Bare(status) if status.is_server_error() => ErrorCode::Internal.as_str(),
            Self::Bare(_) => "BAD_REQUEST",
        }
    }

    fn message(&self) -> String {
        match self {
            Self::Invalid(mistake) => mistake.to_string(),
            Self::NotJson(problem) => problem.clone(),
            Self::BadBody => "the body could not be read".into(),
            Self::NotJsonType => "send JSON with `Content-Type: application/json`".into(),
            Self::BodyTooLarge(limit) => format!("the body exceeds {limit} bytes"),
            Self::BodyTimeout => "the body did not arrive in time".into(),
            Self::Unauthorized => {
                "send the key as `Authorization: Bearer KEY` or `X-API-Key: KEY`".into()
            }
            Self::ForeignHost => "the Host header names another machine; behind a proxy, set \
                                  TRAWLS_PUBLIC_URL to the address that callers use"
                .into(),
            Self::ForeignOrigin => {
                "requests from pages of other sites are refused while authentication is off".into()
            }
            Self::NoRoute => "no such route; /docs lists them".into(),
            Self::NotStored => "nothing is stored under this id".into(),
            Self::JobRuns => "the job is not over; cancel it first".into(),
            Self::KeyReused => {
                "this Idempotency-Key was used with another body in the last 24 hours".into()
            }
            Self::NoMethod => {
                "this route doesn't take this method; the Allow header lists those it takes".into()
            }
            Self::NoStore(why) => why.clone(),
            Self::Busy => "every slot is taken; try again shortly".into(),
            Self::Target(error) => error.message.clone(),
            Self::Overdue => "the page did not end at its deadline".into(),
            Self::NotReady(_) => "a part of the server is not well; see details".into(),
            Self::Internal => {
                "an error of ours; the log has the cause under this request id".into()
            }
            Self::Bare(status) => status
                .canonical_reason()
                .unwrap_or("refused")
                .to_lowercase(),
        }
    }

    fn is_retryable(&self) -> bool {
        match self {
            Self::NoStore(_)
            | Self::Busy
            | Self::Overdue
            | Self::BodyTimeout
            | Self::NotReady(_)
            | Self::Internal => true,
            Self::Target(error) => error.retryable,
            Self::Bare(status) => status.is_server_error(),
            _ => false,
        }
    }

    fn details(&self) -> serde_json::Map<String, Value> {
        let details = match self {
            Self::Invalid(mistake) if !mistake.field.is_empty() => {
                json!({ "field": mistake.field })
            }
            Self::BodyTooLarge(limit) => json!({ "limit_bytes": limit }),
            Self::Target(error) => error.details.clone().unwrap_or_default(),
            Self::NotReady(readiness) => json!({ "readiness": readiness }),
            _ => Value::Null,
        };
        match details {
            Value::Object(map) => map,
            _ => serde_json::Map::new(),
        }
    }

    fn headers(&self, headers: &mut HeaderMap) {
        match self {
            Self::Unauthorized => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            Self::Busy => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static(RETRY_AFTER_S));
            }
            // The rest of a body that nobody reads would be taken for the next request.
            Self::BodyTooLarge(_) | Self::BodyTimeout | Self::BadBody => {
                headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            _ => {}
        }
    }
}

/// What a rule forbids is the caller's to change; the rest is between us and the target.
fn status_of_target(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::SsrfBlocked | ErrorCode::RobotsDenied => StatusCode::FORBIDDEN,
        ErrorCode::TimeoutTotal => StatusCode::GATEWAY_TIMEOUT,
        _ => StatusCode::BAD_GATEWAY,
    }
}

impl From<InvalidOption> for HttpError {
    fn from(mistake: InvalidOption) -> Self {
        Self::Invalid(mistake)
    }
}

impl From<Fault> for HttpError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::NotJson(problem) => Self::NotJson(problem),
            Fault::Invalid(mistake) => Self::Invalid(mistake),
        }
    }
}

/// The cause goes to the log, once.
impl From<EngineError> for HttpError {
    fn from(error: EngineError) -> Self {
        if let EngineError::JobRuns = error {
            return Self::JobRuns;
        }
        tracing::error!(%error, "a call failed");
        match error {
            EngineError::Unavailable(why) => Self::NoStore(why.to_string()),
            _ => Self::Internal,
        }
    }
}

impl From<NoJob> for HttpError {
    fn from(why: NoJob) -> Self {
        match why {
            NoJob::Invalid(mistake) => mistake.into(),
            NoJob::KeyReused => Self::KeyReused,
            NoJob::Engine(error) => error.into(),
        }
    }
}

impl From<NoMap> for HttpError {
    fn from(why: NoMap) -> Self {
        match why {
            NoMap::Invalid(mistake) => mistake.into(),
            NoMap::Dead(error) => Self::Target(error),
            NoMap::Engine(error) => error.into(),
        }
    }
}

impl IntoResponse for HttpError {
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        self.headers(response.headers_mut());
        response.extensions_mut().insert(self);
        response
    }
}

/// Writes the body of an error response: `{"error": {…}}` with the request id in the details.
/// Other responses pass. Returns the code, for the log.
pub(crate) fn render(response: &mut Response, request_id: &str) -> Option<&'static str> {
    let status = response.status();
    if !status.is_client_error() && !status.is_server_error() {
        return None;
    }
    let error = response
        .extensions_mut()
        .remove::<HttpError>()
        .unwrap_or(HttpError::Bare(status));
    let mut details = error.details();
    details.insert("request_id".into(), request_id.into());
    let body = ApiError {
        error: ErrorBody {
            code: error.code().into(),
            message: error.message(),
            retryable: error.is_retryable(),
            details: Some(Value::Object(details)),
        },
    };
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    headers.remove(header::CONTENT_LENGTH);
    // Plain strings and maps always serialise.
    *response.body_mut() = Body::from(serde_json::to_vec(&body).unwrap_or_default());
    Some(error.code())
}

#[cfg(test)]
mod tests {
    use trawls_store::StoreError;

    use super::*;

    fn told(error: StoreError) -> (u16, &'static str, String, bool) {
        let error = HttpError::from(EngineError::from(error));
        let status = error.status().as_u16();
        (status, error.code(), error.message(), error.is_retryable())
    }

    #[test]
    fn a_database_that_takes_nothing_is_told_as_such_and_one_that_broke_is_not_described() {
        let full = "the disk or the database is full".to_owned();
        assert_eq!(
            told(StoreError::Full),
            (503, "STORE_UNAVAILABLE", full, true)
        );
        assert_eq!(told(StoreError::ReadOnly).1, "STORE_UNAVAILABLE");
        let (status, code, message, _) = told(StoreError::Other("SELECT secret".into()));
        assert_eq!((status, code), (500, "INTERNAL"));
        assert!(!message.contains("SELECT"));
        assert_eq!(told(StoreError::JobRuns).0, 409);
    }
}
