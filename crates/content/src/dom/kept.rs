//! What is still in: one flag per node. A node is kept when neither it nor an ancestor was
//! dropped; walkers test on the way down (`Document::kept_descendants` does it for them).

use super::{Document, NodeId};

/// The mask that the steps of reading narrow, one after the other.
#[derive(Debug, Clone)]
pub(crate) struct Kept(Vec<bool>);

impl Kept {
    /// Everything is in.
    pub(crate) fn all(document: &Document) -> Self {
        Self(vec![true; document.node_count()])
    }

    /// Takes a node out, and with it all that is below.
    pub(crate) fn drop(&mut self, id: NodeId) {
        self.0[id.index()] = false;
    }

    /// Puts a node back in, as far as its ancestors are.
    pub(crate) fn restore(&mut self, id: NodeId) {
        self.0[id.index()] = true;
    }

    /// Its own flag.
    pub(crate) fn has(&self, id: NodeId) -> bool {
        self.0[id.index()]
    }

    /// Its own flag and those of all its ancestors.
    pub(crate) fn reaches(&self, document: &Document, id: NodeId) -> bool {
        self.has(id) && document.ancestors(id).all(|up| self.has(up))
    }
}
