//! A page read as a whole keeps what a reader sees. The words are counted with another parser, which
//! shares no code with ours.

use std::collections::HashMap;

use scraper::{ElementRef, Html, Node};

use crate::markdown::readback::{pages, unzipped};
use crate::{Interrupt, RawDocument, ReadOptions, read};

/// Of all visible words of all pages, this share must be kept.
const LEAST_KEPT: f64 = 0.99;
/// Elements whose text is never on the page, or is a state of a form.
const NO_TEXT: [&str; 14] = [
    "script", "style", "template", "noscript", "head", "svg", "iframe", "video", "audio", "canvas",
    "select", "textarea", "datalist", "object",
];

/// Classes that move text out of sight, for screen readers.
const UNSEEN: [&str; 5] = [
    "sr-only",
    "visually-hidden",
    "visuallyhidden",
    "screen-reader-text",
    "a-offscreen",
];

fn is_shown(element: ElementRef<'_>) -> bool {
    let element = element.value();
    let style = element.attr("style").unwrap_or_default().replace(' ', "");
    !NO_TEXT.contains(&element.name())
        && element.attr("hidden").is_none()
        && !element.classes().any(|class| UNSEEN.contains(&class))
        && element.attr("aria-hidden") != Some("true")
        && !style.contains("display:none")
        && !style.contains("visibility:hidden")
}

fn look(element: ElementRef<'_>, text: &mut String) {
    for child in element.children() {
        match child.value() {
            Node::Text(piece) => text.push_str(piece),
            Node::Element(_) => {
                let Some(element) = ElementRef::wrap(child) else {
                    continue;
                };
                text.push(' ');
                if is_shown(element) {
                    look(element, text);
                }
                text.push(' ');
            }
            _ => {}
        }
    }
}

fn words(text: &str) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    let is_invisible = |c: char| c == '\u{ad}' || c.is_control() && !c.is_whitespace();
    let text = text.replace(is_invisible, "");
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        if !word.is_empty() {
            *counts.entry(word.to_lowercase()).or_insert(0) += 1;
        }
    }
    counts
}

fn whole(html: String) -> String {
    let document = RawDocument {
        body: html.into(),
        content_type: Some("text/html; charset=utf-8".to_owned()),
        url: "https://example.org/dir/page".parse().unwrap(),
    };
    let options = ReadOptions {
        only_main_content: false,
        remove_base64_images: true,
        ..ReadOptions::default()
    };
    read(&document, &options, &Interrupt::default())
        .unwrap()
        .markdown
}

#[test]
fn real_pages_read_whole_keep_their_visible_words() {
    let Some(pages) = pages() else { return };
    let (mut all, mut kept) = (0, 0);
    let mut poor = Vec::new();
    for page in &pages {
        let html = unzipped(page);
        let mut text = String::new();
        look(Html::parse_document(&html).root_element(), &mut text);
        let (seen, found) = (words(&text), words(&whole(html)));
        let lost: Vec<(&String, usize)> = seen
            .iter()
            .map(|(word, count)| {
                let found = found.get(word).copied().unwrap_or_default();
                (word, count.saturating_sub(found))
            })
            .filter(|(_, lost)| *lost > 0)
            .collect();
        let total: usize = seen.values().sum();
        let missing: usize = lost.iter().map(|(_, lost)| lost).sum();
        all += total;
        kept += total - missing;
        if missing as f64 > (1.0 - LEAST_KEPT) * total as f64 {
            let mut lost = lost;
            lost.sort_by_key(|(word, lost)| (std::cmp::Reverse(*lost), *word));
            poor.push(format!(
                "{}: {missing} of {total}: {:?}",
                page.display(),
                &lost[..lost.len().min(8)]
            ));
        }
    }
    let share = kept as f64 / all as f64;
    let report = format!(
        "{share:.4} of all words kept; {} of {} pages keep less than {LEAST_KEPT}:\n{}",
        poor.len(),
        pages.len(),
        poor.join("\n")
    );
    println!("{report}");
    assert!(share >= LEAST_KEPT, "{report}");
}
