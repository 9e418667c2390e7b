//! The walk through the DOM: what each element means. It recurses as deep as the document, which
//! the parser bounds.

use super::citations::Citations;
use super::notes::Notes;
use super::outline::{self, Outline, letters};
use super::paragraph::{Mark, Paragraph, Separator};
use super::sheet::{Gap, Sheet};
use super::typeset::{Place, typeset};
use super::{Convert, text};
use crate::dom::{Document, NodeId, Tag};

/// How blocks are set apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// Each on its own.
    Blocks,
    /// On one line: in headings, links and table cells.
    Line(Separator),
}

/// Writes one document.
pub(super) struct Writer<'a> {
    pub(super) convert: &'a Convert<'a>,
    pub(super) document: &'a Document,
    pub(super) outline: Outline,
    pub(super) notes: Notes<'a>,
    /// The text that may begin with the number of its note.
    pub(super) note_number: Option<NodeId>,
    pub(super) sheet: Sheet,
    pub(super) paragraph: Paragraph,
    pub(super) flow: Flow,
    pub(super) is_in_heading: bool,
    pub(super) citations: Option<Citations>,
    pub(super) lists: super::list::LastList,
    pub(super) last_image: String,
    scratch: String,
}

impl<'a> Writer<'a> {
    /// Looks over the roots once for what must be known before writing.
    pub(super) fn new(convert: &'a Convert<'a>, roots: &[NodeId]) -> Self {
        let document = convert.document;
        let mut headings = Vec::new();
        let mut references = Vec::new();
        for &root in roots {
            let nodes = document.kept_descendants(root, convert.kept);
            for id in std::iter::once(root).chain(nodes) {
                if let Some(level) = outline::source_level(document, id) {
                    headings.push((id, level));
                } else if document.tag(id) == Tag::A
                    && super::notes::looks_like_reference(document, id)
                {
                    references.push(id);
                }
            }
        }
        Self {
            convert,
            document,
            outline: Outline::new(convert, headings),
            notes: Notes::new(convert, roots, &references),
            note_number: None,
            sheet: Sheet::default(),
            paragraph: Paragraph::default(),
            flow: Flow::Blocks,
            is_in_heading: false,
            citations: convert.citations.then(Citations::default),
            lists: super::list::LastList::default(),
            last_image: String::new(),
            scratch: String::new(),
        }
    }

    /// The whole text.
    pub(super) fn write(mut self, roots: &[NodeId]) -> String {
        for &root in roots {
            self.node(root);
            self.flush();
        }
        let title = self.title_line();
        if self.sheet.len() > 0
            && let Some(citations) = self.citations.take()
        {
            let definitions = citations.definitions();
            if !definitions.is_empty() {
                self.sheet.write(&definitions, Gap::Blank);
            }
        }
        finish(self.sheet.finish(), title)
    }

    /// `# title`, when no heading of the content is the page's own.
    fn title_line(&self) -> Option<String> {
        let title = self.convert.title.filter(|_| !self.outline.has_top())?;
        let mut paragraph = Paragraph::default();
        paragraph.text(title);
        let mut line = String::from("# ");
        typeset(&mut paragraph, Place::Heading, None, &mut line);
        (line.len() > 2).then_some(line)
    }

    /// All children.
    pub(super) fn children(&mut self, id: NodeId) {
        for child in self.document.children(id) {
            self.node(child);
        }
    }

    /// A node and what is below it.
    pub(super) fn node(&mut self, id: NodeId) {
        if !self.convert.kept.has(id) {
            self.dropped(id);
        } else if let Some(text) = self.document.text(id) {
            let text = match self.note_number == Some(id) {
                true => self.without_number(text),
                false => text,
            };
            self.paragraph.text(text);
        } else {
            self.element(id);
        }
    }

    fn element(&mut self, id: NodeId) {
        match self.document.tag(id) {
            Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => self.heading(id),
            Tag::Div | Tag::P | Tag::Span => self.plain(id),
            Tag::A => self.link(id),
            Tag::Img => self.image(id),
            Tag::Br => self.line_break(),
            Tag::B | Tag::Strong | Tag::Em | Tag::I | Tag::Dfn | Tag::Var => self.emphasis(id),
            Tag::Del | Tag::S | Tag::Strike => self.marked(id, Mark::Strike),
            Tag::Sub => self.marked(id, Mark::Sub),
            Tag::Sup => self.superscript(id),
            Tag::Code | Tag::Kbd | Tag::Samp | Tag::Tt => self.code(id),
            Tag::Pre | Tag::Listing | Tag::Xmp | Tag::Plaintext => self.preformatted(id),
            Tag::Ul | Tag::Ol | Tag::Menu | Tag::Dir => self.list(id),
            Tag::Li => self.loose_item(id),
            Tag::Dl => self.block(id),
            Tag::Dt => self.term(id),
            Tag::Dd => self.definition(id),
            Tag::Table => self.table(id),
            Tag::Blockquote => self.quote(id),
            Tag::Hr => self.rule(),
            Tag::Summary => self.summary(id),
            Tag::Q => self.quotation(id),
            Tag::Rt => self.ruby_text(id),
            Tag::Math => self.math(id),
            Tag::Script => self.math_script(id),
            Tag::Video | Tag::Audio | Tag::Iframe | Tag::Embed => self.media(id),
            tag if is_unreadable(tag) => {}
            Tag::Other => self.custom(id),
            tag if is_block(tag) => self.block(id),
            _ => self.children(id),
        }
    }

    /// What was taken out but says something: the source of a formula.
    fn dropped(&mut self, id: NodeId) {
        if self.document.tag(id) == Tag::Script {
            self.math_script(id);
        }
    }

    /// Ends the block that is being gathered.
    pub(super) fn flush(&mut self) {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        typeset(
            &mut self.paragraph,
            Place::Block,
            self.citations.as_mut(),
            &mut scratch,
        );
        if !scratch.is_empty() {
            self.sheet.write(&scratch, Gap::Blank);
        }
        self.scratch = scratch;
    }

    /// Sets blocks apart, as the flow does it.
    pub(super) fn boundary(&mut self) {
        match self.flow {
            Flow::Blocks => self.flush(),
            Flow::Line(separator) => self.paragraph.separate(separator),
        }
    }

    /// Runs `inside` with all blocks on one line.
    pub(super) fn on_one_line(&mut self, separator: Separator, inside: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.flow, Flow::Line(separator));
        inside(self);
        self.flow = outer;
    }

    /// Is there a block below, so that the element can't stand in a line?
    pub(super) fn has_block(&self, id: NodeId) -> bool {
        self.kept_below(id)
            .any(|node| is_block(self.document.tag(node)))
    }

    /// Kept nodes below.
    pub(super) fn kept_below(&self, id: NodeId) -> impl Iterator<Item = NodeId> + use<'a> {
        self.document.kept_descendants(id, self.convert.kept)
    }

    /// Is there something to read below?
    pub(super) fn has_text(&self, id: NodeId) -> bool {
        self.kept_below(id)
            .filter_map(|node| self.document.text(node))
            .any(|text| !text::is_blank(text))
    }
}

/// Puts the title on top unless the text begins with it, and ends with one newline.
fn finish(mut text: String, title: Option<String>) -> String {
    if text.is_empty() {
        return text;
    }
    if let Some(title) = title {
        let first = text.split('\n').next().unwrap_or_default();
        let is_told =
            letters(first) == letters(&title) && !first.starts_with(['-', '|', '>', '[', '!']);
        let rest = if is_told {
            text[first.len()..].to_owned()
        } else {
            format!("\n\n{text}")
        };
        text = title + &rest;
    }
    text.push('\n');
    text
}

/// Elements that hold no text for a reader, kept or not.
pub(super) fn is_unreadable(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Script
            | Tag::Style
            | Tag::Template
            | Tag::Head
            | Tag::Title
            | Tag::Svg
            | Tag::Canvas
            | Tag::Textarea
            | Tag::Select
            | Tag::Datalist
            | Tag::Input
            | Tag::Progress
            | Tag::Meter
            | Tag::Rp
            | Tag::Param
            | Tag::Source
            | Tag::Track
            | Tag::Noframes
            | Tag::Noembed
    )
}

/// Elements that stand on their own lines. Of those that browsers style so, these four never hold
/// a block of Markdown: what they contain is read as part of the line around them.
pub(super) fn is_block(tag: Tag) -> bool {
    tag.is_block() && !matches!(tag, Tag::Frameset | Tag::Head | Tag::Marquee | Tag::Title)
}
