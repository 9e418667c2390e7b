//! The Markdown of any HTML is Markdown: a CommonMark reader takes it, and no script is in it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pulldown_cmark::{Event, Options, Parser, Tag};
use trawls_content::{Interrupt, RawDocument, ReadOptions, read};

fuzz_target!(|body: Vec<u8>| {
    let document = RawDocument {
        body: body.into(),
        content_type: Some("text/html; charset=utf-8".into()),
        url: "https://example.com/dir/page".parse().unwrap(),
    };
    let Ok(page) = read(&document, &ReadOptions::default(), &Interrupt::new()) else {
        return;
    };
    for event in Parser::new_ext(&page.markdown, Options::all()) {
        if let Event::Start(Tag::Link { dest_url, .. }) = event {
            let url = dest_url.trim_start().to_ascii_lowercase();
            assert!(!url.starts_with("javascript:"), "{}", page.markdown);
        }
    }
});
