//! One event on its way to its receiver.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use jiff::Timestamp;
use tokio::time::Instant;
use trawls_contract::{DeliveryAttempt, Job, PageResult, Webhook, WebhookEvent, WebhookEventKind};

use super::signature::signature;
use crate::engine::Rooms;

/// How long a receiver may take for one answer.
const PATIENCE: Duration = Duration::from_secs(10);
const SIGNATURE: HeaderName = HeaderName::from_static("x-trawls-signature");
const EVENT: HeaderName = HeaderName::from_static("x-trawls-event");
const DELIVERY: HeaderName = HeaderName::from_static("x-trawls-delivery");

/// What is sent. The id is made of what it is about, so that it is the same after a crash.
pub(super) fn event(
    webhook: &Webhook,
    job: &Job,
    number: u64,
    event: WebhookEventKind,
    page: Option<PageResult>,
) -> WebhookEvent {
    WebhookEvent {
        id: format!("{}-{number}", job.id),
        event,
        job: job.clone(),
        page,
        metadata: webhook.metadata.clone(),
    }
}

/// One POST. Each is signed anew, with its own time.
pub(super) async fn try_once(
    rooms: &Rooms,
    webhook: &Webhook,
    event: &WebhookEvent,
) -> DeliveryAttempt {
    let (at, begun) = (Timestamp::now(), Instant::now());
    let answer = match (webhook.target(), serde_json::to_vec(event)) {
        (Some((url, own)), Ok(body)) => {
            let headers = headers(own, webhook, event, at, &body);
            let post = rooms
                .fetcher
                .post(&url, headers, Bytes::from(body), PATIENCE);
            post.await.map_err(|error| error.to_string())
        }
        _ => Err("the webhook cannot be understood".into()),
    };
    DeliveryAttempt {
        at,
        http_status: answer.as_ref().ok().copied(),
        error: answer.err(),
        duration_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
    }
}

fn headers(
    mut headers: HeaderMap,
    webhook: &Webhook,
    event: &WebhookEvent,
    at: Timestamp,
    body: &[u8],
) -> HeaderMap {
    let agent = concat!("Trawls/", env!("CARGO_PKG_VERSION"));
    let signed = webhook.secret.as_ref();
    let signed = signed.map(|secret| signature(secret, at.as_second(), body));
    for (name, value) in [
        (header::USER_AGENT, Some(agent.to_owned())),
        (header::CONTENT_TYPE, Some("application/json".to_owned())),
        (EVENT, Some(event.event.as_str().to_owned())),
        (DELIVERY, Some(event.id.clone())),
        (SIGNATURE, signed),
    ] {
        // Of plain letters all of them.
        if let Some(Ok(value)) = value.map(HeaderValue::try_from) {
            headers.insert(name, value);
        }
    }
    headers
}
