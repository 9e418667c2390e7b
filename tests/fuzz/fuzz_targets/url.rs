//! Any URL and any options are a valid request or a refusal that names its field.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trawls_content::Selector;
use trawls_contract::{ScrapeOptions, ScrapeRequest};
use url::Url;

fuzz_target!(|input: (String, String, Vec<u8>)| {
    let (base, relative, options) = input;
    if let Ok(base) = Url::parse(&base)
        && let Ok(joined) = base.join(&relative)
    {
        assert_eq!(Url::parse(joined.as_str()).as_ref(), Ok(&joined));
    }
    let options: ScrapeOptions = serde_json::from_slice(&options).unwrap_or_default();
    let check = |css: &str| Selector::parse(css).map(drop);
    match ScrapeRequest::parse(&base, options, check) {
        Ok(request) => assert!(matches!(request.url.scheme(), "http" | "https")),
        Err(refused) => assert!(!refused.field.is_empty()),
    }
    let _ = Selector::parse(&relative);
});
