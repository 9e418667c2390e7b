//! The learned scorer: how likely each block is content.

use std::sync::LazyLock;

use super::features::Table;
use super::forest::Forest;

/// Trained offline by `tests/bench/train/train.py`.
static MODEL: &[u8] = include_bytes!("model.bin");
static BUILT_IN: LazyLock<Option<Scorer>> = LazyLock::new(|| Scorer::read(MODEL));

/// A trained model.
#[derive(Debug)]
pub(crate) struct Scorer(Forest);

impl Scorer {
    /// Reads a model file; `None` if it is damaged.
    pub(crate) fn read(mut bytes: &[u8]) -> Option<Self> {
        Forest::read(&mut bytes).map(Self)
    }

    /// The scorer that comes with the program.
    pub(crate) fn built_in() -> Option<&'static Self> {
        BUILT_IN.as_ref()
    }

    /// How likely each row's block is content.
    pub(crate) fn score(&self, table: &Table) -> Vec<f32> {
        self.0.probabilities(&table.values, table.width)
    }
}
