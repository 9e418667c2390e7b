//! Text as a reader sees it on one line: white space folded, blocks apart, scripts and drawings left
//! out. Lengths are bounded, and so is the walk.

use crate::dom::{Document, Kept, NodeId, Tag};

/// The text below `id`, at most `max` bytes of it.
pub(crate) fn line_of(document: &Document, id: NodeId, max: usize) -> String {
    gather(document, id, max, |_| true)
}

/// The same of what the mask keeps.
pub(crate) fn kept_line_of(document: &Document, kept: &Kept, id: NodeId, max: usize) -> String {
    gather(document, id, max, |id| kept.has(id))
}

/// The same without subtrees for whose root `keeps` is false.
pub(crate) fn filtered_line_of(
    document: &Document,
    id: NodeId,
    max: usize,
    keeps: impl Fn(NodeId) -> bool,
) -> String {
    gather(document, id, max, keeps)
}

/// `text` with every run of white space folded into one space, and none at the ends.
pub(crate) fn fold(text: &str) -> String {
    let mut line = Line::default();
    line.push(text);
    line.text
}

/// Cuts `text` to `max` characters.
pub(crate) fn cut(text: &mut String, max: usize) {
    if let Some((end, _)) = text.char_indices().nth(max) {
        text.truncate(end);
        text.truncate(text.trim_end().len());
    }
}

/// A line that grows by pieces of text.
#[derive(Default)]
struct Line {
    text: String,
    has_gap: bool,
}

impl Line {
    fn push(&mut self, text: &str) {
        let mut words = text.split_whitespace();
        let Some(first) = words.next() else {
            self.has_gap |= !text.is_empty();
            return;
        };
        self.has_gap |= text.starts_with(char::is_whitespace);
        if self.has_gap && !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(first);
        for word in words {
            self.text.push(' ');
            self.text.push_str(word);
        }
        self.has_gap = text.ends_with(char::is_whitespace);
    }
}

fn gather(document: &Document, root: NodeId, max: usize, keeps: impl Fn(NodeId) -> bool) -> String {
    let mut line = Line::default();
    let mut last = None;
    let mut skip_to = root;
    // A page of empty elements has as little to say as an empty page.
    for id in document.descendants(root).take(1_000 + max) {
        if id < skip_to {
            continue;
        }
        match document.tag(id) {
            _ if !keeps(id) => skip_to = document.subtree_end(id),
            Tag::None => {
                let left = |up: &NodeId| !document.contains(*up, id);
                line.has_gap |= last.is_some_and(|last| {
                    let ended = document.ancestors(last).take_while(left);
                    ended.into_iter().any(|up| document.tag(up).is_block())
                });
                last = Some(id);
                let text = document.text(id).unwrap_or_default();
                line.push(&text[..text.floor_char_boundary(4 * max)]);
                if line.text.len() > max {
                    break;
                }
            }
            Tag::Script | Tag::Style | Tag::Svg => skip_to = document.subtree_end(id),
            tag => line.has_gap |= tag == Tag::Br || tag.is_block(),
        }
    }
    line.text.truncate(line.text.floor_char_boundary(max));
    line.text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(html: &str) -> String {
        let document = Document::of(html);
        line_of(&document, document.root(), 60)
    }

    #[test]
    fn blocks_stand_apart_and_inline_elements_do_not() {
        assert_eq!(
            line("<div><p>One</p>two</div>three <b>f</b>our<br>five"),
            "One two three four five"
        );
    }

    #[test]
    fn scripts_and_drawings_are_no_text() {
        assert_eq!(
            line("a<script>x</script><style>y</style><svg><title>z</title></svg>b"),
            "ab"
        );
    }

    #[test]
    fn a_long_text_is_cut_on_a_character() {
        assert_eq!(line(&"é".repeat(1_000)).len(), 60);
        let mut text = "añb  c".to_owned();
        cut(&mut text, 4);
        assert_eq!(text, "añb");
    }
}
