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
