//! The pages of a job as a tree of hosts and paths: bounded in pages and in depth.

use std::collections::BTreeMap;

use trawls_contract::{JobPage, Tree, TreeCounts, TreeNode};
use trawls_store::PageFilter;
use url::Url;

use crate::{Engine, EngineError};

/// Pages read at once.
const PAGES: u32 = 1000;
/// Levels below a host; what is deeper stands there with the rest of its path as its name.
const MAX_LEVELS: usize = 32;

impl Engine {
    /// The first `limit` pages of a job as a tree; `None` when there is no such job.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn job_tree(
        &self,
        id: &str,
        filter: &PageFilter,
        limit: usize,
    ) -> Result<Option<Tree>, EngineError> {
        let (mut root, mut after, mut left) = (Branch::default(), 0, limit);
        loop {
            let Some(list) = self.job_pages(id, filter, after, PAGES).await? else {
                return Ok(None);
            };
            let truncated = list.items.len() > left || list.has_more && list.items.len() == left;
            for page in list.items.into_iter().take(left) {
                after = page.number;
                left -= 1;
                root.add(page);
            }
            if truncated || !list.has_more {
                let items = root.nodes();
                return Ok(Some(Tree { items, truncated }));
            }
        }
    }
}

#[derive(Default)]
struct Branch {
    counts: TreeCounts,
    pages: Vec<JobPage>,
    below: BTreeMap<String, Branch>,
}

impl Branch {
    fn add(&mut self, page: JobPage) {
        let mut branch = self;
        for name in names(&page.url) {
            branch = branch.below.entry(name).or_default();
            branch.counts.add(page.outcome);
        }
        branch.pages.push(page);
    }

    fn nodes(self) -> Vec<TreeNode> {
        let below = self.below.into_iter();
        below.map(|(name, branch)| branch.node(name)).collect()
    }

    fn node(mut self, name: String) -> TreeNode {
        TreeNode {
            name,
            counts: self.counts,
            pages: std::mem::take(&mut self.pages),
            children: self.nodes(),
        }
    }
}

/// Host, then the segments of the path. What is no URL stands by itself.
fn names(url: &str) -> Vec<String> {
    let Ok(url) = Url::parse(url) else {
        return vec![url.to_owned()];
    };
    let port = url.port().map_or(String::new(), |port| format!(":{port}"));
    let host = format!("{}{port}", url.host_str().unwrap_or_default());
    let path = url.path().trim_matches('/');
    let segments = path.splitn(MAX_LEVELS, '/').filter(|name| !name.is_empty());
    std::iter::once(host)
        .chain(segments.map(str::to_owned))
        .collect()
}

#[cfg(test)]
mod tests {
    use trawls_contract::Outcome;

    use super::*;

    fn page(url: &str, outcome: Outcome) -> JobPage {
        JobPage {
            number: 1,
            page_id: String::new(),
            url: url.into(),
            status: outcome.status(),
            outcome,
            code: None,
            http_status: None,
            depth: 0,
            referrer: None,
            title: None,
        }
    }

    #[test]
    fn pages_stand_at_their_path_and_are_counted_above_it() {
        let mut root = Branch::default();
        for (url, outcome) in [
            ("http://a.example:81/docs/one", Outcome::Success),
            ("http://a.example:81/docs/", Outcome::Failed),
            ("http://a.example:81/docs?x=1", Outcome::Success),
            ("nonsense", Outcome::Failed),
        ] {
            root.add(page(url, outcome));
        }
        let nodes = root.nodes();
        assert_eq!(nodes[1].name, "nonsense");
        let (host, docs) = (&nodes[0], &nodes[0].children[0]);
        assert_eq!(
            (host.name.as_str(), host.counts.success),
            ("a.example:81", 2)
        );
        assert_eq!((docs.name.as_str(), docs.pages.len()), ("docs", 2));
        assert_eq!((docs.counts.failed, docs.children[0].pages.len()), (1, 1));
    }

    #[test]
    fn depth_is_bounded() {
        let deep = format!("http://a.example/{}", "x/".repeat(5000));
        assert_eq!(names(&deep).len(), MAX_LEVELS + 1);
    }
}
