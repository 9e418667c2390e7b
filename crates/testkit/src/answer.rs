//! What a trap answers: a list of steps on the wire, so that slow, cut and lying answers are as
//! easy to write as good ones.

use std::{io::Write, time::Duration};

use flate2::{Compression, write::GzEncoder};

/// One step on the wire.
#[derive(Debug, Clone)]
pub enum Step {
    /// Write these bytes.
    Write(Vec<u8>),
    /// Write the same bytes again and again, with a pause before each.
    Drip {
        /// What to write.
        bytes: &'static [u8],
        /// Before each write.
        pause: Duration,
        /// How often.
        times: usize,
    },
    /// Say nothing for a while.
    Pause(Duration),
}

/// A whole answer. The connection is closed after its last step.
#[derive(Debug, Clone)]
pub struct Answer {
    /// In order.
    pub steps: Vec<Step>,
}

impl Answer {
    /// Status, headers and a body with its true length.
    pub fn new(status: u16, headers: &[(&str, &str)], body: impl Into<Vec<u8>>) -> Self {
        let body = body.into();
        let mut bytes = head(status, headers, Some(body.len()));
        bytes.extend_from_slice(&body);
        Self {
            steps: vec![Step::Write(bytes)],
        }
    }

    /// A good HTML page.
    pub fn html(body: impl Into<Vec<u8>>) -> Self {
        Self::new(200, &[("Content-Type", "text/html; charset=utf-8")], body)
    }

    /// A redirect.
    pub fn redirect(status: u16, location: &str) -> Self {
        Self::new(status, &[("Location", location)], "")
    }

    /// A head that promises `length` bytes (or none), for answers that break the promise.
    pub fn promising(headers: &[(&str, &str)], length: Option<usize>) -> Self {
        Self {
            steps: vec![Step::Write(head(200, headers, length))],
        }
    }

    /// Adds a step.
    #[must_use]
    pub fn then(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// Pauses before the first byte.
    #[must_use]
    pub fn after(mut self, pause: Duration) -> Self {
        self.steps.insert(0, Step::Pause(pause));
        self
    }
}

/// `bytes` as a gzip member.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to a Vec cannot fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// `megabytes` of zeros as a gzip member, without ever holding them in memory.
pub(crate) fn gzip_bomb(megabytes: usize) -> Vec<u8> {
    let block = vec![0_u8; 1 << 20];
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    for _ in 0..megabytes {
        let _ = encoder.write_all(&block);
    }
    encoder.finish().unwrap_or_default()
}

fn head(status: u16, headers: &[(&str, &str)], length: Option<usize>) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status} Trap\r\nConnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if let Some(length) = length {
        head.push_str(&format!("Content-Length: {length}\r\n"));
    }
    head.push_str("\r\n");
    head.into_bytes()
}
