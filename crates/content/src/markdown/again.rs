//! Markdown that a renderer made into HTML comes back as the same Markdown: nothing is escaped,
//! wrapped or nested a little more each time.

use pulldown_cmark::{Parser, html};
use url::Url;

use super::readback::{OPTIONS, pages, unzipped};
use super::{Convert, convert};
use crate::clean::clean;
use crate::dom::{Document, NodeId};

/// The Markdown of all that is visible.
fn markdown(html: &str) -> String {
    let document = Document::parse(html, &crate::Interrupt::default()).unwrap();
    let kept = clean(&document, &crate::Interrupt::default()).unwrap();
    let conversion = Convert {
        document: &document,
        kept: &kept,
        base: &Url::parse("https://example.org/dir/").unwrap(),
        keep_data_images: false,
        citations: false,
        title: None,
    };
    let roots: Vec<NodeId> = document.body().into_iter().collect();
    convert(&conversion, &roots)
}

/// The same after a renderer has had it.
fn again(text: &str) -> String {
    let mut rendered = String::from("<body>");
    html::push_html(&mut rendered, Parser::new_ext(text, OPTIONS));
    markdown(&rendered)
}

/// The first line that differs, before and after.
fn difference(before: &str, after: &str) -> Option<String> {
    let (mut old, mut new) = (before.lines(), after.lines());
    loop {
        match (old.next(), new.next()) {
            (None, None) => return None,
            (old, new) if old == new => {}
            (old, new) => return Some(format!("{old:?}\n     → {new:?}")),
        }
    }
}

/// Of a hundred pages, how many may change after their first round. The first one may settle what a
/// renderer has its own mind about: how it writes addresses, loose lists and the ids of footnotes.
const MOST_CHANGED_PERCENT: f64 = 0.5;

#[test]
fn real_pages_come_back_from_a_renderer_as_they_were() {
    let Some(pages) = pages() else { return };
    let (mut settled, mut changed) = (0, Vec::new());
    for page in &pages {
        let first = markdown(&unzipped(page));
        let second = again(&first);
        settled += usize::from(first != second);
        if let Some(difference) = difference(&second, &again(&second)) {
            changed.push(format!("{}: {difference}", page.display()));
        }
    }
    let percent = changed.len() as f64 * 100.0 / pages.len() as f64;
    let report = format!(
        "{percent:.2} % of {} pages change ({settled} settle in the first round):\n{}",
        pages.len(),
        changed.join("\n")
    );
    println!("{report}");
    assert!(percent <= MOST_CHANGED_PERCENT, "{report}");
}

#[test]
fn spans_of_code_notes_and_empty_heads_survive_a_renderer() {
    let html = "<p><kbd>Ctrl</kbd><kbd>K</kbd> of 1<a href=#>Start</a>, see<sup><a href=#n1>1</a></sup></p>\
        <table><thead><tr><th></th><th></th></tr></thead><tr><td>Brand</td><td>Ede</td></tr></table>\
        <div id=n1><sup>1</sup><p>The note.</p></div>";
    let text = markdown(html);
    assert_eq!(
        text,
        "`Ctrl` `K` of 1 Start, see[^1]\n\n|  |  |\n| --- | --- |\n| Brand | Ede |\n\n[^1]: The note.\n"
    );
    assert_eq!(again(&text), text);
}
