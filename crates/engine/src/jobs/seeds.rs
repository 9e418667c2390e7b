//! What the sitemaps of a crawl's site list: fetched beside the first pages, sown by the handful.

use std::sync::Arc;

use tokio::{sync::mpsc, task::JoinHandle};
use trawls_content::ListedPage;

use super::plan::Plan;
use crate::{
    engine::Rooms,
    sitemaps::{self, Sheet},
};

/// Entries of one step.
const HANDFUL: usize = 2000;

/// Where the sowing stands.
#[derive(Default)]
pub(super) struct Seeds {
    /// Sitemaps still to come.
    coming: Option<Coming>,
    /// What is left of the last one, the next page last.
    here: Vec<ListedPage>,
}

struct Coming {
    sheets: mpsc::Receiver<Sheet>,
    task: JoinHandle<()>,
}

impl Seeds {
    /// Begins to fetch them, if the plan wants them. A job that is taken up again asks again: it
    /// knows what it has.
    pub(super) fn new(rooms: &Arc<Rooms>, plan: &Plan) -> Self {
        if !plan.uses_sitemap {
            return Self::default();
        }
        let (sender, sheets) = mpsc::channel(sitemaps::WAITING);
        let (rooms, request) = (Arc::clone(rooms), plan.scrape.clone());
        let task = tokio::spawn(async move { sitemaps::walk(&rooms, &request, sender).await });
        Self {
            coming: Some(Coming { sheets, task }),
            here: Vec::new(),
        }
    }

    /// Ready when there is another sitemap, or that was the last one; never while one is here.
    pub(super) async fn come(&mut self) {
        let Some(coming) = self.coming.as_mut().filter(|_| self.here.is_empty()) else {
            return std::future::pending().await;
        };
        match coming.sheets.recv().await {
            Some(sheet) => {
                self.here = sheet.pages;
                self.here.reverse();
            }
            None => self.coming = None,
        }
    }

    /// The next ones.
    pub(super) fn handful(&mut self) -> Vec<ListedPage> {
        let rest = self.here.len().saturating_sub(HANDFUL);
        let mut handful = self.here.split_off(rest);
        handful.reverse();
        handful
    }

    /// Nothing more will come.
    pub(super) fn is_over(&self) -> bool {
        self.coming.is_none() && self.here.is_empty()
    }
}

impl Drop for Coming {
    fn drop(&mut self) {
        self.task.abort();
    }
}
