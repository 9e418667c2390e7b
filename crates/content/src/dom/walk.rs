//! Iterators over the arena: all pre-order, none recursive, none allocating.

use super::{Document, Kept, NodeId};

impl Document {
    /// Children in order.
    pub(crate) fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + Clone + '_ {
        std::iter::successors(self.first_child(id), |&child| self.next_sibling(child))
    }

    /// Parent, grandparent, … up to the document node.
    pub(crate) fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + Clone + '_ {
        std::iter::successors(self.parent(id), |&up| self.parent(up))
    }

    /// All nodes below, in document order, without the node itself.
    pub(crate) fn descendants(
        &self,
        id: NodeId,
    ) -> impl DoubleEndedIterator<Item = NodeId> + Clone + use<> {
        (id.0 + 1..self.subtree_end(id).0).map(NodeId)
    }

    /// The id after it: its first descendant, or what follows its subtree. May be one past the
    /// last node.
    pub(crate) fn following(&self, id: NodeId) -> NodeId {
        NodeId(id.0 + 1)
    }

    /// Every node of the document in order, the document node first.
    pub(crate) fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + Clone + use<> {
        (0..self.subtree_end(self.root()).0).map(NodeId)
    }

    /// The nodes below that the mask keeps; dropped subtrees are jumped over.
    pub(crate) fn kept_descendants<'a>(
        &'a self,
        id: NodeId,
        kept: &'a Kept,
    ) -> impl Iterator<Item = NodeId> + 'a {
        let end = self.subtree_end(id).0;
        let mut next = id.0 + 1;
        std::iter::from_fn(move || {
            while next < end {
                let here = NodeId(next);
                if kept.has(here) {
                    next += 1;
                    return Some(here);
                }
                next = self.subtree_end(here).0;
            }
            None
        })
    }

    /// All text below, kept or not, as it stands in the source.
    pub(crate) fn text_content(&self, id: NodeId) -> String {
        self.descendants(id)
            .filter_map(|node| self.text(node))
            .collect()
    }
}
