//! Gradient-boosted trees, evaluated for many rows at once. Deterministic: one order of sums.
//!
//! File: `u32` feature count, `u32` tree count, `f32` bias; per tree `u16` node count n, then n nodes of
//! (`u16` feature or 0xffff for a leaf, `u16` right child, `f32` threshold or leaf value), all little-endian. A left
//! child follows its parent.
//! A row goes left when its value is at most the threshold; the score is the logistic of the sum.

/// An ensemble of binary trees.
#[derive(Debug)]
pub(crate) struct Forest {
    features: usize,
    bias: f32,
    trees: Vec<Tree>,
}

/// Room for one tree. Sizes are fixed, so that an index is cut to size instead of checked.
#[derive(Debug)]
struct Tree {
    nodes: [Node; MAX_NODES],
    /// By node: what a leaf says; of no use for other nodes.
    leaves: [f32; MAX_NODES],
}

/// Siblings stand side by side, so that a step is an addition and not a jump. A leaf is its own
/// left child and sends every value there.
#[derive(Debug, Clone, Copy)]
struct Node {
    threshold: f32,
    feature: u16,
    /// The right child is the next one.
    left: u16,
}

/// A node as the file has it.
#[derive(Debug, Clone, Copy)]
struct Entry {
    feature: u16,
    right: u16,
    value: f32,
}

const LEAF: u16 = u16::MAX;
/// Nodes of a tree at most: 64 leaves.
const MAX_NODES: usize = 128;
/// Features at most.
const MAX_FEATURES: usize = 512;
/// Rows that go down a tree side by side: while one waits for memory, the others step.
const LANES: usize = 8;

impl Forest {
    /// Reads a forest from the front of `bytes` and moves `bytes` behind it. `None` if it is damaged.
    pub(crate) fn read(bytes: &mut &[u8]) -> Option<Self> {
        let features = usize::try_from(u32::from_le_bytes(take(bytes)?)).ok()?;
        if features > MAX_FEATURES {
            return None;
        }
        let count = u32::from_le_bytes(take(bytes)?);
        let bias = f32::from_le_bytes(take(bytes)?);
        let trees: Option<Vec<Tree>> = (0..count).map(|_| Tree::read(bytes, features)).collect();
        Some(Self {
            features,
            bias,
            trees: trees?,
        })
    }

    /// Adds up the trees for each row of `table` (rows of `width` values) and returns probabilities.
    pub(crate) fn probabilities(&self, table: &[f32], width: usize) -> Vec<f32> {
        if width == 0 || width < self.features {
            return Vec::new();
        }
        let mut sums = vec![self.bias; table.len() / width];
        // The lanes of a last, shorter group keep what was in them.
        let mut lanes = [[0.0; MAX_FEATURES]; LANES];
        let groups = table.chunks(width * LANES).zip(sums.chunks_mut(LANES));
        for (rows, sums) in groups {
            for (lane, row) in lanes.iter_mut().zip(rows.chunks_exact(width)) {
                lane[..self.features].copy_from_slice(&row[..self.features]);
            }
            for tree in &self.trees {
                for (sum, at) in sums.iter_mut().zip(tree.walk(&lanes)) {
                    *sum += tree.leaves[at % MAX_NODES];
                }
            }
        }
        for sum in &mut sums {
            *sum = 1.0 / (1.0 + (-*sum).exp());
        }
        sums
    }
}

impl Tree {
    /// `None` if the entries make no tree.
    fn read(bytes: &mut &[u8], features: usize) -> Option<Self> {
        let count = u16::from_le_bytes(take(bytes)?);
        let entries: Option<Vec<Entry>> = (0..count).map(|_| entry(bytes)).collect();
        let entries = entries?;
        let mut tree = Self {
            nodes: [Node {
                threshold: f32::INFINITY,
                feature: 0,
                left: 0,
            }; MAX_NODES],
            leaves: [0.0; MAX_NODES],
        };
        // Entries in the order of nodes: those of siblings follow each other.
        let mut order = vec![0_usize];
        let mut at = 0;
        while let Some(&index) = order.get(at) {
            let entry = *entries.get(index)?;
            let node = tree.nodes.get_mut(at)?;
            if entry.feature == LEAF {
                node.left = u16::try_from(at).ok()?;
                tree.leaves[at] = entry.value;
            } else {
                // Children stand behind their parent, so every walk ends.
                let right = usize::from(entry.right);
                if usize::from(entry.feature) >= features || right <= index + 1 {
                    return None;
                }
                *node = Node {
                    threshold: entry.value,
                    feature: entry.feature,
                    left: u16::try_from(order.len()).ok()?,
                };
                order.extend([index + 1, right]);
            }
            at += 1;
        }
        Some(tree)
    }

    /// The leaves that the rows come to.
    fn walk(&self, rows: &[[f32; MAX_FEATURES]; LANES]) -> [usize; LANES] {
        let mut at = [0_usize; LANES];
        loop {
            let mut moved = 0;
            // Lanes by number are unrolled and stay in registers; iterators do not.
            for lane in 0..LANES {
                let node = self.nodes[at[lane] % MAX_NODES];
                let value = rows[lane][usize::from(node.feature) % MAX_FEATURES];
                let next = usize::from(node.left) + usize::from(value > node.threshold);
                moved |= next ^ at[lane];
                at[lane] = next;
            }
            if moved == 0 {
                return at;
            }
        }
    }
}

fn entry(bytes: &mut &[u8]) -> Option<Entry> {
    Some(Entry {
        feature: u16::from_le_bytes(take(bytes)?),
        right: u16::from_le_bytes(take(bytes)?),
        value: f32::from_le_bytes(take(bytes)?),
    })
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (head, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*head)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(features: u32, tree: &[(u16, u16, f32)]) -> Vec<u8> {
        let mut file = Vec::new();
        file.extend(features.to_le_bytes());
        file.extend(1_u32.to_le_bytes());
        file.extend(0.0_f32.to_le_bytes());
        file.extend((tree.len() as u16).to_le_bytes());
        for (feature, right, value) in tree {
            file.extend(feature.to_le_bytes());
            file.extend(right.to_le_bytes());
            file.extend(value.to_le_bytes());
        }
        file
    }

    fn stump() -> Vec<u8> {
        file(1, &[(0, 2, 0.5), (LEAF, 0, -2.0), (LEAF, 0, 2.0)])
    }

    #[test]
    fn a_row_goes_left_up_to_the_threshold() {
        let file = stump();
        let forest = Forest::read(&mut &file[..]).unwrap();
        let p = forest.probabilities(&[0.5, 0.6], 1);
        assert!(p[0] < 0.2 && p[1] > 0.8, "{p:?}");
    }

    #[test]
    fn rows_that_share_a_walk_keep_to_their_own_way() {
        let tree = [
            (0, 4, 10.0),
            (1, 3, 0.5),
            (LEAF, 0, -3.0),
            (LEAF, 0, -1.0),
            (LEAF, 0, 3.0),
        ];
        let file = file(2, &tree);
        let forest = Forest::read(&mut &file[..]).unwrap();
        let rows: Vec<f32> = (0..21).flat_map(|n| [n as f32, (n % 2) as f32]).collect();
        let expected = |n: usize| match (n > 10, n % 2) {
            (true, _) => 3.0,
            (_, 0) => -3.0_f32,
            _ => -1.0,
        };
        let found = forest.probabilities(&rows, 2);
        assert_eq!(found.len(), 21);
        for (n, p) in found.iter().enumerate() {
            let logit = (p / (1.0 - p)).ln();
            assert!((logit - expected(n)).abs() < 1e-3, "row {n}: {logit}");
        }
    }

    #[test]
    fn a_damaged_file_is_refused() {
        let file = stump();
        for cut in 0..file.len() {
            assert!(Forest::read(&mut &file[..cut]).is_none());
        }
        // A feature that no row has, a child in front of its parent, a child outside.
        for root in [(1, 2, 0.5), (0, 1, 0.5), (0, 3, 0.5)] {
            let file = self::file(1, &[root, (LEAF, 0, -2.0), (LEAF, 0, 2.0)]);
            assert!(Forest::read(&mut &file[..]).is_none(), "{root:?}");
        }
    }
}
