//! A ZIP archive that is written front to back: what is written is handed on at once, and only the
//! directory that ends it grows, by some hundred bytes a page.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use jiff::{Timestamp, tz::TimeZone};
use zip::{
    CompressionMethod, DateTime, ZipWriter,
    write::{SimpleFileOptions, StreamWriter},
};

use crate::EngineError;

/// Level of deflate: the smallest that packs text well; an export is read more often than kept.
const LEVEL: i64 = 3;

pub(super) struct Archive {
    written: Written,
    zip: ZipWriter<StreamWriter<Written>>,
}

impl Archive {
    pub(super) fn new() -> Self {
        let written = Written::default();
        Self {
            zip: ZipWriter::new_stream(written.clone()),
            written,
        }
    }

    pub(super) fn add(
        &mut self,
        name: &str,
        changed_at: Timestamp,
        text: &str,
    ) -> Result<(), EngineError> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(LEVEL))
            .unix_permissions(0o644)
            .last_modified_time(time(changed_at).unwrap_or_default());
        self.zip.start_file(name, options).map_err(failed)?;
        self.zip.write_all(text.as_bytes()).map_err(failed)
    }

    pub(super) fn piece(&mut self) -> Bytes {
        self.written.take()
    }

    pub(super) fn end(self) -> Result<Bytes, EngineError> {
        self.zip.finish().map_err(failed)?;
        Ok(self.written.take())
    }
}

/// ZIP knows no zones; UTC it is, and no time before 1980.
fn time(at: Timestamp) -> Option<DateTime> {
    let at = TimeZone::UTC.to_datetime(at);
    let small = |number: i8| u8::try_from(number).ok();
    DateTime::from_date_and_time(
        u16::try_from(at.year()).ok()?,
        small(at.month())?,
        small(at.day())?,
        small(at.hour())?,
        small(at.minute())?,
        small(at.second())?,
    )
    .ok()
}

fn failed(error: impl std::fmt::Display) -> EngineError {
    EngineError::Fault(error.to_string())
}

/// What the archive wrote and nobody took yet.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    fn take(&self) -> Bytes {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)).into()
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut written = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        written.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
