//! What the sitemaps of a crawl's site list: fetched beside the first pages, sown by the handful.

use std::sync::Arc;

use tokio::task::JoinHandle;
use trawls_content::ListedPage;

use super::plan::Plan;
use crate::{engine::Rooms, sitemaps};

/// Entries of one step.
const HANDFUL: usize = 2000;
/// More than any site lists; about a gigabyte of sitemaps.
const MAX_SEEDS: usize = 5_000_000;

/// Where the sowing stands.
pub(super) enum Seeds {
    /// The sitemaps are being fetched.
    Coming(JoinHandle<Vec<ListedPage>>),
    /// So much is left, the next one last.
    Here(Vec<ListedPage>),
}

impl Seeds {
    /// Begins to fetch them, if the plan wants them. A job that is taken up again asks again: it
    /// knows what it has.
    pub(super) fn new(rooms: &Arc<Rooms>, plan: &Plan) -> Self {
        if !plan.uses_sitemap {
            return Self::Here(Vec::new());
        }
        let (rooms, request) = (Arc::clone(rooms), plan.scrape.clone());
        Self::Coming(tokio::spawn(async move {
            let mut pages = sitemaps::gather(rooms, request, MAX_SEEDS).await;
            pages.reverse();
            pages
        }))
    }

    /// Ready when they are here; never, if they are already.
    pub(super) async fn come(&mut self) {
        match self {
            Self::Coming(task) => {
                // A panic in it would be logged by nobody: a crawl without seeds goes on.
                let pages = task.await.unwrap_or_default();
                *self = Self::Here(pages);
            }
            Self::Here(_) => std::future::pending().await,
        }
    }

    /// The next ones.
    pub(super) fn handful(&mut self) -> Vec<ListedPage> {
        match self {
            Self::Coming(_) => Vec::new(),
            Self::Here(pages) => {
                let rest = pages.len().saturating_sub(HANDFUL);
                let mut handful = pages.split_off(rest);
                handful.reverse();
                handful
            }
        }
    }

    /// Nothing more will come.
    pub(super) fn is_over(&self) -> bool {
        matches!(self, Self::Here(pages) if pages.is_empty())
    }
}

impl Drop for Seeds {
    fn drop(&mut self) {
        if let Self::Coming(task) = self {
            task.abort();
        }
    }
}
