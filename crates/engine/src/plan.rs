//! What a request means for fetch and for content. Pure.

use std::time::Duration;

use trawls_content::{ReadOptions, Selector, Want};
use trawls_contract::{Format, ScrapeRequest};
use trawls_fetch::{FetchPlan, Identity, Limits, Trust};
use trawls_store::Validators;

/// How to fetch the page within what is left of its time.
pub(crate) fn fetch_plan(
    request: &ScrapeRequest,
    validators: Option<&Validators>,
    remaining: Duration,
    max_body_bytes: usize,
) -> FetchPlan {
    let options = &request.fetch;
    let limits = Limits {
        delay: options.delay,
        ..Limits::within(remaining, max_body_bytes)
    };
    FetchPlan {
        mode: options.mode,
        identity: Identity {
            headers: options.headers.clone(),
            cookies: options.cookies.clone(),
            logins: options.logins.clone(),
            home: options.home.clone(),
            languages: options.languages.clone(),
            timezone: None,
            mobile: options.mobile,
        },
        proxy: options.proxy.clone(),
        trust: Trust {
            verify_tls: options.verify_ssl,
            respect_robots: options.respect_robots,
        },
        validators: validators.map(|known| trawls_fetch::Validators {
            etag: known.etag.clone(),
            last_modified: known.last_modified.clone(),
        }),
        ..FetchPlan::to(request.url.clone(), limits)
    }
}

/// How to read the page. A request that was admitted has only valid selectors.
///
/// # Errors
/// What is wrong with a selector.
pub(crate) fn read_options(request: &ScrapeRequest) -> Result<ReadOptions, String> {
    let content = &request.content;
    let wants = |format| request.formats.contains(format);
    Ok(ReadOptions {
        only_main_content: content.only_main_content,
        include: selectors(&content.include_tags)?,
        exclude: selectors(&content.exclude_tags)?,
        remove_base64_images: content.remove_base64_images,
        citations: content.citations,
        want: Want {
            html: wants(Format::Html),
            raw_html: wants(Format::RawHtml),
            links: wants(Format::Links) || content.gather_links,
            images: wants(Format::Images),
            tables: wants(Format::Tables),
            structured: wants(Format::Json),
        },
    })
}

fn selectors(texts: &[String]) -> Result<Vec<Selector>, String> {
    texts.iter().map(|css| Selector::parse(css)).collect()
}
