//! Gradient-boosted trees, evaluated for many rows at once. Deterministic: one order of sums.
//!
//! File: `u32` feature count, `u32` tree count, `f32` bias; per tree `u16` node count n, then n nodes of
//! (`u16` feature or 0xffff for a leaf, `u16` left, `u16` right, `f32` threshold or leaf value), all little-endian.
//! A row goes left when its value is at most the threshold; the score is the logistic of the sum.

/// An ensemble of binary trees.
#[derive(Debug, Default)]
pub(crate) struct Forest {
    features: usize,
    bias: f32,
    /// Index of each tree's root in `nodes`.
    roots: Vec<u32>,
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    feature: u16,
    left: u16,
    right: u16,
    value: f32,
}

const LEAF: u16 = u16::MAX;

impl Forest {
    /// Reads a forest from the front of `bytes` and moves `bytes` behind it. `None` if it is damaged.
    pub(crate) fn read(bytes: &mut &[u8]) -> Option<Self> {
        let features = usize::try_from(u32::from_le_bytes(take(bytes)?)).ok()?;
        let trees = u32::from_le_bytes(take(bytes)?);
        let bias = f32::from_le_bytes(take(bytes)?);
        let mut forest = Self {
            features,
            bias,
            ..Self::default()
        };
        for _ in 0..trees {
            let count = u16::from_le_bytes(take(bytes)?);
            forest.roots.push(u32::try_from(forest.nodes.len()).ok()?);
            for _ in 0..count {
                let node = Node {
                    feature: u16::from_le_bytes(take(bytes)?),
                    left: u16::from_le_bytes(take(bytes)?),
                    right: u16::from_le_bytes(take(bytes)?),
                    value: f32::from_le_bytes(take(bytes)?),
                };
                let is_sound = node.feature == LEAF
                    || usize::from(node.feature) < features
                        && node.left < count
                        && node.right < count;
                if !is_sound {
                    return None;
                }
                forest.nodes.push(node);
            }
        }
        Some(forest)
    }

    /// Adds up the trees for each row of `table` (rows of `width` values) and returns probabilities.
    /// Trees run in the outer loop, so that one tree stays in the nearest cache for all rows.
    pub(crate) fn probabilities(&self, table: &[f32], width: usize) -> Vec<f32> {
        if width == 0 || width < self.features {
            return Vec::new();
        }
        let mut sums = vec![self.bias; table.len() / width];
        for (index, &root) in self.roots.iter().enumerate() {
            let end = self
                .roots
                .get(index + 1)
                .map_or(self.nodes.len(), |&next| next as usize);
            let tree = &self.nodes[root as usize..end];
            for (row, sum) in table.chunks_exact(width).zip(&mut sums) {
                *sum += leaf(tree, row);
            }
        }
        for sum in &mut sums {
            *sum = 1.0 / (1.0 + (-*sum).exp());
        }
        sums
    }
}

fn leaf(tree: &[Node], row: &[f32]) -> f32 {
    let mut at = 0;
    // A sound tree is no deeper than it has nodes; the bound keeps a damaged one from looping.
    for _ in 0..tree.len() {
        let node = tree[at];
        if node.feature == LEAF {
            return node.value;
        }
        at = usize::from(if row[usize::from(node.feature)] <= node.value {
            node.left
        } else {
            node.right
        });
    }
    0.0
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (head, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*head)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stump() -> Vec<u8> {
        let mut file = Vec::new();
        file.extend(1_u32.to_le_bytes());
        file.extend(1_u32.to_le_bytes());
        file.extend(0.0_f32.to_le_bytes());
        file.extend(3_u16.to_le_bytes());
        for (feature, left, right, value) in [
            (0_u16, 1_u16, 2_u16, 0.5_f32),
            (LEAF, 0, 0, -2.0),
            (LEAF, 0, 0, 2.0),
        ] {
            file.extend(feature.to_le_bytes());
            file.extend(left.to_le_bytes());
            file.extend(right.to_le_bytes());
            file.extend(value.to_le_bytes());
        }
        file
    }

    #[test]
    fn a_row_goes_left_up_to_the_threshold() {
        let file = stump();
        let forest = Forest::read(&mut &file[..]).unwrap();
        let p = forest.probabilities(&[0.5, 0.6], 1);
        assert!(p[0] < 0.2 && p[1] > 0.8, "{p:?}");
    }

    #[test]
    fn a_damaged_file_is_refused() {
        let file = stump();
        for cut in 0..file.len() {
            assert!(Forest::read(&mut &file[..cut]).is_none());
        }
    }
}
