//! Cleaned HTML: what the mask keeps, with absolute URLs and without anything that acts.

use url::Url;

use super::{Document, Kept, NodeId, Tag};

/// Attributes that say something about content. No handlers, no styles, no tracking.
const ATTRS: [&str; 22] = [
    "abbr", "alt", "cite", "class", "colspan", "datetime", "dir", "headers", "height", "href",
    "id", "lang", "open", "poster", "reversed", "rowspan", "scope", "src", "start", "title",
    "value", "width",
];

/// The kept part of each root, one after the other.
pub(crate) fn serialize(document: &Document, kept: &Kept, roots: &[NodeId], base: &Url) -> String {
    let mut out = String::new();
    for &root in roots {
        write_tree(document, kept, root, base, &mut out);
    }
    out
}

fn write_tree(document: &Document, kept: &Kept, root: NodeId, base: &Url, out: &mut String) {
    let mut open: Vec<NodeId> = Vec::new();
    let nodes = std::iter::once(root)
        .filter(|&root| kept.has(root))
        .flat_map(|root| std::iter::once(root).chain(document.kept_descendants(root, kept)));
    for id in nodes {
        while let Some(&last) = open.last()
            && !document.contains(last, id)
        {
            open.pop();
            write_end(document, last, out);
        }
        if let Some(text) = document.text(id) {
            escape(text, false, out);
        } else if document.is_element(id) {
            write_start(document, id, base, out);
            if !is_void(document.tag(id)) {
                open.push(id);
            }
        }
    }
    while let Some(last) = open.pop() {
        write_end(document, last, out);
    }
}

fn write_start(document: &Document, id: NodeId, base: &Url, out: &mut String) {
    out.push('<');
    out.push_str(document.name(id));
    for (name, value) in document.attrs(id).filter(|(name, _)| ATTRS.contains(name)) {
        let value = match name {
            "href" | "src" | "poster" | "cite" => match absolute(value, base) {
                Some(url) => url,
                None => continue,
            },
            _ => value.to_owned(),
        };
        out.push(' ');
        out.push_str(name);
        out.push_str("=\"");
        escape(&value, true, out);
        out.push('"');
    }
    out.push('>');
}

fn write_end(document: &Document, id: NodeId, out: &mut String) {
    out.push_str("</");
    out.push_str(document.name(id));
    out.push('>');
}

/// A URL that only shows or leads somewhere; scripts are none.
fn absolute(value: &str, base: &Url) -> Option<String> {
    let url = base.join(value.trim()).ok()?;
    matches!(
        url.scheme(),
        "http" | "https" | "mailto" | "tel" | "data" | "ftp"
    )
    .then(|| url.to_string())
}

fn is_void(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Area
            | Tag::Base
            | Tag::Br
            | Tag::Col
            | Tag::Embed
            | Tag::Hr
            | Tag::Img
            | Tag::Input
            | Tag::Link
            | Tag::Meta
            | Tag::Param
            | Tag::Source
            | Tag::Track
            | Tag::Wbr
    )
}

fn escape(text: &str, in_attribute: bool, out: &mut String) {
    for piece in text.split_inclusive(['&', '<', '>', '"', '\u{a0}']) {
        let mut chars = piece.chars();
        let entity = match chars.next_back() {
            Some('&') => "&amp;",
            Some('<') => "&lt;",
            Some('>') => "&gt;",
            Some('\u{a0}') => "&nbsp;",
            Some('"') if in_attribute => "&quot;",
            _ => {
                out.push_str(piece);
                continue;
            }
        };
        out.push_str(chars.as_str());
        out.push_str(entity);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_kept_and_harmless_is_written() {
        let document = Document::of(
            "<p onclick=x() style=a class=c>a &lt; b<br><a href='/x?a=1&amp;b'>l</a>\
             <a href='javascript:alert(1)'>j</a><img src=i.png alt='\"q\"'></p><nav>n</nav>",
        );
        let mut kept = Kept::all(&document);
        let base = Url::parse("https://example.com/d/").unwrap();
        let nav = document.nodes().find(|&id| document.tag(id) == Tag::Nav);
        kept.drop(nav.unwrap());
        let body = document.body().unwrap();
        let roots: Vec<_> = document.children(body).collect();
        assert_eq!(
            serialize(&document, &kept, &roots, &base),
            "<p class=\"c\">a &lt; b<br><a href=\"https://example.com/x?a=1&amp;b\">l</a>\
             <a>j</a><img src=\"https://example.com/d/i.png\" alt=\"&quot;q&quot;\"></p>"
        );
    }
}
