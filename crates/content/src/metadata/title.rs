//! The title without the site's name: the page's main heading when it says what `title` and OpenGraph
//! say, otherwise what is left of these when the site's name is taken off.

use super::body::{Body, Heading};
use crate::text::fold;

/// What stands between a title and a site's name.
const SEPARATORS: [&str; 12] = [
    " | ", " - ", " – ", " — ", " · ", " • ", " » ", " « ", " :: ", " ~ ", " / ", "|",
];
/// Share of the shorter text's words that two wordings of one title have in common. This share and
/// the next are where, on annotated pages, heading and declared title are right equally often.
const AGREEMENT: f32 = 0.5;
/// The share that is enough where the page's address speaks for the heading.
const NAMED_AGREEMENT: f32 = 0.3;
/// So many words of the address more in a heading than in the declared title, and the latter is the
/// same on every page of its site.
const SURELY_NAMED: usize = 2;

/// `The `, `.com`.
const LONGEST_ADDITION: usize = 4;

/// Everything that may hold the title.
pub(super) struct Titles<'a> {
    /// OpenGraph, schema.org, `<title>` and the others in the order of trust.
    pub(super) declared: Vec<&'a str>,
    /// Names of the site, its host's label among them.
    pub(super) site: Vec<&'a str>,
    /// Words of the page's path: of two titles it often names the one that was there first.
    pub(super) path: Vec<String>,
}

impl Titles<'_> {
    /// How many more words of the address are in the first than in the second.
    fn named(&self, first: &[String], second: &[String]) -> usize {
        let count = |words: &[String]| self.path.iter().filter(|word| words.contains(word)).count();
        count(first).saturating_sub(count(second))
    }
}

/// The title, and the heading that the page's text starts with.
pub(super) fn title<'b>(
    titles: &Titles<'_>,
    body: &'b Body<'_>,
) -> (Option<String>, Option<&'b Heading>) {
    let site = &titles.site;
    let declared: Vec<Declared> = titles
        .declared
        .iter()
        .filter_map(|title| Declared::of(title, site))
        .collect();
    let is_own = |heading: &&Heading| heading.level == 1 && !is_site(&heading.text, site);
    let is_of_whole = |heading: &[String]| {
        let mut all = declared.iter();
        all.any(|title| title.ends_in(heading) && titles.named(&title.first_words(), heading) > 0)
    };
    let headings: Vec<Shown<'_>> = body
        .headings
        .iter()
        .filter(is_own)
        .map(|heading| Shown::of(heading, site))
        .filter(|heading| !is_of_whole(&heading.words))
        .collect();
    let find = |says: &dyn Fn(&Declared, &[String]) -> bool| {
        let mut all = headings.iter();
        all.find(|heading| declared.iter().any(|title| says(title, &heading.words)))
    };
    let named = |title: &Declared, heading: &[String]| titles.named(heading, &title.words);
    let same = find(&Declared::is_made_of)
        .or_else(|| find(&Declared::contains))
        .or_else(|| find(&|title, heading| title.starts_in(heading) && named(title, heading) > 0));
    // A heading that adds to the title ("… (158 items)") confirms its first part.
    let longer = find(&Declared::starts_in);
    let near = || {
        let is_near = |title: &Declared, heading: &[String]| {
            let share = title.shares(heading);
            let named = named(title, heading);
            share >= AGREEMENT || share >= NAMED_AGREEMENT && named > 0 || named >= SURELY_NAMED
        };
        find(&is_near)
    };
    let first = declared.first().map(|title| title.first.clone());
    let any = headings.first().map(|shown| shown.heading);
    let any = any.or_else(|| body.headings.iter().find(|heading| !heading.is_aside));
    match (same, longer) {
        (Some(shown), _) => (Some(shown.text.clone()), Some(shown.heading)),
        (None, Some(shown)) => (first, Some(shown.heading)),
        (None, None) => match near() {
            Some(shown) => (Some(shown.text.clone()), Some(shown.heading)),
            None => (first.or_else(|| any.map(|any| any.text.clone())), any),
        },
    }
}

/// A heading of the page, without the site's name.
struct Shown<'b> {
    heading: &'b Heading,
    text: String,
    words: Vec<String>,
}

impl<'b> Shown<'b> {
    fn of(heading: &'b Heading, site: &[&str]) -> Self {
        let text = without_site(&heading.text, site);
        let words = words(&text);
        Self {
            heading,
            text,
            words,
        }
    }
}

/// A declared title without the site's name, and its parts.
struct Declared {
    /// The part before the first separator; all of it when that part is a single word.
    first: String,
    words: Vec<String>,
    parts: Vec<Vec<String>>,
}

impl Declared {
    fn of(title: &str, site: &[&str]) -> Option<Declared> {
        let title = without_site(title, site);
        let mut parts = vec![title.as_str()];
        for separator in SEPARATORS {
            parts = parts
                .into_iter()
                .flat_map(|part| part.split(separator))
                .collect();
        }
        let first = parts.first().copied().filter(|part| words(part).len() > 1);
        let first = first.map_or_else(|| title.clone(), fold);
        let parts = parts.iter().map(|part| words(part)).collect();
        let words = words(&title);
        (!words.is_empty()).then_some(Declared {
            first,
            words,
            parts,
        })
    }

    /// The heading is a run of whole parts.
    fn is_made_of(&self, heading: &[String]) -> bool {
        let is_part = self.parts.iter().any(|part| part == heading);
        let starts = self.words.starts_with(heading) && {
            let lengths = self.parts.iter().scan(0, |sum, part| {
                *sum += part.len();
                Some(*sum)
            });
            lengths.into_iter().any(|length| length == heading.len())
        };
        !heading.is_empty() && (is_part || starts || self.words == heading)
    }

    fn contains(&self, heading: &[String]) -> bool {
        heading.len() > 1 && self.words.windows(heading.len()).any(|run| run == heading)
    }

    fn first_words(&self) -> Vec<String> {
        words(&self.first)
    }

    /// The heading is the last of several parts: perhaps the book that the page is a chapter of.
    fn ends_in(&self, heading: &[String]) -> bool {
        self.parts.len() > 1 && self.parts.last().is_some_and(|part| part == heading)
    }

    fn starts_in(&self, heading: &[String]) -> bool {
        let first = self.first_words();
        first.len() > 1 && heading.windows(first.len()).any(|run| run == first)
    }

    /// Share of the shorter one's words that both have.
    fn shares(&self, heading: &[String]) -> f32 {
        let shared = heading
            .iter()
            .filter(|word| self.words.contains(word))
            .count();
        shared as f32 / heading.len().min(self.words.len()).max(1) as f32
    }
}

/// Takes the site's name off, before or after. Before, it must be all that stands there: a product's
/// name often begins with its maker's.
pub(super) fn without_site(title: &str, site: &[&str]) -> String {
    let mut rest = title.trim();
    loop {
        let cut = SEPARATORS.iter().find_map(|separator| {
            let last = rest
                .rsplit_once(separator)
                .filter(|(_, name)| is_site(name, site));
            let first = || {
                rest.split_once(separator)
                    .filter(|(name, _)| is_name_of(name, site))
            };
            last.map(|(title, _)| title)
                .or_else(|| first().map(|(_, title)| title))
        });
        match cut.map(str::trim).filter(|cut| !cut.is_empty()) {
            Some(cut) => rest = cut,
            None => return fold(rest),
        }
    }
}

/// Is this a name of the site and nothing more, but for an article or a domain's ending?
fn is_name_of(name: &str, site: &[&str]) -> bool {
    let name = squeezed(name);
    is_site(&name, site)
        && site
            .iter()
            .any(|known| name.len() <= squeezed(known).len() + LONGEST_ADDITION)
}

/// Is this one of the site's names, written in any way?
pub(super) fn is_site(name: &str, site: &[&str]) -> bool {
    let name = squeezed(name);
    !name.is_empty()
        && site.iter().any(|known| {
            let known = squeezed(known);
            known == name
                || known.len() > 3 && (name.len() <= 2 * known.len() && name.contains(&known))
        })
}

/// Letters and digits alone, so that `The Verge` is `theverge`.
fn squeezed(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

pub(super) fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(60)
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Document;

    fn read(declared: &[&str], html: &str) -> Option<String> {
        let document = Document::of(html);
        let titles = Titles {
            declared: declared.to_vec(),
            site: vec!["Tidewater Almanac", "almanac"],
            path: words("/guide/reading-the-tables"),
        };
        title(&titles, &Body::of(&document)).0
    }

    #[test]
    fn the_site_is_taken_off_before_and_after() {
        for declared in [
            "Ebb and flow | Tidewater Almanac",
            "Almanac - Ebb and flow",
            "Ebb and flow — The Almanac",
        ] {
            assert_eq!(
                read(&[declared], "").as_deref(),
                Some("Ebb and flow"),
                "{declared}"
            );
        }
    }

    #[test]
    fn the_heading_that_agrees_is_the_title() {
        let html = "<h1>Tidewater Almanac</h1><h1>Ebb &amp; flow: a year</h1><h1>Share</h1>";
        assert_eq!(
            read(&["Ebb & Flow - a year | Sea"], html).as_deref(),
            Some("Ebb & flow: a year")
        );
    }

    #[test]
    fn the_address_decides_between_a_book_and_its_chapter() {
        let html = "<h1>The Book of Tides</h1>";
        assert_eq!(
            read(&["Reading the tables - The Book of Tides"], html).as_deref(),
            Some("Reading the tables")
        );
        let html = "<h1>How to read the tables</h1>";
        assert_eq!(
            read(&["Welcome aboard | Tides"], html).as_deref(),
            Some("How to read the tables")
        );
    }

    #[test]
    fn permalinks_buttons_and_soft_hyphens_are_no_part_of_a_title() {
        let html = "<h1>Tide ta\u{ad}bles<a href=#t>¶</a> <button>Copy path</button></h1>";
        assert_eq!(
            read(&["Tide tables | Sea"], html).as_deref(),
            Some("Tide tables")
        );
        assert_eq!(
            read(&[], "<h1><button>Ebb</button></h1>").as_deref(),
            Some("Ebb")
        );
    }

    #[test]
    fn a_heading_about_something_else_is_not() {
        let html = "<h1>Welcome back!</h1>";
        assert_eq!(
            read(&["Tide tables 2024 | Sea"], html).as_deref(),
            Some("Tide tables 2024")
        );
        assert_eq!(read(&[], html).as_deref(), Some("Welcome back!"));
        assert_eq!(
            read(&["Tidewater Almanac"], "").as_deref(),
            Some("Tidewater Almanac")
        );
    }
}
