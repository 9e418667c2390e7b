//! The pages of a job by host and path.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{JobPage, Outcome};

/// The answer of `GET /v1/jobs/{id}/tree`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Tree {
    /// Hosts, by name.
    pub items: Vec<TreeNode>,
    /// Are there more pages than the tree holds?
    pub truncated: bool,
}

/// A host, or a part of a path.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TreeNode {
    /// `a.example:8080`, or a segment as it is written in URLs.
    pub name: String,
    /// What became of the pages here and below.
    pub counts: TreeCounts,
    /// Pages exactly here: one, or one for each query and with and without the last slash.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pages: Vec<JobPage>,
    /// What is below, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(no_recursion)]
    pub children: Vec<TreeNode>,
}

/// Pages by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TreeCounts {
    /// With usable content.
    pub success: u64,
    /// Without usable content.
    pub empty: u64,
    /// Failed.
    pub failed: u64,
    /// Left out on purpose.
    pub skipped: u64,
}

impl TreeCounts {
    /// Takes one page into account.
    pub fn add(&mut self, outcome: Outcome) {
        *match outcome {
            Outcome::Success => &mut self.success,
            Outcome::Empty => &mut self.empty,
            Outcome::Failed => &mut self.failed,
            Outcome::Skipped => &mut self.skipped,
        } += 1;
    }
}
