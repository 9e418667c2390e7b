//! Runs html5ever over the text in pieces, so that a deadline can end it between two of them.
//! Scripting is off: `<noscript>` holds elements.

use std::borrow::Cow;

use html5ever::interface::TreeSink;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};

use super::guard::Guard;
use super::sink::Sink;
use super::{Document, flood};
use crate::Interrupt;

/// Bytes fed at once. A page of usual size is a handful of pieces.
const PIECE: usize = 16 * 1024;

/// The deadline passed before the document was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Interrupted;

enum Ended {
    Whole(Document),
    /// One tag has a flood of attributes; here is the text without them.
    Flooded(String),
}

impl Document {
    /// Parses any text; only the interrupt can fail it.
    pub(crate) fn parse(html: &str, interrupt: &Interrupt) -> Result<Self, Interrupted> {
        let mut text = Cow::Borrowed(html);
        let mut may_flood = true;
        loop {
            match run(&text, may_flood, interrupt)? {
                Ended::Whole(document) => return Ok(document),
                Ended::Flooded(calmed) => {
                    text = Cow::Owned(calmed);
                    may_flood = false;
                }
            }
        }
    }

    /// Parses a piece of markup in a test.
    #[cfg(test)]
    pub(crate) fn of(html: &str) -> Self {
        Self::parse(html, &Interrupt::default()).unwrap()
    }
}

fn run(html: &str, mut may_flood: bool, interrupt: &Interrupt) -> Result<Ended, Interrupted> {
    let options = TreeBuilderOpts {
        scripting_enabled: false,
        drop_doctype: true,
        ..TreeBuilderOpts::default()
    };
    let builder = TreeBuilder::new(Sink::new(html.len()), options);
    let tokenizer = Tokenizer::new(Guard::new(builder), TokenizerOpts::default());
    let input = BufferQueue::default();
    let mut rest = html;
    let mut seen = 0;
    while !rest.is_empty() {
        if interrupt.is_raised() {
            return Err(Interrupted);
        }
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE));
        rest = after;
        input.push_back(StrTendril::from(piece));
        while !input.is_empty() {
            let _ = tokenizer.feed(&input);
        }
        // A whole piece without a token: inside one long tag, value or comment. Only then is it
        // worth looking for a flood, which html5ever would compare name by name.
        let tokens = tokenizer.sink.tokens();
        if may_flood && tokens == seen {
            if let Some(calmed) = flood::calm(html) {
                return Ok(Ended::Flooded(calmed));
            }
            may_flood = false;
        }
        seen = tokens;
    }
    tokenizer.end();
    Ok(Ended::Whole(tokenizer.sink.into_sink().finish()))
}
