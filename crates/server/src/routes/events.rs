//! `GET /v1/jobs/{id}/events`

use std::{convert::Infallible, time::Duration};

use axum::{
    extract::State,
    http::HeaderMap,
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use futures_util::StreamExt;
use trawls_contract::InvalidOption;
use trawls_engine::JobEvent;

use super::stored;
use crate::{App, address::Id, error::HttpError};

/// Streams at once: a quarter of the connections, so that followers never keep other calls out.
pub(crate) const MAX_STREAMS: usize = 256;
/// Proxies close a connection that says nothing for a minute.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Follow a job (server-sent events)
///
/// `page` for each page, with the page's number as id; `progress` about once a second; `done` at
/// the end. `Last-Event-ID` takes the stream up where it was left: nothing is lost or comes twice,
/// also over a restart of the server.
#[utoipa::path(
    get,
    path = "/v1/jobs/{id}/events",
    tag = "jobs",
    params(
        ("id" = String, Path, description = "The job's `id`."),
        ("Last-Event-ID" = Option<u64>, Header, description = "The last event seen.")
    ),
    responses((status = 200, description = "The stream.", content_type = "text/event-stream", body = String))
)]
pub(crate) async fn events(
    State(app): State<App>,
    Id(id): Id,
    headers: HeaderMap,
) -> Result<Response, HttpError> {
    let after = match headers.get("last-event-id") {
        None => 0,
        Some(id) => {
            let number = id.to_str().ok().and_then(|id| id.trim().parse().ok());
            number.ok_or_else(|| {
                InvalidOption::new("Last-Event-ID", "must be the id of an event of this job")
            })?
        }
    };
    let place = app.streams.try_acquire_owned();
    let place = place.map_err(|_| HttpError::Busy)?;
    let events = stored(app.engine.job_events(&id, after).await)?;
    let events = events.map(move |event| {
        let _until_the_end = &place;
        Ok::<_, Infallible>(sse(&event))
    });
    Ok(Sse::new(events)
        .keep_alive(KeepAlive::new().interval(HEARTBEAT))
        .into_response())
}

fn sse(event: &JobEvent) -> Event {
    let (name, id, data) = match event {
        JobEvent::Page(page) => ("page", Some(page.number), Event::default().json_data(page)),
        JobEvent::Progress(job) => ("progress", None, Event::default().json_data(job)),
        JobEvent::Done(id, job) => ("done", Some(*id), Event::default().json_data(job)),
    };
    // Plain data with string keys always serialises.
    let event = data.unwrap_or_default().event(name);
    match id {
        Some(id) => event.id(id.to_string()),
        None => event,
    }
}
