//! The URLs of a site: what its sitemaps list and what its first pages link to, gathered side by
//! side, each URL once, in an order that stays the same from answer to answer.

mod catalogue;
mod survey;

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use tokio::time::Instant;
use trawls_contract::{
    CacheMode, ErrorInfo, InvalidOption, MapBody, MapCall, MapRequest, MapResult, MapSource, Mode,
    ScrapeRequest, SitemapUse,
};

use self::{
    catalogue::Catalogue,
    survey::{Start, Survey},
};
use crate::{
    Engine, EngineError,
    sitemaps::{self, Listed},
};

/// URLs of one map: beyond that it is no list to look at.
const MAX_URLS: usize = 200_000;
/// For one page, so that a slow one does not take the time of all.
const PAGE_TIME: Duration = Duration::from_secs(15);

/// Why there is no map.
#[derive(Debug, thiserror::Error)]
pub enum NoMap {
    /// The body is wrong.
    #[error(transparent)]
    Invalid(#[from] InvalidOption),
    /// The start cannot be had, and no sitemap stands in for it.
    #[error("the start cannot be had")]
    Dead(ErrorInfo),
    /// The rest.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl Engine {
    /// The URLs of a site, or the next ones of an earlier map.
    ///
    /// # Errors
    /// What is wrong with the body, with the start, or with the database.
    pub async fn map(&self, body: MapBody) -> Result<MapResult, NoMap> {
        let mut request = match MapCall::parse(body)? {
            MapCall::New(request) => *request,
            MapCall::Next { cursor, limit } => return self.map_goes_on(&cursor, limit).await,
        };
        let deadline = Instant::now() + request.timeout;
        arrange(&mut request.scrape);
        let catalogue = self.gather(&request, deadline).await?;
        let search = request.search.clone();
        // Of 200,000 URLs ranking takes half a second.
        let ranking = tokio::task::spawn_blocking(move || catalogue.ranked(search.as_deref()));
        let mut map = ranking
            .await
            .map_err(|error| EngineError::Fault(error.to_string()))?;
        if request.titles {
            let many = request.limit.min(map.links.len());
            let first = &mut map.links[..many];
            survey::read_titles(self.rooms(), &request.scrape, first, deadline).await;
        }
        self.first_piece(map, request.limit).await
    }

    async fn gather(&self, request: &MapRequest, deadline: Instant) -> Result<Catalogue, NoMap> {
        // What is left is for titles.
        let share = if request.titles { 0.6 } else { 1.0 };
        let (rooms, time) = (self.rooms(), request.timeout.mul_f64(share));
        let ends = deadline - request.timeout + time;
        let listing = async {
            match request.sitemap {
                SitemapUse::Skip => Listed::default(),
                _ => sitemaps::gather(rooms, &request.scrape, MAX_URLS, time).await,
            }
        };
        let surveying = async {
            match request.sitemap {
                SitemapUse::Only => Survey::default(),
                _ => survey::survey(rooms, request, ends).await,
            }
        };
        let (listed, mut survey) = tokio::join!(listing, surveying);
        if request.sitemap == SitemapUse::Only && listed.pages.is_empty() {
            survey.start = survey::look_at(rooms, &request.scrape, deadline).await;
        }
        let mut catalogue = Catalogue::new(request, &survey);
        match std::mem::take(&mut survey.start) {
            Start::Dead(error) if listed.pages.is_empty() => return Err(NoMap::Dead(error)),
            Start::Dead(error) => catalogue.warn(format!(
                "The start page could not be read ({}): {}",
                error.code.as_str(),
                error.message
            )),
            Start::Read(_) | Start::Unread => {}
        }
        catalogue.take(survey);
        catalogue.is_cut |= listed.is_cut;
        for page in listed.pages {
            catalogue.add(&page.url, MapSource::Sitemap, None, "");
            catalogue.date(&page.url, page.lastmod);
        }
        Ok(catalogue)
    }

    /// The whole map is kept only if this piece is not all of it.
    async fn first_piece(&self, map: MapResult, limit: usize) -> Result<MapResult, NoMap> {
        if map.links.len() <= limit {
            return Ok(map);
        }
        let map = Arc::new(map);
        let store = &self.rooms().store;
        let id = store.keep_map(Arc::clone(&map), Timestamp::now()).await;
        let id = id.map_err(EngineError::from)?;
        let mut first = Arc::unwrap_or_clone(map);
        first.links.truncate(limit);
        Ok(piece(first, &id, 0))
    }

    async fn map_goes_on(&self, cursor: &str, limit: usize) -> Result<MapResult, NoMap> {
        let unknown = || InvalidOption::new("cursor", "is not that of a map of the last hour");
        let (id, from) = cursor.split_once('.').ok_or_else(unknown)?;
        let from: usize = from.parse().map_err(|_| unknown())?;
        let store = &self.rooms().store;
        let map = store.map_piece(id, from, limit, Timestamp::now()).await;
        let map = map.map_err(EngineError::from)?.ok_or_else(unknown)?;
        if map.links.is_empty() {
            return Err(InvalidOption::new("cursor", "is beyond the end of its map").into());
        }
        Ok(piece(map, id, from))
    }
}

/// A map looks at pages as a crawl does, and keeps none.
fn arrange(scrape: &mut ScrapeRequest) {
    scrape.fetch.mode = Mode::Http;
    scrape.fetch.timeout = PAGE_TIME;
    scrape.content.gather_links = true;
    scrape.cache.mode = CacheMode::Bypass;
}

/// A map with the links from place `from` on.
fn piece(mut map: MapResult, id: &str, from: usize) -> MapResult {
    let to = from.saturating_add(map.links.len());
    map.has_more = (to as u64) < map.total;
    map.next_cursor = map.has_more.then(|| format!("{id}.{to}"));
    map
}
