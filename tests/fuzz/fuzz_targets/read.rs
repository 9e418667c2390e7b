//! Any HTML is read, and twice the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trawls_content::{Interrupt, RawDocument, ReadOptions, Selector, Want, read};

fuzz_target!(|input: (bool, Option<String>, Vec<u8>)| {
    let (only_main_content, css, body) = input;
    let document = RawDocument {
        body: body.into(),
        content_type: Some("text/html".into()),
        url: "https://example.com/dir/page".parse().unwrap(),
    };
    let include = css.and_then(|css| Selector::parse(&css).ok());
    let options = ReadOptions {
        only_main_content,
        include: include.into_iter().collect(),
        citations: true,
        want: Want {
            html: true,
            raw_html: true,
            links: true,
            images: true,
            tables: true,
            structured: true,
        },
        ..ReadOptions::default()
    };
    let once = read(&document, &options, &Interrupt::new());
    assert_eq!(once, read(&document, &options, &Interrupt::new()));
});
