//! From the pieces of a paragraph to one Markdown string: how each emphasis is written so that
//! CommonMark's flanking rules read it as meant, what the text must escape, where links point.

use super::citations::Citations;
use super::emphasis::choose_styles;
use super::escape::{self, Around, Hazards, flanks};
use super::paragraph::{Mark, Paragraph, Piece, Separator, Span, Style};

/// Where the string will stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Its own lines, where a line could begin a block.
    Block,
    /// After the `#`s of a heading.
    Heading,
    /// Between the pipes of a table.
    Cell,
}

/// Ends the paragraph, appends it to `out` and empties it.
pub(super) fn typeset(
    paragraph: &mut Paragraph,
    place: Place,
    citations: Option<&mut Citations>,
    out: &mut String,
) {
    paragraph.end();
    if paragraph.pieces.is_empty() {
        paragraph.clear();
        return;
    }
    choose_styles(paragraph);
    let start = out.len();
    let setter = Setter {
        paragraph,
        place,
        hazards: hazards(paragraph, citations.is_some()),
    };
    setter.set(citations, out);
    match place {
        Place::Block => guard_lines(out, start),
        Place::Heading => guard_heading(out, start),
        Place::Cell => guard_pipes(out, start),
    }
    paragraph.clear();
    debug_assert_eq!(paragraph.separator(), Separator::None);
}

struct Setter<'a> {
    paragraph: &'a Paragraph,
    place: Place,
    hazards: Hazards,
}

impl Setter<'_> {
    fn set(&self, mut citations: Option<&mut Citations>, out: &mut String) {
        let start = out.len();
        let mut hazards = self.hazards;
        for (index, &piece) in self.paragraph.pieces.iter().enumerate() {
            match piece {
                Piece::Text(span) => {
                    let around = Around {
                        before: out[start..].chars().next_back(),
                        after: first_char(self.paragraph, index + 1),
                    };
                    escape::text(out, self.slice(span), around, hazards);
                }
                Piece::Code(span) => code_span(self.slice(span), out),
                Piece::Raw(span) => out.push_str(self.slice(span)),
                Piece::Open(Mark::Link(_), _) => {
                    hazards.bracket |= !self.is_label_balanced(index);
                    out.push('[');
                }
                Piece::Close(Mark::Link(url), _) => {
                    hazards = self.hazards;
                    self.link_end(url, citations.as_deref_mut(), out);
                    if matches!(
                        self.paragraph.pieces.get(index + 1),
                        Some(Piece::Open(Mark::Link(_), _))
                    ) {
                        out.push(' ');
                    }
                }
                Piece::Open(mark, style) => out.push_str(delimiter(mark, style, true)),
                Piece::Close(mark, style) => out.push_str(delimiter(mark, style, false)),
                Piece::Break => out.push_str(match self.place {
                    Place::Block => "  \n",
                    Place::Heading => " ",
                    Place::Cell => "<br>",
                }),
            }
        }
    }

    fn slice(&self, span: Span) -> &str {
        &self.paragraph.buffer[span.start..span.end]
    }

    fn link_end(&self, url: usize, citations: Option<&mut Citations>, out: &mut String) {
        let url = self.paragraph.urls.get(url).map_or("", String::as_str);
        if let Some(citations) = citations {
            out.push_str("][");
            out.push_str(&citations.number(url).to_string());
            out.push(']');
            return;
        }
        out.push_str("](");
        escape::destination(out, url);
        out.push(')');
    }

    /// Do the brackets in the text of the link that opens at `index` pair up?
    fn is_label_balanced(&self, index: usize) -> bool {
        let label = self.paragraph.pieces[index + 1..]
            .iter()
            .take_while(|piece| !matches!(piece, Piece::Close(Mark::Link(_), _)));
        let mut depth = 0_i32;
        for piece in label {
            let Piece::Text(span) = piece else { continue };
            // `[^` is escaped in any case, so its partner must be too.
            if self.slice(*span).contains("[^") {
                return false;
            }
            for byte in self.slice(*span).bytes() {
                depth += i32::from(byte == b'[') - i32::from(byte == b']');
                if depth < 0 {
                    return false;
                }
            }
        }
        depth == 0
    }
}

/// The first character that the piece at `index` will write.
pub(super) fn first_char(paragraph: &Paragraph, index: usize) -> Option<char> {
    match *paragraph.pieces.get(index)? {
        Piece::Text(span) | Piece::Raw(span) => {
            paragraph.buffer[span.start..span.end].chars().next()
        }
        Piece::Code(_) => Some('`'),
        Piece::Open(Mark::Link(_), _) => Some('['),
        Piece::Close(Mark::Link(_), _) => Some(']'),
        Piece::Open(mark, style) | Piece::Close(mark, style) => {
            delimiter(mark, style, true).chars().next()
        }
        Piece::Break => None,
    }
}

/// The last character that the piece before `index` will write.
pub(super) fn last_char(paragraph: &Paragraph, index: usize) -> Option<char> {
    match *paragraph.pieces.get(index.checked_sub(1)?)? {
        Piece::Text(span) | Piece::Raw(span) => {
            paragraph.buffer[span.start..span.end].chars().next_back()
        }
        Piece::Close(Mark::Link(_), _) => Some(')'),
        _ => first_char(paragraph, index - 1),
    }
}

fn delimiter(mark: Mark, style: Style, is_opening: bool) -> &'static str {
    match (mark, style, is_opening) {
        (Mark::Strong, Style::Html, true) => "<strong>",
        (Mark::Strong, Style::Html, false) => "</strong>",
        (Mark::Strong, ..) => "**",
        (Mark::Em, Style::Star, _) => "*",
        (Mark::Em, Style::Underscore, _) => "_",
        (Mark::Em, Style::Html, true) => "<em>",
        (Mark::Em, Style::Html, false) => "</em>",
        (Mark::Strike, Style::Html, true) => "<del>",
        (Mark::Strike, Style::Html, false) => "</del>",
        (Mark::Strike, ..) => "~~",
        (Mark::Sub, _, true) => "<sub>",
        (Mark::Sub, _, false) => "</sub>",
        (Mark::Sup, _, true) => "<sup>",
        (Mark::Sup, _, false) => "</sup>",
        (Mark::Link(_) | Mark::Nothing, ..) => "",
    }
}

/// A code span whose delimiters its content cannot end.
pub(super) fn code_span(content: &str, out: &mut String) {
    let longest = content.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest + 1);
    let touches = content.starts_with('`') || content.ends_with('`');
    let pads =
        touches || (content.starts_with(' ') && content.ends_with(' ') && content.trim() != "");
    let pad = if pads { " " } else { "" };
    for part in [&ticks, pad, content, pad, &ticks] {
        out.push_str(part);
    }
}

/// What the text of this paragraph could be confused with.
fn hazards(paragraph: &Paragraph, has_references: bool) -> Hazards {
    let mut hazards = Hazards {
        bracket: has_references,
        ..Hazards::default()
    };
    let texts = || {
        paragraph
            .pieces
            .iter()
            .enumerate()
            .filter_map(|(index, piece)| match *piece {
                Piece::Text(span) => Some((index, &paragraph.buffer[span.start..span.end])),
                _ => None,
            })
    };
    if texts().all(|(_, text)| escape::is_plain(text)) {
        return hazards;
    }
    for piece in &paragraph.pieces {
        match piece {
            Piece::Open(Mark::Strong | Mark::Em, Style::Star) => hazards.star = true,
            Piece::Open(Mark::Em, Style::Underscore) => hazards.underscore = true,
            Piece::Open(Mark::Strike, _) => hazards.tilde = true,
            Piece::Code(_) => hazards.backtick = true,
            _ => {}
        }
    }
    hazards.star |= pairs_up(paragraph, '*');
    hazards.underscore |= pairs_up(paragraph, '_');
    hazards.tilde |= pairs_up(paragraph, '~');
    let ticks: usize = texts().map(|(_, text)| text.matches('`').count()).sum();
    hazards.backtick |= ticks > 1;
    hazards
}

/// Is there a run of `delimiter` that could open, with one after it that could close?
fn pairs_up(paragraph: &Paragraph, delimiter: char) -> bool {
    let mut has_opener = false;
    for (index, piece) in paragraph.pieces.iter().enumerate() {
        let Piece::Text(span) = *piece else { continue };
        let text = &paragraph.buffer[span.start..span.end];
        let mut at = 0;
        while let Some(found) = text[at..].find(delimiter) {
            let start = at + found;
            at = start
                + text[start..]
                    .chars()
                    .take_while(|&c| c == delimiter)
                    .count();
            let near = Around {
                before: text[..start]
                    .chars()
                    .next_back()
                    .or_else(|| last_char(paragraph, index)),
                after: text[at..]
                    .chars()
                    .next()
                    .or_else(|| first_char(paragraph, index + 1)),
            };
            let flanks = flanks(delimiter, near);
            if flanks.closes && has_opener {
                return true;
            }
            has_opener |= flanks.opens;
        }
    }
    false
}

/// Escapes what would begin a block at the start of a line.
fn guard_lines(out: &mut String, start: usize) {
    let needs_guard = |text: &str| {
        let mut lines = text.split('\n').enumerate();
        lines.any(|(index, line)| escape::line_start(line, index > 0).is_some())
    };
    if !needs_guard(&out[start..]) {
        return;
    }
    let text = out.split_off(start);
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
        }
        match escape::line_start(line, index > 0) {
            Some(offset) => {
                out.push_str(&line[..offset]);
                out.push('\\');
                out.push_str(&line[offset..]);
            }
            None => out.push_str(line),
        }
    }
}

/// Escapes a last run of `#` that would close the heading.
fn guard_heading(out: &mut String, start: usize) {
    let kept = out[start..].trim_end_matches('#').len();
    let run = out.len() - start - kept;
    let is_closing = run > 0 && (kept == 0 || out[start..start + kept].ends_with(' '));
    if is_closing {
        out.insert(start + kept, '\\');
    }
}

/// Escapes every pipe, in code and links too: the row is split before anything else is read.
fn guard_pipes(out: &mut String, start: usize) {
    if out[start..].contains('|') {
        let text = out.split_off(start);
        out.push_str(&text.replace('|', "\\|"));
    }
}
