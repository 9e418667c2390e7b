//! Content codings, undone while the body arrives. The cap counts decoded bytes, so that a bomb is
//! cut after its first kilobytes; what was decoded before a fault is kept.
//!
//! Labels lie: the first bytes of the body decide whether the label is believed.

use std::io::{self, Write};

use brotli::DecompressorWriter;
use flate2::{Decompress, FlushDecompress, Status, write::GzDecoder};
use http::{HeaderMap, header::CONTENT_ENCODING};
use zstd::stream::raw::{DParameter, Decoder as Zstd, Operation};

/// Bytes needed to see whether a label is true.
const PEEK_BYTES: usize = 64;
/// More codings on top of each other than this are an attack.
const MAX_CODINGS: usize = 3;
/// Output buffer of the decoders.
const BUFFER_BYTES: usize = 16 * 1024;
/// Room made for a body on the word of its length header alone.
const MAX_ROOM: usize = 1 << 20;
/// RFC 9659: a Zstandard window on the web is at most 8 MiB.
const ZSTD_WINDOW_LOG: u32 = 23;

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

/// The end of the chain: decoded bytes up to the limit.
#[derive(Debug, Default)]
struct Sink {
    bytes: Vec<u8>,
    limit: usize,
    is_full: bool,
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.limit - self.bytes.len();
        self.bytes
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
        if bytes.len() > room {
            self.is_full = true;
            return Err(io::Error::other("the body is larger than the limit"));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// One coding, and what it writes into. What follows the end of a coded stream is ignored, as in
/// browsers: servers pad.
enum Stage {
    Plain(Sink),
    Gzip(Box<GzipStage>),
    Inflate(Box<InflateStage>),
    Brotli(Box<BrotliStage>),
    Zstd(Box<ZstdStage>),
}

struct GzipStage {
    member: GzDecoder<Stage>,
    is_over: bool,
}

struct InflateStage {
    inflate: Decompress,
    next: Stage,
    is_over: bool,
}

struct BrotliStage {
    brotli: DecompressorWriter<Stage>,
    is_over: bool,
}

struct ZstdStage {
    zstd: Zstd<'static>,
    next: Stage,
    is_at_frame_end: bool,
}

impl Stage {
    fn new(next: Self, form: Form) -> Self {
        let inflate = |next, has_header| {
            let inflate = Decompress::new(has_header);
            Self::Inflate(Box::new(InflateStage {
                inflate,
                next,
                is_over: false,
            }))
        };
        match form {
            Form::Gzip => {
                let member = GzDecoder::new(next);
                Self::Gzip(Box::new(GzipStage {
                    member,
                    is_over: false,
                }))
            }
            Form::Zlib => inflate(next, true),
            Form::Deflate => inflate(next, false),
            Form::Brotli => {
                let brotli = DecompressorWriter::new(next, BUFFER_BYTES);
                Self::Brotli(Box::new(BrotliStage {
                    brotli,
                    is_over: false,
                }))
            }
            Form::Zstd => match zstd_decoder() {
                Ok(zstd) => Self::Zstd(Box::new(ZstdStage {
                    zstd,
                    next,
                    is_at_frame_end: true,
                })),
                Err(_) => next,
            },
        }
    }

    fn sink(&self) -> &Sink {
        match self {
            Self::Plain(sink) => sink,
            Self::Gzip(stage) => stage.member.get_ref().sink(),
            Self::Inflate(stage) => stage.next.sink(),
            Self::Brotli(stage) => stage.brotli.get_ref().sink(),
            Self::Zstd(stage) => stage.next.sink(),
        }
    }

    /// The decoded bytes, and whether each coding came to its end.
    fn finish(self) -> (Sink, bool) {
        let (next, is_whole) = match self {
            Self::Plain(sink) => return (sink, true),
            Self::Gzip(mut stage) => {
                let is_whole = stage.is_over || stage.member.try_finish().is_ok();
                (take(stage.member.get_mut()), is_whole)
            }
            Self::Inflate(stage) => (stage.next, stage.is_over),
            Self::Brotli(mut stage) => {
                let is_whole = stage.is_over || stage.brotli.close().is_ok();
                (take(stage.brotli.get_mut()), is_whole)
            }
            Self::Zstd(stage) => (stage.next, stage.is_at_frame_end),
        };
        let (sink, is_next_whole) = next.finish();
        (sink, is_whole && is_next_whole)
    }
}

fn take(stage: &mut Stage) -> Stage {
    std::mem::replace(stage, Stage::Plain(Sink::default()))
}

fn zstd_decoder() -> io::Result<Zstd<'static>> {
    let mut zstd = Zstd::new()?;
    zstd.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG))?;
    Ok(zstd)
}

impl Write for Stage {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(sink) => sink.write(bytes),
            Self::Gzip(stage) => stage.write(bytes),
            Self::Inflate(stage) => stage.write(bytes),
            Self::Brotli(stage) => stage.write(bytes),
            Self::Zstd(stage) => stage.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl GzipStage {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_over {
            return Ok(bytes.len());
        }
        let taken = self.member.write(bytes)?;
        if taken > 0 || bytes.is_empty() {
            return Ok(taken);
        }
        self.member.try_finish()?;
        if bytes.starts_with(&[0x1f, 0x8b]) {
            self.member = GzDecoder::new(take(self.member.get_mut()));
        } else {
            self.is_over = true;
        }
        self.write(bytes)
    }
}

impl InflateStage {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut buffer = [0; BUFFER_BYTES];
        let mut rest = bytes;
        while !self.is_over {
            let (before_in, before_out) = (self.inflate.total_in(), self.inflate.total_out());
            let status = self
                .inflate
                .decompress(rest, &mut buffer, FlushDecompress::None)
                .map_err(io::Error::other)?;
            let read = (self.inflate.total_in() - before_in) as usize;
            let written = (self.inflate.total_out() - before_out) as usize;
            self.next.write_all(&buffer[..written])?;
            rest = &rest[read..];
            self.is_over = status == Status::StreamEnd;
            if read == 0 && written == 0 || rest.is_empty() && written < buffer.len() {
                break;
            }
        }
        Ok(bytes.len())
    }
}

impl BrotliStage {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_over {
            return Ok(bytes.len());
        }
        let taken = self.brotli.write(bytes)?;
        self.is_over = taken < bytes.len();
        Ok(bytes.len())
    }
}

impl ZstdStage {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut buffer = [0; BUFFER_BYTES];
        let mut rest = bytes;
        loop {
            let is_padding = self.is_at_frame_end && wire_form_seen(Coding::Zstd, rest).is_none();
            if rest.is_empty() || is_padding && !self.next.sink().bytes.is_empty() {
                return Ok(bytes.len());
            }
            let step = self.zstd.run_on_buffers(rest, &mut buffer)?;
            self.next.write_all(&buffer[..step.bytes_written])?;
            self.is_at_frame_end = step.remaining == 0;
            rest = &rest[step.bytes_read..];
            if self.is_at_frame_end && !rest.is_empty() {
                self.zstd.reinit()?;
            } else if step.bytes_read == 0 && step.bytes_written == 0 {
                return Ok(bytes.len());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    const PAGE: &str = "<html><body><p>Kelp grows half a metre a day.</p></body></html>";

    fn gzip(data: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(data: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn deflate(data: &[u8]) -> Vec<u8> {
        let level = flate2::Compression::best();
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), level);
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn brotli(data: &[u8]) -> Vec<u8> {
        let mut coded = Vec::new();
        let mut encoder = brotli::CompressorWriter::new(&mut coded, 4096, 9, 22);
        encoder.write_all(data).unwrap();
        drop(encoder);
        coded
    }

    fn zstd(data: &[u8]) -> Vec<u8> {
        zstd::encode_all(data, 3).unwrap()
    }

    /// Bytes that no coding makes much shorter.
    fn noise(length: usize) -> Vec<u8> {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        };
        (0..length).map(|_| next()).collect()
    }

    fn decoder(label: &str, limit: usize) -> BodyDecoder {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_ENCODING, HeaderValue::from_str(label).unwrap());
        BodyDecoder::new(&headers, limit).unwrap()
    }

    fn decode(label: &str, wire: &[u8], step: usize) -> (Result<(), Cut>, Decoded) {
        let mut decoder = decoder(label, 1 << 20);
        let cut = wire
            .chunks(step.max(1))
            .try_for_each(|chunk| decoder.push(chunk));
        (cut, decoder.finish())
    }

    #[track_caller]
    fn reads(label: &str, wire: &[u8]) -> Decoded {
        let whole = decode(label, wire, wire.len());
        let dripped = decode(label, wire, 1);
        assert_eq!(whole.0, Ok(()), "{label}");
        assert_eq!(whole.1.bytes, dripped.1.bytes, "{label}");
        assert_eq!(String::from_utf8_lossy(&whole.1.bytes), PAGE, "{label}");
        whole.1
    }

    #[test]
    fn every_coding_is_undone_in_any_slicing() {
        let page = PAGE.as_bytes();
        for (label, wire) in [
            ("gzip", gzip(page)),
            ("X-GZIP", gzip(page)),
            ("deflate", zlib(page)),
            ("deflate", deflate(page)),
            ("br", brotli(page)),
            ("zstd", zstd(page)),
            ("gzip, br", brotli(&gzip(page))),
            ("identity", page.to_vec()),
        ] {
            let decoded = reads(label, &wire);
            assert!(decoded.is_whole && decoded.warning.is_none(), "{label}");
        }
    }

    #[test]
    fn a_false_label_is_read_as_what_it_is() {
        let page = PAGE.as_bytes();
        for label in ["gzip", "br", "deflate", "zstd", "utf-8"] {
            assert!(reads(label, page).warning.is_some(), "{label}");
        }
        assert!(reads("br", &gzip(page)).is_whole);
    }

    #[test]
    fn a_cut_stream_gives_its_beginning_and_says_so() {
        let page = PAGE.repeat(2000);
        let noise = noise(60_000);
        let data = [page.as_bytes(), &noise].concat();
        for (label, wire) in [
            ("gzip", gzip(&data)),
            ("deflate", zlib(&data)),
            ("br", brotli(&data)),
            ("zstd", zstd(&data)),
        ] {
            let (cut, decoded) = decode(label, &wire[..wire.len() - 20_000], 1000);
            assert_eq!(cut, Ok(()), "{label}");
            assert!(!decoded.is_whole, "{label}");
            assert!(decoded.bytes.starts_with(PAGE.as_bytes()), "{label}");
        }
    }

    #[test]
    fn damage_is_a_cut_and_keeps_what_came_before() {
        let data: Vec<u8> = noise(200_000).iter().map(|byte| byte & 15).collect();
        let mut wire = gzip(&data);
        let middle = wire.len() / 2;
        wire[middle..middle + 200].fill(0xff);
        let (cut, decoded) = decode("gzip", &wire, 4096);
        assert!(cut == Err(Cut::Damaged) || !decoded.is_whole);
        assert!(decoded.bytes.len() > 10_000 && data.starts_with(&decoded.bytes[..10_000]));
    }

    #[test]
    fn padding_after_the_stream_is_ignored_and_further_members_are_read() {
        for (label, wire) in [
            ("gzip", gzip(PAGE.as_bytes())),
            ("deflate", zlib(PAGE.as_bytes())),
            ("br", brotli(PAGE.as_bytes())),
            ("zstd", zstd(PAGE.as_bytes())),
        ] {
            let padded = [wire, vec![0; 300]].concat();
            assert!(reads(label, &padded).is_whole, "{label}");
        }
        let (first, second) = PAGE.split_at(20);
        let members = [gzip(first.as_bytes()), gzip(second.as_bytes())].concat();
        assert!(reads("gzip", &members).is_whole);
        let frames = [zstd(first.as_bytes()), zstd(second.as_bytes())].concat();
        assert!(reads("zstd", &frames).is_whole);
    }

    #[test]
    fn a_bomb_is_cut_at_the_limit() {
        let zeros = vec![b' '; 8 << 20];
        for (label, wire) in [
            ("gzip", gzip(&zeros)),
            ("br", brotli(&zeros)),
            ("zstd", zstd(&zeros)),
            ("deflate", zlib(&zeros)),
        ] {
            let mut decoder = decoder(label, 1 << 20);
            let cut = decoder.push(&wire);
            let decoded = decoder.finish();
            assert!(decoded.is_full && cut != Err(Cut::Damaged), "{label}");
            assert_eq!(decoded.bytes.len(), 1 << 20, "{label}");
            assert!(decoded.bytes.capacity() < 4 << 20, "{label}");
        }
    }

    #[test]
    fn too_many_codings_are_refused() {
        let mut headers = HeaderMap::new();
        headers.insert(
            CONTENT_ENCODING,
            HeaderValue::from_static("gzip,gzip,gzip,gzip"),
        );
        assert!(BodyDecoder::new(&headers, 10).is_none());
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(
            bytes in prop::collection::vec(any::<u8>(), 0..400),
            label in prop::sample::select(vec!["gzip", "deflate", "br", "zstd", "gzip, zstd"]),
            magic in prop::sample::select(vec![&b""[..], b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\x78\x9c"]),
            step in 1_usize..100,
        ) {
            let (_, decoded) = decode(label, &[magic, &bytes].concat(), step);
            prop_assert!(decoded.bytes.len() <= 1 << 20);
        }
    }
}
