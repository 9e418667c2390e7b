//! What the page shows: headings, bylines and dates. One pass notes the elements that are marked as
//! such by element, class, `itemprop` or `rel`, and short texts near the first heading; what they
//! mean is decided afterwards.

use crate::dom::{Document, NodeId, Tag};
use crate::text::{filtered_line_of, line_of};

const MAX_HEADINGS: usize = 40;
const MAX_CANDIDATES: usize = 300;
const MAX_TEXT_BYTES: usize = 400;
/// How many nodes after the main heading a byline without any mark may stand.
const NEAR: usize = 160;
/// And how many before it.
const NEAR_BEFORE: usize = 40;

/// Characters that only say where a word may break.
const INVISIBLE: [char; 4] = ['\u{ad}', '\u{200b}', '\u{2060}', '\u{feff}'];

/// What an element is marked as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Author,
    Published,
    Modified,
}

/// An element that may hold a name or a date.
pub(super) struct Candidate {
    pub(super) id: NodeId,
    pub(super) role: Role,
    /// How sure the mark is: 3 for `itemprop` and `rel`, 2 for plain classes, 1 for hints.
    pub(super) strength: u8,
    /// Inside a comment, a rail or a list of other pages.
    pub(super) is_aside: bool,
}

/// A heading's text and place.
pub(super) struct Heading {
    pub(super) id: NodeId,
    pub(super) level: u8,
    pub(super) text: String,
    pub(super) is_aside: bool,
}

/// Everything noted, in document order.
pub(super) struct Body<'a> {
    pub(super) document: &'a Document,
    pub(super) headings: Vec<Heading>,
    pub(super) candidates: Vec<Candidate>,
}

impl<'a> Body<'a> {
    pub(super) fn of(document: &'a Document) -> Body<'a> {
        let mut body = Body {
            document,
            headings: Vec::new(),
            candidates: Vec::new(),
        };
        let Some(root) = document.body() else {
            return body;
        };
        let mut aside_end = root;
        for id in document.descendants(root) {
            let tag = document.tag(id);
            if tag == Tag::None {
                continue;
            }
            let marks = Marks::of(document, id, tag);
            if marks.is_aside && id >= aside_end {
                aside_end = document.subtree_end(id);
            }
            let is_aside = id < aside_end;
            body.note_heading(id, tag, is_aside);
            if let Some((role, strength)) = marks.role
                && body.candidates.len() < MAX_CANDIDATES
            {
                body.candidates.push(Candidate {
                    id,
                    role,
                    strength,
                    is_aside,
                });
            }
        }
        body
    }

    fn note_heading(&mut self, id: NodeId, tag: Tag, is_aside: bool) {
        let level = match tag {
            Tag::H1 => 1,
            Tag::H2 => 2,
            Tag::H3 => 3,
            _ => return,
        };
        // Only a first-level heading is worth a place once there are many.
        if self.headings.len() < MAX_HEADINGS
            || level == 1 && self.headings.len() < 2 * MAX_HEADINGS
        {
            let text = heading_text(self.document, id);
            if !text.is_empty() {
                self.headings.push(Heading {
                    id,
                    level,
                    text,
                    is_aside,
                });
            }
        }
    }

    /// Short texts around the heading, those after it first.
    pub(super) fn texts_around(&self, heading: NodeId) -> impl Iterator<Item = &'a str> {
        let document = self.document;
        let before = document
            .nodes()
            .take_while(move |id| *id < heading)
            .skip(heading.index().saturating_sub(NEAR_BEFORE))
            .filter_map(move |id| document.text(id).map(str::trim));
        self.texts_near(heading).map(|(_, text)| text).chain(before)
    }

    /// Short texts from the heading `from` on, in document order.
    pub(super) fn texts_near(&self, from: NodeId) -> impl Iterator<Item = (NodeId, &'a str)> {
        let document = self.document;
        let end = document.subtree_end(document.root());
        let heading_end = document.subtree_end(from);
        document
            .descendants(document.root())
            .skip_while(move |id| *id < heading_end)
            .take_while(move |id| *id < end)
            .take(NEAR)
            .filter_map(move |id| document.text(id).map(|text| (id, text.trim())))
            .filter(|(_, text)| !text.is_empty() && text.len() <= MAX_TEXT_BYTES)
    }
}

/// What a heading says, without permalinks and buttons next to it.
fn heading_text(document: &Document, id: NodeId) -> String {
    let is_text = |id| !is_tool(document, id);
    let text = filtered_line_of(document, id, MAX_TEXT_BYTES, is_text);
    let mut text = match text.is_empty() {
        true => line_of(document, id, MAX_TEXT_BYTES),
        false => text,
    };
    text.retain(|c| !INVISIBLE.contains(&c));
    text
}

fn is_tool(document: &Document, id: NodeId) -> bool {
    match document.tag(id) {
        Tag::Button => true,
        Tag::A => {
            let is_local = document
                .attr(id, "href")
                .is_some_and(|href| href.contains('#'));
            is_local && !line_of(document, id, MAX_TEXT_BYTES).contains(char::is_alphanumeric)
        }
        _ => false,
    }
}

struct Marks {
    role: Option<(Role, u8)>,
    is_aside: bool,
}

impl Marks {
    fn of(document: &Document, id: NodeId, tag: Tag) -> Marks {
        let mut marks = Marks {
            role: None,
            is_aside: matches!(tag, Tag::Aside | Tag::Nav | Tag::Footer),
        };
        if tag == Tag::Time {
            marks.role = Some((Role::Published, 2));
        }
        for (name, value) in document.attrs(id) {
            match name {
                "itemprop" | "property" => marks.set(of_property(value)),
                "rel"
                    if value
                        .split_whitespace()
                        .any(|rel| rel.eq_ignore_ascii_case("author")) =>
                {
                    marks.set(Some((Role::Author, 3)));
                }
                "class" | "id" | "data-testid" | "data-test" => {
                    let (role, is_aside) = of_class(value);
                    marks.set(role);
                    marks.is_aside |= is_aside;
                }
                "pubdate" => marks.set(Some((Role::Published, 3))),
                _ => {}
            }
        }
        marks
    }

    fn set(&mut self, role: Option<(Role, u8)>) {
        let is_modified_time = matches!(role, Some((Role::Modified, _)));
        if self.role.is_none_or(|(_, strength)| {
            role.is_some_and(|(_, new)| new > strength) || is_modified_time
        }) {
            self.role = role.or(self.role);
        }
    }
}

fn of_property(names: &str) -> Option<(Role, u8)> {
    let name = names.split_whitespace().next()?;
    let name = name.rsplit([':', '/']).next()?;
    match name {
        "author" | "creator" => Some((Role::Author, 3)),
        "datePublished" | "dateCreated" | "issued" => Some((Role::Published, 3)),
        "dateModified" | "modified" => Some((Role::Modified, 3)),
        _ => None,
    }
}

/// Reads the words of class names and ids: `post-author`, `postAuthor` and `post__author` alike.
fn of_class(value: &str) -> (Option<(Role, u8)>, bool) {
    // Generated class lists run to kilobytes; meaning stands in front.
    let value = &value[..value.floor_char_boundary(300)];
    let mut role: Option<(Role, u8)> = None;
    let (mut is_aside, mut is_updated, mut is_about) = (false, false, false);
    for word in words(value) {
        let found = match word.len() {
            2..=12 => role_of_word(word),
            _ => Word::Other,
        };
        match found {
            Word::Marks(new, strength) if role.is_none_or(|(_, old)| strength > old) => {
                role = Some((new, strength));
            }
            Word::Updated => is_updated = true,
            Word::Aside => is_aside = true,
            Word::About => is_about = true,
            _ => {}
        }
    }
    role = match role {
        Some((Role::Published, strength)) if is_updated => Some((Role::Modified, strength)),
        // A box about the author names them too, but after the text.
        Some((Role::Author, strength)) if is_about => Some((Role::Author, strength.min(1))),
        role => role,
    };
    (role, is_aside)
}

enum Word {
    Marks(Role, u8),
    Updated,
    Aside,
    About,
    Other,
}

fn role_of_word(word: &str) -> Word {
    let mut lower = [0; 12];
    let bytes = word.as_bytes();
    lower[..bytes.len()].copy_from_slice(bytes);
    lower.make_ascii_lowercase();
    match &lower[..bytes.len()] {
        b"author" | b"authors" | b"byline" | b"bylines" => Word::Marks(Role::Author, 2),
        b"writer" | b"writers" | b"username" | b"creator" | b"poster" | b"contributor"
        | b"reporter" => Word::Marks(Role::Author, 1),
        b"published" | b"publish" | b"pubdate" | b"publishdate" | b"postdate" | b"pubtime" => {
            Word::Marks(Role::Published, 2)
        }
        b"date" | b"dateline" | b"datetime" | b"posted" | b"timestamp" | b"created" => {
            Word::Marks(Role::Published, 1)
        }
        b"updated" | b"modified" | b"edited" | b"update" => Word::Updated,
        b"comment" | b"comments" | b"related" | b"sidebar" | b"recommended" | b"widget"
        | b"popular" | b"trending" | b"recent" | b"similar" | b"carousel" => Word::Aside,
        b"bio" | b"about" | b"avatar" | b"image" | b"img" | b"photo" => Word::About,
        _ => Word::Other,
    }
}

/// The words of a name: cut at anything but letters, and where a capital follows a small letter.
fn words(value: &str) -> impl Iterator<Item = &str> {
    value
        .split(|c: char| !c.is_ascii_alphabetic())
        .flat_map(|piece| {
            let mut rest = piece;
            std::iter::from_fn(move || {
                if rest.is_empty() {
                    return None;
                }
                let bytes = rest.as_bytes();
                let hump = (1..bytes.len()).find(|&at| {
                    bytes[at].is_ascii_uppercase() && bytes[at - 1].is_ascii_lowercase()
                });
                let (word, after) = rest.split_at(hump.unwrap_or(rest.len()));
                rest = after;
                Some(word)
            })
        })
}
