//! Content codings, undone while the body arrives. The cap counts decoded bytes, so that a bomb is
//! cut after its first kilobytes; what was decoded before a fault is kept.
//!
//! Labels lie: the first bytes of the body decide whether the label is believed.

mod stage;

use std::io::Write;

use http::{HeaderMap, header::CONTENT_ENCODING};

use self::stage::{Sink, Stage};

/// Bytes needed to see whether a label is true.
const PEEK_BYTES: usize = 64;
/// More codings on top of each other than this are an attack.
const MAX_CODINGS: usize = 3;
/// Room made for a body on the word of its length header alone.
const MAX_ROOM: usize = 1 << 20;

/// Why decoding stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// The cap is reached.
    Full,
    /// The coded bytes are damaged.
    Damaged,
}

/// A body after decoding.
#[derive(Debug)]
pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    /// Did the coded stream end where it says that it ends?
    pub(super) is_whole: bool,
    /// Was the cap reached?
    pub(super) is_full: bool,
    pub(super) warning: Option<String>,
}

/// Undoes the codings of one body.
pub(super) struct BodyDecoder {
    labels: Vec<Coding>,
    /// Bytes that wait until there are enough to judge the label.
    peeked: Vec<u8>,
    stage: Option<Stage>,
    warning: Option<String>,
    limit: usize,
    expected: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    Gzip,
    /// Meant as zlib; many servers send a bare deflate stream.
    Deflate,
    Brotli,
    Zstd,
}

impl BodyDecoder {
    /// A decoder for a response with these headers; `None` if it is coded too often.
    pub(super) fn new(headers: &HeaderMap, limit: usize) -> Option<Self> {
        let mut warning = None;
        let mut labels = Vec::new();
        for label in headers.get_all(CONTENT_ENCODING) {
            for name in String::from_utf8_lossy(label.as_bytes()).split(',') {
                match name.trim().to_ascii_lowercase().as_str() {
                    "gzip" | "x-gzip" => labels.push(Coding::Gzip),
                    "deflate" => labels.push(Coding::Deflate),
                    "br" => labels.push(Coding::Brotli),
                    "zstd" => labels.push(Coding::Zstd),
                    "" | "identity" | "none" => {}
                    _ => warning = Some("the content coding is unknown; read as it is".into()),
                }
            }
        }
        (labels.len() <= MAX_CODINGS).then_some(Self {
            labels,
            peeked: Vec::new(),
            stage: None,
            warning,
            limit,
            expected: 0,
        })
    }

    /// Is anything to be undone?
    pub(super) fn is_coded(&self) -> bool {
        !self.labels.is_empty()
    }

    /// Makes room for a body of `length` bytes on the wire.
    pub(super) fn expect(&mut self, length: u64) {
        self.expected = usize::try_from(length)
            .unwrap_or(usize::MAX)
            .min(MAX_ROOM)
            .min(self.limit);
    }

    /// Takes the next bytes of the wire.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), Cut> {
        if self.stage.is_none() {
            if self.is_coded() {
                self.peeked.extend_from_slice(bytes);
                return if self.peeked.len() < PEEK_BYTES {
                    Ok(())
                } else {
                    self.begin()
                };
            }
            self.begin()?;
        }
        self.write(bytes)
    }

    /// What has been decoded, and whether the stream came to its end.
    pub(super) fn finish(mut self) -> Decoded {
        let begun = if self.stage.is_none() {
            self.begin()
        } else {
            Ok(())
        };
        let (sink, is_whole) = match self.stage {
            Some(stage) => stage.finish(),
            None => (Sink::default(), true),
        };
        Decoded {
            is_full: sink.is_full,
            bytes: sink.bytes,
            is_whole: is_whole && begun.is_ok(),
            warning: self.warning,
        }
    }

    fn begin(&mut self) -> Result<(), Cut> {
        let peeked = std::mem::take(&mut self.peeked);
        let mut stage = Stage::Plain(Sink {
            bytes: Vec::with_capacity(self.expected),
            limit: self.limit,
            is_full: false,
        });
        // Codings are listed in the order of their making, so the last one is outermost.
        let inner = self.labels.len().saturating_sub(1);
        for label in &self.labels[..inner] {
            stage = Stage::new(stage, wire_form(*label, &[]));
        }
        if let Some(label) = self.labels.last().filter(|_| !peeked.is_empty()) {
            match wire_form_seen(*label, &peeked) {
                Some(form) => stage = Stage::new(stage, form),
                None => self.warning = Some("labelled as compressed, but it is not".into()),
            }
        }
        self.stage = Some(stage);
        self.write(&peeked)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Cut> {
        let Some(stage) = &mut self.stage else {
            return Ok(());
        };
        stage
            .write_all(bytes)
            .map_err(|_| match stage.sink().is_full {
                true => Cut::Full,
                false => Cut::Damaged,
            })
    }
}

/// What the bytes on the wire are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Gzip,
    Zlib,
    Deflate,
    Brotli,
    Zstd,
}

/// The form of a label, given the first bytes; `None` if they are plain.
fn wire_form_seen(label: Coding, head: &[u8]) -> Option<Form> {
    if head.starts_with(&[0x1f, 0x8b, 0x08]) {
        return Some(Form::Gzip);
    }
    let is_zstd = head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
        || matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..]);
    match label {
        // Cut inside of the magic number: nothing to decode, but not plain text either.
        Coding::Gzip if head.len() < 3 && head[0] == 0x1f => Some(Form::Gzip),
        Coding::Gzip => None,
        Coding::Zstd => is_zstd.then_some(Form::Zstd),
        Coding::Brotli | Coding::Deflate if looks_like_markup(head) => None,
        Coding::Brotli | Coding::Deflate => Some(wire_form(label, head)),
    }
}

fn wire_form(label: Coding, head: &[u8]) -> Form {
    match (label, head) {
        (Coding::Gzip, _) => Form::Gzip,
        (Coding::Brotli, _) => Form::Brotli,
        (Coding::Zstd, _) => Form::Zstd,
        // RFC 1950: method 8, and a check that makes the pair a multiple of 31.
        (Coding::Deflate, [first, second, ..])
            if first & 0x0f != 8 || u16::from_be_bytes([*first, *second]) % 31 != 0 =>
        {
            Form::Deflate
        }
        (Coding::Deflate, _) => Form::Zlib,
    }
}

/// Text that begins like HTML, XML or JSON. No deflate or Brotli stream that a server makes begins
/// so: `<` is no valid start of Brotli at all.
fn looks_like_markup(head: &[u8]) -> bool {
    let text = head
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(head)
        .trim_ascii_start();
    match text {
        [b'<', next, ..] => next.is_ascii_alphabetic() || matches!(next, b'!' | b'?' | b'/'),
        [b'{' | b'[', next, ..] => next.is_ascii_whitespace() || matches!(next, b'"' | b'{' | b'}'),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
