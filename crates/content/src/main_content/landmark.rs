//! Landmarks of a page, by tag, ARIA role and attributes: one bit each, inherited downwards.

use crate::clean::is_streamed;
use crate::dom::{Document, NodeId, Tag};

/// `<nav>`.
pub(crate) const NAV: u32 = 1;
/// `<header>` of the page.
pub(crate) const HEADER: u32 = 1 << 1;
/// `<footer>` of the page.
pub(crate) const FOOTER: u32 = 1 << 2;
/// `<aside>`.
pub(crate) const ASIDE: u32 = 1 << 3;
/// `<main>`.
pub(crate) const MAIN: u32 = 1 << 4;
/// `<article>`.
pub(crate) const ARTICLE: u32 = 1 << 5;
/// `<form>` or `<fieldset>`.
pub(crate) const FORM: u32 = 1 << 6;
/// `<section>`.
pub(crate) const SECTION: u32 = 1 << 7;
/// `<table>`.
pub(crate) const TABLE: u32 = 1 << 8;
/// `<ul>`, `<ol>`, `<menu>`.
pub(crate) const LIST: u32 = 1 << 9;
/// `<dl>`.
pub(crate) const TERMS: u32 = 1 << 10;
/// `<blockquote>`.
pub(crate) const QUOTE: u32 = 1 << 11;
/// `<figure>`.
pub(crate) const FIGURE: u32 = 1 << 12;
/// A dialog.
pub(crate) const DIALOG: u32 = 1 << 13;
/// `<details>`.
pub(crate) const DETAILS: u32 = 1 << 14;
/// `<header>` or `<footer>` inside `<article>` or `<main>`.
pub(crate) const INNER_HEADER: u32 = 1 << 15;
/// The same for `<footer>`.
pub(crate) const INNER_FOOTER: u32 = 1 << 16;
/// Microdata: an item's property.
pub(crate) const PROPERTY: u32 = 1 << 17;
/// Hidden from assistive technology.
pub(crate) const ARIA_HIDDEN: u32 = 1 << 18;
/// `<noscript>`.
pub(crate) const NOSCRIPT: u32 = 1 << 19;
/// Not shown until a script or a click shows it.
pub(crate) const HIDDEN: u32 = 1 << 20;
/// `<button>`.
pub(crate) const BUTTON: u32 = 1 << 21;
/// How many there are.
pub(crate) const COUNT: usize = 22;

/// The landmarks of an element, given those around it.
pub(crate) fn of(document: &Document, id: NodeId, around: u32) -> u32 {
    let is_inner = around & (MAIN | ARTICLE) != 0;
    let by_tag = match document.tag(id) {
        Tag::Nav => NAV,
        Tag::Header if is_inner => INNER_HEADER,
        Tag::Header => HEADER,
        Tag::Footer if is_inner => INNER_FOOTER,
        Tag::Footer => FOOTER,
        Tag::Aside => ASIDE,
        Tag::Main => MAIN,
        Tag::Article => ARTICLE,
        Tag::Form | Tag::Fieldset | Tag::Search => FORM,
        Tag::Section => SECTION,
        Tag::Table => TABLE,
        Tag::Ul | Tag::Ol | Tag::Menu => LIST,
        Tag::Dl => TERMS,
        Tag::Blockquote => QUOTE,
        Tag::Figure => FIGURE,
        Tag::Dialog => DIALOG,
        Tag::Details => DETAILS,
        Tag::Noscript => NOSCRIPT,
        Tag::Button => BUTTON,
        _ => 0,
    };
    let mut found = around | by_tag;
    for (name, value) in document.attrs(id) {
        found |= match name {
            "role" => of_role(value, is_inner),
            "itemprop" => PROPERTY,
            "aria-hidden" if value == "true" => ARIA_HIDDEN,
            "aria-modal" => DIALOG,
            "hidden" if !is_streamed(document, id) => HIDDEN,
            "style" if hides(value) => HIDDEN,
            _ => 0,
        };
    }
    found
}

/// Does an inline style hide its element?
fn hides(style: &str) -> bool {
    let value = |name: &str| {
        style
            .split(';')
            .filter_map(|rule| rule.split_once(':'))
            .any(|(n, v)| {
                n.trim().eq_ignore_ascii_case(name)
                    && matches!(
                        v.trim_start().as_bytes(),
                        [b'n' | b'N', b'o', b'n', ..] | [b'h', b'i', b'd', ..]
                    )
            })
    };
    value("display") || value("visibility")
}

fn of_role(role: &str, is_inner: bool) -> u32 {
    match role {
        "navigation" | "menu" | "menubar" => NAV,
        "banner" => HEADER,
        "contentinfo" if is_inner => INNER_FOOTER,
        "contentinfo" => FOOTER,
        "complementary" => ASIDE,
        "main" => MAIN,
        "article" => ARTICLE,
        "search" | "form" => FORM,
        "dialog" | "alertdialog" => DIALOG,
        "list" => LIST,
        _ => 0,
    }
}
