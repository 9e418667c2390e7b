//! Code: spans in a line and fenced blocks with their language. Inside code nothing is collapsed
//! or escaped; line numbers and copy buttons are not code.

use super::paragraph::Separator;
use super::sheet::Gap;
use super::text::{self, Part};
use super::walk::{Flow, Writer, is_block};
use crate::dom::{Document, NodeId, Tag};

impl Writer<'_> {
    /// `code`, `kbd` and the like inside a line.
    pub(super) fn code(&mut self, id: NodeId) {
        if self.flow == Flow::Blocks && self.is_code_block(id) {
            return self.preformatted(id);
        }
        if self
            .kept_below(id)
            .any(|node| self.document.tag(node) == Tag::Pre)
        {
            return self.children(id);
        }
        let content = self.span_content(id);
        let bare = content.trim();
        if bare.is_empty() {
            return self.paragraph.text(&content);
        }
        if content.starts_with(' ') {
            self.paragraph.separate(Separator::Space);
        }
        let url = self.only_link(id, bare);
        let is_linked = url.is_some();
        if let Some(url) = url {
            self.paragraph.open_link(url, false);
        }
        self.paragraph.code(bare);
        if is_linked {
            self.paragraph.close();
        }
        if content.ends_with(' ') {
            self.paragraph.separate(Separator::Space);
        }
    }

    /// The text of a code span on one line.
    fn span_content(&self, id: NodeId) -> String {
        let mut lines = Lines::default();
        lines.gather(self, id);
        let mut content = String::new();
        text::collapse(&lines.text, |part| match part {
            Part::Space => content.push(' '),
            Part::Words(words) => content.push_str(words),
        });
        content
    }

    /// The target when all of the code is one link: then the link goes around the code.
    fn only_link(&self, id: NodeId, content: &str) -> Option<String> {
        let mut links = self
            .kept_below(id)
            .filter(|&node| self.document.tag(node) == Tag::A);
        let link = links.next()?;
        let is_all = self.document.text_content(link).trim() == content && links.next().is_none();
        let href = self.document.attr(link, "href").filter(|_| is_all)?;
        (!href.starts_with('#'))
            .then(|| self.resolve(href))
            .flatten()
    }

    /// Is it a block of code without a `pre`? Several lines by `br`, or by a style of `pre`.
    fn is_code_block(&self, id: NodeId) -> bool {
        let document = self.document;
        if document.tag(id) != Tag::Code {
            return false;
        }
        let has_break = || {
            self.kept_below(id)
                .any(|node| document.tag(node) == Tag::Br)
        };
        let keeps_space = document
            .attr(id, "style")
            .is_some_and(|style| style.contains("white-space") && style.contains("pre"));
        has_break() || (keeps_space && document.text_content(id).contains('\n'))
    }

    /// `pre` and the like: a fenced block.
    pub(super) fn preformatted(&mut self, id: NodeId) {
        let mut lines = Lines::default();
        lines.gather(self, id);
        let body = lines.finish();
        let language = language(self.document, id);
        self.code_block(&body, language);
    }

    /// Writes a code block; where blocks can't be, each line as a span.
    pub(super) fn code_block(&mut self, body: &str, language: &str) {
        self.boundary();
        if body.is_empty() {
            return;
        }
        if self.flow != Flow::Blocks {
            for line in body.lines().map(str::trim).filter(|line| !line.is_empty()) {
                self.paragraph.code(line);
                self.boundary();
            }
            return;
        }
        let mut longest = 2;
        for run in body.split(|c| c != '`') {
            longest = longest.max(run.len());
        }
        let fence = "`".repeat(longest + 1);
        self.sheet
            .write(&format!("{fence}{language}\n{body}\n{fence}"), Gap::Blank);
    }
}

/// The lines of a block of code while they are gathered.
#[derive(Debug, Default)]
pub(super) struct Lines {
    text: String,
    /// A line element has just ended: the line break after it is the same one.
    has_ended: bool,
}

impl Lines {
    /// What is below an element.
    pub(super) fn gather(&mut self, writer: &Writer, id: NodeId) {
        let document = writer.document;
        for child in document.children(id) {
            if !writer.convert.kept.has(child) {
                continue;
            }
            if let Some(text) = document.text(child) {
                self.push(text);
            } else if document.tag(child) == Tag::Br {
                self.push("\n");
            } else if document.tag(child) == Tag::Img {
                self.push(document.attr(child, "alt").unwrap_or_default());
            } else if !is_decoration(document, child) {
                self.element(writer, child);
            }
        }
    }

    fn element(&mut self, writer: &Writer, id: NodeId) {
        let tag = writer.document.tag(id);
        let is_line = (is_block(tag)
            && !matches!(tag, Tag::Td | Tag::Th | Tag::Tbody | Tag::Table))
            || is_line(writer.document, id);
        if matches!(tag, Tag::Td | Tag::Th) && !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push(' ');
        }
        if is_line {
            self.line(writer, id);
        } else {
            self.gather(writer, id);
        }
    }

    /// An element that is one line, or several.
    pub(super) fn line(&mut self, writer: &Writer, id: NodeId) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.has_ended = false;
        let before = self.text.len();
        self.gather(writer, id);
        if self.text.len() == before || !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.has_ended = true;
    }

    fn push(&mut self, text: &str) {
        let mut text = text;
        if self.has_ended {
            text = text.strip_prefix('\r').unwrap_or(text);
            text = text.strip_prefix('\n').unwrap_or(text);
        }
        if !text.is_empty() {
            self.text.push_str(text);
        }
        self.has_ended = false;
    }

    /// The code without empty lines around it, white space at line ends or no-break spaces.
    pub(super) fn finish(self) -> String {
        let text = self.text.replace("\r\n", "\n").replace('\u{a0}', " ");
        let text = text.replace(is_unwritten, "");
        let mut lines: Vec<&str> = text.split('\n').map(str::trim_end).collect();
        while lines.last().is_some_and(|line| line.is_empty()) {
            lines.pop();
        }
        let first = lines.iter().position(|line| !line.is_empty()).unwrap_or(0);
        lines[first.min(lines.len())..].join("\n")
    }
}

/// Characters that a code block can't show.
fn is_unwritten(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{feff}') || (c.is_control() && !matches!(c, '\n' | '\t'))
}

fn has_class(document: &Document, id: NodeId, names: &[&str]) -> bool {
    let class = document.attr(id, "class").unwrap_or_default();
    class
        .split_ascii_whitespace()
        .any(|own| names.contains(&own))
}

fn is_line(document: &Document, id: NodeId) -> bool {
    has_class(
        document,
        id,
        &[
            "line",
            "token-line",
            "code-line",
            "view-line",
            "cl",
            "ec-line",
            "CodeMirror-line",
        ],
    ) && document.next_sibling(id).is_none_or(|next| {
        // Where the source has its own line breaks, a line element adds none.
        document.is_element(next)
            || document
                .text(next)
                .is_some_and(|text| text.starts_with(['\n', '\r']))
    }) && !document.text_content(id).ends_with('\n')
}

/// Line numbers, gutters, copy buttons.
pub(super) fn is_decoration(document: &Document, id: NodeId) -> bool {
    const NAMES: [&str; 20] = [
        "lineno",
        "linenos",
        "lineNos",
        "linenumber",
        "linenumbers",
        "line-number",
        "line-numbers-rows",
        "line_numbers",
        "gutter",
        "rouge-gutter",
        "blob-num",
        "hljs-ln-numbers",
        "hljs-ln-n",
        "react-syntax-highlighter-line-number",
        "code-block__line-number",
        "copy",
        "copy-button",
        "copy-btn",
        "btn-clipboard",
        "ln",
    ];
    matches!(
        document.tag(id),
        Tag::Button | Tag::Svg | Tag::Style | Tag::Script
    ) || has_class(document, id, &NAMES)
        || document.attr(id, "style").is_some_and(|style| {
            style.contains("user-select:none") || style.contains("user-select: none")
        })
        || (document.tag(id) == Tag::Td && document.attr(id, "data-line-number").is_some())
}

/// The language of a block, from the classes of its `pre`, `code` and wrappers; empty if unknown.
pub(super) fn language(document: &Document, id: NodeId) -> &str {
    let inner = document
        .descendants(id)
        .find(|&node| document.tag(node) == Tag::Code);
    let near = inner.into_iter().chain([id]).chain(
        document
            .ancestors(id)
            .take(3)
            .filter(|&up| is_wrapper(document, up, id)),
    );
    near.filter_map(|node| language_of(document, node))
        .next()
        .unwrap_or_default()
}

/// Does the ancestor wrap this one block of code rather than a whole text?
fn is_wrapper(document: &Document, up: NodeId, id: NodeId) -> bool {
    let is_box = matches!(
        document.tag(up),
        Tag::Div
            | Tag::Figure
            | Tag::Td
            | Tag::Tr
            | Tag::Tbody
            | Tag::Table
            | Tag::Other
            | Tag::Pre
            | Tag::Code
    );
    let size = |node: NodeId| document.subtree_end(node).index() - node.index();
    is_box && size(up) <= size(id) * 2 + 40
}

fn language_of(document: &Document, id: NodeId) -> Option<&str> {
    let declared = ["data-lang", "data-language", "data-code-language"]
        .iter()
        .find_map(|name| document.attr(id, name));
    if let Some(language) = declared.and_then(known) {
        return Some(language);
    }
    let class = document.attr(id, "class")?;
    let names = || class.split_ascii_whitespace();
    let prefixed = names().find_map(|name| {
        [
            "language-",
            "lang-",
            "highlight-source-",
            "highlight-text-",
            "source-",
            "brush:",
        ]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .map(|rest| rest.trim_end_matches(';'))
        .filter(|rest| !rest.is_empty())
    });
    if let Some(language) = prefixed {
        return known(language);
    }
    let mut rest = names().skip_while(|&name| {
        !matches!(
            name,
            "brush:" | "hljs" | "sourceCode" | "highlight" | "prettyprint"
        )
    });
    let after = rest.next().and(rest.next());
    let only = names().find(|name| {
        !matches!(
            *name,
            "hljs"
                | "sourceCode"
                | "highlight"
                | "prettyprint"
                | "prettyprinted"
                | "linenums"
                | "copyable"
        )
    });
    let is_marked =
        names().any(|name| matches!(name, "brush:" | "hljs" | "sourceCode" | "highlight"));
    after
        .or(only.filter(|_| is_marked))
        .map(|name| name.trim_end_matches(';'))
        .and_then(known)
}

/// A name that can stand after a fence and says something.
fn known(language: &str) -> Option<&str> {
    let is_name = !language.is_empty()
        && language.len() <= 24
        && language
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+#._-".contains(&byte));
    let is_nothing = matches!(
        language.to_ascii_lowercase().as_str(),
        "none"
            | "plain"
            | "plaintext"
            | "text"
            | "txt"
            | "nohighlight"
            | "no-highlight"
            | "undefined"
            | "highlight"
    );
    (is_name && !is_nothing).then_some(language)
}
