//! Who is told of a job's events, and how that went.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;
use utoipa::ToSchema;

use crate::{InvalidOption, Job, JobStatus, Login, PageResult, request};

/// Longest `secret`.
const MAX_SECRET_BYTES: usize = 1024;
/// Largest `metadata`, as JSON.
const MAX_METADATA_BYTES: usize = 16 * 1024;

/// What a webhook is told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WebhookEventKind {
    /// A worker took the job.
    Started,
    /// A page has its outcome.
    Page,
    /// The job is over, and every page has its outcome.
    Completed,
    /// The job could not go on.
    Failed,
    /// Somebody stopped the job.
    Cancelled,
}

impl WebhookEventKind {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Started,
        Self::Page,
        Self::Completed,
        Self::Failed,
        Self::Cancelled,
    ];

    /// The wire name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Page => "page",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// The event of a job's end.
    pub fn of_end(status: JobStatus) -> Option<Self> {
        match status {
            JobStatus::Completed => Some(Self::Completed),
            JobStatus::Failed => Some(Self::Failed),
            JobStatus::Cancelled => Some(Self::Cancelled),
            JobStatus::Queued | JobStatus::Running => None,
        }
    }
}

/// Where the events of a job go: a POST each, in order, up to three tries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Webhook {
    /// Must be a public address. Redirects are not followed.
    pub url: String,
    /// Only these; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<WebhookEventKind>>,
    /// Signs each delivery: `X-Trawls-Signature: t=SECONDS,v1=HEX`, where HEX is the HMAC-SHA256
    /// under this secret of `SECONDS`, a full stop and the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// Sent along.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Given back in every delivery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
}

impl Webhook {
    /// Is this event wanted?
    pub fn wants(&self, event: WebhookEventKind) -> bool {
        self.events
            .as_ref()
            .is_none_or(|wanted| wanted.contains(&event))
    }

    /// Understands what a caller wrote.
    ///
    /// # Errors
    /// The first mistake, naming its field.
    pub(crate) fn check(&self) -> Result<(), InvalidOption> {
        let inside = |mut mistake: InvalidOption| {
            mistake.field = format!("webhook.{}", mistake.field);
            mistake
        };
        request::parse_url(&self.url).map_err(inside)?;
        request::parse_headers(&self.headers).map_err(inside)?;
        let wrong = |field: &str, problem: String| Err(InvalidOption::new(field, problem));
        if self.events.as_ref().is_some_and(Vec::is_empty) {
            return wrong("webhook.events", "must name at least one event".into());
        }
        let is_good = |secret: &String| (1..=MAX_SECRET_BYTES).contains(&secret.len());
        if self.secret.as_ref().is_some_and(|secret| !is_good(secret)) {
            let problem = format!("must be 1 to {MAX_SECRET_BYTES} bytes");
            return wrong("webhook.secret", problem);
        }
        let metadata = self.metadata.as_ref().map(|value| value.to_string().len());
        if metadata.is_some_and(|bytes| bytes > MAX_METADATA_BYTES) {
            let problem = format!("is larger than {MAX_METADATA_BYTES} bytes");
            return wrong("webhook.metadata", problem);
        }
        Ok(())
    }

    /// Where it goes. It was checked when its job was made.
    pub fn target(&self) -> Option<(Url, http::HeaderMap)> {
        let mut url = request::parse_url(&self.url).ok()?;
        let mut headers = request::parse_headers(&self.headers).ok()?;
        if let Some(login) = Login::take(&mut url) {
            headers.insert(http::header::AUTHORIZATION, login.authorization);
        }
        Some((url, headers))
    }
}

/// The body of a delivery.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WebhookEvent {
    /// The same at each try: a receiver that has seen it may forget it.
    pub id: String,
    /// What happened.
    pub event: WebhookEventKind,
    /// The job, as it stands now.
    pub job: Job,
    /// The page, for `page`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<PageResult>,
    /// As the caller gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
}

/// One event, and how its delivery went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Delivery {
    /// From 1, in the order of the events.
    pub number: u64,
    /// What happened.
    pub event: WebhookEventKind,
    /// Number of the page, for `page`.
    pub page: Option<u64>,
    /// Did the receiver answer 2xx?
    pub delivered: bool,
    /// One row per try, those of a resend included.
    pub attempts: Vec<DeliveryAttempt>,
}

/// One try to deliver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeliveryAttempt {
    /// RFC 3339, UTC.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// What the receiver answered.
    pub http_status: Option<u16>,
    /// Why there is no answer.
    pub error: Option<String>,
    /// Milliseconds until the answer.
    pub duration_ms: u64,
}

impl DeliveryAttempt {
    /// Did the receiver take it?
    pub fn is_good(&self) -> bool {
        self.http_status
            .is_some_and(|status| (200..300).contains(&status))
    }
}
