//! Footnotes: a raised link to a note of the same content becomes `[^1]`, the note `[^1]: …`.

use std::collections::{HashMap, HashSet};

use super::Convert;
use super::sheet::Gap;
use super::text::is_blank;
use super::walk::Writer;
use crate::dom::{Document, NodeId, Tag};

/// Longest label of a reference, in characters.
const MAX_LABEL: usize = 5;

/// The notes of the content that something refers to.
#[derive(Debug, Default)]
pub(super) struct Notes<'a> {
    /// Label by the note's `id` attribute.
    labels: HashMap<&'a str, String>,
    /// The `id` attribute by the element that holds the note.
    holders: HashMap<NodeId, &'a str>,
}

/// Might the link refer to a footnote? `Notes` finds out whether there is one.
pub(super) fn looks_like_reference(document: &Document, link: NodeId) -> bool {
    if fragment(document, link).is_none() {
        return false;
    }
    let is_raised = document
        .parent(link)
        .is_some_and(|up| document.tag(up) == Tag::Sup)
        || document
            .first_child(link)
            .is_some_and(|inner| document.tag(inner) == Tag::Sup);
    let says_so = || {
        document.attr(link, "role") == Some("doc-noteref")
            || document
                .attr(link, "class")
                .is_some_and(|class| class.contains("footnote-ref") || class.contains("noteref"))
    };
    (is_raised || says_so()) && label(document, link).is_some()
}

fn fragment(document: &Document, link: NodeId) -> Option<&str> {
    document
        .attr(link, "href")?
        .trim()
        .strip_prefix('#')
        .filter(|id| !id.is_empty())
}

/// The text of a reference without its brackets, when it is a short word.
fn label(document: &Document, link: NodeId) -> Option<String> {
    let text = document.text_content(link);
    let label = text.trim().trim_matches(['[', ']', '(', ')', ' ']);
    let is_label = !label.is_empty()
        && label.chars().count() <= MAX_LABEL
        && label.chars().all(char::is_alphanumeric);
    is_label.then(|| label.to_owned())
}

impl<'a> Notes<'a> {
    /// Looks for the notes that `references` lead to.
    pub(super) fn new(convert: &Convert<'a>, roots: &[NodeId], references: &[NodeId]) -> Self {
        let document = convert.document;
        let mut notes = Self::default();
        if references.is_empty() {
            return notes;
        }
        let wanted: HashSet<&str> = references
            .iter()
            .filter_map(|&link| fragment(document, link))
            .collect();
        let mut found = HashMap::new();
        for &root in roots {
            for id in document.kept_descendants(root, convert.kept) {
                let name = document
                    .attr(id, "id")
                    .or_else(|| document.attr(id, "name"));
                if let Some(name) = name.filter(|name| wanted.contains(name))
                    && let Some(holder) = holder(document, id)
                {
                    found.entry(name).or_insert(holder);
                }
            }
        }
        let mut taken = HashSet::new();
        for &link in references {
            let Some(name) = fragment(document, link) else {
                continue;
            };
            let Some(&holder) = found.get(name) else {
                continue;
            };
            if notes.labels.contains_key(name)
                || notes.holders.contains_key(&holder)
                || document.contains(holder, link)
            {
                continue;
            }
            let Some(mut label) = label(document, link) else {
                continue;
            };
            if !taken.insert(label.clone()) {
                label = format!("{label}-{}", notes.labels.len() + 1);
            }
            notes.labels.insert(name, label);
            notes.holders.insert(holder, name);
        }
        notes
    }

    /// The label of the note that a link refers to.
    pub(super) fn label_of(&self, document: &Document, link: NodeId) -> Option<&str> {
        if self.labels.is_empty()
            || document.tag(link) != Tag::A
            || !looks_like_reference(document, link)
        {
            return None;
        }
        self.labels
            .get(fragment(document, link)?)
            .map(String::as_str)
    }
}

/// The block that is the note: the target, or what it is the anchor of.
fn holder(document: &Document, target: NodeId) -> Option<NodeId> {
    let near = std::iter::once(target)
        .chain(document.ancestors(target))
        .take(3);
    let is_holder = |&id: &NodeId| {
        matches!(
            document.tag(id),
            Tag::Li | Tag::P | Tag::Div | Tag::Dd | Tag::Aside
        )
    };
    near.take_while(|&id| document.tag(id) != Tag::Body)
        .find(is_holder)
}

impl<'a> Writer<'a> {
    /// Opens the container of a footnote, if the element holds one.
    pub(super) fn open_note(&mut self, id: NodeId) -> bool {
        if !self.sheet.is_outermost() {
            return false;
        }
        let label = self
            .notes
            .holders
            .get(&id)
            .and_then(|name| self.notes.labels.get(name));
        let Some(label) = label else { return false };
        self.sheet.open_item(format!("[^{label}]: "), 4, Gap::Blank);
        let mut texts = self.kept_below(id).filter(|&node| {
            let text = self.document.text(node);
            text.is_some_and(|text| !is_blank(text))
        });
        self.note_number = texts.next().filter(|_| texts.next().is_some());
        true
    }

    /// The first text of a note without the number that it repeats.
    pub(super) fn without_number(&self, text: &'a str) -> &'a str {
        let shown = text.trim_start().trim_start_matches(['[', '(']);
        let number = shown.find(|c: char| !c.is_alphanumeric());
        let (number, rest) = shown.split_at(number.unwrap_or(shown.len()));
        let is_label = self.notes.labels.values().any(|label| label == number);
        let is_apart = rest.trim().is_empty() || rest.starts_with(['.', ')', ']', ':']);
        match is_label && is_apart {
            true => rest.trim_start_matches(['.', ')', ']', ':']),
            false => text,
        }
    }
}
