//! Chooses for each emphasis how to write it so that the flanking rules read it as meant. First
//! punctuation at its edges moves out where the outside is a word; then `*`, `_` or, where neither
//! would be read, the HTML tag.

use super::escape::{Around, flanks};
use super::paragraph::{Mark, Paragraph, Piece, Span, Style};
use super::text::is_punctuation;
use super::typeset::{first_char, last_char};

/// Sets the style of every pair of marks.
pub(super) fn choose_styles(paragraph: &mut Paragraph) {
    let is_emphasis = |piece: &Piece| {
        matches!(
            piece,
            Piece::Open(Mark::Strong | Mark::Em | Mark::Strike, _)
        )
    };
    if !paragraph.pieces.iter().any(is_emphasis) {
        return;
    }
    loosen_edges(paragraph);
    for kind in [Mark::Em, Mark::Strike, Mark::Strong] {
        for (open, close) in pairs(paragraph, kind) {
            let style = style_of(paragraph, open, close);
            paragraph.pieces[open] = Piece::Open(kind, style);
            paragraph.pieces[close] = Piece::Close(kind, style);
        }
    }
}

fn pairs(paragraph: &Paragraph, kind: Mark) -> Vec<(usize, usize)> {
    let mut open = None;
    let mut pairs = Vec::new();
    for (index, piece) in paragraph.pieces.iter().enumerate() {
        match piece {
            Piece::Open(mark, _) if *mark == kind => open = Some(index),
            Piece::Close(mark, _) if *mark == kind => {
                pairs.extend(open.take().map(|open| (open, index)))
            }
            _ => {}
        }
    }
    pairs
}

fn is_star_mark(piece: Option<&Piece>) -> bool {
    matches!(
        piece,
        Some(
            Piece::Open(Mark::Strong | Mark::Em, Style::Star)
                | Piece::Close(Mark::Strong | Mark::Em, Style::Star)
        )
    )
}

fn style_of(paragraph: &Paragraph, open: usize, close: usize) -> Style {
    let pieces = &paragraph.pieces;
    if matches!(pieces[open], Piece::Open(Mark::Strike, _)) {
        return if reads(paragraph, '~', open, close) {
            Style::Star
        } else {
            Style::Html
        };
    }
    let touches = [open.wrapping_sub(1), open + 1, close - 1, close + 1];
    let is_alone = !touches.iter().any(|&at| is_star_mark(pieces.get(at)));
    if is_alone || is_coextensive(pieces, open, close) {
        return if reads(paragraph, '*', open, close) {
            Style::Star
        } else {
            Style::Html
        };
    }
    match pieces[open] {
        Piece::Open(Mark::Em, _) if reads(paragraph, '_', open, close) => Style::Underscore,
        Piece::Open(Mark::Em, _) => Style::Html,
        _ if reads(paragraph, '*', open, close) => Style::Star,
        _ => Style::Html,
    }
}

/// Do a strong and an em begin and end together, with nothing else touching? `***x***` reads well.
fn is_coextensive(pieces: &[Piece], open: usize, close: usize) -> bool {
    let is = |at: usize| is_star_mark(pieces.get(at));
    let inside = is(open + 1) && is(close - 1) && !is(open.wrapping_sub(1)) && !is(close + 1);
    let outside = open > 0 && is(open - 1) && is(close + 1) && !is(open + 1) && !is(close - 1);
    let apart = |from: usize, to: usize| !is(from) && !is(to);
    (inside && apart(open + 2, close.wrapping_sub(2)))
        || (outside && apart(open.wrapping_sub(2), close + 2))
}

/// Would the delimiters at both ends be read as opening and closing? Runs of stars count as one.
fn reads(paragraph: &Paragraph, delimiter: char, open: usize, close: usize) -> bool {
    let skips = |at: usize| delimiter == '*' && is_star_mark(paragraph.pieces.get(at));
    let around = |from: usize| {
        let mut before = from;
        while before > 0 && skips(before - 1) {
            before -= 1;
        }
        let mut after = from + 1;
        while skips(after) {
            after += 1;
        }
        Around {
            before: last_char(paragraph, before),
            after: first_char(paragraph, after),
        }
    };
    flanks(delimiter, around(open)).opens && flanks(delimiter, around(close)).closes
}

/// Moves punctuation at the inner edges of an emphasis outside, where a word touches from there:
/// `a**(b)**c` would not be read, `a(**b**)c` is. Marks that end up around nothing vanish.
fn loosen_edges(paragraph: &mut Paragraph) {
    let mut loose = Vec::with_capacity(paragraph.pieces.len() + 4);
    let mut cut_next = 0;
    for index in 0..paragraph.pieces.len() {
        match paragraph.pieces[index] {
            Piece::Open(Mark::Strong | Mark::Em | Mark::Strike, _) => {
                let moved = leading_edge(paragraph, index);
                cut_next = moved.map_or(0, |span| span.end - span.start);
                loose.extend(moved.map(Piece::Text));
                loose.push(paragraph.pieces[index]);
            }
            Piece::Close(mark @ (Mark::Strong | Mark::Em | Mark::Strike), style) => {
                let moved = trailing_edge(paragraph, index, &mut loose);
                match loose.last() {
                    Some(Piece::Open(open, _)) if *open == mark => {
                        loose.pop();
                    }
                    _ => loose.push(Piece::Close(mark, style)),
                }
                loose.extend(moved.map(Piece::Text));
            }
            Piece::Text(span) => {
                let start = span.start + std::mem::take(&mut cut_next);
                if start < span.end {
                    loose.push(Piece::Text(Span {
                        start,
                        end: span.end,
                    }));
                }
            }
            piece => loose.push(piece),
        }
    }
    paragraph.pieces = loose;
}

fn is_word(c: Option<char>) -> bool {
    c.is_some_and(|c| !c.is_whitespace() && !is_punctuation(c))
}

fn is_edge(c: char) -> bool {
    is_punctuation(c) || c == ' '
}

/// The punctuation after the mark that opens at `open`, when a word stands before it.
fn leading_edge(paragraph: &Paragraph, open: usize) -> Option<Span> {
    let mut outer = open;
    while outer > 0 && matches!(paragraph.pieces[outer - 1], Piece::Open(..)) {
        outer -= 1;
    }
    let Some(&Piece::Text(span)) = paragraph.pieces.get(open + 1) else {
        return None;
    };
    let text = &paragraph.buffer[span.start..span.end];
    let end = span.end - text.trim_start_matches(is_edge).len();
    let moves = end > span.start && is_word(last_char(paragraph, outer));
    moves.then_some(Span {
        start: span.start,
        end,
    })
}

/// Cuts the punctuation before the mark that closes at `close`, when a word stands after it.
fn trailing_edge(paragraph: &Paragraph, close: usize, loose: &mut Vec<Piece>) -> Option<Span> {
    let mut outer = close + 1;
    while matches!(paragraph.pieces.get(outer), Some(Piece::Close(..))) {
        outer += 1;
    }
    if !is_word(first_char(paragraph, outer)) {
        return None;
    }
    let Some(&Piece::Text(span)) = loose.last() else {
        return None;
    };
    let text = &paragraph.buffer[span.start..span.end];
    let start = span.start + text.trim_end_matches(is_edge).len();
    if start == span.end {
        return None;
    }
    loose.pop();
    if start > span.start {
        loose.push(Piece::Text(Span {
            start: span.start,
            end: start,
        }));
    }
    Some(Span {
        start,
        end: span.end,
    })
}
