//! Pages that were delivered, as far as later ones are compared with them: by final URL, by
//! canonical URL, by text. The first of a kind is the page, the others are its copies.

use std::collections::HashMap;

use trawls_store::{Marked, Marks};

use super::simhash::Simhashes;

/// By what a page is a copy of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likeness {
    /// It redirects to a page that is there.
    FinalUrl,
    /// It names a page that is there as its canonical one.
    Canonical,
    /// Its text is the same, or almost.
    Text,
}

/// The delivered pages of one job.
#[derive(Debug, Default)]
pub(super) struct Twins {
    /// Entry by identity of its final URL.
    urls: HashMap<i64, i64>,
    texts: Simhashes,
    /// Entry by position in `texts`.
    text_entries: Vec<i64>,
}

impl Twins {
    /// Those of a job that is taken up again.
    pub(super) fn of(marked: &[Marked]) -> Self {
        let mut twins = Self::default();
        for Marked { entry, marks } in marked {
            twins.add(*entry, *marks);
        }
        twins
    }

    /// The entry that this page is a copy of. Otherwise the page is remembered as its kind's first.
    pub(super) fn meet(&mut self, entry: i64, marks: Marks) -> Option<(i64, Likeness)> {
        let twin = self.find(marks).filter(|(twin, _)| *twin != entry);
        if twin.is_none() {
            self.add(entry, marks);
        }
        twin
    }

    fn find(&self, marks: Marks) -> Option<(i64, Likeness)> {
        let by_url = |identity: Option<i64>| self.urls.get(&identity?).copied();
        if let Some(entry) = by_url(marks.final_url) {
            return Some((entry, Likeness::FinalUrl));
        }
        let by_text = marks
            .simhash
            .and_then(|hash| self.texts.near(hash))
            .map(|position| self.text_entries[position]);
        // Templates that name the home page as everybody's canonical are common: the text must
        // not contradict it. A page too short for a simhash cannot.
        match (by_url(marks.canonical), by_text) {
            (Some(canonical), Some(text)) if canonical == text => {
                Some((canonical, Likeness::Canonical))
            }
            (Some(canonical), None) if marks.simhash.is_none() => {
                Some((canonical, Likeness::Canonical))
            }
            (_, text) => text.map(|entry| (entry, Likeness::Text)),
        }
    }

    fn add(&mut self, entry: i64, marks: Marks) {
        if let Some(identity) = marks.final_url {
            self.urls.entry(identity).or_insert(entry);
        }
        if let Some(hash) = marks.simhash {
            self.texts.add(hash);
            self.text_entries.push(entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(final_url: i64, canonical: Option<i64>, simhash: Option<i64>) -> Marks {
        Marks {
            final_url: Some(final_url),
            canonical,
            simhash,
        }
    }

    #[test]
    fn the_first_of_a_kind_is_the_page() {
        let mut twins = Twins::default();
        assert_eq!(twins.meet(1, marks(10, None, Some(0))), None);
        let same_target = twins.meet(2, marks(10, None, Some(-1)));
        assert_eq!(same_target, Some((1, Likeness::FinalUrl)));
        assert_eq!(
            twins.meet(3, marks(30, None, Some(7))),
            Some((1, Likeness::Text))
        );
        assert_eq!(twins.meet(4, marks(40, None, Some(-1))), None);
    }

    #[test]
    fn a_canonical_url_is_believed_unless_the_text_says_otherwise() {
        let mut twins = Twins::default();
        assert_eq!(twins.meet(1, marks(10, Some(10), Some(0))), None);
        assert_eq!(twins.meet(2, marks(20, Some(10), Some(-1))), None);
        let copy = twins.meet(3, marks(30, Some(10), Some(1)));
        assert_eq!(copy, Some((1, Likeness::Canonical)));
    }

    #[test]
    fn a_page_is_no_copy_of_itself() {
        let mut twins = Twins::of(&[Marked {
            entry: 1,
            marks: marks(10, None, Some(0)),
        }]);
        assert_eq!(twins.meet(1, marks(10, None, Some(0))), None);
    }
}
