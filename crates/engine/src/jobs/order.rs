//! In which order a crawl does its entries: a number that is smallest for the next one. Decided
//! when an entry is made, so that the database can keep the order.

use trawls_contract::Strategy;

use super::page::Found;
use crate::bm25::{Bm25, words};

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

/// How well links fit the words that are looked for, among those seen so far.
#[derive(Debug)]
pub(super) struct Fit(Bm25);

impl Fit {
    fn new(query: &str) -> Self {
        Self(Bm25::new(query))
    }

    fn score(&mut self, text: &str) -> f64 {
        let words: Vec<String> = words(text).collect();
        self.0.learn(&words);
        self.0.score(&words)
    }
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
