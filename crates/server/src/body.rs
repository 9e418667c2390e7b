//! Reads a JSON body: declared as JSON, bounded in size and time.

use std::time::Duration;

use axum::{
    extract::{FromRequest, Request},
    http::{HeaderMap, StatusCode, header},
};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use trawls_contract::read_body;

use crate::error::HttpError;

/// Largest body of a call: ten thousand long URLs.
pub(crate) const MAX_BODY_BYTES: usize = 4 << 20;
/// Longest wait for a body; the largest takes this long at 200 kB/s.
const BODY_TIMEOUT: Duration = Duration::from_secs(20);

/// A body, read.
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = HttpError;

    async fn from_request(request: Request, state: &S) -> Result<Self, HttpError> {
        if !is_json(request.headers()) {
            return Err(HttpError::NotJsonType);
        }
        Ok(Self(read_body(&bytes(request, state).await?)?))
    }
}

/// A body that may be left out.
pub(crate) struct OptionalBody<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned + Default> FromRequest<S> for OptionalBody<T> {
    type Rejection = HttpError;

    async fn from_request(request: Request, state: &S) -> Result<Self, HttpError> {
        let says_json = is_json(request.headers());
        let bytes = bytes(request, state).await?;
        match (bytes.is_empty(), says_json) {
            (true, _) => Ok(Self(T::default())),
            (false, true) => Ok(Self(read_body(&bytes)?)),
            (false, false) => Err(HttpError::NotJsonType),
        }
    }
}

async fn bytes<S: Send + Sync>(request: Request, state: &S) -> Result<Bytes, HttpError> {
    match tokio::time::timeout(BODY_TIMEOUT, Bytes::from_request(request, state)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) if error.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            Err(HttpError::BodyTooLarge(MAX_BODY_BYTES))
        }
        Ok(Err(_)) => Err(HttpError::BadBody),
        Err(_) => Err(HttpError::BodyTimeout),
    }
}

/// `application/json` or `application/*+json`, with any parameters.
fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = headers
        .get(header::CONTENT_TYPE)
        .and_then(|v| v.to_str().ok())
    else {
        return false;
    };
    let media_type = value
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    media_type == "application/json"
        || (media_type.starts_with("application/") && media_type.ends_with("+json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_json_types_are_json() {
        let is = |value: &'static str| {
            is_json(&HeaderMap::from_iter([(
                header::CONTENT_TYPE,
                header::HeaderValue::from_static(value),
            )]))
        };
        assert!(is("application/json"));
        assert!(is("Application/JSON; charset=utf-8"));
        assert!(is("application/problem+json"));
        for other in [
            "text/plain",
            "text/json",
            "application/x-www-form-urlencoded",
            "application/jsonp",
            "",
        ] {
            assert!(!is(other), "{other}");
        }
        assert!(!is_json(&HeaderMap::new()));
    }
}
