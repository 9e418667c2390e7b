//! Blocks and inline elements that need no more than a few lines each.

use super::outline;
use super::paragraph::{Mark, Separator};
use super::sheet::Gap;
use super::text::is_blank;
use super::typeset::{Place, typeset};
use super::walk::{Flow, Writer, is_block};
use crate::dom::{NodeId, Tag};
use crate::text::kept_line_of;

/// A label is no longer than this, in bytes.
const LONGEST_LABEL: usize = 80;

impl Writer<'_> {
    /// Something on its own lines.
    pub(super) fn block(&mut self, id: NodeId) {
        self.boundary();
        let is_note = self.flow == Flow::Blocks && self.open_note(id);
        self.children(id);
        self.boundary();
        if is_note {
            self.sheet.close();
        }
    }

    /// `div`, `p`, `span`: what they are may stand in their attributes.
    pub(super) fn plain(&mut self, id: NodeId) {
        let document = self.document;
        let has_attributes = document.attrs(id).next().is_some();
        if has_attributes {
            if outline::source_level(document, id).is_some() {
                return self.heading(id);
            }
            if document
                .attr(id, "class")
                .is_some_and(|class| self.formula_or_tool(id, class))
            {
                return;
            }
        }
        match document.tag(id) {
            Tag::Span => {
                self.part_from_label(id);
                self.children(id);
            }
            _ => self.block(id),
        }
    }

    /// Labels side by side ("Member", "Joined: May 2021") are set apart by their looks. Parts of one
    /// word are not, so one of the two must be several words and the second begin anew.
    fn part_from_label(&mut self, id: NodeId) {
        if !self.paragraph.ends_in_word() {
            return;
        }
        let before = self.document.prev_sibling(id);
        let Some(before) = before.filter(|near| self.document.tag(*near) == Tag::Span) else {
            return;
        };
        let (first, second) = (self.label(before), self.label(id));
        let ends_small = first.ends_with(|c: char| c.is_lowercase() || c.is_numeric());
        let begins_anew = second.starts_with(char::is_uppercase);
        if ends_small && begins_anew && (first.contains(' ') || second.contains(' ')) {
            self.paragraph.separate(Separator::Space);
        }
    }

    fn label(&self, id: NodeId) -> String {
        kept_line_of(self.document, self.convert.kept, id, LONGEST_LABEL)
    }

    /// Formulas, and tools of the page that are no text, known by class.
    fn formula_or_tool(&mut self, id: NodeId, class: &str) -> bool {
        class.contains("mw-editsection") || self.formula(id, class)
    }

    /// A heading on one line.
    pub(super) fn heading(&mut self, id: NodeId) {
        let level = self.outline.level(id);
        self.boundary();
        if level.is_some() {
            self.paragraph.wake_links();
        }
        let Some(level) = level.filter(|_| self.flow == Flow::Blocks) else {
            return self.block(id);
        };
        let document = self.document;
        let body = self.swallowed(id);
        let is_body = |child: &NodeId| body.is_some_and(|body| *child >= body);
        self.is_in_heading = true;
        self.on_one_line(Separator::Space, |writer| {
            for child in document.children(id).take_while(|child| !is_body(child)) {
                writer.node(child);
            }
        });
        self.is_in_heading = false;
        let mut line = "#".repeat(usize::from(level));
        line.push(' ');
        let start = line.len();
        typeset(
            &mut self.paragraph,
            Place::Heading,
            self.citations.as_mut(),
            &mut line,
        );
        if line.len() > start {
            self.sheet.write(&line, Gap::Blank);
        }
        for child in document.children(id).filter(is_body) {
            self.node(child);
        }
        self.boundary();
    }

    /// Where the text begins that a heading without its end tag took in: after its own words, at the
    /// first of several blocks.
    fn swallowed(&self, heading: NodeId) -> Option<NodeId> {
        let is_block = |child: &NodeId| {
            let is_text = matches!(
                self.document.tag(*child),
                Tag::P | Tag::Ul | Tag::Ol | Tag::Dl | Tag::Table | Tag::Pre | Tag::Blockquote
            );
            is_text && self.has_text(*child)
        };
        let mut blocks = self.document.children(heading).filter(is_block);
        let (first, _) = (blocks.next()?, blocks.next()?);
        let mut before = self
            .document
            .children(heading)
            .take_while(|child| *child < first);
        let says = |child: NodeId| match self.document.text(child) {
            Some(text) => !is_blank(text),
            None => self.convert.kept.has(child) && self.has_text(child),
        };
        before.any(says).then_some(first)
    }

    /// A line break; two in a row part paragraphs.
    pub(super) fn line_break(&mut self) {
        match self.flow {
            Flow::Line(separator) => self.paragraph.separate(separator),
            Flow::Blocks
                if self.paragraph.separator() == Separator::Break
                    && !self.paragraph.is_in_link() =>
            {
                self.flush();
            }
            Flow::Blocks if self.paragraph.is_in_link() => {
                self.paragraph.separate(Separator::Space)
            }
            Flow::Blocks => self.paragraph.separate(Separator::Break),
        }
    }

    /// Bold or italic.
    pub(super) fn emphasis(&mut self, id: NodeId) {
        let mark = match self.document.tag(id) {
            Tag::B | Tag::Strong if self.is_in_heading => Mark::Nothing,
            Tag::B | Tag::Strong => Mark::Strong,
            _ => Mark::Em,
        };
        self.marked(id, mark);
    }

    /// Its content inside a mark.
    pub(super) fn marked(&mut self, id: NodeId, mark: Mark) {
        self.paragraph.open(mark);
        self.children(id);
        self.paragraph.close();
    }

    /// Superscript; around a footnote reference it adds nothing.
    pub(super) fn superscript(&mut self, id: NodeId) {
        let document = self.document;
        let is_note = document
            .children(id)
            .any(|child| self.notes.label_of(document, child).is_some());
        let mark = if is_note { Mark::Nothing } else { Mark::Sup };
        self.marked(id, mark);
    }

    /// A quote; every line of it is marked.
    pub(super) fn quote(&mut self, id: NodeId) {
        if self.flow != Flow::Blocks {
            return self.block(id);
        }
        self.flush();
        self.sheet.open_quote();
        self.children(id);
        self.flush();
        self.sheet.close();
    }

    /// A quotation inside a line.
    pub(super) fn quotation(&mut self, id: NodeId) {
        if !self.has_text(id) {
            return;
        }
        self.paragraph.text("“");
        self.children(id);
        self.paragraph.text("”");
    }

    /// A thematic break, unless nothing stands above it.
    pub(super) fn rule(&mut self) {
        self.boundary();
        if self.flow == Flow::Blocks && self.sheet.len() > 0 && self.sheet.has_begun() {
            self.sheet.write("---", Gap::Blank);
        }
    }

    /// The line that stays when details are folded.
    pub(super) fn summary(&mut self, id: NodeId) {
        self.boundary();
        if self.has_block(id) {
            self.children(id);
        } else {
            self.marked(id, Mark::Strong);
        }
        self.boundary();
    }

    /// The reading of a ruby base, in brackets.
    pub(super) fn ruby_text(&mut self, id: NodeId) {
        if self.has_text(id) {
            self.paragraph.text("(");
            self.children(id);
            self.paragraph.text(")");
        }
    }

    /// A term that is defined.
    pub(super) fn term(&mut self, id: NodeId) {
        self.boundary();
        self.marked(id, Mark::Strong);
        self.boundary();
    }

    /// An element that HTML does not know: transparent. Its edges part blocks unless it stands in
    /// a line of text.
    pub(super) fn custom(&mut self, id: NodeId) {
        if self.document.name(id).starts_with("mjx-") && self.mathjax(id) {
            return;
        }
        if self.stands_in_line(id) {
            self.children(id);
        } else {
            self.block(id);
        }
    }

    fn stands_in_line(&self, id: NodeId) -> bool {
        if self.has_block(id) {
            return false;
        }
        let document = self.document;
        let is_line = |sibling: NodeId| match document.text(sibling) {
            Some(text) => !is_blank(text),
            None => {
                !is_block(document.tag(sibling))
                    && !matches!(document.tag(sibling), Tag::Other | Tag::Br)
            }
        };
        let before = std::iter::successors(document.prev_sibling(id), |&near| {
            document.prev_sibling(near)
        });
        let after = std::iter::successors(document.next_sibling(id), |&near| {
            document.next_sibling(near)
        });
        before.take(2).any(is_line) || after.take(2).any(is_line)
    }
}
