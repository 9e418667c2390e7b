//! Whether a reader sees an element, told from the element alone: its name, state and inline
//! style. Style sheets are not read.

use crate::dom::{Document, NodeId, Tag};

/// Collapsed content shorter than this is a label or a notice.
const COLLAPSED_BYTES: usize = 80;
/// A button with so much text is a card or a question, not a command.
const BUTTON_BYTES: usize = 60;

/// What a reader sees of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sight {
    /// It is shown, as far as its parents are.
    Seen,
    /// It is never text.
    Never,
    /// It is what the reader can do here, not what the page says.
    Command,
    /// It could be shown but is not, now.
    Hidden,
    /// It is shown where scripts don't run.
    WithoutScript,
}

/// Looks at one element.
pub(super) fn of(document: &Document, id: NodeId) -> Sight {
    match document.tag(id) {
        Tag::Head | Tag::Style | Tag::Template | Tag::Svg | Tag::Canvas => Sight::Never,
        Tag::Noembed | Tag::Noframes | Tag::Keygen | Tag::Progress | Tag::Meter => Sight::Never,
        Tag::Textarea | Tag::Select | Tag::Datalist | Tag::Option | Tag::Optgroup => Sight::Never,
        Tag::Noscript => Sight::WithoutScript,
        Tag::Dialog if document.attr(id, "open").is_none() => Sight::Hidden,
        // TeX for MathJax is the one script that readers see.
        Tag::Script if is_tex(document, id) => Sight::Seen,
        Tag::Script => Sight::Never,
        Tag::Input if document.attr(id, "type") != Some("checkbox") => Sight::Never,
        Tag::Button if !is_telling_button(document, id) => match by_attributes(document, id) {
            Sight::Seen => Sight::Command,
            unseen => unseen,
        },
        _ if is_fallback(document, id) => Sight::Never,
        _ => by_attributes(document, id),
    }
}

fn is_tex(document: &Document, script: NodeId) -> bool {
    document
        .attr(script, "type")
        .is_some_and(|kind| kind.starts_with("math/tex"))
}

/// Shown only where the element around it can't be played.
fn is_fallback(document: &Document, id: NodeId) -> bool {
    let parent = document.parent(id).map(|parent| document.tag(parent));
    match parent {
        Some(Tag::Video | Tag::Audio) => !matches!(document.tag(id), Tag::Source | Tag::Track),
        _ => false,
    }
}

fn by_attributes(document: &Document, id: NodeId) -> Sight {
    let (mut is_hidden, mut is_decoration) = (false, false);
    for (name, value) in document.attrs(id) {
        match name {
            "hidden" => is_hidden |= value != "until-found",
            "popover" => is_hidden = true,
            "style" => is_hidden |= hides(value),
            "class" => is_hidden |= is_for_screen_readers(value) && !is_heading(document.tag(id)),
            "aria-hidden" => is_decoration = value == "true",
            _ => {}
        }
    }
    if is_hidden && !is_streamed(document, id) && !is_collapsed(document, id) {
        return Sight::Hidden;
    }
    if is_decoration && is_icon(document, id) {
        return Sight::Never;
    }
    Sight::Seen
}

/// Does an inline style hide the element?
pub(super) fn is_styled_away(document: &Document, id: NodeId) -> bool {
    document.attr(id, "style").is_some_and(hides)
}

fn hides(style: &str) -> bool {
    style.split(';').any(|declaration| {
        let Some((name, value)) = declaration.split_once(':') else {
            return false;
        };
        let starts = |word: &str| {
            let value = value.trim_ascii_start();
            value
                .get(..word.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(word))
        };
        let name = name.trim_ascii();
        (name.eq_ignore_ascii_case("display") && starts("none"))
            || (name.eq_ignore_ascii_case("visibility") && (starts("hidden") || starts("collapse")))
    })
}

/// Words for screen readers repeat or explain what the eye sees.
fn is_for_screen_readers(class: &str) -> bool {
    class.split_ascii_whitespace().any(|token| {
        matches!(
            token,
            "sr-only"
                | "visually-hidden"
                | "visuallyhidden"
                | "screen-reader-text"
                | "screen-reader-only"
                | "screenreader"
                | "u-visually-hidden"
                | "a11y-hidden"
                | "element-invisible"
                | "assistive-text"
        )
    })
}

fn is_heading(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6
    )
}

/// A part of the page that React sent late: a script moves it to its place and shows it.
pub(crate) fn is_streamed(document: &Document, id: NodeId) -> bool {
    let number = document
        .attr(id, "id")
        .and_then(|name| name.strip_prefix("S:"));
    number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// A closed panel of an accordion or of tabs: hidden now, but content.
fn is_collapsed(document: &Document, id: NodeId) -> bool {
    let attr = |name| document.attr(id, name).unwrap_or_default();
    let role = attr("role");
    if matches!(
        role,
        "dialog" | "alertdialog" | "menu" | "navigation" | "search" | "tooltip"
    ) {
        return false;
    }
    let label = format!("{} {}", attr("class"), attr("id")).to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| label.contains(word));
    let is_panel = matches!(role, "tabpanel" | "region")
        || has(&[
            "accordion",
            "content",
            "tab",
            "collaps",
            "panel",
            "faq",
            "answer",
            "expand",
            "toggle",
        ]);
    let is_other = has(&[
        "modal", "popup", "menu", "nav", "cookie", "consent", "overlay", "tooltip", "dropdown",
        "drawer", "search", "login", "share",
    ]);
    is_panel && !is_other && super::text_bytes(document, id) >= COLLAPSED_BYTES
}

/// A sign or the name of a glyph, not words.
fn is_icon(document: &Document, id: NodeId) -> bool {
    let mut texts = document
        .descendants(id)
        .filter_map(|node| document.text(node))
        .map(str::trim)
        .filter(|text| !text.is_empty());
    let Some(text) = texts.next() else {
        return false;
    };
    if texts.next().is_some() {
        return false;
    }
    let class = document.attr(id, "class").unwrap_or_default();
    let is_glyph = ["icon", "glyph", "material-symbols"]
        .iter()
        .any(|word| class.contains(word));
    text.chars().count() <= 2 || (is_glyph && !text.contains(char::is_whitespace))
}

/// A button that is a heading, a question or a card.
fn is_telling_button(document: &Document, id: NodeId) -> bool {
    let is_in_heading = document.ancestors(id).take(3).any(|up| {
        is_heading(document.tag(up)) || matches!(document.tag(up), Tag::Dt | Tag::Summary)
    });
    let holds_blocks = document
        .descendants(id)
        .any(|node| is_heading(document.tag(node)) || document.tag(node) == Tag::P);
    is_in_heading || holds_blocks || super::text_bytes(document, id) >= BUTTON_BYTES
}
