//! Stands between tokenizer and tree builder and keeps hostile markup cheap: html5ever scans its
//! open and formatting elements for every tag, so their number is capped, as browsers cap depth.
//! Start tags beyond the cap are left out; their text stays, in the elements that are open.

use std::cell::{Cell, RefCell};

use html5ever::interface::Tracer;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::TreeBuilder;
use html5ever::{LocalName, local_name};

use super::sink::{Handle, Sink};

/// Open elements and formatting elements together. Blink's cap on depth is 512.
const MAX_OPEN: usize = 512;
/// How many elements the tree builder may clone or imply, beyond a multiple of those in the
/// source, before unclosed formatting elements are ended. Real pages with five unclosed `<font>`
/// around every paragraph stay below it.
const MAX_CLONES: usize = 4096;
const MAX_CLONES_PER_TAG: usize = 4;
/// How far an end tag looks back for the start tag that was left out.
const LEFT_OUT_REACH: usize = 64;

/// The token sink.
pub(super) struct Guard {
    builder: TreeBuilder<Handle, Sink>,
    /// Start tags that certainly fit before the open elements must be counted again.
    room: Cell<usize>,
    /// Counted full, and nothing was closed since.
    is_full: Cell<bool>,
    left_out: RefCell<Vec<LocalName>>,
    start_tags: Cell<usize>,
    max_clones: Cell<usize>,
    may_format: Cell<bool>,
    tokens: Cell<usize>,
}

impl Guard {
    pub(super) fn new(builder: TreeBuilder<Handle, Sink>) -> Self {
        Self {
            builder,
            room: Cell::new(0),
            is_full: Cell::new(false),
            left_out: RefCell::new(Vec::new()),
            start_tags: Cell::new(0),
            max_clones: Cell::new(MAX_CLONES),
            may_format: Cell::new(true),
            tokens: Cell::new(0),
        }
    }

    /// Tokens seen so far; stands still while the tokenizer is inside one tag or comment.
    pub(super) fn tokens(&self) -> usize {
        self.tokens.get()
    }

    /// The sink, when all is read.
    pub(super) fn into_sink(self) -> Sink {
        self.builder.sink
    }

    fn has_room(&self) -> bool {
        if self.is_full.get() {
            return false;
        }
        if self.room.get() == 0 {
            let count = Count(Cell::new(0));
            self.builder.trace_handles(&count);
            self.room.set(MAX_OPEN.saturating_sub(count.0.get()));
        }
        let room = self.room.get();
        self.is_full.set(room == 0);
        self.room.set(room.saturating_sub(1));
        room > 0
    }

    /// Clones come from unclosed formatting elements that every block reopens.
    fn check_clones(&self, line: u64) {
        let start_tags = self.start_tags.get();
        let clones = self.builder.sink.elements().saturating_sub(start_tags);
        if clones <= self.max_clones.get() + MAX_CLONES_PER_TAG * start_tags {
            return;
        }
        self.max_clones.set(clones + MAX_CLONES);
        self.may_format.set(false);
        let open = Formatting(RefCell::new(Vec::new()));
        self.builder.trace_handles(&open);
        for name in open.0.into_inner() {
            let end = Tag {
                kind: TagKind::EndTag,
                name,
                self_closing: false,
                attrs: Vec::new(),
                had_duplicate_attributes: false,
            };
            let _ = self.builder.process_token(Token::TagToken(end), line);
        }
    }

    fn start(&self, tag: Tag, line: u64) -> TokenSinkResult<Handle> {
        if deepens(&tag.name) {
            if is_formatting(&tag.name) && !self.may_format.get() {
                return TokenSinkResult::Continue;
            }
            if !self.has_room() {
                return self.leave_out(tag.name, line);
            }
        }
        self.start_tags.set(self.start_tags.get() + 1);
        self.check_clones(line);
        self.builder.process_token(Token::TagToken(tag), line)
    }

    /// A block that is left out still separates words.
    fn leave_out(&self, name: LocalName, line: u64) -> TokenSinkResult<Handle> {
        let is_inline = is_formatting(&name) || name == local_name!("span");
        self.left_out.borrow_mut().push(name);
        if is_inline {
            return TokenSinkResult::Continue;
        }
        let space = Token::CharacterTokens(StrTendril::from("\n"));
        self.builder.process_token(space, line)
    }

    /// Is this the end of a start tag that was left out?
    fn ends_left_out(&self, name: &LocalName) -> bool {
        let mut left_out = self.left_out.borrow_mut();
        let reach = left_out.len().saturating_sub(LEFT_OUT_REACH);
        match left_out[reach..].iter().rposition(|left| left == name) {
            Some(position) => {
                left_out.truncate(reach + position);
                true
            }
            None => false,
        }
    }
}

impl TokenSink for Guard {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        match token {
            Token::ParseError(_) => TokenSinkResult::Continue,
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                self.tokens.set(self.tokens.get() + 1);
                self.start(tag, line)
            }
            Token::TagToken(tag) => {
                self.tokens.set(self.tokens.get() + 1);
                if self.ends_left_out(&tag.name) {
                    return TokenSinkResult::Continue;
                }
                self.is_full.set(false);
                self.builder.process_token(Token::TagToken(tag), line)
            }
            token => {
                self.tokens.set(self.tokens.get() + 1);
                self.builder.process_token(token, line)
            }
        }
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}

struct Count(Cell<usize>);

impl Tracer for Count {
    type Handle = Handle;

    fn trace_handle(&self, _: &Handle) {
        self.0.set(self.0.get() + 1);
    }
}

struct Formatting(RefCell<Vec<LocalName>>);

impl Tracer for Formatting {
    type Handle = Handle;

    fn trace_handle(&self, handle: &Handle) {
        if is_formatting(&handle.name) || handle.name == local_name!("a") {
            self.0.borrow_mut().push(handle.name.clone());
        }
    }
}

/// Links are not among them: a second `<a>` closes the first by itself.
fn is_formatting(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("b")
            | local_name!("big")
            | local_name!("code")
            | local_name!("em")
            | local_name!("font")
            | local_name!("i")
            | local_name!("nobr")
            | local_name!("s")
            | local_name!("small")
            | local_name!("strike")
            | local_name!("strong")
            | local_name!("tt")
            | local_name!("u")
    )
}

/// Does the element stay open? Void elements don't, and those whose text is raw are left to the
/// tree builder, which must tell the tokenizer.
fn deepens(name: &LocalName) -> bool {
    !matches!(
        *name,
        local_name!("area")
            | local_name!("base")
            | local_name!("basefont")
            | local_name!("bgsound")
            | local_name!("body")
            | local_name!("br")
            | local_name!("col")
            | local_name!("embed")
            | local_name!("frame")
            | local_name!("head")
            | local_name!("hr")
            | local_name!("html")
            | local_name!("iframe")
            | local_name!("img")
            | local_name!("input")
            | local_name!("keygen")
            | local_name!("link")
            | local_name!("meta")
            | local_name!("noembed")
            | local_name!("noframes")
            | local_name!("param")
            | local_name!("plaintext")
            | local_name!("script")
            | local_name!("source")
            | local_name!("style")
            | local_name!("textarea")
            | local_name!("title")
            | local_name!("track")
            | local_name!("wbr")
            | local_name!("xmp")
    )
}
