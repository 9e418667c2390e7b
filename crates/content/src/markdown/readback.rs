//! The Markdown read by a CommonMark parser must give back the words and links that went in:
//! on generated fragments, and on a sample of real pages.

use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use proptest::{prelude::*, test_runner::RngSeed};
use pulldown_cmark::{Event, Options, Parser, Tag as Element, TagEnd};
use trawls_testkit::sample;
use url::Url;

use super::code::is_decoration;
use super::walk::{is_block, is_unreadable};
use super::{Convert, convert};
use crate::clean::clean;
use crate::dom::{Document, Kept, NodeId, Tag};

/// GitHub's additions to CommonMark.
pub(super) const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_TASKLISTS);

/// Stands where an element that HTML does not know begins or ends: it may part words or not.
const UNSURE: char = '\u{1}';

struct Source {
    text: String,
    links: HashSet<String>,
}

/// What a reader of the HTML sees, by a walk that knows nothing of Markdown.
fn source(document: &Document, kept: &Kept, base: &Url) -> Source {
    let mut source = Source {
        text: String::new(),
        links: HashSet::new(),
    };
    if let Some(body) = document.body() {
        look(document, kept, base, body, &mut source);
    }
    source
}

fn look(document: &Document, kept: &Kept, base: &Url, id: NodeId, source: &mut Source) {
    if !kept.has(id) {
        return;
    }
    if let Some(text) = document.text(id) {
        source.text.push_str(&super::text::clean(text));
        return;
    }
    let tag = document.tag(id);
    let class = document.attr(id, "class").unwrap_or_default();
    let is_drawn = ["katex", "MathJax", "mwe-math", "mw-editsection"]
        .iter()
        .any(|name| class.contains(name));
    let is_skipped = is_drawn
        || is_decoration(document, id)
        || matches!(
            tag,
            Tag::Math | Tag::Iframe | Tag::Video | Tag::Audio | Tag::Embed
        );
    if is_skipped || is_unreadable(tag) {
        source.text.push(UNSURE);
        return;
    }
    let edge = match tag {
        Tag::Other | Tag::Img | Tag::Q => Some(UNSURE),
        Tag::A if !leads_somewhere(document, id) => Some(UNSURE),
        Tag::Span
            if document
                .prev_sibling(id)
                .is_some_and(|near| document.tag(near) != Tag::None) =>
        {
            Some(UNSURE)
        }
        Tag::Code | Tag::Kbd | Tag::Samp | Tag::Tt => Some(UNSURE),
        Tag::A
            if document.ancestors(id).any(|up| {
                matches!(
                    document.tag(up),
                    Tag::A | Tag::Pre | Tag::Code | Tag::Kbd | Tag::Samp
                )
            }) =>
        {
            None
        }
        Tag::A | Tag::Br | Tag::Rt => Some(' '),
        tag if is_block(tag) => Some(' '),
        _ => None,
    };
    source.text.extend(edge);
    for child in document.children(id) {
        look(document, kept, base, child, source);
    }
    source.text.extend(edge);
    if tag == Tag::A {
        source.links.extend(expected_link(document, kept, base, id));
    }
}

fn leads_somewhere(document: &Document, link: NodeId) -> bool {
    let href = document.attr(link, "href").unwrap_or_default().trim();
    !(href.is_empty() || href.starts_with('#') || href.starts_with("javascript:"))
}

fn expected_link(document: &Document, kept: &Kept, base: &Url, id: NodeId) -> Option<String> {
    let href = document.attr(id, "href")?.trim();
    let is_shown = document.kept_descendants(id, kept).any(|node| {
        document
            .text(node)
            .is_some_and(|text| text.chars().any(char::is_alphanumeric))
    });
    let is_inside = document.ancestors(id).any(|up| {
        matches!(
            document.tag(up),
            Tag::A
                | Tag::Pre
                | Tag::Code
                | Tag::Kbd
                | Tag::Samp
                | Tag::Tt
                | Tag::Math
                | Tag::Svg
                | Tag::Video
                | Tag::Audio
                | Tag::Sup
        )
    });
    let url = base.join(href).ok()?;
    let leads = matches!(url.scheme(), "http" | "https" | "mailto")
        && !href.is_empty()
        && !href.contains('#');
    let has_code = document
        .kept_descendants(id, kept)
        .any(|node| document.tag(node) == Tag::Pre);
    // A parser of Markdown writes a space in an address as this.
    let url = || url.as_str().replace(' ', "%20");
    (is_shown && leads && !is_inside && !has_code).then(url)
}

/// The same, from the Markdown.
fn read_back(markdown: &str) -> Source {
    let mut source = Source {
        text: String::new(),
        links: HashSet::new(),
    };
    for event in Parser::new_ext(markdown, OPTIONS) {
        match event {
            Event::Text(text) | Event::Code(text) => source.text.push_str(&text),
            Event::FootnoteReference(label) => source.text.push_str(&format!(" {label} ")),
            Event::InlineHtml(html) if &*html == "<br>" => source.text.push(' '),
            Event::Start(Element::Link { dest_url, .. }) => {
                source.links.extend(Url::parse(&dest_url).map(String::from));
                source.text.push(' ');
            }
            Event::Start(Element::Emphasis | Element::Strong | Element::Strikethrough)
            | Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough)
            | Event::InlineHtml(_) => {}
            _ => source.text.push(' '),
        }
    }
    source
}

fn words(text: &str) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    let is_edge = |c: char| !c.is_alphanumeric() && c != UNSURE;
    for word in text
        .split(is_edge)
        .filter(|word| !word.is_empty() && !word.contains(UNSURE))
    {
        *counts.entry(word).or_insert(0) += 1;
    }
    counts
}

/// What was lost between the HTML and its Markdown.
fn losses(html: &str) -> (Vec<String>, String) {
    let document = Document::parse(html, &crate::Interrupt::default()).unwrap();
    let base = Url::parse("https://example.org/dir/").unwrap();
    let kept = clean(&document, &crate::Interrupt::default()).unwrap();
    let conversion = Convert {
        document: &document,
        kept: &kept,
        base: &base,
        keep_data_images: false,
        citations: false,
        title: None,
    };
    let roots: Vec<NodeId> = document.body().into_iter().collect();
    let markdown = convert(&conversion, &roots);
    let before = source(&document, &kept, &base);
    let after = read_back(&markdown);
    let found = words(&after.text);
    let mut lost: Vec<String> = words(&before.text)
        .into_iter()
        .filter(|(word, count)| found.get(word).unwrap_or(&0) < count)
        .map(|(word, count)| format!("{word} ×{count} (found {})", found.get(word).unwrap_or(&0)))
        .collect();
    lost.extend(
        before
            .links
            .difference(&after.links)
            .map(|url| format!("link {url}")),
    );
    lost.sort();
    (lost, markdown)
}

fn nasty_text() -> impl Strategy<Value = String> {
    let token = prop_oneof![
        4 => "[a-z]{1,4}",
        1 => "[А-я]{1,3}",
        1 => Just("值".to_owned()),
        2 => Just(" ".to_owned()),
        3 => "[*_~`#>|\\-+=\\[\\]()!.,:;\"“]{1,3}",
        1 => Just("\\".to_owned()),
        1 => "[0-9]{1,2}[.)] ",
        1 => Just("&lt;b&gt;".to_owned()),
        1 => Just("&amp;amp;".to_owned()),
        1 => Just("| --- | --- |".to_owned()),
    ];
    proptest::collection::vec(token, 1..5).prop_map(|tokens| tokens.concat())
}

fn fragment() -> impl Strategy<Value = String> {
    nasty_text().prop_recursive(5, 48, 5, |inner| {
        let inline = proptest::sample::select(vec!["b", "i", "em", "strong", "span", "code", "del", "sub", "q", "small"]);
        let block = proptest::sample::select(vec!["p", "div", "ul", "ol", "li", "blockquote", "h2", "h4", "dl", "dt", "dd", "pre", "section", "figure", "details", "summary"]);
        let several = proptest::collection::vec(inner, 1..4).prop_map(|parts| parts.concat());
        prop_oneof![
            4 => (inline, several.clone()).prop_map(|(tag, inside)| format!("<{tag}>{inside}</{tag}>")),
            4 => (block, several.clone()).prop_map(|(tag, inside)| format!("<{tag}>{inside}</{tag}>")),
            2 => ("[a-z()&;=_*|%]{0,6}", several.clone()).prop_map(|(path, inside)| format!("<a href=\"/u{path}\">{inside}</a>")),
            1 => several.clone().prop_map(|inside| format!("{inside}<br>")),
            1 => (several.clone(), several.clone()).prop_map(|(a, b)| format!("<ul><li>{a}</li><li>{b}</li></ul>")),
            1 => (several.clone(), several).prop_map(|(a, b)| format!("<table><tr><th>{a}</th><th>x</th></tr><tr><td>{b}</td><td>y</td></tr></table>")),
        ]
    })
}

proptest! {
    // A seed of its own: what a test run says must not depend on chance. `make fuzz` looks further.
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() })]

    #[test]
    fn generated_fragments_read_back_without_loss(html in fragment()) {
        let (lost, markdown) = losses(&html);
        prop_assert!(lost.is_empty(), "lost {lost:?} of\n{html}\nin\n{markdown}");
    }
}

/// What the generator found.
#[test]
fn fragments_that_were_lost_once_read_back() {
    for html in [
        "<p><del><b>a</b></del>a</p>",
        "<p>a<del><i>b</i></del></p>",
        "<a href=/u>[]:a</a><br>",
    ] {
        let (lost, markdown) = losses(html);
        assert!(lost.is_empty(), "lost {lost:?} of {html} in {markdown}");
    }
}

#[test]
fn the_deepest_nesting_fits_a_small_stack() {
    for tag in [
        "div",
        "blockquote",
        "ul><li",
        "table><tr><td",
        "b",
        "x-y",
        "a href=/",
        "code",
        "dl><dd",
        "math><mrow",
    ] {
        let html = format!("{}text", format!("<{tag}>").repeat(2000));
        let markdown = std::thread::Builder::new()
            .stack_size(1 << 20)
            .spawn(move || losses(&html).1)
            .unwrap()
            .join()
            .unwrap();
        assert!(markdown.len() < 10_000, "{tag}: {} bytes", markdown.len());
    }
}

#[test]
fn floods_of_one_kind_take_linear_time_and_space() {
    for (piece, count) in [
        ("<b>!</b>a", 50_000),
        ("- x<br>", 50_000),
        ("*", 200_000),
        ("`a`` ", 50_000),
        ("[", 200_000),
        ("<a href=/x>y</a>", 20_000),
        (
            "<table><tr><td colspan=1000 rowspan=1000>x<td>y</table>",
            2_000,
        ),
        ("<ul><li>x</ul>", 20_000),
        ("<i><b>", 20_000),
        ("&amp;lt", 100_000),
        ("<pre>x</pre>", 20_000),
        ("<img src=/a alt='[*'>", 10_000),
        ("<sup><a href=#n>1</a></sup><p id=n>x</p>", 10_000),
    ] {
        let html = piece.repeat(count);
        let markdown = losses(&html).1;
        assert!(
            markdown.len() < html.len() * 5 + 1000,
            "{piece}: {} bytes",
            markdown.len()
        );
    }
}

/// Of a hundred pages, how many may lose something; what is lost is shown.
const MOST_LOSSY_PERCENT: f64 = 0.5;

/// A sample of the corpus.
pub(crate) fn pages() -> Option<Vec<PathBuf>> {
    sample("corpora/wcxb-dev/html", "reading real pages back", 7)
}

/// The page's HTML.
pub(crate) fn unzipped(page: &Path) -> String {
    let mut html = Vec::new();
    flate2::read::GzDecoder::new(std::fs::File::open(page).unwrap())
        .read_to_end(&mut html)
        .unwrap();
    String::from_utf8_lossy(&html).into_owned()
}

#[test]
fn real_pages_read_back_without_loss() {
    let Some(pages) = pages() else { return };
    let mut lossy = Vec::new();
    for page in &pages {
        let (lost, _) = losses(&unzipped(page));
        if !lost.is_empty() {
            lossy.push(format!(
                "{}: {} lost: {:?}",
                page.display(),
                lost.len(),
                &lost[..lost.len().min(6)]
            ));
        }
    }
    let percent = lossy.len() as f64 * 100.0 / pages.len() as f64;
    let report = format!(
        "{percent:.2} % of {} pages lose something:\n{}",
        pages.len(),
        lossy.join("\n")
    );
    println!("{report}");
    assert!(percent <= MOST_LOSSY_PERCENT, "{report}");
}
