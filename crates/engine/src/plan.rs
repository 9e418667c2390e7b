//! What a request means for fetch and for content. Pure.

use std::time::Duration;

use trawls_content::{ReadOptions, Selector, Want};
use trawls_contract::{Format, ScrapeRequest};
use trawls_fetch::{BrowserWork, FetchPlan, Frame, Identity, Limits, Trust};
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
        browser: browser_work(request),
        identity: Identity {
            headers: options.headers.clone(),
            cookies: options.cookies.clone(),
            logins: options.logins.clone(),
            home: options.home.clone(),
            languages: options.visitor.languages.clone(),
            timezone: options.visitor.timezone.clone(),
            mobile: options.visitor.mobile,
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

fn browser_work(request: &ScrapeRequest) -> BrowserWork {
    let options = &request.fetch.browser;
    let wants = |format| request.formats.contains(format);
    let frames = [
        (Format::Screenshot, Frame::Viewport),
        (Format::ScreenshotFull, Frame::FullPage),
    ];
    let frame = frames.into_iter().find(|(format, _)| wants(*format));
    BrowserWork {
        wait_for: options.wait_for.clone(),
        scroll: options.scroll,
        actions: options.actions.clone(),
        screenshot: frame.map(|(_, frame)| frame),
        pdf: wants(Format::Pdf),
        block_ads: options.block_ads,
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use trawls_contract::{Action, WaitFor};

    use super::*;

    fn plan(options: Value) -> FetchPlan {
        let options = serde_json::from_value(options).unwrap();
        let request = ScrapeRequest::parse("http://a.example/", options, |_| Ok(())).unwrap();
        fetch_plan(&request, None, Duration::from_secs(1), 1)
    }

    #[test]
    fn what_only_a_browser_can_do_is_work_for_one() {
        let plain = plan(json!({"formats": ["html"], "wait_for": 10}));
        assert!(!plain.browser.needs_browser() && plain.browser.block_ads);
        let whole = plan(json!({
            "formats": ["screenshot_full", "pdf"],
            "wait_for": "main",
            "scroll": true,
            "block_ads": false,
            "actions": [{"type": "scrape"}],
            "location": {"country": "DE"},
        }));
        let work = BrowserWork {
            wait_for: Some(WaitFor::Selector("main".into())),
            scroll: true,
            actions: vec![Action::Scrape {}],
            screenshot: Some(Frame::FullPage),
            pdf: true,
            block_ads: false,
        };
        assert_eq!(whole.browser, work);
        assert_eq!(whole.identity.timezone.as_deref(), Some("Europe/Berlin"));
        let viewport = plan(json!({"formats": ["screenshot"]})).browser.screenshot;
        assert_eq!(viewport, Some(Frame::Viewport));
    }
}
