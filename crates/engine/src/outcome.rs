//! What became of a page: one pure function over what fetch thought of the response and what
//! content read in it. The order of the arms is the order of importance.

use serde_json::json;
use trawls_content::Page;
use trawls_contract::{ErrorCode, ErrorInfo, Outcome, Verdict};
use trawls_fetch::Fetched;

use crate::{error, reader::ReadFailure, soft_404::looks_not_found};

/// The outcome, why it is one, and what is doubtful about it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Judgement {
    pub(crate) outcome: Outcome,
    pub(crate) error: Option<ErrorInfo>,
    pub(crate) warnings: Vec<String>,
}

impl Judgement {
    /// No response, and why.
    pub(crate) fn of_error(error: ErrorInfo) -> Self {
        Self {
            outcome: outcome(Some(&error)),
            error: Some(error),
            warnings: Vec::new(),
        }
    }

    /// The same after so many tries.
    pub(crate) fn after(mut self, tries: u32) -> Self {
        if let Some(error) = &mut self.error {
            error.attempts = tries;
        }
        self
    }
}

/// What fetch says of a response. A document on disk has no response: `Evidence::of_file()`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Evidence<'a> {
    pub(crate) verdict: Verdict,
    pub(crate) status: u16,
    /// Of the verdict, one sentence.
    pub(crate) why: &'a str,
    /// Whose anti-bot page it is.
    pub(crate) vendor: Option<&'static str>,
    /// Why the body is not whole.
    pub(crate) truncated: Option<&'a str>,
}

impl<'a> Evidence<'a> {
    pub(crate) fn of(fetched: &'a Fetched) -> Self {
        Self {
            verdict: fetched.verdict,
            status: fetched.status,
            why: &fetched.why,
            vendor: fetched.vendor,
            truncated: fetched.truncated.as_deref(),
        }
    }

    pub(crate) fn of_file() -> Self {
        Self {
            verdict: Verdict::Usable,
            status: 200,
            why: "",
            vendor: None,
            truncated: None,
        }
    }

    /// Is there anything to read? The text of a challenge is not the page's, and must not be
    /// taken for it.
    pub(crate) fn is_readable(&self) -> bool {
        self.verdict != Verdict::Blocked
    }
}

/// Judges a response and its reading; `None` when it was not read.
pub(crate) fn judge(
    evidence: Evidence<'_>,
    reading: Option<&Result<Page, ReadFailure>>,
) -> Judgement {
    let mut warnings = Vec::new();
    if let Some(why) = evidence.truncated {
        warnings.push(format!(
            "The page is partial: its body was truncated ({why})."
        ));
    }
    let refusal = refusal(evidence);
    if let (Some(_), Some(Err(failure))) = (&refusal, reading) {
        warnings.push(format!(
            "Its content could not be read: {}",
            of_reading(failure).message
        ));
    }
    let found = refusal.or_else(|| match reading {
        Some(Ok(page)) => missing_content(page),
        Some(Err(failure)) => Some(of_reading(failure)),
        None => Some(error::internal()),
    });
    if let (None, Verdict::Thin | Verdict::Lossy) = (&found, evidence.verdict) {
        warnings.push(format!(
            "The page may be incomplete: {}",
            error::sentence(evidence.why)
        ));
    }
    Judgement {
        outcome: outcome(found.as_ref()),
        error: found,
        warnings,
    }
}

/// What an error makes of a page.
fn outcome(error: Option<&ErrorInfo>) -> Outcome {
    match error.map(|error| error.code) {
        None => Outcome::Success,
        Some(ErrorCode::EmptyContent) => Outcome::Empty,
        Some(ErrorCode::RobotsDenied | ErrorCode::OutOfScope | ErrorCode::Duplicate) => {
            Outcome::Skipped
        }
        Some(_) => Outcome::Failed,
    }
}

/// The response itself says that there is no page.
fn refusal(evidence: Evidence<'_>) -> Option<ErrorInfo> {
    let status = evidence.status;
    let answered = match status {
        300..=399 => format!("The server answered {status} and does not say where the page is."),
        _ => format!("The server answered {status}."),
    };
    Some(match evidence.verdict {
        Verdict::Blocked => {
            let mut info = ErrorInfo::new(
                ErrorCode::Blocked,
                format!(
                    "The site refuses automated visitors: {}",
                    error::sentence(evidence.why)
                ),
            );
            info.details = Some(json!({ "vendor": evidence.vendor, "http_status": status }));
            info
        }
        Verdict::RateLimited => ErrorInfo::new(
            ErrorCode::RateLimited,
            "The site asks for fewer requests; try again later.",
        ),
        Verdict::Unavailable => ErrorInfo::new(
            ErrorCode::BrowserUnavailable,
            "The page needs a browser, and none is available.",
        ),
        Verdict::Failed => error::internal(),
        Verdict::NotFound => ErrorInfo::new(ErrorCode::NotFound, answered),
        Verdict::ClientError => ErrorInfo::new(ErrorCode::HttpClientError, answered),
        Verdict::ServerError => ErrorInfo::new(ErrorCode::HttpServerError, answered),
        Verdict::Usable | Verdict::Thin | Verdict::Lossy | Verdict::NotModified => match status {
            404 | 410 => ErrorInfo::new(ErrorCode::NotFound, answered),
            400..=499 => ErrorInfo::new(ErrorCode::HttpClientError, answered),
            500.. => ErrorInfo::new(ErrorCode::HttpServerError, answered),
            _ => return None,
        },
    })
}

fn missing_content(page: &Page) -> Option<ErrorInfo> {
    if !page.markdown.contains(char::is_alphanumeric) {
        return Some(ErrorInfo::new(
            ErrorCode::EmptyContent,
            "No usable content was found in the page.",
        ));
    }
    looks_not_found(page).then(|| {
        let mut info = ErrorInfo::new(
            ErrorCode::NotFound,
            "The server answered with success, but the page says that it was not found.",
        );
        info.details = Some(json!({ "soft_404": true }));
        info
    })
}

fn of_reading(failure: &ReadFailure) -> ErrorInfo {
    match failure {
        ReadFailure::OutOfTime => ErrorInfo::new(
            ErrorCode::TimeoutTotal,
            "The time was up before the page was read.",
        ),
        ReadFailure::Unsupported(what) => ErrorInfo::new(
            ErrorCode::UnsupportedContent,
            format!(
                "This kind of content cannot be read: {}",
                error::sentence(what)
            ),
        ),
        ReadFailure::Decode(what) => ErrorInfo::new(
            ErrorCode::DecodeError,
            format!("The content cannot be decoded: {}", error::sentence(what)),
        ),
        ReadFailure::Options(what) => {
            ErrorInfo::new(ErrorCode::InvalidOptions, error::sentence(what))
        }
        ReadFailure::Panicked => error::internal(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use trawls_contract::PageMetadata;

    pub(crate) fn page(markdown: &str, metadata: PageMetadata) -> Page {
        Page {
            markdown: markdown.into(),
            metadata,
            ..Page::default()
        }
    }

    const TEXT: &str = "The ferry leaves at nine.";

    /// Verdict, status, what was read → outcome, code, warnings.
    #[test]
    #[expect(clippy::too_many_lines, reason = "one row per kind of page")]
    fn the_table_of_outcomes() {
        use Outcome::{Empty, Failed, Success};
        use Verdict as V;
        let text = || Ok(page(TEXT, PageMetadata::default()));
        let blank = || Ok(page("\n---\n", PageMetadata::default()));
        let unsupported = || Err(ReadFailure::Unsupported("application/zip".into()));
        let rows = [
            (V::Usable, 200, text(), Success, None, 0),
            (
                V::Usable,
                200,
                blank(),
                Empty,
                Some(ErrorCode::EmptyContent),
                0,
            ),
            (
                V::Usable,
                204,
                blank(),
                Empty,
                Some(ErrorCode::EmptyContent),
                0,
            ),
            (
                V::Usable,
                200,
                unsupported(),
                Failed,
                Some(ErrorCode::UnsupportedContent),
                0,
            ),
            (
                V::Usable,
                200,
                Err(ReadFailure::OutOfTime),
                Failed,
                Some(ErrorCode::TimeoutTotal),
                0,
            ),
            (
                V::Usable,
                200,
                Err(ReadFailure::Panicked),
                Failed,
                Some(ErrorCode::Internal),
                0,
            ),
            (
                V::Usable,
                200,
                Err(ReadFailure::Decode("utf-8".into())),
                Failed,
                Some(ErrorCode::DecodeError),
                0,
            ),
            (V::Thin, 200, text(), Success, None, 1),
            (V::Lossy, 200, text(), Success, None, 1),
            (
                V::Thin,
                200,
                blank(),
                Empty,
                Some(ErrorCode::EmptyContent),
                0,
            ),
            (V::Blocked, 200, text(), Failed, Some(ErrorCode::Blocked), 0),
            (V::Blocked, 403, text(), Failed, Some(ErrorCode::Blocked), 0),
            (
                V::RateLimited,
                429,
                text(),
                Failed,
                Some(ErrorCode::RateLimited),
                0,
            ),
            (
                V::NotFound,
                404,
                text(),
                Failed,
                Some(ErrorCode::NotFound),
                0,
            ),
            (
                V::NotFound,
                410,
                blank(),
                Failed,
                Some(ErrorCode::NotFound),
                0,
            ),
            (
                V::ClientError,
                403,
                text(),
                Failed,
                Some(ErrorCode::HttpClientError),
                0,
            ),
            (
                V::ServerError,
                500,
                unsupported(),
                Failed,
                Some(ErrorCode::HttpServerError),
                1,
            ),
            (V::Thin, 404, text(), Failed, Some(ErrorCode::NotFound), 0),
            (
                V::Thin,
                503,
                text(),
                Failed,
                Some(ErrorCode::HttpServerError),
                0,
            ),
            (
                V::NotModified,
                304,
                blank(),
                Empty,
                Some(ErrorCode::EmptyContent),
                0,
            ),
            (
                V::Unavailable,
                200,
                text(),
                Failed,
                Some(ErrorCode::BrowserUnavailable),
                0,
            ),
        ];
        for (verdict, status, reading, outcome, code, warnings) in rows {
            let evidence = Evidence {
                verdict,
                status,
                why: "because",
                vendor: None,
                truncated: None,
            };
            let judged = judge(evidence, Some(&reading));
            let found = judged.error.as_ref().map(|error| error.code);
            let row = format!("{verdict:?} {status}: {judged:?}");
            assert_eq!((judged.outcome, found), (outcome, code), "{row}");
            assert_eq!(judged.warnings.len(), warnings, "{row}");
        }
    }

    #[test]
    fn a_partial_body_is_said_to_be_partial() {
        let evidence = Evidence {
            truncated: Some("the connection closed early"),
            ..Evidence::of_file()
        };
        let judged = judge(evidence, Some(&Ok(page(TEXT, PageMetadata::default()))));
        assert!(judged.outcome.is_success());
        assert!(judged.warnings[0].contains("truncated") && judged.warnings[0].contains("partial"));
    }

    #[test]
    fn robots_skips_a_page() {
        let denied = ErrorInfo::new(ErrorCode::RobotsDenied, "");
        assert_eq!(outcome(Some(&denied)), Outcome::Skipped);
    }
}
