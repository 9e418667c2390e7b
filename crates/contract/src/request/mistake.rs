//! What is wrong with a request, and the checks that several of its parts share.

use serde_json::json;

use crate::{ErrorCode, ErrorInfo};

/// Ceiling of selectors, headers and cookies in one request.
const MAX_ENTRIES: usize = 100;
/// Ceiling of a selector's length; nobody writes longer ones.
const MAX_SELECTOR_BYTES: usize = 4096;

/// A caller's mistake: which field, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} {problem}", self.subject())]
pub struct InvalidOption {
    /// `INVALID_URL` or `INVALID_OPTIONS`.
    pub code: ErrorCode,
    /// Path of the field, as in `include_tags[1]`; empty for the body as a whole.
    pub field: String,
    /// What is wrong, and what to write instead.
    pub problem: String,
}

impl InvalidOption {
    /// A mistake in an option.
    pub fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            code: ErrorCode::InvalidOptions,
            field: field.into(),
            problem: problem.into(),
        }
    }

    pub(super) fn url(problem: impl Into<String>) -> Self {
        Self {
            code: ErrorCode::InvalidUrl,
            field: "url".into(),
            problem: problem.into(),
        }
    }

    fn subject(&self) -> String {
        match self.field.as_str() {
            "" => "the body".into(),
            field => format!("{field}:"),
        }
    }

    /// The same as an `ErrorInfo`, with `details.field`.
    pub fn info(&self) -> ErrorInfo {
        let mut info = ErrorInfo::new(self.code, self.to_string());
        info.details = Some(json!({ "field": self.field }));
        info
    }
}

pub(super) fn check_length(text: &str, most: usize) -> Result<(), String> {
    match text.len() {
        length if length > most => Err(format!("is longer than {most} bytes")),
        _ => Ok(()),
    }
}

pub(super) fn check_count(field: &str, count: usize) -> Result<(), InvalidOption> {
    if count > MAX_ENTRIES {
        return Err(InvalidOption::new(
            field,
            format!("has more than {MAX_ENTRIES} entries"),
        ));
    }
    Ok(())
}

/// A selector by itself; `check` is the reader's own parser.
pub(super) fn check_css(
    field: impl Fn() -> String,
    selector: &str,
    check: impl Fn(&str) -> Result<(), String>,
) -> Result<(), InvalidOption> {
    check_length(selector, MAX_SELECTOR_BYTES)
        .and_then(|()| check(selector))
        .map_err(|problem| InvalidOption::new(field(), problem))
}
