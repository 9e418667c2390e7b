//! The title without the site's name: the page's main heading when it says what `title` and OpenGraph
//! say, otherwise what is left of these when the site's name is taken off.

use super::body::{Body, Heading};
use crate::text::fold;

/// What stands between a title and a site's name.
const SEPARATORS: [&str; 12] = [
    " | ", " - ", " – ", " — ", " · ", " • ", " » ", " « ", " :: ", " / ", " ~ ", "|",
];
/// Share of the shorter text's words that two titles of one page have in common.
const AGREEMENT: f32 = 0.6;

/// Everything that may hold the title.
pub(super) struct Titles<'a> {
    /// `<title>`.
    pub(super) document: Option<&'a str>,
    /// OpenGraph, schema.org, Twitter, plain meta: in the order of trust.
    pub(super) declared: Vec<&'a str>,
    /// Names of the site, its host's label among them.
    pub(super) site: Vec<&'a str>,
}

/// The title, and the heading that shows it.
pub(super) fn title<'b>(
    titles: &Titles<'_>,
    body: &'b Body<'_>,
) -> (Option<String>, Option<&'b Heading>) {
    let declared: Vec<String> = titles
        .declared
        .iter()
        .copied()
        .chain(titles.document)
        .map(|title| without_site(title, &titles.site))
        .filter(|title| !title.is_empty())
        .collect();
    let all: Vec<&str> = titles
        .declared
        .iter()
        .copied()
        .chain(titles.document)
        .collect();
    let heading = main_heading(body, &all, &titles.site);
    match heading {
        Some(heading) => (Some(heading.text.clone()), Some(heading)),
        None => (declared.into_iter().next(), None),
    }
}

fn main_heading<'b>(body: &'b Body<'_>, declared: &[&str], site: &[&str]) -> Option<&'b Heading> {
    let declared: Vec<Vec<String>> = declared.iter().map(|title| words(title)).collect();
    let firsts = || {
        body.headings
            .iter()
            .filter(|heading| heading.level == 1 && !is_site(&heading.text, site))
    };
    let agreeing = firsts().find(|heading| agrees(&heading.text, &declared));
    let only = || {
        let mut firsts = firsts();
        firsts.next().filter(|_| firsts.next().is_none())
    };
    let lower = || {
        body.headings
            .iter()
            .filter(|heading| !heading.is_aside)
            .find(|heading| {
                heading.level > 1
                    && declared
                        .iter()
                        .any(|title| title.starts_with(&words(&heading.text)))
                    && words(&heading.text).len() > 1
                    && !is_site(&heading.text, site)
            })
    };
    agreeing.or_else(only).or_else(lower)
}

fn agrees(heading: &str, declared: &[Vec<String>]) -> bool {
    let heading = words(heading);
    declared.iter().any(|title| {
        let shared = heading.iter().filter(|word| title.contains(word)).count();
        let shorter = heading.len().min(title.len());
        shorter > 0 && shared as f32 >= AGREEMENT * shorter as f32
    })
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
