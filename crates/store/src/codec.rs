//! Values to compressed bytes and back. Compression happens once, here, and off the async threads
//! when a value is large.

use std::cell::RefCell;

use trawls_contract::PageResult;
use zstd::bulk::Compressor;

use crate::StoreError;

/// zstd level: level 1 packs a page of 40 KB in about 0.1 ms; level 3 takes twice that to save a
/// tenth of the bytes.
const LEVEL: i32 = 1;
/// Values up to this size are packed in place: handing them to another thread costs more than the
/// work (about 0.3 ms at this size).
const INLINE_BYTES: usize = 128 * 1024;
/// Ceiling of an unpacked value; a damaged row must not ask for all the memory.
const MAX_BYTES: u64 = 1 << 30;

/// Runs `work` here, or on a blocking thread when its input is large.
pub(crate) async fn run<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    if bytes <= INLINE_BYTES {
        return work();
    }
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(StoreError::Other(format!("packing: {error}"))),
    }
}

/// About how large a page is in memory and as JSON.
pub(crate) fn size_hint(page: &PageResult) -> usize {
    let texts = [&page.markdown, &page.html, &page.raw_html];
    let links = page.links.as_ref().map_or(0, Vec::len) * 200;
    let texts: usize = texts.into_iter().flatten().map(String::len).sum();
    1024 + texts + links
}

/// A value as compressed JSON.
pub(crate) fn pack_json(value: &impl serde::Serialize) -> Result<Vec<u8>, StoreError> {
    pack(&serde_json::to_vec(value).map_err(|e| StoreError::Other(e.to_string()))?)
}

/// The reverse.
pub(crate) fn unpack_json<T: serde::de::DeserializeOwned>(packed: &[u8]) -> Result<T, StoreError> {
    serde_json::from_slice(&unpack(packed)?).map_err(damaged)
}

/// A value of the wire that is one word.
pub(crate) fn from_name<T: serde::de::DeserializeOwned>(name: &str) -> Result<T, StoreError> {
    serde_json::from_value(name.into()).map_err(damaged)
}

/// A page as compressed JSON.
pub(crate) fn pack_page(page: &PageResult) -> Result<Packed, StoreError> {
    let mut json = Vec::with_capacity(size_hint(page) * 5 / 4);
    serde_json::to_writer(&mut json, page).map_err(|e| StoreError::Other(e.to_string()))?;
    Ok(Packed {
        plain_bytes: json.len(),
        bytes: pack(&json)?,
    })
}

/// The reverse, with the size of the JSON.
pub(crate) fn unpack_page(bytes: &[u8]) -> Result<(PageResult, usize), StoreError> {
    let json = unpack(bytes)?;
    let page = serde_json::from_slice(&json).map_err(damaged)?;
    Ok((page, json.len()))
}

/// Compressed bytes and the size they came from.
#[derive(Debug)]
pub(crate) struct Packed {
    pub(crate) bytes: Vec<u8>,
    pub(crate) plain_bytes: usize,
}

thread_local! {
    /// Making a compressor costs about as much as packing a page with it.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
}

pub(crate) fn pack(plain: &[u8]) -> Result<Vec<u8>, StoreError> {
    let packed = COMPRESSOR.with_borrow_mut(|kept| match kept {
        Some(compressor) => compressor.compress(plain),
        None => kept.insert(Compressor::new(LEVEL)?).compress(plain),
    });
    packed.map_err(|e| StoreError::Other(e.to_string()))
}

pub(crate) fn unpack(packed: &[u8]) -> Result<Vec<u8>, StoreError> {
    let size = match zstd::zstd_safe::get_frame_content_size(packed) {
        Ok(Some(size)) if size <= MAX_BYTES => size,
        _ => return Err(damaged("a packed value has no plausible size")),
    };
    zstd::bulk::decompress(packed, usize::try_from(size).unwrap_or(usize::MAX)).map_err(damaged)
}

fn damaged(error: impl ToString) -> StoreError {
    StoreError::Damaged(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_as_they_went() {
        for plain in [&b""[..], b"x", &[7; 100_000]] {
            assert_eq!(unpack(&pack(plain).unwrap()).unwrap(), plain);
        }
    }

    #[test]
    fn damaged_bytes_are_an_error() {
        let mut packed = pack(&[7; 1000]).unwrap();
        packed.truncate(packed.len() / 2);
        assert!(matches!(unpack(&packed), Err(StoreError::Damaged(_))));
        assert!(matches!(unpack(b"nonsense"), Err(StoreError::Damaged(_))));
    }
}
