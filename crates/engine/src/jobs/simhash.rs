//! Near-duplicates by their text: 64-bit simhash of word triples (Charikar 2002; Manku et al. 2007,
//! where three differing bits are the threshold for web pages), and an index of those delivered.

use std::collections::HashMap;

/// Differing bits of two texts that are the same page.
const MAX_DISTANCE: u32 = 3;
/// Shorter texts share most of their words with others of their kind: they are the same only when
/// equal, which the hash of the whole text says.
const MIN_WORDS: usize = 100;
/// Texts of fewer words say nothing: an empty page is no copy of another.
const MIN_WORDS_EQUAL: usize = 8;
/// Words of one feature.
const SHINGLE: usize = 3;

/// The hash of a text; `None` when it is too short to say anything.
pub(super) fn simhash(text: &str) -> Option<i64> {
    let words: Vec<u64> = labels(text).flat_map(words).map(mix_word).collect();
    if words.len() < MIN_WORDS_EQUAL {
        return None;
    }
    if words.len() < MIN_WORDS {
        let joined = words.iter().fold(0, |sum, word| mix(sum ^ word));
        return Some(joined.cast_signed());
    }
    let mut votes = Votes::default();
    let shingles = words.windows(SHINGLE);
    let half = shingles.len() / 2;
    for shingle in shingles {
        votes.add(shingle.iter().fold(0, |sum, word| mix(sum ^ word)));
    }
    let hash = (0..64).fold(0u64, |hash, bit| {
        hash | u64::from(votes.count(bit) > half) << bit
    });
    Some(hash.cast_signed())
}

/// How many features have each bit, as 64 binary counters side by side: a row holds the same digit
/// of all of them, the lowest first.
#[derive(Default)]
struct Votes([u64; 32]);

impl Votes {
    fn add(&mut self, feature: u64) {
        let mut carry = feature;
        for row in &mut self.0 {
            (*row, carry) = (*row ^ carry, *row & carry);
            if carry == 0 {
                break;
            }
        }
    }

    fn count(&self, bit: usize) -> usize {
        let digits = self.0.iter().enumerate();
        digits.fold(0, |count, (place, row)| {
            count | ((row >> bit & 1) as usize) << place
        })
    }
}

/// Markdown without the targets of its links: a copy under another address has others.
fn labels(text: &str) -> impl Iterator<Item = &str> {
    let mut pieces = text.split("](");
    let first = pieces.next().into_iter();
    first.chain(pieces.map(|piece| piece.split_once(')').map_or("", |(_, rest)| rest)))
}

/// Runs of letters and digits; letters of scripts without spaces stand alone.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .flat_map(|word| {
            let is_apart = word.starts_with(|letter| letter >= '\u{2e80}');
            Pieces { word, is_apart }
        })
}

/// A word as it is, or letter by letter.
struct Pieces<'a> {
    word: &'a str,
    is_apart: bool,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let first = self.word.chars().next()?;
        let end = if self.is_apart {
            first.len_utf8()
        } else {
            self.word.len()
        };
        let (piece, rest) = self.word.split_at(end);
        self.word = rest;
        Some(piece)
    }
}

/// FNV-1a, then mixed.
fn mix_word(word: &str) -> u64 {
    let sum = word.bytes().fold(0xcbf2_9ce4_8422_2325u64, |sum, byte| {
        (sum ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0000_0100_0000_01b3)
    });
    mix(sum)
}

/// The finaliser of MurmurHash3: every bit of the input moves half of the output.
fn mix(mut word: u64) -> u64 {
    word = (word ^ word >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    word = (word ^ word >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    word ^ word >> 33
}

/// Finds among many hashes one within `MAX_DISTANCE`: of four bands of 16 bits one at least must be
/// equal.
#[derive(Debug, Default)]
pub(super) struct Simhashes {
    hashes: Vec<u64>,
    bands: HashMap<(u8, u16), Vec<u32>>,
}

impl Simhashes {
    /// Position of a near one.
    pub(super) fn near(&self, hash: i64) -> Option<usize> {
        let hash = hash.cast_unsigned();
        let candidates = bands(hash)
            .filter_map(|band| self.bands.get(&band))
            .flatten();
        candidates
            .map(|position| *position as usize)
            .find(|position| (self.hashes[*position] ^ hash).count_ones() <= MAX_DISTANCE)
    }

    /// Adds one; its position is the number of those before it.
    pub(super) fn add(&mut self, hash: i64) {
        let position = u32::try_from(self.hashes.len()).unwrap_or(u32::MAX);
        let hash = hash.cast_unsigned();
        self.hashes.push(hash);
        for band in bands(hash) {
            self.bands.entry(band).or_default().push(position);
        }
    }
}

fn bands(hash: u64) -> impl Iterator<Item = (u8, u16)> {
    (0u8..4).map(move |band| (band, (hash >> (16 * band) & 0xffff) as u16))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(words: usize, seed: usize) -> String {
        (0..words)
            .map(|at| format!("word{} ", (at * 7919 + seed) % 1009))
            .collect()
    }

    #[test]
    fn a_page_with_another_date_is_the_same_and_another_page_is_not() {
        let page = text(400, 1);
        let mut index = Simhashes::default();
        index.add(simhash(&text(400, 500)).unwrap());
        index.add(simhash(&page).unwrap());
        let dated = format!("{page} printed on Monday");
        assert_eq!(index.near(simhash(&dated).unwrap()), Some(1));
        assert_eq!(index.near(simhash(&text(400, 77)).unwrap()), None);
    }

    #[test]
    fn where_links_lead_is_no_part_of_the_text() {
        let page = |at: usize| format!("{} [go on](/maze/{at}) and on", text(20, 3));
        assert_eq!(simhash(&page(1)), simhash(&page(2)));
    }

    #[test]
    fn short_texts_are_the_same_only_when_equal() {
        let page = text(40, 1);
        let mut index = Simhashes::default();
        index.add(simhash(&page).unwrap());
        assert_eq!(index.near(simhash(&page.to_uppercase()).unwrap()), Some(0));
        assert_eq!(index.near(simhash(&format!("{page} 2")).unwrap()), None);
        assert_eq!(simhash("Not found"), None);
    }

    #[test]
    fn scripts_without_spaces_have_words_too() {
        assert_eq!(words("山高水長 abc").count(), 5);
        assert!(simhash(&"山高水長月白風清".repeat(20)).is_some());
    }
}
