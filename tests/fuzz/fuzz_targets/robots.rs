//! Any robots.txt is read, and any URL is asked of it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trawls_fetch::Robots;
use url::Url;

fuzz_target!(|input: (Vec<u8>, String)| {
    let (file, path) = input;
    let robots = Robots::parse(&file, "Trawls");
    let base = Url::parse("https://example.com/").unwrap();
    if let Ok(url) = base.join(&path) {
        assert_eq!(robots.allows(&url), robots.allows(&url));
    }
    let _ = (robots.crawl_delay(), robots.sitemaps().len());
});
