//! One immutable document in one arena, in document order: the descendants of a node are the ids
//! right after it, up to `subtree_end`. Built by our own html5ever sink; never mutated. Comments
//! and template contents are not in it, declarative shadow roots are. Steps narrow a `Kept` mask.

mod block;
mod css;
mod flood;
mod guard;
mod kept;
mod parse;
mod serialize;
mod settle;
mod sink;
mod tag;
mod walk;

use html5ever::LocalName;

pub use css::Selector;
pub(crate) use kept::Kept;
pub(crate) use parse::Interrupted;
pub(crate) use serialize::serialize;
pub(crate) use tag::Tag;

/// A node of one document. Ids ascend in document order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeId(u32);

impl NodeId {
    /// As an index into a table with one row per node.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Namespace of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Space {
    Html,
    Svg,
    MathMl,
    Other,
}

/// Stands for "no such node" inside the arena.
const NONE: u32 = u32::MAX;

#[derive(Debug)]
struct Node {
    parent: u32,
    /// One past the last descendant; the next sibling starts here, if there is one.
    end: u32,
    prev: u32,
    /// Text: a range of `Document::text`; element: a range of `Document::attrs`.
    start: u32,
    len: u32,
    tag: Tag,
    space: Space,
    name: LocalName,
}

#[derive(Debug)]
struct Attr {
    name: LocalName,
    start: u32,
    len: u32,
}

/// A parsed document.
#[derive(Debug)]
pub(crate) struct Document {
    nodes: Vec<Node>,
    attrs: Vec<Attr>,
    /// All text and attribute values.
    text: String,
}

fn some(raw: u32) -> Option<NodeId> {
    (raw != NONE).then_some(NodeId(raw))
}

impl Document {
    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The document node, parent of `<html>`.
    pub(crate) fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// The `<html>` element; the parser always makes one.
    pub(crate) fn html(&self) -> Option<NodeId> {
        self.children(self.root()).find(|&id| self.is_element(id))
    }

    /// The `<head>` element.
    pub(crate) fn head(&self) -> Option<NodeId> {
        self.child_with_tag(self.html()?, Tag::Head)
    }

    /// The `<body>` element, or the `<frameset>` in its place.
    pub(crate) fn body(&self) -> Option<NodeId> {
        let html = self.html()?;
        self.child_with_tag(html, Tag::Body)
            .or_else(|| self.child_with_tag(html, Tag::Frameset))
    }

    fn child_with_tag(&self, parent: NodeId, tag: Tag) -> Option<NodeId> {
        self.children(parent).find(|&id| self.tag(id) == tag)
    }

    /// `None` for the document node only.
    pub(crate) fn parent(&self, id: NodeId) -> Option<NodeId> {
        some(self.node(id).parent)
    }

    /// First child, text or element.
    pub(crate) fn first_child(&self, id: NodeId) -> Option<NodeId> {
        (self.node(id).end > id.0 + 1).then_some(NodeId(id.0 + 1))
    }

    /// The node after it under the same parent.
    pub(crate) fn next_sibling(&self, id: NodeId) -> Option<NodeId> {
        let node = self.node(id);
        let parent = self.nodes.get(node.parent as usize)?;
        (node.end < parent.end).then_some(NodeId(node.end))
    }

    /// The node before it under the same parent.
    pub(crate) fn prev_sibling(&self, id: NodeId) -> Option<NodeId> {
        some(self.node(id).prev)
    }

    /// Is it an element (not text, not the document)?
    pub(crate) fn is_element(&self, id: NodeId) -> bool {
        self.node(id).tag != Tag::None
    }

    /// Its kind; `Tag::None` for text and the document.
    pub(crate) fn tag(&self, id: NodeId) -> Tag {
        self.node(id).tag
    }

    /// Local name in lower case (camel case in SVG); empty for text.
    pub(crate) fn name(&self, id: NodeId) -> &str {
        &self.node(id).name
    }

    /// Text of a text node; `None` for elements.
    pub(crate) fn text(&self, id: NodeId) -> Option<&str> {
        let node = self.node(id);
        if node.tag != Tag::None || id.0 == 0 {
            return None;
        }
        self.text
            .get(node.start as usize..(node.start + node.len) as usize)
    }

    /// Value of an attribute, by its name in lower case.
    pub(crate) fn attr(&self, id: NodeId, name: &str) -> Option<&str> {
        self.own_attrs(id)
            .iter()
            .find(|attr| &*attr.name == name)
            .map(|attr| self.value(attr))
    }

    /// All attributes in source order.
    pub(crate) fn attrs(&self, id: NodeId) -> impl Iterator<Item = (&str, &str)> {
        self.own_attrs(id)
            .iter()
            .map(|attr| (&*attr.name, self.value(attr)))
    }

    fn own_attrs(&self, id: NodeId) -> &[Attr] {
        let node = self.node(id);
        if node.tag == Tag::None {
            return &[];
        }
        &self.attrs[node.start as usize..(node.start + node.len) as usize]
    }

    fn value(&self, attr: &Attr) -> &str {
        &self.text[attr.start as usize..(attr.start + attr.len) as usize]
    }

    /// Number of nodes; every `NodeId::index` is below it.
    pub(crate) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// One past the last descendant: `id + 1 .. subtree_end(id)` are its descendants.
    pub(crate) fn subtree_end(&self, id: NodeId) -> NodeId {
        NodeId(self.node(id).end)
    }

    /// Is `inner` the node itself or below it?
    pub(crate) fn contains(&self, outer: NodeId, inner: NodeId) -> bool {
        (outer.0..self.node(outer).end).contains(&inner.0)
    }
}
