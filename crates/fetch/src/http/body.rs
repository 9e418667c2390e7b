//! Reading a body to its end or to its cut: gap and deadline, cap on decoded bytes, and the part
//! that came when the rest did not.

use bytes::Bytes;
use futures_util::StreamExt;
use http::header::CONTENT_LENGTH;
use tokio::time::{Instant, timeout_at};

use super::{
    coding::{BodyDecoder, Cut},
    rounded,
};
use crate::{FetchError, Limits};

/// Slower than this on average is a drip that is meant to hold us.
const DRIP_BYTES_PER_SECOND: u64 = 1024;
/// A redirect's body up to this size is read, so that its connection can serve the next hop.
const DRAIN_BYTES: usize = 16 * 1024;

/// What to do with a body beyond `max_body_bytes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Oversize {
    /// `TooLarge`.
    Refuse,
    /// Keep what fits.
    Cut,
}

/// A body, decoded.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) bytes: Bytes,
    pub(super) truncated: Option<String>,
    pub(super) warning: Option<String>,
}

/// Reads and decodes the body of `response`.
pub(super) async fn read(
    response: wreq::Response,
    limits: &Limits,
    deadline: Instant,
    oversize: Oversize,
) -> Result<Body, FetchError> {
    let limit = limits.max_body_bytes;
    let length = declared_length(&response);
    let mut decoder = BodyDecoder::new(response.headers(), limit).ok_or_else(|| {
        FetchError::Decode("too many content codings on top of each other".into())
    })?;
    // Compressed data that is too large already does not become less.
    if oversize == Oversize::Refuse && length.is_some_and(|length| length > limit as u64) {
        return Err(FetchError::TooLarge(limit));
    }
    decoder.expect(length.unwrap_or(0));
    let mut end = pour(response, &mut decoder, limits, deadline).await?;
    let decoded = decoder.finish();
    if decoded.is_full {
        end = End::Full;
    }
    let is_empty = decoded.bytes.is_empty();
    let truncated = match end {
        End::Full if oversize == Oversize::Refuse => return Err(FetchError::TooLarge(limit)),
        End::Full => Some(format!("cut at {limit} bytes")),
        End::Broken if is_empty => {
            return Err(FetchError::Connect("it broke before the body came".into()));
        }
        End::Damaged if is_empty => {
            return Err(FetchError::Decode("the compressed data is damaged".into()));
        }
        End::Broken => Some("the connection ended before the body was complete".to_owned()),
        End::Damaged => Some("the compressed data is damaged from here on".to_owned()),
        End::Whole if decoded.is_whole => None,
        End::Whole if is_empty => {
            return Err(FetchError::Decode(
                "the compressed data ends before it begins".into(),
            ));
        }
        End::Whole => Some("the compressed data ends too early".to_owned()),
    };
    Ok(Body {
        bytes: decoded.bytes.into(),
        truncated,
        warning: decoded.warning,
    })
}

/// How the wire came to its end.
enum End {
    Whole,
    Broken,
    Damaged,
    Full,
}

async fn pour(
    response: wreq::Response,
    decoder: &mut BodyDecoder,
    limits: &Limits,
    deadline: Instant,
) -> Result<End, FetchError> {
    let begun = Instant::now();
    let (mut received, mut last) = (0_u64, begun);
    let mut chunks = std::pin::pin!(response.bytes_stream());
    loop {
        let gap_end = Instant::now() + limits.read_gap;
        let chunk = match timeout_at(gap_end.min(deadline), chunks.next()).await {
            Ok(chunk) => chunk,
            Err(_) if gap_end < deadline => return Err(FetchError::TimeoutRead(limits.read_gap)),
            Err(_) if 2 * last.elapsed() > begun.elapsed() => {
                return Err(FetchError::TimeoutRead(rounded(last.elapsed())));
            }
            Err(_) => return Err(out_of_time(received, begun, limits)),
        };
        let chunk = match chunk {
            None => return Ok(End::Whole),
            Some(Err(error)) => {
                tracing::debug!(%error, "body broke");
                return Ok(End::Broken);
            }
            Some(Ok(chunk)) => chunk,
        };
        received += chunk.len() as u64;
        last = Instant::now();
        match decoder.push(&chunk) {
            Ok(()) => {}
            Err(Cut::Full) => return Ok(End::Full),
            Err(Cut::Damaged) => return Ok(End::Damaged),
        }
        // A body that is always ready must not keep the deadline from being seen.
        if last >= deadline {
            return Err(out_of_time(received, begun, limits));
        }
    }
}

fn out_of_time(received: u64, begun: Instant, limits: &Limits) -> FetchError {
    let expected = begun.elapsed().as_secs_f64() * DRIP_BYTES_PER_SECOND as f64;
    if (received as f64) < expected {
        FetchError::TooSlow(limits.total)
    } else {
        FetchError::TimeoutTotal(limits.total)
    }
}

fn declared_length(response: &wreq::Response) -> Option<u64> {
    response
        .headers()
        .get(CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .trim()
        .parse()
        .ok()
}

/// Empties the short body of a response that nobody reads.
pub(super) async fn drain(response: wreq::Response, deadline: Instant) {
    if declared_length(&response).is_some_and(|length| length > DRAIN_BYTES as u64) {
        return;
    }
    let mut received = 0;
    let mut chunks = std::pin::pin!(response.bytes_stream());
    while let Ok(Some(Ok(chunk))) = timeout_at(deadline, chunks.next()).await {
        received += chunk.len();
        if received > DRAIN_BYTES {
            return;
        }
    }
}
