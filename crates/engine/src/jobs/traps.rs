//! Parts of a site without end: paths and queries that grow, calendars, mazes of one page under
//! ever new addresses. Bounded by rules that a crawl names in its counts; nothing here waits or
//! remembers more than a counter per shape of URL.

use std::collections::HashMap;

use trawls_contract::ErrorCode;
use trawls_store::{OwnedJob, PageFilter, Store, StoreError};
use url::Url;

use super::{identity::hash, scope::Cut};

/// Rows read at once.
const PIECE: u32 = 5000;

/// Longer URLs are written by no site for its readers.
const MAX_URL_BYTES: usize = 2000;
/// Filters of shops reach about a dozen.
const MAX_PARAMETERS: usize = 16;
/// `/a/b/a/b/a/b`: a relative link that was meant to be absolute.
const MAX_REPEATS: usize = 3;
/// More segments than any hierarchy has.
const MAX_SEGMENTS: usize = 30;
/// A year of days under one shape: who wants more of a calendar names its pages by a sitemap.
const MAX_DATES: u32 = 366;
/// So many copies of pages under one shape, and hardly anything else, are a maze.
const MAX_COPIES: u32 = 20;
/// Shapes remembered; a site with more has no calendar worth a rule.
const MAX_SHAPES: usize = 100_000;

/// What was seen of each shape.
#[derive(Debug, Default)]
pub(super) struct Traps {
    shapes: HashMap<i64, Shape>,
}

#[derive(Debug, Default)]
struct Shape {
    dates: u32,
    others: u32,
    copies: u32,
    pages: u32,
}

impl Traps {
    /// What a job that is taken up again knew: its links were let in, its pages were learnt.
    ///
    /// # Errors
    /// The database cannot be read.
    pub(super) async fn recall(store: &Store, job: &OwnedJob) -> Result<Self, StoreError> {
        let mut traps = Self::default();
        let mut after = 0;
        loop {
            let entries = store.linked_after(job, after, PIECE).await?;
            let Some((last, _)) = entries.last() else {
                break;
            };
            after = *last;
            for url in entries.iter().filter_map(|(_, url)| Url::parse(url).ok()) {
                let _was_let_in = traps.admit(&url);
            }
        }
        let (all, mut after) = (PageFilter::default(), 0);
        loop {
            let pages = store.job_pages(&job.id, &all, after, PIECE).await?;
            let pages = pages.map(|list| list.items).unwrap_or_default();
            let Some(last) = pages.last() else {
                return Ok(traps);
            };
            after = last.number;
            for page in &pages {
                if let Ok(url) = Url::parse(&page.url) {
                    let code = page.code.as_deref();
                    traps.learn(&url, code == Some(ErrorCode::Duplicate.as_str()));
                }
            }
        }
    }

    /// Is a link that belongs to the crawl worth following?
    pub(super) fn admit(&mut self, url: &Url) -> Result<(), Cut> {
        if url.as_str().len() > MAX_URL_BYTES || parameters(url) > MAX_PARAMETERS {
            return Err(Cut::GrownUrl);
        }
        if repeats(url.path()) {
            return Err(Cut::RepeatingPath);
        }
        let (key, has_date) = shape_of(url);
        if self.shapes.len() >= MAX_SHAPES && !self.shapes.contains_key(&key) {
            return Ok(());
        }
        let shape = self.shapes.entry(key).or_default();
        if shape.copies >= MAX_COPIES && shape.copies > 10 * shape.pages {
            return Err(Cut::Maze);
        }
        // Numbers of which only some look like dates are those of articles.
        let is_calendar = shape.dates >= MAX_DATES && shape.dates > shape.others;
        if has_date && is_calendar {
            return Err(Cut::Calendar);
        }
        let kind = if has_date {
            &mut shape.dates
        } else {
            &mut shape.others
        };
        *kind += 1;
        Ok(())
    }

    /// Takes note of a page: was it only a copy of another one?
    pub(super) fn learn(&mut self, url: &Url, is_copy: bool) {
        let (key, _) = shape_of(url);
        if self.shapes.len() >= MAX_SHAPES && !self.shapes.contains_key(&key) {
            return;
        }
        let shape = self.shapes.entry(key).or_default();
        match is_copy {
            true => shape.copies += 1,
            false => shape.pages += 1,
        }
    }
}

fn parameters(url: &Url) -> usize {
    url.query().map_or(0, |query| query.split('&').count())
}

/// One segment, or a run of segments, again and again.
fn repeats(path: &str) -> bool {
    let segments: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    if segments.len() > MAX_SEGMENTS {
        return true;
    }
    (1..=segments.len() / MAX_REPEATS).any(|length| {
        segments.windows(length * MAX_REPEATS).any(|window| {
            let mut runs = window.chunks(length);
            let first = runs.next();
            // `/1/1/1` is a date or a version.
            let is_word = window[..length]
                .iter()
                .any(|part| part.parse::<u32>().is_err());
            is_word && runs.all(|run| Some(run) == first)
        })
    })
}

/// Any other number of six or eight digits is that of an article.
fn is_month(number: u32) -> bool {
    (1..=12).contains(&(number % 100))
}

fn is_day(number: u32) -> bool {
    (1..=31).contains(&(number % 100)) && is_month(number / 100)
}

/// The URL with every number replaced, and whether its numbers are dates.
fn shape_of(url: &Url) -> (i64, bool) {
    let text = format!("{}?{}", url.path(), url.query().unwrap_or_default());
    let mut shape = String::with_capacity(text.len());
    let (mut years, mut small, mut others) = (0, 0, 0);
    let mut rest = text.as_str();
    while let Some(at) = rest.find(|letter: char| letter.is_ascii_digit()) {
        shape.push_str(&rest[..at]);
        shape.push('#');
        rest = &rest[at..];
        let end = rest
            .find(|letter: char| !letter.is_ascii_digit())
            .unwrap_or(rest.len());
        match rest[..end].parse::<u32>() {
            Ok(1900..=2199) if end == 4 => years += 1,
            // 20240131
            Ok(day @ 19_000_101..=21_991_231) if end == 8 && is_day(day) => (years, small) = (1, 1),
            // 202401
            Ok(month @ 190_001..=219_912) if end == 6 && is_month(month) => (years, small) = (1, 1),
            Ok(1..=53) if end <= 2 => small += 1,
            // `/2024/05/12345.html` is an article, not a day.
            _ => others += 1,
        }
        rest = &rest[end..];
    }
    shape.push_str(rest);
    let host = url.host_str().unwrap_or_default();
    (
        hash(&format!("{host}{shape}")),
        years == 1 && small >= 1 && others == 0,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admit(traps: &mut Traps, url: &str) -> Result<(), Cut> {
        traps.admit(&Url::parse(url).unwrap())
    }

    #[test]
    fn paths_that_repeat_and_queries_that_grow_are_cut() {
        let mut traps = Traps::default();
        for (url, expected) in [
            ("http://a.example/a/b/a/b/a/b/", Err(Cut::RepeatingPath)),
            ("http://a.example/x/x/x", Err(Cut::RepeatingPath)),
            ("http://a.example/x/x/y", Ok(())),
            ("http://a.example/v/1/1/1", Ok(())),
            ("http://a.example/a/b/a/b", Ok(())),
        ] {
            assert_eq!(admit(&mut traps, url), expected, "{url}");
        }
        let grown = format!("http://a.example/?{}", "f=1&".repeat(20));
        assert_eq!(admit(&mut traps, &grown), Err(Cut::GrownUrl));
        let long = format!("http://a.example/{}", "x".repeat(3000));
        assert_eq!(admit(&mut traps, &long), Err(Cut::GrownUrl));
    }

    #[test]
    fn a_calendar_ends_after_a_year_and_a_list_does_not() {
        let mut traps = Traps::default();
        let mut cut = 0;
        for month in 0..1000 {
            let url = format!(
                "http://a.example/cal?y={}&m={}",
                2000 + month / 12,
                1 + month % 12
            );
            cut += u32::from(admit(&mut traps, &url) == Err(Cut::Calendar));
            let list = format!("http://a.example/list?page={month}");
            assert_eq!(admit(&mut traps, &list), Ok(()));
            let post = format!(
                "http://a.example/2024/05/post-{month}-{}",
                "word".repeat(month % 7)
            );
            if month < 300 {
                assert_eq!(admit(&mut traps, &post), Ok(()));
            }
        }
        assert_eq!(cut, 1000 - MAX_DATES);
    }

    #[test]
    fn numbers_of_articles_are_no_calendar() {
        let mut traps = Traps::default();
        for number in 190_001..220_000 {
            let url = format!("http://a.example/article-{number}");
            assert_eq!(admit(&mut traps, &url), Ok(()), "{url}");
        }
    }

    #[test]
    fn a_maze_of_copies_is_left() {
        let mut traps = Traps::default();
        for turn in 0..MAX_COPIES {
            let url = format!("http://a.example/maze/{turn}");
            assert_eq!(admit(&mut traps, &url), Ok(()));
            traps.learn(&Url::parse(&url).unwrap(), true);
        }
        assert_eq!(
            admit(&mut traps, "http://a.example/maze/99"),
            Err(Cut::Maze)
        );
        assert_eq!(admit(&mut traps, "http://a.example/list/99"), Ok(()));
    }
}
