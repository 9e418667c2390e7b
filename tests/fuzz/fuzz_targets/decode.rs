//! Any bytes under any `Content-Type` are decoded or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trawls_content::{Interrupt, RawDocument, ReadOptions, Want, read};

fuzz_target!(|input: (Option<String>, Vec<u8>)| {
    let (content_type, body) = input;
    let document = RawDocument {
        body: body.into(),
        content_type,
        url: "https://example.com/a.md".parse().unwrap(),
    };
    let options = ReadOptions {
        want: Want { raw_html: true, ..Want::default() },
        ..ReadOptions::default()
    };
    if let Ok(page) = read(&document, &options, &Interrupt::new()) {
        assert!(page.raw_html.is_some());
    }
});
