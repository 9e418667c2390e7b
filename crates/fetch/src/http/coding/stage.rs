//! The decoders, chained: each writes into the next, the last into a sink with a cap.

use std::io::{self, Write};

use brotli::DecompressorWriter;
use flate2::{Decompress, FlushDecompress, Status, write::GzDecoder};
use zstd::stream::raw::{DParameter, Decoder as Zstd, Operation};

use super::{Coding, Form, wire_form_seen};

/// Output buffer of the decoders.
const BUFFER_BYTES: usize = 16 * 1024;
/// RFC 9659: a Zstandard window on the web is at most 8 MiB.
const ZSTD_WINDOW_LOG: u32 = 23;

/// The end of the chain: decoded bytes up to the limit.
#[derive(Debug, Default)]
pub(super) struct Sink {
    pub(super) bytes: Vec<u8>,
    pub(super) limit: usize,
    pub(super) is_full: bool,
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
pub(super) enum Stage {
    Plain(Sink),
    Gzip(Box<GzipStage>),
    Inflate(Box<InflateStage>),
    Brotli(Box<BrotliStage>),
    Zstd(Box<ZstdStage>),
}

pub(super) struct GzipStage {
    member: GzDecoder<Stage>,
    is_over: bool,
}

pub(super) struct InflateStage {
    inflate: Decompress,
    next: Stage,
    is_over: bool,
}

pub(super) struct BrotliStage {
    brotli: DecompressorWriter<Stage>,
    is_over: bool,
}

pub(super) struct ZstdStage {
    zstd: Zstd<'static>,
    next: Stage,
    is_at_frame_end: bool,
}

impl Stage {
    pub(super) fn new(next: Self, form: Form) -> Self {
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

    pub(super) fn sink(&self) -> &Sink {
        match self {
            Self::Plain(sink) => sink,
            Self::Gzip(stage) => stage.member.get_ref().sink(),
            Self::Inflate(stage) => stage.next.sink(),
            Self::Brotli(stage) => stage.brotli.get_ref().sink(),
            Self::Zstd(stage) => stage.next.sink(),
        }
    }

    /// The decoded bytes, and whether each coding came to its end.
    pub(super) fn finish(self) -> (Sink, bool) {
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
