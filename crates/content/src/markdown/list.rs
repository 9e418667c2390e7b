//! Lists: items with their markers, lists inside items and, by mistake, directly inside lists.
//! Items of one list follow line by line.

use super::paragraph::Separator;
use super::sheet::Gap;
use super::text::is_blank;
use super::walk::{Flow, Writer};
use crate::dom::{NodeId, Tag};

/// The list written last and where it ended: one right after it needs another marker, or both
/// would read as one.
#[derive(Debug, Default)]
pub(super) struct LastList {
    end: usize,
    is_ordered: bool,
    is_alternate: bool,
}

/// One list while its items are written.
struct Numbering {
    /// The next number; `None` in a bullet list.
    next: Option<u64>,
    is_alternate: bool,
    first_gap: Gap,
    has_items: bool,
}

impl Numbering {
    fn marker(&self) -> String {
        match (self.next, self.is_alternate) {
            (Some(number), false) => format!("{number}. "),
            (Some(number), true) => format!("{number}) "),
            (None, false) => "- ".to_owned(),
            (None, true) => "* ".to_owned(),
        }
    }
}

/// What a child of a list is to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Item,
    /// By mistake not inside an item.
    List,
    /// By mistake around items.
    Wrapper,
    /// Something else with content.
    Stray,
    Blank,
}

/// Numbers of at most nine digits are read as list markers.
const LARGEST_NUMBER: u64 = 999_999_999;

fn number(text: Option<&str>) -> Option<u64> {
    text?
        .trim()
        .parse()
        .ok()
        .filter(|&number| number <= LARGEST_NUMBER)
}

impl Writer<'_> {
    /// `ul`, `ol` and their kin.
    pub(super) fn list(&mut self, id: NodeId) {
        if self.flow != Flow::Blocks {
            return self.block(id);
        }
        self.flush();
        let is_ordered = self.document.tag(id) == Tag::Ol;
        let follows = self.lists.end == self.sheet.len()
            && self.lists.is_ordered == is_ordered
            && self.lists.end > 0;
        let start = number(self.document.attr(id, "start")).unwrap_or(1);
        let is_inner =
            !self.sheet.is_outermost() && self.sheet.has_begun() && self.sheet.is_in_item();
        let mut numbering = Numbering {
            next: is_ordered.then_some(start),
            is_alternate: follows && !self.lists.is_alternate,
            // A list that does not start at one can't interrupt a paragraph.
            first_gap: if is_inner && (!is_ordered || start == 1) {
                Gap::Line
            } else {
                Gap::Blank
            },
            has_items: false,
        };
        self.items(id, &mut numbering);
        self.end_list(is_ordered, numbering.is_alternate);
    }

    /// Remembers where a list ended.
    pub(super) fn end_list(&mut self, is_ordered: bool, is_alternate: bool) {
        self.lists = LastList {
            end: self.sheet.len(),
            is_ordered,
            is_alternate,
        };
    }

    fn items(&mut self, id: NodeId, numbering: &mut Numbering) {
        // Where an open stray item began: text and elements that stand where an item should.
        let mut stray = None;
        for child in self.document.children(id) {
            if !self.convert.kept.has(child) {
                self.node(child);
                continue;
            }
            let role = self.role(child);
            if role != Role::Stray && role != Role::Blank {
                self.close_item(stray.take(), numbering);
            }
            match role {
                Role::Item => {
                    if let Some(value) = number(self.document.attr(child, "value")) {
                        numbering.next = numbering.next.map(|_| value);
                    }
                    let before = self.open_item(child, numbering);
                    self.children(child);
                    self.close_item(Some(before), numbering);
                }
                Role::List if numbering.has_items => self.inner_list(child, numbering),
                Role::List => self.list(child),
                Role::Wrapper => self.wrapped_items(child, numbering),
                Role::Blank => self.paragraph.separate(Separator::Space),
                Role::Stray => {
                    if stray.is_none() {
                        stray = Some(self.open_item(child, numbering));
                    }
                    self.node(child);
                }
            }
        }
        self.close_item(stray, numbering);
    }

    fn role(&self, child: NodeId) -> Role {
        match self.document.tag(child) {
            Tag::Li => Role::Item,
            Tag::Ul | Tag::Ol | Tag::Menu | Tag::Dir => Role::List,
            Tag::None if self.document.text(child).is_some_and(is_blank) => Role::Blank,
            _ if self.has_item_child(child) => Role::Wrapper,
            _ => Role::Stray,
        }
    }

    /// Items inside something that should not be in a list, such as a link.
    fn wrapped_items(&mut self, id: NodeId, numbering: &mut Numbering) {
        let url = (self.document.tag(id) == Tag::A)
            .then(|| self.target(id))
            .flatten();
        let is_linked = url.is_some();
        if let Some(url) = url {
            self.paragraph.open_link(url, false);
        }
        self.items(id, numbering);
        if is_linked {
            self.paragraph.close();
        }
    }

    fn has_item_child(&self, id: NodeId) -> bool {
        let mut children = self.document.children(id);
        children.any(|child| self.document.tag(child) == Tag::Li)
    }

    /// Opens an item and tells where the text stood before it.
    fn open_item(&mut self, id: NodeId, numbering: &Numbering) -> usize {
        self.flush();
        let gap = match numbering.has_items {
            true => Gap::Line,
            false => numbering.first_gap,
        };
        let before = self.sheet.len();
        if !self.open_note(id) {
            let marker = numbering.marker();
            let width = marker.len();
            self.sheet
                .open_item(marker + self.check_box(id), width, gap);
        }
        before
    }

    fn close_item(&mut self, before: Option<usize>, numbering: &mut Numbering) {
        self.flush();
        let Some(before) = before else { return };
        self.sheet.close();
        numbering.has_items |= self.sheet.len() > before;
        let next = |number: u64| (number + 1).min(LARGEST_NUMBER);
        numbering.next = numbering.next.map(next);
    }

    /// A list directly inside a list belongs to the item before it.
    fn inner_list(&mut self, id: NodeId, numbering: &Numbering) {
        let width = numbering.marker().len();
        self.flush();
        self.sheet.open_item(" ".repeat(width), width, Gap::Line);
        self.list(id);
        self.sheet.close();
    }

    /// An item outside of any list.
    pub(super) fn loose_item(&mut self, id: NodeId) {
        if self.flow != Flow::Blocks {
            return self.block(id);
        }
        let follows =
            self.lists.end == self.sheet.len() && self.lists.end > 0 && self.paragraph.is_empty();
        let mut numbering = Numbering {
            next: None,
            is_alternate: false,
            first_gap: if follows { Gap::Line } else { Gap::Blank },
            has_items: false,
        };
        let before = self.open_item(id, &numbering);
        self.children(id);
        self.close_item(Some(before), &mut numbering);
        self.end_list(false, false);
    }

    /// A definition under its term.
    pub(super) fn definition(&mut self, id: NodeId) {
        if self.flow != Flow::Blocks {
            return self.block(id);
        }
        self.flush();
        let is_note = self.open_note(id);
        if !is_note {
            let document = self.document;
            let mut above = std::iter::successors(document.prev_sibling(id), |&near| {
                document.prev_sibling(near)
            });
            let follows = above.any(|near| matches!(document.tag(near), Tag::Dt | Tag::Dd));
            let gap = if follows { Gap::Line } else { Gap::Blank };
            self.sheet.open_item("- ".to_owned(), 2, gap);
        }
        self.children(id);
        self.flush();
        self.sheet.close();
        self.end_list(false, false);
    }

    /// `[x] ` for an item of a task list. The box itself was taken out with the form controls.
    fn check_box(&self, id: NodeId) -> &'static str {
        let document = self.document;
        for node in document.descendants(id).take(6) {
            if document.text(node).is_some_and(|text| !is_blank(text)) {
                return "";
            }
            let is_box =
                document.tag(node) == Tag::Input && document.attr(node, "type") == Some("checkbox");
            if is_box {
                let is_task = document.attr(node, "disabled").is_some()
                    || document
                        .attr(id, "class")
                        .is_some_and(|class| class.contains("task"));
                return match (is_task, document.attr(node, "checked").is_some()) {
                    (false, _) => "",
                    (true, true) => "[x] ",
                    (true, false) => "[ ] ",
                };
            }
        }
        ""
    }
}
