//! Formulas as TeX between dollars, once, whatever has drawn them: KaTeX, MathJax 2 and 3, MathML,
//! Wikipedia, images. What a renderer drew for the eye is left out.

use super::mathml;
use super::walk::Writer;
use crate::dom::{Document, NodeId, Tag};

impl Writer<'_> {
    /// Writes a formula known by the class of its wrapper; false if it is none.
    pub(super) fn formula(&mut self, id: NodeId, class: &str) -> bool {
        let document = self.document;
        let mut names = class.split_ascii_whitespace();
        let is_drawn = names.clone().any(|name| {
            matches!(
                name,
                "katex"
                    | "katex-display"
                    | "mwe-math-element"
                    | "MathJax"
                    | "MathJax_Display"
                    | "MathJax_SVG"
                    | "MathJax_CHTML"
                    | "MathJax_SVG_Display"
            )
        });
        if names.any(|name| {
            matches!(
                name,
                "MathJax_Preview" | "katex-html" | "MJX_Assistive_MathML"
            )
        }) {
            return true;
        }
        if !is_drawn {
            return false;
        }
        if class.starts_with("MathJax") && has_script_after(document, id) {
            return true;
        }
        let Some(math) = find_math(document, id) else {
            let image = document
                .descendants(id)
                .find(|&node| document.tag(node) == Tag::Img);
            let alt = image.and_then(|image| document.attr(image, "alt"));
            return alt.map(|alt| self.tex(alt, false)).is_some();
        };
        let is_display = class.contains("katex-display")
            || class.contains("MathJax_Display")
            || is_display(document, math);
        let tex = source(document, math);
        self.tex(&tex, is_display);
        true
    }

    /// A container of MathJax 3; false if it has no source.
    pub(super) fn mathjax(&mut self, id: NodeId) -> bool {
        let document = self.document;
        if document.name(id) != "mjx-container" {
            return false;
        }
        let Some(math) = find_math(document, id) else {
            return false;
        };
        let tex = source(document, math);
        self.tex(&tex, document.attr(id, "display") == Some("true"));
        true
    }

    /// A `math` element.
    pub(super) fn math(&mut self, id: NodeId) {
        let tex = source(self.document, id);
        self.tex(&tex, is_display(self.document, id));
    }

    /// The source that MathJax 2 keeps in a script.
    pub(super) fn math_script(&mut self, id: NodeId) {
        let kind = self.document.attr(id, "type").unwrap_or_default();
        if kind.starts_with("math/tex") {
            let tex = self.document.text_content(id);
            self.tex(&tex, kind.contains("mode=display"));
        }
    }

    /// Writes TeX.
    pub(super) fn tex(&mut self, tex: &str, is_display: bool) {
        let mut tex = tex.trim();
        let style = tex
            .strip_prefix("{\\displaystyle")
            .and_then(|rest| rest.strip_suffix('}'));
        tex = style.unwrap_or(tex).trim().trim_matches('$');
        if tex.is_empty() {
            return;
        }
        let dollars = if is_display { "$$" } else { "$" };
        let line = tex.split_whitespace().collect::<Vec<_>>().join(" ");
        if is_display {
            self.boundary();
        }
        self.paragraph.raw(&format!("{dollars}{line}{dollars}"));
        if is_display {
            self.boundary();
        }
    }
}

fn has_script_after(document: &Document, id: NodeId) -> bool {
    let after = std::iter::successors(document.next_sibling(id), |&near| {
        document.next_sibling(near)
    });
    let mut near = after
        .take(2)
        .chain(document.parent(id).and_then(|up| document.next_sibling(up)));
    near.any(|node| {
        document.tag(node) == Tag::Script
            && document
                .attr(node, "type")
                .is_some_and(|kind| kind.starts_with("math/"))
    })
}

/// The MathML below an element, hidden or not.
fn find_math(document: &Document, id: NodeId) -> Option<NodeId> {
    document
        .descendants(id)
        .find(|&node| document.tag(node) == Tag::Math)
}

fn is_display(document: &Document, math: NodeId) -> bool {
    document.attr(math, "display") == Some("block")
        || document.attr(math, "mode") == Some("display")
        || document.ancestors(math).take(3).any(|up| {
            document
                .attr(up, "class")
                .is_some_and(|class| class.contains("katex-display"))
        })
}

/// The TeX of a `math` element: its annotation, its alternative text, or made from the MathML.
fn source(document: &Document, math: NodeId) -> String {
    let annotation = document.descendants(math).find(|&node| {
        document.name(node) == "annotation"
            && document
                .attr(node, "encoding")
                .is_some_and(|kind| kind.to_ascii_lowercase().contains("tex"))
    });
    if let Some(annotation) = annotation {
        return document.text_content(annotation);
    }
    match document.attr(math, "alttext") {
        Some(alt) if !alt.trim().is_empty() => alt.to_owned(),
        _ => mathml::to_tex(document, math),
    }
}
