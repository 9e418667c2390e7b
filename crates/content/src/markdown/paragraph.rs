//! The inline content of one block, gathered piece by piece. White space moves out of marks,
//! empty and doubled marks vanish, neighbours of one kind merge: by holding back what opens,
//! closes and separates until the next visible character. `pieces` nests properly.

use super::text::{self, Part};

/// An inline mark; `Link` names its place in `Paragraph::urls`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Strong,
    Em,
    Strike,
    Sub,
    Sup,
    Link(usize),
    /// Keeps opening and closing paired where the mark itself would say nothing new.
    Nothing,
}

/// How an emphasis is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Star,
    Underscore,
    Html,
}

/// A range of `Paragraph::buffer`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// One piece of inline content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    Text(Span),
    /// Content of a code span.
    Code(Span),
    /// Markdown already.
    Raw(Span),
    Open(Mark, Style),
    Close(Mark, Style),
    Break,
}

/// What separates the next visible character from the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Separator {
    None,
    Space,
    Break,
}

#[derive(Debug)]
struct OpenMark {
    mark: Mark,
    is_written: bool,
    /// A link that waits for its heading, or that has had its text.
    is_idle: bool,
}

/// One block's inline content.
#[derive(Debug)]
pub(super) struct Paragraph {
    pub(super) buffer: String,
    pub(super) pieces: Vec<Piece>,
    pub(super) urls: Vec<String>,
    open: Vec<OpenMark>,
    closing: Vec<Mark>,
    separator: Separator,
}

impl Default for Paragraph {
    fn default() -> Self {
        Self {
            buffer: String::new(),
            pieces: Vec::new(),
            urls: Vec::new(),
            open: Vec::new(),
            closing: Vec::new(),
            separator: Separator::None,
        }
    }
}

impl Paragraph {
    /// Has nothing visible been gathered?
    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Would a letter that comes now belong to the word before it?
    pub(super) fn ends_in_word(&self) -> bool {
        self.separator == Separator::None && self.buffer.ends_with(char::is_alphanumeric)
    }

    /// What stands before the next visible character.
    pub(super) fn separator(&self) -> Separator {
        self.separator
    }

    /// Separates what comes from what was; the stronger separator wins.
    pub(super) fn separate(&mut self, separator: Separator) {
        self.separator = self.separator.max(separator);
    }

    /// A text node.
    pub(super) fn text(&mut self, source: &str) {
        text::collapse(source, |part| match part {
            Part::Space => self.separate(Separator::Space),
            Part::Words(words) => {
                self.settle();
                self.append(words);
            }
        });
    }

    /// A code span; its content as it is to be shown. Two in a row would read as one.
    pub(super) fn code(&mut self, content: &str) {
        let follows = matches!(self.pieces.last(), Some(Piece::Code(_)));
        if follows && self.closing.is_empty() {
            self.separate(Separator::Space);
        }
        let span = self.put(content);
        self.pieces.push(Piece::Code(span));
    }

    /// Finished Markdown.
    pub(super) fn raw(&mut self, markdown: &str) {
        let span = self.put(markdown);
        self.pieces.push(Piece::Raw(span));
    }

    fn put(&mut self, content: &str) -> Span {
        self.settle();
        let start = self.buffer.len();
        self.buffer.push_str(content);
        Span {
            start,
            end: self.buffer.len(),
        }
    }

    fn append(&mut self, content: &str) {
        let start = self.buffer.len();
        self.buffer.push_str(content);
        let end = self.buffer.len();
        match self.pieces.last_mut() {
            Some(Piece::Text(last)) if last.end == start => last.end = end,
            _ => self.pieces.push(Piece::Text(Span { start, end })),
        }
    }

    /// Opens a mark; inside one of its kind it says nothing new.
    pub(super) fn open(&mut self, mark: Mark) {
        let is_doubled = self.open.iter().any(|outer| outer.mark == mark);
        self.push_open(if is_doubled { Mark::Nothing } else { mark }, false);
    }

    /// Opens a link, idle if it is to wait for `wake_links`.
    pub(super) fn open_link(&mut self, url: String, is_idle: bool) {
        if self.is_in_link() {
            self.push_open(Mark::Nothing, false);
            return;
        }
        self.urls.push(url);
        self.push_open(Mark::Link(self.urls.len() - 1), is_idle);
    }

    fn push_open(&mut self, mark: Mark, is_idle: bool) {
        self.open.push(OpenMark {
            mark,
            is_written: false,
            is_idle,
        });
    }

    /// Is a link open, waiting or written?
    pub(super) fn is_in_link(&self) -> bool {
        let is_link = |open: &OpenMark| matches!(open.mark, Mark::Link(_));
        self.open.iter().any(is_link)
    }

    /// Lets the links that waited begin here, unless they would cross a mark inside them.
    pub(super) fn wake_links(&mut self) {
        if self.open.iter().any(|open| open.is_written) {
            return;
        }
        for open in &mut self.open {
            open.is_idle = false;
        }
    }

    /// Closes the innermost mark.
    pub(super) fn close(&mut self) {
        if let Some(open) = self.open.pop()
            && open.is_written
        {
            self.closing.push(open.mark);
        }
    }

    /// Writes what was held back: something visible follows.
    fn settle(&mut self) {
        if self.closing.is_empty() && self.separator == Separator::None && !self.has_unwritten() {
            return;
        }
        let is_fresh =
            |open: &OpenMark| !open.is_written && !open.is_idle && open.mark != Mark::Nothing;
        for open in self.open.iter_mut().filter(|open| is_fresh(open)) {
            let is_mergeable = !matches!(open.mark, Mark::Link(_));
            if !is_mergeable || self.closing.last() != Some(&open.mark) {
                break;
            }
            self.closing.pop();
            open.is_written = true;
        }
        for mark in self.closing.drain(..) {
            self.pieces.push(Piece::Close(mark, Style::Star));
        }
        let separator = std::mem::replace(&mut self.separator, Separator::None);
        match separator {
            _ if self.pieces.is_empty() => {}
            Separator::None => {}
            Separator::Space => self.append(" "),
            Separator::Break => self.pieces.push(Piece::Break),
        }
        for open in self.open.iter_mut().filter(|open| is_fresh(open)) {
            self.pieces.push(Piece::Open(open.mark, Style::Star));
            open.is_written = true;
        }
    }

    fn has_unwritten(&self) -> bool {
        self.open.last().is_some_and(|open| !open.is_written)
    }

    /// Ends the block: every mark closes, to open again in the next one; a link had its text.
    pub(super) fn end(&mut self) {
        for mark in self.closing.drain(..) {
            self.pieces.push(Piece::Close(mark, Style::Star));
        }
        for open in self.open.iter_mut().rev().filter(|open| open.is_written) {
            self.pieces.push(Piece::Close(open.mark, Style::Star));
            open.is_written = false;
            open.is_idle = matches!(open.mark, Mark::Link(_));
        }
        self.separator = Separator::None;
    }

    /// Makes room for the next block.
    pub(super) fn clear(&mut self) {
        self.buffer.clear();
        self.pieces.clear();
        if !self.is_in_link() {
            self.urls.clear();
        }
    }
}
