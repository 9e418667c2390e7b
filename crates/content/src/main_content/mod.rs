//! Finds what the page is about and leaves out what every page of the site repeats: the document
//! is cut into blocks, each block gets a row of features, a learned scorer says how likely it is
//! content, and the mask is narrowed to the blocks that are worth their words.

mod choose;
mod cohere;
mod column;
mod features;
mod forest;
mod landmark;
mod narrow;
mod patterns;
mod scorer;
mod segment;
mod signals;
mod text;
pub mod training;

use trawls_contract::Quality;
use url::Url;

use crate::dom::{Document, Kept, NodeId, Tag};

pub(crate) use scorer::Scorer;

use choose::{Choice, choose};
use features::{Features, Table};
use narrow::narrow;
use segment::{Segments, ratio, segment};
use text::TitleWords;

/// What is known before the content is chosen.
pub(crate) struct Context<'a> {
    /// The page's URL, after redirects.
    pub(crate) url: &'a Url,
    /// How blocks are told apart; without one, by landmarks alone.
    pub(crate) scorer: Option<&'a Scorer>,
}

/// The content.
pub(crate) struct Selection {
    /// In document order, none inside another.
    pub(crate) roots: Vec<NodeId>,
    /// What of them is in.
    pub(crate) kept: Kept,
    /// How sure the choice is.
    pub(crate) quality: Quality,
}

/// A shorter `<noscript>` asks to enable scripts.
const MIN_NOSCRIPT_CHARS: usize = 400;

/// Chooses the content.
pub(crate) fn select(document: &Document, mut kept: Kept, context: &Context) -> Selection {
    let Some(body) = document.body() else {
        return Selection {
            roots: vec![document.root()],
            kept,
            quality: Quality::default(),
        };
    };
    let (segments, table) = look(document, &mut kept, body, context);
    let probabilities = context
        .scorer
        .map(|scorer| scorer.score(&table))
        .unwrap_or_default();
    let Choice { keep, expected_f1 } = choose(document, &segments, &probabilities);
    let root = narrow(document, &segments, &keep, &mut kept);
    Selection {
        roots: vec![root.unwrap_or(body)],
        kept,
        quality: Quality {
            confidence: expected_f1,
            main_content_ratio: kept_share(&segments, &keep),
        },
    }
}

/// The page's blocks and their rows.
fn look(
    document: &Document,
    kept: &mut Kept,
    body: NodeId,
    context: &Context,
) -> (Segments, Table) {
    let title = TitleWords::new(&title_of(document));
    let mut segments = segment(document, kept, body, &title);
    if show_noscript(document, kept, &segments) {
        segments = segment(document, kept, body, &title);
    }
    let table = Features::new(document, &segments, &title, context.url.path()).table();
    (segments, table)
}

/// Share of the visible characters that are kept.
fn kept_share(segments: &Segments, keep: &[bool]) -> f32 {
    let chars = segments
        .blocks
        .iter()
        .zip(keep)
        .filter(|(_, is_kept)| **is_kept);
    let kept = chars.map(|(block, _)| block.sums.text.chars).sum();
    ratio(
        kept,
        segments
            .frames
            .first()
            .map_or(0, |page| page.sums.text.chars),
    )
}

/// The page's title as its head gives it.
fn title_of(document: &Document) -> String {
    let title = document.head().and_then(|head| {
        document
            .children(head)
            .find(|&id| document.tag(id) == Tag::Title)
    });
    title
        .map(|id| document.text_content(id))
        .unwrap_or_default()
}

/// Some forums draw themselves by script and serve the threads as `<noscript>` besides: it is
/// shown when it says more than the rest of the page.
fn show_noscript(document: &Document, kept: &mut Kept, segments: &Segments) -> bool {
    let visible = segments
        .frames
        .first()
        .map_or(0, |page| page.sums.text.chars) as usize;
    let mut has_shown = false;
    for id in document.nodes() {
        if document.tag(id) != Tag::Noscript || kept.has(id) {
            continue;
        }
        let chars: usize = document
            .descendants(id)
            .filter_map(|node| document.text(node))
            .map(|text| text.trim().len())
            .sum();
        if chars > visible.max(MIN_NOSCRIPT_CHARS) {
            kept.restore(id);
            has_shown = true;
        }
    }
    has_shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(html: &str) -> String {
        let document = Document::of(html);
        let url = Url::parse("https://example.com/a").unwrap();
        let context = Context {
            url: &url,
            scorer: Scorer::built_in(),
        };
        let Selection { roots, kept, .. } = select(&document, Kept::all(&document), &context);
        let texts = roots
            .iter()
            .flat_map(|&root| document.kept_descendants(root, &kept));
        let words: Vec<&str> = texts
            .filter_map(|id| document.text(id))
            .flat_map(str::split_ascii_whitespace)
            .collect();
        words.join(" ")
    }

    #[test]
    fn the_built_in_model_is_sound() {
        assert!(Scorer::built_in().is_some());
    }

    #[test]
    fn a_short_page_gives_its_text() {
        assert_eq!(
            chosen("<div>The ferry leaves from <b>Norwick</b> today.</div>"),
            "The ferry leaves from Norwick today."
        );
    }

    #[test]
    fn a_short_page_loses_only_its_landmarks() {
        let html = "<nav><a href=/>Home</a></nav><main><article><header><h1>Fares</h1></header>\
                    <p>Two crowns.</p><footer>Sources: accounts.</footer></article></main><footer>Imprint</footer>";
        assert_eq!(chosen(html), "Fares Two crowns. Sources: accounts.");
    }

    #[test]
    fn a_page_of_nothing_but_landmarks_is_not_dropped() {
        assert_eq!(
            chosen("<nav><a href=/a>One</a> <a href=/b>Two</a></nav>"),
            "One Two"
        );
    }

    #[test]
    fn threads_in_a_noscript_are_read_when_they_say_more_than_the_page() {
        let thread =
            "The pump was repaired and works again, many thanks to all who answered. ".repeat(20);
        let html = format!(
            "<div id=app>Loading</div><noscript><div class=post><p>{thread}</p></div></noscript>"
        );
        let document = Document::of(&html);
        let url = Url::parse("https://example.com/t/1").unwrap();
        let mut kept = Kept::all(&document);
        for id in document
            .nodes()
            .filter(|&id| document.tag(id) == Tag::Noscript)
        {
            kept.drop(id);
        }
        let selection = select(
            &document,
            kept,
            &Context {
                url: &url,
                scorer: Scorer::built_in(),
            },
        );
        let root = selection.roots[0];
        assert!(
            document
                .kept_descendants(root, &selection.kept)
                .any(|id| document.text(id).is_some_and(|t| t.contains("pump")))
        );
    }
}
