//! From the tree builder's linked nodes, in creation order and with detached ones between, to the
//! arena in document order, where a subtree is a range.

use super::sink::{Arena, Raw};
use super::{Document, NONE, Node};

/// Numbers the nodes that hang in the document, in pre-order.
pub(super) fn settle(arena: Arena) -> Document {
    let Arena {
        mut nodes,
        attrs,
        text,
        ..
    } = arena;
    let mut settled: Vec<Node> = Vec::with_capacity(nodes.len());
    let mut here = 0;
    let (mut parent, mut prev) = (NONE, NONE);
    loop {
        let raw = &mut nodes[here as usize];
        let id = settled.len() as u32;
        settled.push(take(raw, parent, prev));
        if raw.first != NONE {
            here = raw.first;
            (parent, prev) = (id, NONE);
            continue;
        }
        settled[id as usize].end = id + 1;
        let mut done = id;
        // Climbs until there is a next sibling, closing the subtrees on the way.
        while nodes[here as usize].next == NONE {
            if parent == NONE {
                return Document {
                    nodes: settled,
                    attrs,
                    text,
                };
            }
            let end = settled.len() as u32;
            let up = &mut settled[parent as usize];
            up.end = end;
            done = parent;
            parent = up.parent;
            here = nodes[here as usize].parent;
        }
        here = nodes[here as usize].next;
        prev = done;
    }
}

fn take(raw: &mut Raw, parent: u32, prev: u32) -> Node {
    Node {
        parent,
        end: NONE,
        prev,
        start: raw.start,
        len: raw.len,
        tag: raw.tag,
        space: raw.space,
        name: std::mem::take(&mut raw.name),
    }
}
