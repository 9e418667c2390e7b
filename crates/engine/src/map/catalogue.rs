//! All URLs of one map, each once, with everything that is known of it.

use std::collections::HashMap;

use trawls_contract::{MapLink, MapRequest, MapResult, MapSource};
use url::Url;

use super::{
    MAX_URLS,
    survey::{Start, Survey, bounds},
};
use crate::{
    address,
    bm25::{Bm25, words},
    jobs::{identity::Identities, scope::Scope},
};

/// Words of links to one URL that are looked at.
const MAX_ANCHOR_BYTES: usize = 300;
/// Scores are shown to this many parts of one.
const PARTS: f64 = 10_000.0;

pub(super) struct Catalogue {
    entries: Vec<Entry>,
    by_identity: HashMap<i64, usize>,
    identities: Identities,
    bounds: Vec<Scope>,
    warnings: Vec<String>,
    /// There is more than this.
    pub(super) is_cut: bool,
}

struct Entry {
    link: MapLink,
    /// Words of the links that lead there.
    anchors: String,
}

impl Catalogue {
    pub(super) fn new(request: &MapRequest, survey: &Survey) -> Self {
        let start = &request.scrape.url;
        let home = match &survey.start {
            Start::Read(home) => home,
            Start::Dead(_) | Start::Unread => start,
        };
        Self {
            entries: Vec::new(),
            by_identity: HashMap::new(),
            identities: Identities {
                ignore_query: request.ignore_query,
            },
            bounds: bounds(request, home),
            warnings: Vec::new(),
            is_cut: false,
        }
    }

    pub(super) fn warn(&mut self, warning: String) {
        self.warnings.push(warning);
    }

    /// What the first pages are and lead to: the nearest to the start first.
    pub(super) fn take(&mut self, survey: Survey) {
        self.is_cut |= survey.is_cut;
        if let Some(start) = survey.seen.first() {
            self.add(&start.url, MapSource::Start, Some(0), "");
        }
        for page in &survey.seen {
            for (url, text) in &page.links {
                self.add(url, MapSource::Link, Some(page.depth + 1), text);
            }
        }
        for page in survey.seen {
            if let Some(entry) = self.entry(&page.url) {
                entry.link.title = page.title;
            }
        }
    }

    /// One more way to a URL, unless it is another site's.
    pub(super) fn add(&mut self, url: &Url, source: MapSource, depth: Option<u32>, text: &str) {
        let is_inside = self.bounds.iter().any(|scope| scope.admit(url, 0).is_ok());
        if !is_inside && source != MapSource::Start {
            return;
        }
        let identity = self.identities.of(url);
        if !self.by_identity.contains_key(&identity) {
            if self.entries.len() >= MAX_URLS {
                self.is_cut = true;
                return;
            }
            self.by_identity.insert(identity, self.entries.len());
            self.entries.push(Entry {
                link: MapLink {
                    url: address::canonical(url).into(),
                    sources: Vec::new(),
                    depth: None,
                    lastmod: None,
                    title: None,
                    score: None,
                },
                anchors: String::new(),
            });
        }
        let Some(entry) = self.entry(url) else {
            return;
        };
        if !entry.link.sources.contains(&source) {
            entry.link.sources.push(source);
        }
        entry.link.depth = entry.link.depth.or(depth);
        if entry.anchors.len() + text.len() < MAX_ANCHOR_BYTES {
            entry.anchors.push_str(text);
            entry.anchors.push(' ');
        }
    }

    /// When a URL was last changed, as its sitemap says.
    pub(super) fn date(&mut self, url: &Url, lastmod: Option<String>) {
        if let Some(entry) = self.entry(url) {
            entry.link.lastmod = entry.link.lastmod.take().or(lastmod);
        }
    }

    fn entry(&mut self, url: &Url) -> Option<&mut Entry> {
        let index = self.by_identity.get(&self.identities.of(url))?;
        self.entries.get_mut(*index)
    }

    /// The whole map, best first when something is looked for.
    pub(super) fn ranked(self, search: Option<&str>) -> MapResult {
        let mut entries = self.entries;
        if let Some(search) = search {
            score(&mut entries, search);
            entries.sort_by(|one, other| f64::total_cmp(&value(other), &value(one)));
        }
        let links: Vec<MapLink> = entries.into_iter().map(|entry| entry.link).collect();
        MapResult {
            total: links.len() as u64,
            links,
            next_cursor: None,
            has_more: false,
            truncated: self.is_cut,
            warnings: self.warnings,
        }
    }
}

fn value(entry: &Entry) -> f64 {
    entry.link.score.unwrap_or_default()
}

fn score(entries: &mut [Entry], search: &str) {
    let mut bm25 = Bm25::new(search);
    let texts: Vec<Vec<String>> = entries.iter().map(text).collect();
    texts.iter().for_each(|text| bm25.learn(text));
    for (entry, text) in entries.iter_mut().zip(&texts) {
        entry.link.score = Some((bm25.score(text) * PARTS).round() / PARTS);
    }
}

/// Words of the path and the query, of the title, and of the links that lead there.
fn text(entry: &Entry) -> Vec<String> {
    let url = Url::parse(&entry.link.url).ok();
    let path = url.as_ref().map_or("", Url::path);
    let query = url.as_ref().and_then(Url::query).unwrap_or_default();
    let title = entry.link.title.as_deref().unwrap_or_default();
    let parts = [path, query, title, &entry.anchors];
    parts.into_iter().flat_map(words).collect()
}

#[cfg(test)]
mod tests {
    use trawls_contract::{MapBody, MapCall};

    use super::*;

    fn catalogue(body: serde_json::Value) -> Catalogue {
        let body: MapBody = serde_json::from_value(body).unwrap();
        let MapCall::New(request) = MapCall::parse(body).unwrap() else {
            panic!("there is no cursor");
        };
        Catalogue::new(&request, &Survey::default())
    }

    fn add(catalogue: &mut Catalogue, url: &str, source: MapSource, text: &str) {
        catalogue.add(&Url::parse(url).unwrap(), source, None, text);
    }

    #[test]
    fn a_url_is_there_once_with_all_its_sources() {
        let mut all = catalogue(serde_json::json!({"url": "https://a.example/"}));
        add(
            &mut all,
            "https://a.example/p?b=1&a=2#x",
            MapSource::Link,
            "",
        );
        add(
            &mut all,
            "https://a.example/p?a=2&b=1&utm_source=m",
            MapSource::Sitemap,
            "",
        );
        add(&mut all, "https://b.example/p", MapSource::Sitemap, "");
        let map = all.ranked(None);
        assert_eq!(map.total, 1);
        assert_eq!(map.links[0].sources, [MapSource::Link, MapSource::Sitemap]);
        assert_eq!(map.links[0].url, "https://a.example/p?b=1&a=2");
    }

    #[test]
    fn words_of_the_url_and_of_links_find_a_page() {
        let mut all = catalogue(serde_json::json!({"url": "https://a.example/"}));
        for page in ["about", "fleet", "harbour"] {
            add(
                &mut all,
                &format!("https://a.example/{page}"),
                MapSource::Link,
                "More",
            );
        }
        add(
            &mut all,
            "https://a.example/4711",
            MapSource::Link,
            "Tide tables",
        );
        add(
            &mut all,
            "https://a.example/tide-tables/2026",
            MapSource::Link,
            "Tide tables",
        );
        let map = all.ranked(Some("tide tables"));
        let urls: Vec<&str> = map.links.iter().map(|link| link.url.as_str()).collect();
        assert_eq!(urls[0], "https://a.example/tide-tables/2026");
        assert_eq!(
            urls[1..3],
            ["https://a.example/4711", "https://a.example/about"]
        );
        assert_eq!(map.links[2].score, Some(0.0));
    }

    #[test]
    fn subdomains_belong_when_they_are_asked_for() {
        for (subdomains, total) in [(false, 0), (true, 1)] {
            let body = serde_json::json!(
                {"url": "https://a.example/", "include_subdomains": subdomains}
            );
            let mut all = catalogue(body);
            add(&mut all, "https://docs.a.example/", MapSource::Sitemap, "");
            assert_eq!(all.ranked(None).total, total);
        }
    }
}
