//! Markup made to be expensive. Each page would take minutes or gigabytes if any step were
//! quadratic in it; none may panic, and text stays.

use bytes::Bytes;
use proptest::prelude::*;
use url::Url;

use crate::{Interrupt, Page, RawDocument, ReadError, ReadOptions, Want, read};

fn everything() -> ReadOptions {
    ReadOptions {
        only_main_content: true,
        want: Want {
            html: true,
            raw_html: true,
            links: true,
            images: true,
            tables: true,
            structured: true,
        },
        ..ReadOptions::default()
    }
}

fn try_read(body: impl Into<Bytes>, options: &ReadOptions) -> Result<Page, ReadError> {
    let document = RawDocument {
        body: body.into(),
        content_type: Some("text/html".into()),
        url: Url::parse("https://example.com/dir/page").unwrap(),
    };
    read(&document, options, &Interrupt::new())
}

/// Reads the page whole and by its main content; the marked words must be in it.
#[track_caller]
fn survives(html: String) {
    for only_main_content in [true, false] {
        let options = ReadOptions {
            only_main_content,
            ..everything()
        };
        let page = try_read(html.clone(), &options).unwrap();
        if !only_main_content && html.contains("marked words") {
            assert!(page.markdown.contains("marked words"), "{:.80}", html);
        }
    }
}

fn numbered(count: usize, piece: impl Fn(usize) -> String) -> String {
    (0..count).map(piece).collect()
}

#[test]
fn deep_nesting_is_flattened_and_its_text_stays() {
    for tag in [
        "div",
        "b",
        "a",
        "font",
        "span",
        "ul><li",
        "blockquote",
        "dl><dd",
        "table><tr><td",
        "svg",
        "section",
        "h1",
        "object",
        "template",
        "math><mi",
        "ruby><rt",
        "details",
        "custom-tag",
        "select><option",
        "form",
        "article><header",
        "noscript",
        "frameset",
    ] {
        let open = format!("<{tag}>").repeat(50_000);
        let mut html = format!("<p>marked words</p>{open}");
        if !matches!(
            tag,
            "frameset" | "template" | "svg" | "select><option" | "noscript"
        ) {
            html = format!("{open}marked words");
        }
        survives(html);
    }
    survives(format!(
        "{}x{}",
        "<div>".repeat(50_000),
        "</div>".repeat(50_000)
    ));
}

#[test]
fn blocks_beyond_the_cap_still_separate_words() {
    let html = format!("{}<div>one</div><div>two</div>", "<div>".repeat(2000));
    let page = try_read(html, &ReadOptions::default()).unwrap();
    let words: Vec<&str> = page.markdown.split_whitespace().collect();
    assert_eq!(words, ["one", "two"]);
}

#[test]
fn unclosed_formatting_does_not_multiply() {
    survives(numbered(30_000, |i| format!("<p><b id={i}>x</p>")));
    survives(numbered(30_000, |i| {
        format!("<b class={i}><i class={i}>marked words")
    }));
    survives(numbered(20_000, |i| format!("<font color={i}><p>x")));
    survives(numbered(20_000, |i| {
        format!("<a href={i}><table><tr><td><a href=x{i}>x")
    }));
    survives(numbered(20_000, |i| format!("<a href={i}><p></a>x")));
    survives(format!(
        "{}{}",
        "<b><p>".repeat(300),
        "</b>x".repeat(20_000)
    ));
    let huge = "v".repeat(64 * 1024);
    survives(format!("<b title={huge}>{}", "<p>x</p>".repeat(10_000)));
    survives(numbered(2000, |i| format!("<td><b id={i}><table><tr>")));
}

#[test]
fn a_flood_of_attributes_is_cut() {
    for quote in ["", "'", "\""] {
        let attrs = numbered(100_000, |i| format!(" a{i}={quote}v{quote}"));
        survives(format!("<div><p{attrs} id=last>marked words</p></div>"));
    }
    let bare = numbered(100_000, |i| format!(" a{i}"));
    survives(format!("<svg{bare}></svg><body{bare}><p>marked words"));
    survives(numbered(20_000, |i| format!("<body a{i}><html b{i}>")));
}

#[test]
fn long_and_many_are_linear() {
    survives("<br>".repeat(300_000));
    survives("</p>".repeat(100_000));
    survives(format!("<p>{}", "word ".repeat(400_000)));
    survives(format!("<p>{}", "x".repeat(2_000_000)));
    survives(format!(
        "<p>{}&lt{}",
        "&amp;".repeat(200_000),
        "&".repeat(200_000)
    ));
    survives(format!(
        "<p>marked words<!--{}--><p>x",
        "-".repeat(1_000_000)
    ));
    survives(format!("<p>marked words<!--{}", "<!--".repeat(200_000)));
    survives(format!("<script>{}", "<!--<script>".repeat(100_000)));
    survives(format!("<title>{}", "<".repeat(500_000)));
    survives(format!(
        "<a href=\"{}\">marked words</a>",
        "x/../".repeat(100_000)
    ));
    survives(format!("<pre>{}</pre>", "`".repeat(300_000)));
    survives(format!("<p>{}</p>", "*_[]()".repeat(100_000)));
    survives("<table>x<tr>y<td>z".repeat(30_000));
    survives(format!("<table>{}", "x<tr>".repeat(60_000)));
    survives(format!("<table><tr>{}", "<td>x".repeat(60_000)));
    survives(format!(
        "<table>{}",
        "<tr><td rowspan=65534 colspan=1000>x".repeat(500)
    ));
    survives(format!("<p>{}", "<img src=a.png>".repeat(50_000)));
    survives(format!("<p>{}", "<a href=/x>y</a> ".repeat(50_000)));
    survives(format!("<ul>{}", "<li>x".repeat(60_000)));
    survives(format!("<h1>{}", "<h2>x".repeat(60_000)));
    survives(numbered(20_000, |i| {
        format!("<div class='a{i} b c'><p>x</p></div>")
    }));
    survives("<p style='display:none' hidden>x".repeat(60_000));
    survives("<noscript><img src=/a.png></noscript>".repeat(20_000));
}

#[test]
fn an_interrupt_ends_the_reading() {
    let interrupt = Interrupt::new();
    interrupt.raise();
    let document = RawDocument {
        body: Bytes::from_static(b"<p>x"),
        content_type: None,
        url: Url::parse("https://example.com/").unwrap(),
    };
    let ended = read(&document, &everything(), &interrupt);
    assert_eq!(ended, Err(ReadError::Interrupted));
}

const PIECES: &[&str] = &[
    "<p>",
    "</p>",
    "<div class=a>",
    "</div>",
    "<b>",
    "</b>",
    "<i>",
    "<a href=/x>",
    "</a>",
    "<table>",
    "<tr>",
    "<td rowspan=3>",
    "<th colspan=0>",
    "</table>",
    "<ul>",
    "<ol start=-1>",
    "<li>",
    "<pre>",
    "<code>",
    "```",
    "`",
    "<h1>",
    "<h2 hidden>",
    "</h1>",
    "<br>",
    "<img src=a alt='[x]'>",
    "<svg>",
    "<math>",
    "<mi>",
    "<template>",
    "</template>",
    "<noscript>",
    "</noscript>",
    "<script>",
    "</script>",
    "<style>",
    "<select>",
    "<option>",
    "<frameset>",
    "<iframe src=//[>",
    "<dl>",
    "<dt>",
    "<dd>",
    "<blockquote>",
    "<details>",
    "<summary>",
    "<sup>",
    "<figure>",
    "<figcaption>",
    "<!--",
    "-->",
    "&amp;",
    "&#0;",
    "\0",
    "\u{202e}",
    "é",
    "漢",
    " ",
    "\n",
    "word ",
    "<",
    ">",
    "'",
    "\"",
    "=",
    "<body>",
    "</html>",
    "<html>",
    "<form>",
    "<input type=checkbox>",
    "<base href='http://[::1'>",
    "<main>",
    "<article>",
    "<nav>",
    "<template shadowrootmode=open>",
    "<slot>",
    "<meta charset=big5>",
    "<script type=application/ld+json>{\"@graph\":[{\"@type\":[]",
    "<p itemscope itemprop=a>",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_markup_reads_twice_the_same(picks in prop::collection::vec(0..PIECES.len(), 0..120)) {
        let html: String = picks.into_iter().map(|pick| PIECES[pick]).collect();
        let once = try_read(html.clone(), &everything());
        prop_assert_eq!(&once, &try_read(html.clone(), &everything()));
        // Many NULs make a binary.
        prop_assert!(once.is_ok() || html.contains('\0'));
    }

    #[test]
    fn any_bytes_are_read_or_refused(body in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = try_read(body.clone(), &everything());
        let document = RawDocument {
            body: body.into(),
            content_type: None,
            url: Url::parse("https://example.com/").unwrap(),
        };
        let _ = read(&document, &everything(), &Interrupt::new());
    }
}
