//! In which order a crawl does its entries: a number that is smallest for the next one. Decided
//! when an entry is made, so that the database can keep the order.

use std::collections::HashMap;

use trawls_contract::Strategy;

use super::page::Found;

/// BM25's usual constants (Robertson and Zaragoza 2009).
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Ranks are whole numbers: a score's thousandths decide.
const SCALE: f64 = 1000.0;
/// Levels are this far apart, so that every entry of a level comes before the next.
const LEVEL: i64 = 1 << 40;

/// The order of one job.
#[derive(Debug)]
pub(super) enum Order {
    /// Level by level, in each as found.
    Bfs,
    /// The newest first.
    Dfs,
    /// The one first that fits best.
    BestFirst(Box<Fit>),
}

impl Order {
    pub(super) fn new(strategy: Strategy, search: Option<&str>) -> Self {
        match strategy {
            Strategy::Bfs => Self::Bfs,
            Strategy::Dfs => Self::Dfs,
            Strategy::BestFirst => Self::BestFirst(Box::new(Fit::new(search.unwrap_or_default()))),
        }
    }

    /// The smallest goes first.
    pub(super) fn rank(&mut self, number: i64, depth: u32, found: &Found) -> i64 {
        match self {
            Self::Bfs => i64::from(depth) * LEVEL + number,
            Self::Dfs => -number,
            Self::BestFirst(fit) => {
                let text = format!("{} {}", found.text, found.url.path());
                -((fit.score(&text) * SCALE) as i64)
            }
        }
    }
}

/// How well links fit the words that are looked for: BM25, over the links seen so far.
#[derive(Debug)]
pub(super) struct Fit {
    query: Vec<String>,
    /// Links that hold each word of the query.
    holding: HashMap<String, u32>,
    links: u32,
    words: u64,
}

impl Fit {
    fn new(query: &str) -> Self {
        Self {
            query: words(query).collect(),
            holding: HashMap::new(),
            links: 0,
            words: 0,
        }
    }

    fn score(&mut self, text: &str) -> f64 {
        let words: Vec<String> = words(text).collect();
        self.links += 1;
        self.words += words.len() as u64;
        let mean = self.words as f64 / f64::from(self.links);
        let length = words.len() as f64 / mean.max(1.0);
        let mut score = 0.0;
        for wanted in &self.query {
            let count = words.iter().filter(|word| *word == wanted).count() as f64;
            if count == 0.0 {
                continue;
            }
            let holding = self.holding.entry(wanted.clone()).or_default();
            *holding += 1;
            let (all, with) = (f64::from(self.links), f64::from(*holding));
            let rarity = ((all - with + 0.5) / (with + 0.5) + 1.0).ln();
            score += rarity * count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length));
        }
        score
    }
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;

    fn found(path: &str, text: &str) -> Found {
        Found {
            url: Url::parse("http://a.example").unwrap().join(path).unwrap(),
            identity: 0,
            host: 0,
            text: text.into(),
        }
    }

    #[test]
    fn levels_come_before_deeper_ones_and_the_newest_first_goes_deep() {
        let link = found("/x", "x");
        let mut bfs = Order::new(Strategy::Bfs, None);
        assert!(bfs.rank(900, 1, &link) < bfs.rank(2, 2, &link));
        assert!(bfs.rank(2, 1, &link) < bfs.rank(3, 1, &link));
        let mut dfs = Order::new(Strategy::Dfs, None);
        assert!(dfs.rank(3, 2, &link) < dfs.rank(2, 1, &link));
    }

    #[test]
    fn the_link_that_fits_goes_first() {
        let mut order = Order::new(Strategy::BestFirst, Some("tide tables"));
        let other = order.rank(1, 1, &found("/about", "About us"));
        let part = order.rank(2, 1, &found("/tide", "The tide"));
        let whole = order.rank(3, 1, &found("/tide-tables", "Tide tables"));
        assert!(whole < part && part < other);
    }
}
