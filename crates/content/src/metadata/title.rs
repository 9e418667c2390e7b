//! The title without the site's name: the page's main heading when it says what `title` and OpenGraph
//! say, otherwise what is left of these when the site's name is taken off.

use super::body::{Body, Heading};
use crate::text::fold;

/// What stands between a title and a site's name.
const SEPARATORS: [&str; 12] = [
    " | ", " - ", " – ", " — ", " · ", " • ", " » ", " « ", " :: ", " ~ ", " / ", "|",
];
/// Share of the shorter text's words that two wordings of one title have in common.
const AGREEMENT: f32 = 0.6;

/// Everything that may hold the title.
pub(super) struct Titles<'a> {
    /// OpenGraph, schema.org, `<title>` and the others in the order of trust.
    pub(super) declared: Vec<&'a str>,
    /// Names of the site, its host's label among them.
    pub(super) site: Vec<&'a str>,
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
    let headings: Vec<(&Heading, Vec<String>)> = body
        .headings
        .iter()
        .filter(is_own)
        .map(|heading| (heading, words(&heading.text)))
        .collect();
    let find = |says: fn(&Declared, &[String]) -> bool| {
        let said = |heading: &[String]| declared.iter().any(|title| says(title, heading));
        headings
            .iter()
            .find(|(_, words)| said(words))
            .map(|(heading, _)| *heading)
    };
    let shown = find(Declared::is_made_of).or_else(|| find(Declared::contains));
    if let Some(heading) = shown {
        return (Some(heading.text.clone()), Some(heading));
    }
    // A heading that adds to the title ("… (158 items)") confirms its first part.
    let longer = find(Declared::starts_in);
    if let Some((heading, title)) = longer.zip(declared.first()) {
        return (Some(title.first.clone()), Some(heading));
    }
    if let Some(heading) = find(Declared::is_near) {
        return (Some(heading.text.clone()), Some(heading));
    }
    let heading = headings.first().map(|(heading, _)| *heading);
    let heading = heading.or_else(|| body.headings.iter().find(|heading| !heading.is_aside));
    let title = declared.into_iter().next().map(|title| title.first);
    (
        title.or_else(|| heading.map(|heading| heading.text.clone())),
        heading,
    )
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

    fn starts_in(&self, heading: &[String]) -> bool {
        let first = words(&self.first);
        first.len() > 1 && heading.windows(first.len()).any(|run| run == first)
    }

    fn is_near(&self, heading: &[String]) -> bool {
        let shared = heading
            .iter()
            .filter(|word| self.words.contains(word))
            .count();
        let shorter = heading.len().min(self.words.len());
        shorter > 0 && shared as f32 >= AGREEMENT * shorter as f32
    }
}

/// Takes the site's name off, before or after.
pub(super) fn without_site(title: &str, site: &[&str]) -> String {
    let mut rest = title.trim();
    loop {
        let cut = SEPARATORS.iter().find_map(|separator| {
            let last = rest
                .rsplit_once(separator)
                .filter(|(_, name)| is_site(name, site));
            let first = || {
                rest.split_once(separator)
                    .filter(|(name, _)| is_site(name, site))
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
