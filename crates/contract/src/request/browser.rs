//! What a caller wants of a browser: what to wait for, what to do, and what to bring.

use std::time::Duration;

use super::{
    InvalidOption,
    mistake::{check_css, check_length},
};
use crate::{Action, Format, Mode, ScrapeOptions, WaitFor};

/// Ceiling of the actions of one page.
const MAX_ACTIONS: usize = 50;
/// Ceiling of a script and of a text that is typed.
const MAX_TEXT_BYTES: usize = 100 * 1024;
/// Ceiling of one scroll, either way: longer pages are scrolled in steps.
const MAX_SCROLL_PIXELS: u32 = 100_000;
/// The keys that have a name instead of a character, as fetch presses them.
const NAMED_KEYS: [&str; 16] = [
    "Enter",
    "Tab",
    "Escape",
    "Backspace",
    "Delete",
    "Insert",
    "Home",
    "End",
    "PageUp",
    "PageDown",
    "ArrowUp",
    "ArrowDown",
    "ArrowLeft",
    "ArrowRight",
    "Space",
    "F5",
];

/// What to do in a browser beside loading the page. What it is to bring is said by the formats.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BrowserOptions {
    /// Wait for this before the page is read.
    pub wait_for: Option<WaitFor>,
    /// Scroll to the bottom, bounded, to load lazy content.
    pub scroll: bool,
    /// At most 50, in this order; their selectors are valid.
    pub actions: Vec<Action>,
    /// Refuse requests to advertisers and trackers.
    pub block_ads: bool,
}

/// The options' part for a browser.
pub(super) fn parse_browser(
    options: &mut ScrapeOptions,
    check_selector: impl Fn(&str) -> Result<(), String>,
) -> Result<BrowserOptions, InvalidOption> {
    let timeout = Duration::from_millis(options.timeout_ms);
    if let Some(wait_for) = &options.wait_for {
        check_wait(|| "wait_for".into(), wait_for, timeout, &check_selector)?;
    }
    if options.actions.len() > MAX_ACTIONS {
        return Err(InvalidOption::new(
            "actions",
            format!("has more than {MAX_ACTIONS} entries"),
        ));
    }
    for (index, action) in options.actions.iter().enumerate() {
        check_action(
            &format!("actions[{index}]"),
            action,
            timeout,
            &check_selector,
        )?;
    }
    check_pictures(&options.formats)?;
    if options.mode == Mode::Http {
        refuse_browser_work(options)?;
    }
    Ok(BrowserOptions {
        wait_for: options.wait_for.take(),
        scroll: options.scroll,
        actions: std::mem::take(&mut options.actions),
        block_ads: options.block_ads,
    })
}

fn check_action(
    field: &str,
    action: &Action,
    timeout: Duration,
    check_selector: impl Fn(&str) -> Result<(), String>,
) -> Result<(), InvalidOption> {
    let part = |name: &str| format!("{field}.{name}");
    let check_target = |selector| check_target(|| part("selector"), selector, &check_selector);
    let check_text = |name: &str, text: &str| {
        check_length(text, MAX_TEXT_BYTES)
            .map_err(|problem| InvalidOption::new(part(name), problem))
    };
    match action {
        Action::Click { selector } => check_target(selector),
        Action::Type { selector, text } => {
            check_target(selector)?;
            check_text("text", text)
        }
        Action::Press { key } if is_key(key) => Ok(()),
        Action::Press { .. } => Err(InvalidOption::new(
            part("key"),
            format!("must be one character, or one of {}", NAMED_KEYS.join(", ")),
        )),
        Action::Scroll { pixels: Some(far) } if far.unsigned_abs() > MAX_SCROLL_PIXELS => {
            Err(InvalidOption::new(
                part("pixels"),
                format!("must be -{MAX_SCROLL_PIXELS} to {MAX_SCROLL_PIXELS}"),
            ))
        }
        Action::Wait { wait_for } => {
            check_wait(|| part("wait_for"), wait_for, timeout, check_selector)
        }
        Action::Evaluate { script } if script.trim().is_empty() => {
            Err(InvalidOption::new(part("script"), "must not be empty"))
        }
        Action::Evaluate { script } => check_text("script", script),
        Action::Scroll { .. } | Action::Screenshot { .. } | Action::Scrape {} => Ok(()),
    }
}

fn check_wait(
    field: impl Fn() -> String,
    wait_for: &WaitFor,
    timeout: Duration,
    check_selector: impl Fn(&str) -> Result<(), String>,
) -> Result<(), InvalidOption> {
    match wait_for {
        WaitFor::Selector(selector) => check_target(field, selector, check_selector),
        WaitFor::Milliseconds(ms) if Duration::from_millis(*ms) > timeout => Err(
            InvalidOption::new(field(), "must not be longer than timeout_ms"),
        ),
        WaitFor::Milliseconds(_) => Ok(()),
    }
}

fn check_target(
    field: impl Fn() -> String,
    selector: &str,
    check_selector: impl Fn(&str) -> Result<(), String>,
) -> Result<(), InvalidOption> {
    if selector.trim().is_empty() {
        return Err(InvalidOption::new(field(), "must not be empty"));
    }
    check_css(field, selector, check_selector)
}

/// A key that a keyboard has: one that writes a character, or a named one.
fn is_key(key: &str) -> bool {
    let mut characters = key.chars();
    let is_character = matches!(
        (characters.next(), characters.next()),
        (Some(one), None) if !one.is_control()
    );
    is_character || NAMED_KEYS.contains(&key)
}

fn check_pictures(formats: &[Format]) -> Result<(), InvalidOption> {
    let is_picture =
        |format: &Format| matches!(format, Format::Screenshot | Format::ScreenshotFull);
    let first = formats.iter().find(|format| is_picture(format));
    let other = formats
        .iter()
        .position(|format| is_picture(format) && Some(format) != first);
    match other {
        Some(index) => Err(InvalidOption::new(
            format!("formats[{index}]"),
            "a result has one picture: ask for screenshot or for screenshot_full",
        )),
        None => Ok(()),
    }
}

/// `mode=http` and what only a browser can do contradict each other.
fn refuse_browser_work(options: &ScrapeOptions) -> Result<(), InvalidOption> {
    let drawn = options.formats.iter().position(|format| {
        matches!(
            format,
            Format::Screenshot | Format::ScreenshotFull | Format::Pdf
        )
    });
    let waits_for_element = matches!(options.wait_for, Some(WaitFor::Selector(_)));
    let work = [
        (!options.actions.is_empty()).then(|| "actions".to_owned()),
        waits_for_element.then(|| "wait_for".to_owned()),
        options.scroll.then(|| "scroll".to_owned()),
        drawn.map(|index| format!("formats[{index}]")),
    ];
    match work.into_iter().flatten().next() {
        Some(field) => Err(InvalidOption::new(
            field,
            "needs a browser, which mode=http rules out: leave mode out, or set it to browser",
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn parse(options: Value) -> Result<BrowserOptions, InvalidOption> {
        let mut options = serde_json::from_value(options).unwrap();
        parse_browser(&mut options, |selector| match selector.contains("[[") {
            true => Err("is not a selector".into()),
            false => Ok(()),
        })
    }

    #[track_caller]
    fn refused(options: Value, field: &str) {
        let error = parse(options).unwrap_err();
        assert_eq!(error.field, field, "{error}");
    }

    #[track_caller]
    fn action_refused(action: Value, part: &str) {
        let good = json!({"type": "scrape"});
        refused(
            json!({"actions": [good, action]}),
            &format!("actions[1].{part}"),
        );
    }

    #[test]
    fn good_work_is_taken_as_it_was_written() {
        let actions = json!([
            {"type": "click", "selector": "#more"},
            {"type": "type", "selector": "input", "text": "tides"},
            {"type": "press", "key": "Enter"},
            {"type": "press", "key": "ü"},
            {"type": "scroll"},
            {"type": "scroll", "pixels": -100_000},
            {"type": "wait", "wait_for": 30_000},
            {"type": "wait", "wait_for": ".done"},
            {"type": "evaluate", "script": "1 + 1"},
            {"type": "screenshot", "full_page": true},
            {"type": "scrape"},
        ]);
        let options = json!({"wait_for": "main", "scroll": true, "actions": actions,
            "formats": ["markdown", "screenshot", "pdf"]});
        let browser = parse(options).unwrap();
        assert_eq!(browser.actions.len(), 11);
        assert_eq!(browser.wait_for, Some(WaitFor::Selector("main".into())));
        assert!(browser.scroll && browser.block_ads);
    }

    #[test]
    fn a_mistake_names_its_action_and_its_field() {
        let long = "x".repeat(MAX_TEXT_BYTES + 1);
        action_refused(json!({"type": "click", "selector": " "}), "selector");
        action_refused(json!({"type": "click", "selector": "[["}), "selector");
        action_refused(
            json!({"type": "type", "selector": "[[", "text": "x"}),
            "selector",
        );
        action_refused(
            json!({"type": "type", "selector": "a", "text": long}),
            "text",
        );
        action_refused(json!({"type": "press", "key": "Return"}), "key");
        action_refused(json!({"type": "press", "key": ""}), "key");
        action_refused(json!({"type": "press", "key": "\n"}), "key");
        action_refused(json!({"type": "scroll", "pixels": 100_001}), "pixels");
        action_refused(json!({"type": "scroll", "pixels": i32::MIN}), "pixels");
        action_refused(json!({"type": "wait", "wait_for": 30_001}), "wait_for");
        action_refused(json!({"type": "wait", "wait_for": "[["}), "wait_for");
        action_refused(json!({"type": "evaluate", "script": ""}), "script");
        action_refused(json!({"type": "evaluate", "script": long}), "script");
        refused(
            json!({"actions": vec![json!({"type": "scrape"}); 51]}),
            "actions",
        );
        refused(json!({"wait_for": "[["}), "wait_for");
        refused(json!({"wait_for": ""}), "wait_for");
        refused(json!({"wait_for": 6, "timeout_ms": 5}), "wait_for");
    }

    #[test]
    fn a_result_has_one_picture() {
        let both = json!({"formats": ["screenshot", "pdf", "screenshot_full"]});
        refused(both, "formats[2]");
        parse(json!({"formats": ["screenshot", "screenshot"]})).unwrap();
    }

    #[test]
    fn plain_http_does_no_work_of_a_browser() {
        for (mut options, field) in [
            (json!({"actions": [{"type": "scrape"}]}), "actions"),
            (json!({"wait_for": "#x"}), "wait_for"),
            (json!({"scroll": true}), "scroll"),
            (json!({"formats": ["markdown", "screenshot"]}), "formats[1]"),
            (json!({"formats": ["screenshot_full"]}), "formats[0]"),
            (json!({"formats": ["pdf"]}), "formats[0]"),
        ] {
            for mode in ["auto", "browser", "stealth"] {
                options["mode"] = mode.into();
                parse(options.clone()).unwrap();
            }
            options["mode"] = "http".into();
            refused(options, field);
        }
        parse(json!({"mode": "http", "wait_for": 10})).unwrap();
    }
}
