//! What kind of body it is: from the header, corrected by the bytes where the header is wrong or
//! missing. A binary is never read as text, whatever its label.

use memchr::memmem;

use crate::ReadError;
use crate::decode::is_utf16;

/// A kind of body that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Media {
    Html,
    Xml,
    Json,
    Markdown,
    /// Text in the named language of a code fence; empty for plain text.
    Text(&'static str),
}

/// Bytes that are looked at.
const SAMPLE: usize = 8 * 1024;
/// Text has next to no control characters; compressed data has one in ten.
const BYTES_PER_CONTROL: usize = 40;
/// Fewer are an accident, however short the body.
const MIN_CONTROLS: usize = 4;

/// First bytes of kinds that are not text; where these could begin a sentence, more bytes and
/// where they stand.
const MAGIC: &[(&[u8], usize, &[u8], &str)] = &[
    (b"%PDF-", 0, b"", "a PDF document"),
    (b"PK\x03\x04", 0, b"", "a ZIP archive or office document"),
    (b"PK\x05\x06", 0, b"", "a ZIP archive or office document"),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        0,
        b"",
        "an old office document",
    ),
    (b"\x89PNG\r\n\x1a\n", 0, b"", "a PNG image"),
    (b"\xff\xd8\xff", 0, b"", "a JPEG image"),
    (b"GIF8", 5, b"a", "a GIF image"),
    (b"RIFF", 8, b"WEBP", "a WebP image"),
    (b"RIFF", 8, b"WAVE", "an audio file"),
    (b"RIFF", 8, b"AVI ", "a video"),
    (b"\0\0", 4, b"ftypavif", "an AVIF image"),
    (b"\0\0", 4, b"ftyphei", "a HEIC image"),
    (b"\0\0", 4, b"ftyp", "a video"),
    (b"II*\0", 0, b"", "a TIFF image"),
    (b"MM\0*", 0, b"", "a TIFF image"),
    (b"\0\0\x01\0", 0, b"", "an icon"),
    (b"\x1aE\xdf\xa3", 0, b"", "a video"),
    (b"OggS\0", 0, b"", "an audio or video file"),
    (b"ID3", 4, b"\0", "an audio file"),
    (b"fLaC\0", 0, b"", "an audio file"),
    (b"\x1f\x8b", 0, b"", "a gzip archive"),
    (b"BZh", 4, b"1AY&SY", "a bzip2 archive"),
    (b"\xfd7zXZ\0", 0, b"", "an xz archive"),
    (b"7z\xbc\xaf\x27\x1c", 0, b"", "a 7z archive"),
    (b"Rar!\x1a\x07", 0, b"", "a RAR archive"),
    (b"\x28\xb5\x2f\xfd", 0, b"", "a zstd archive"),
    (b"wOFF\0", 0, b"", "a font"),
    (b"wOF2\0", 0, b"", "a font"),
    (b"OTTO\0", 0, b"", "a font"),
    (b"\0\x01\0\0\0", 0, b"", "a font"),
    (b"\0asm", 0, b"", "a WebAssembly module"),
    (b"\x7fELF", 0, b"", "a program"),
    (b"SQLite format 3\0", 0, b"", "a database"),
];

/// The kind of a body, or why it has none that can be read.
pub(crate) fn kind(body: &[u8], content_type: Option<&str>) -> Result<Media, ReadError> {
    let declared = content_type.map(media_type).unwrap_or_default();
    if let Some(name) = binary(body) {
        return Err(ReadError::Unsupported(name.to_owned()));
    }
    if let Some(media) = of_type(&declared) {
        return Ok(match media {
            Media::Xml if looks_like_html(body) => Media::Html,
            media => media,
        });
    }
    // An unknown or impossible label on a body that is plainly text: the body decides.
    match sniff(body) {
        Some(media) => Ok(media),
        None if declared.is_empty() || is_vague(&declared) => Ok(Media::Text("")),
        None => Err(ReadError::Unsupported(format!(
            "content of type {declared}"
        ))),
    }
}

/// The media type in lower case, without parameters.
fn media_type(content_type: &str) -> String {
    let end = content_type.find([';', ',']).unwrap_or(content_type.len());
    content_type[..end].trim().to_ascii_lowercase()
}

fn is_vague(media_type: &str) -> bool {
    !media_type.contains('/')
        || matches!(
            media_type,
            "application/octet-stream"
                | "binary/octet-stream"
                | "application/binary"
                | "application/x-download"
                | "application/force-download"
                | "application/unknown"
                | "unknown/unknown"
                | "*/*"
        )
}

fn of_type(media_type: &str) -> Option<Media> {
    Some(match media_type {
        "text/html" | "application/xhtml+xml" | "application/vnd.wap.xhtml+xml" => Media::Html,
        "text/markdown" | "text/x-markdown" => Media::Markdown,
        "text/css" => Media::Text("css"),
        "text/csv" => Media::Text("csv"),
        "text/javascript"
        | "application/javascript"
        | "application/x-javascript"
        | "application/ecmascript" => Media::Text("javascript"),
        "application/yaml" | "application/x-yaml" | "text/yaml" => Media::Text("yaml"),
        "application/toml" => Media::Text("toml"),
        "application/x-ndjson" | "application/jsonl" | "application/json-seq" => {
            Media::Text("json")
        }
        "application/json" | "text/json" => Media::Json,
        "application/xml" | "text/xml" => Media::Xml,
        "image/svg+xml" => return None,
        other if other.ends_with("+json") => Media::Json,
        other if other.ends_with("+xml") => Media::Xml,
        other if other.starts_with("text/") => Media::Text(""),
        _ => return None,
    })
}

/// What a body without a useful label is, if its beginning tells.
fn sniff(body: &[u8]) -> Option<Media> {
    if looks_like_html(body) {
        return Some(Media::Html);
    }
    let start = beginning(body);
    match start.first()? {
        b'<' if start.starts_with(b"<?xml") || start.starts_with(b"<rss") => Some(Media::Xml),
        b'<' if start.starts_with(b"<feed") => Some(Media::Xml),
        b'{' | b'[' if serde_json::from_slice::<serde::de::IgnoredAny>(body).is_ok() => {
            Some(Media::Json)
        }
        _ => None,
    }
}

fn beginning(body: &[u8]) -> &[u8] {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    body[..body.len().min(SAMPLE)].trim_ascii_start()
}

/// Does it begin as an HTML document does, after an XML declaration and comments?
pub(crate) fn looks_like_html(body: &[u8]) -> bool {
    let mut start = beginning(body);
    loop {
        let end: &[u8] = match start {
            _ if start.starts_with(b"<!--") => b"-->",
            _ if start.starts_with(b"<?") => b">",
            _ => break,
        };
        match memmem::find(start, end) {
            Some(found) => start = start[found + end.len()..].trim_ascii_start(),
            None => return false,
        }
    }
    [
        "<!doctype html",
        "<html",
        "<head",
        "<body",
        "<title",
        "<meta",
        "<script",
        "<style",
        "<div",
        "<p",
        "<h1",
    ]
    .into_iter()
    .any(|tag| {
        let is_tag = start
            .get(..tag.len())
            .is_some_and(|name| name.eq_ignore_ascii_case(tag.as_bytes()));
        let after = start.get(tag.len());
        is_tag && after.is_none_or(|byte| byte.is_ascii_whitespace() || b">/".contains(byte))
    })
}

/// The name of the binary kind that this is, if it is one.
fn binary(body: &[u8]) -> Option<&'static str> {
    for (magic, at, more, name) in MAGIC {
        let rest = body.get(*at..).unwrap_or_default();
        if body.starts_with(magic) && rest.starts_with(more) {
            return Some(name);
        }
    }
    let sample = &body[..body.len().min(SAMPLE)];
    let is_control = |byte: &&u8| matches!(byte, 0..=8 | 0x0e..=0x1a | 0x1c..=0x1f);
    let controls = sample.iter().filter(is_control).count();
    let is_many = controls >= MIN_CONTROLS && controls * BYTES_PER_CONTROL > sample.len();
    let is_binary = is_many && !is_utf16(body);
    is_binary.then_some("binary data")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn is(body: &[u8], content_type: &str, media: Media) {
        let content_type = Some(content_type).filter(|label| !label.is_empty());
        assert_eq!(kind(body, content_type), Ok(media), "{content_type:?}");
    }

    #[test]
    fn a_binary_is_named_whatever_its_label() {
        let noise: Vec<u8> = (0..4000u32).map(|i| ((i * i * 31) >> 3) as u8).collect();
        for (body, name) in [
            (&b"PK\x03\x04\x14\0"[..], "ZIP"),
            (b"%PDF-1.4", "PDF"),
            (b"\xff\xd8\xff\xe0\0\x10JFIF", "JPEG"),
            (b"RIFF\0\0\0\0WEBPVP8", "WebP"),
            (&noise, "binary"),
        ] {
            for label in ["text/html", "text/plain; charset=utf-8", ""] {
                let error = kind(body, Some(label)).unwrap_err().to_string();
                assert!(error.contains(name), "{error}");
            }
        }
        let error = kind(b"words", Some("video/mp4")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "content of type video/mp4 cannot be read"
        );
    }

    #[test]
    fn the_label_decides_about_text() {
        is(b"not a <b>tag</b>", "text/plain", Media::Text(""));
        is(b"<p>x", "Text/HTML;charset=x", Media::Html);
        is(b"{}", "application/ld+json", Media::Json);
        is(b"<rss/>", "application/rss+xml", Media::Xml);
        is(b"# x", "text/markdown", Media::Markdown);
        is(
            b"<!DOCTYPE html><html xmlns='x'>",
            "application/xml",
            Media::Html,
        );
        is(
            b"What is WEBP, and the ftyp box?",
            "text/plain",
            Media::Text(""),
        );
        is(
            b"a\0b plain words with one odd byte in them all",
            "text/html",
            Media::Html,
        );
    }

    #[test]
    fn a_missing_or_wrong_label_is_replaced_by_the_bytes() {
        for label in ["", "application/octet-stream", "image/png", "nonsense"] {
            is(b"\n<!-- x --><!DOCTYPE HTML>\n<p>y", label, Media::Html);
            is(b"<?xml version='1.0'?><feed>", label, Media::Xml);
            is(b" {\"a\": [1]}", label, Media::Json);
        }
        is(b"some words", "", Media::Text(""));
        is(b"<pre", "", Media::Text(""));
    }
}
