//! Presentation MathML to TeX, for formulas that bring no TeX along. What has no TeX form of its
//! own is written as its content.

use crate::dom::{Document, NodeId};

/// TeX of a `math` element or a part of one.
pub(super) fn to_tex(document: &Document, id: NodeId) -> String {
    let mut tex = String::new();
    write(document, id, &mut tex);
    tex.trim().to_owned()
}

fn write(document: &Document, id: NodeId, tex: &mut String) {
    match document.name(id) {
        "mi" | "mn" | "mo" | "ms" => token(document.text_content(id).trim(), tex),
        "mtext" => {
            tex.push_str("\\text{");
            tex.push_str(document.text_content(id).trim());
            tex.push('}');
        }
        "mfrac" => command(document, id, "\\frac", tex),
        "msqrt" => {
            tex.push_str("\\sqrt{");
            children(document, id, tex);
            tex.push('}');
        }
        "mroot" => {
            let [base, index] = arguments(document, id);
            tex.push_str(&format!("\\sqrt[{index}]{{{base}}}"));
        }
        "msup" | "mover" => scripts(document, id, &["^"], tex),
        "msub" | "munder" => scripts(document, id, &["_"], tex),
        "msubsup" | "munderover" => scripts(document, id, &["_", "^"], tex),
        "mtable" => table(document, id, tex),
        "mspace" => tex.push(' '),
        "annotation" | "annotation-xml" | "none" | "mprescripts" => {}
        "mfenced" => {
            let attr = |name, default| document.attr(id, name).unwrap_or(default).to_owned();
            tex.push_str(&attr("open", "("));
            for (index, child) in elements(document, id).enumerate() {
                if index > 0 {
                    tex.push(',');
                }
                write(document, child, tex);
            }
            tex.push_str(&attr("close", ")"));
        }
        _ => children(document, id, tex),
    }
}

fn elements(document: &Document, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    document
        .children(id)
        .filter(|&child| document.is_element(child))
}

fn children(document: &Document, id: NodeId, tex: &mut String) {
    for child in elements(document, id) {
        write(document, child, tex);
    }
}

fn arguments(document: &Document, id: NodeId) -> [String; 2] {
    let mut all = elements(document, id).map(|child| to_tex(document, child));
    [
        all.next().unwrap_or_default(),
        all.next().unwrap_or_default(),
    ]
}

fn command(document: &Document, id: NodeId, name: &str, tex: &mut String) {
    let [first, second] = arguments(document, id);
    tex.push_str(&format!("{name}{{{first}}}{{{second}}}"));
}

fn scripts(document: &Document, id: NodeId, marks: &[&str], tex: &mut String) {
    let mut parts = elements(document, id);
    let base = parts
        .next()
        .map(|base| to_tex(document, base))
        .unwrap_or_default();
    let is_simple = base.chars().count() <= 1
        || base.starts_with('\\') && base.chars().skip(1).all(|c| c.is_ascii_alphabetic());
    match is_simple {
        true => tex.push_str(base.trim()),
        false => tex.push_str(&format!("{{{base}}}")),
    }
    for (mark, part) in marks.iter().zip(parts) {
        let script = to_tex(document, part);
        match script.chars().count() {
            0 => {}
            1 => tex.push_str(&format!("{mark}{script}")),
            _ => tex.push_str(&format!("{mark}{{{script}}}")),
        }
    }
}

fn table(document: &Document, id: NodeId, tex: &mut String) {
    tex.push_str("\\begin{matrix}");
    for (index, row) in elements(document, id).enumerate() {
        if index > 0 {
            tex.push_str(" \\\\ ");
        }
        for (index, cell) in elements(document, row).enumerate() {
            if index > 0 {
                tex.push_str(" & ");
            }
            write(document, cell, tex);
        }
    }
    tex.push_str("\\end{matrix}");
}

/// Names of the characters that TeX writes as commands.
const COMMANDS: [(&str, &str); 44] = [
    ("α", "\\alpha"),
    ("β", "\\beta"),
    ("γ", "\\gamma"),
    ("δ", "\\delta"),
    ("ε", "\\epsilon"),
    ("ζ", "\\zeta"),
    ("η", "\\eta"),
    ("θ", "\\theta"),
    ("λ", "\\lambda"),
    ("μ", "\\mu"),
    ("ν", "\\nu"),
    ("ξ", "\\xi"),
    ("π", "\\pi"),
    ("ρ", "\\rho"),
    ("σ", "\\sigma"),
    ("τ", "\\tau"),
    ("φ", "\\phi"),
    ("χ", "\\chi"),
    ("ψ", "\\psi"),
    ("ω", "\\omega"),
    ("Γ", "\\Gamma"),
    ("Δ", "\\Delta"),
    ("Θ", "\\Theta"),
    ("Λ", "\\Lambda"),
    ("Π", "\\Pi"),
    ("Σ", "\\Sigma"),
    ("Φ", "\\Phi"),
    ("Ω", "\\Omega"),
    ("∑", "\\sum"),
    ("∏", "\\prod"),
    ("∫", "\\int"),
    ("∞", "\\infty"),
    ("≤", "\\le"),
    ("≥", "\\ge"),
    ("≠", "\\ne"),
    ("≈", "\\approx"),
    ("×", "\\times"),
    ("⋅", "\\cdot"),
    ("±", "\\pm"),
    ("→", "\\to"),
    ("∈", "\\in"),
    ("∂", "\\partial"),
    ("∇", "\\nabla"),
    ("√", "\\sqrt"),
];

fn token(text: &str, tex: &mut String) {
    // Invisible times, function application and separators carry no ink.
    if matches!(text, "\u{2061}" | "\u{2062}" | "\u{2063}" | "\u{2064}") {
        return;
    }
    let ends_in_command = tex.rfind('\\').is_some_and(|at| {
        tex[at + 1..].chars().all(|c| c.is_ascii_alphabetic()) && tex.len() > at + 1
    });
    if ends_in_command && text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        tex.push(' ');
    }
    match COMMANDS.iter().find(|(character, _)| *character == text) {
        Some((_, command)) => tex.push_str(command),
        None => match text {
            "−" => tex.push('-'),
            "{" | "}" | "%" | "#" | "&" | "$" => tex.push_str(&format!("\\{text}")),
            _ => tex.push_str(text),
        },
    }
}
