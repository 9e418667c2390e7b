//! Measures of running text: words, characters, marks. Language-agnostic.
//! A word is a run of letters, digits and underscores, as in the quality score.

use std::ops::AddAssign;

/// Counts over a piece of text; they add up over a subtree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Runs of word characters.
    pub words: u32,
    /// Characters that are not white space.
    pub chars: u32,
    /// Words that begin with a capital letter.
    pub capitals: u32,
    /// Words of three characters or fewer without a digit.
    pub shorts: u32,
    /// Digits.
    pub digits: u32,
    /// Commas of any script.
    pub commas: u32,
    /// Full stops, question and exclamation marks of any script.
    pub stops: u32,
    /// Currency signs.
    pub money: u32,
    /// Bars, bullets, arrows and other marks that set menu entries apart.
    pub bars: u32,
    /// Words that the page's title also holds.
    pub title_words: u32,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.words += other.words;
        self.chars += other.chars;
        self.capitals += other.capitals;
        self.shorts += other.shorts;
        self.digits += other.digits;
        self.commas += other.commas;
        self.stops += other.stops;
        self.money += other.money;
        self.bars += other.bars;
        self.title_words += other.title_words;
    }
}

/// Hashes of the words of the page's title, sorted.
#[derive(Debug, Default)]
pub(crate) struct TitleWords(Vec<u32>);

impl TitleWords {
    /// The words of `title`.
    pub(crate) fn new(title: &str) -> Self {
        let mut hashes = Vec::new();
        scan(title, |word| hashes.push(word.hash));
        hashes.sort_unstable();
        hashes.dedup();
        Self(hashes)
    }

    /// How many different words it holds.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    fn has(&self, hash: u32) -> bool {
        !self.0.is_empty() && self.0.binary_search(&hash).is_ok()
    }
}

/// Counts `text`.
pub(crate) fn count(text: &str, title: &TitleWords) -> Counts {
    let mut counts = Counts::default();
    let marks = scan(text, |word| {
        counts.words += 1;
        counts.capitals += u32::from(word.is_capital);
        counts.digits += word.digits;
        counts.shorts += u32::from(word.length <= 3 && word.digits == 0);
        counts.title_words += u32::from(title.has(word.hash));
    });
    counts.chars = marks.chars;
    counts.commas = marks.commas;
    counts.stops = marks.stops;
    counts.money = marks.money;
    counts.bars = marks.bars;
    counts
}

struct Word {
    hash: u32,
    length: u32,
    digits: u32,
    is_capital: bool,
}

impl Default for Word {
    fn default() -> Self {
        Self {
            hash: FNV_BASIS,
            length: 0,
            digits: 0,
            is_capital: false,
        }
    }
}

#[derive(Default)]
struct Marks {
    chars: u32,
    commas: u32,
    stops: u32,
    money: u32,
    bars: u32,
}

const FNV_BASIS: u32 = 0x811c_9dc5;
const FNV_PRIME: u32 = 0x0100_0193;

/// What a character is, as bits.
mod class {
    pub(super) const WORD: u8 = 1;
    pub(super) const DIGIT: u8 = 1 << 1;
    pub(super) const SPACE: u8 = 1 << 2;
    pub(super) const COMMA: u8 = 1 << 3;
    pub(super) const STOP: u8 = 1 << 4;
    pub(super) const MONEY: u8 = 1 << 5;
    pub(super) const BAR: u8 = 1 << 6;

    /// By ASCII code.
    static ASCII: [u8; 128] = {
        let mut table = [0; 128];
        let mut code = 0;
        while code < 128 {
            table[code as usize] = match code {
                b'0'..=b'9' => WORD | DIGIT,
                b'A'..=b'Z' | b'a'..=b'z' | b'_' => WORD,
                b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => SPACE,
                b',' | b';' => COMMA,
                b'.' | b'?' | b'!' => STOP,
                b'$' => MONEY,
                b'|' | b'/' | b'>' => BAR,
                _ => 0,
            };
            code += 1;
        }
        table
    };

    pub(super) fn of(c: char) -> u8 {
        if let Some(&known) = ASCII.get(c as usize) {
            return known;
        }
        match c {
            '،' | '、' | '\u{ff0c}' => COMMA,
            '。' | '\u{ff1f}' | '\u{ff01}' | '؟' | '।' | '…' => STOP,
            '€' | '£' | '¥' | '₹' | '₽' | '₩' => MONEY,
            '•' | '·' | '›' | '»' | '→' | '‹' | '«' | '©' => BAR,
            _ if c.is_alphanumeric() => WORD,
            _ if c.is_whitespace() => SPACE,
            _ => 0,
        }
    }
}

/// One pass over the characters; hands every word to `on_word`.
fn scan(text: &str, mut on_word: impl FnMut(&Word)) -> Marks {
    let mut marks = Marks::default();
    let mut word = Word::default();
    for c in text.chars() {
        let class = class::of(c);
        if class & class::WORD != 0 {
            if word.length == 0 {
                word.is_capital = c.is_uppercase();
            }
            word.length += 1;
            word.digits += u32::from(class & class::DIGIT != 0);
            word.hash = (word.hash ^ lower(c)).wrapping_mul(FNV_PRIME);
            continue;
        }
        if word.length > 0 {
            marks.chars += word.length;
            on_word(&word);
            word = Word::default();
        }
        marks.chars += u32::from(class & class::SPACE == 0);
        marks.commas += u32::from(class & class::COMMA != 0);
        marks.stops += u32::from(class & class::STOP != 0);
        marks.money += u32::from(class & class::MONEY != 0);
        marks.bars += u32::from(class & class::BAR != 0);
    }
    if word.length > 0 {
        marks.chars += word.length;
        on_word(&word);
    }
    marks
}

fn lower(c: char) -> u32 {
    if c.is_ascii() {
        u32::from(c.to_ascii_lowercase())
    } else {
        u32::from(c.to_lowercase().next().unwrap_or(c))
    }
}

/// Does the text end as a sentence does?
pub(crate) fn ends_as_sentence(text: &str) -> bool {
    let last = text.trim_end_matches(|c: char| {
        c.is_whitespace() || matches!(c, '"' | '”' | '’' | ')' | ']' | '»')
    });
    last.ends_with([
        '.', '?', '!', ':', '。', '\u{ff1f}', '\u{ff01}', '؟', '।', '…',
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_of_letters_digits_and_underscores() {
        let counts = count("It's 12 o'clock, snake_case.", &TitleWords::default());
        assert_eq!(counts.words, 6);
        assert_eq!((counts.commas, counts.stops, counts.digits), (1, 1, 2));
    }

    #[test]
    fn title_words_are_found_whatever_their_case() {
        let title = TitleWords::new("The Lamp Oil");
        assert_eq!(count("lamp of OIL and tin", &title).title_words, 2);
    }

    #[test]
    fn a_closing_quote_does_not_hide_the_end_of_a_sentence() {
        assert!(ends_as_sentence("He said “no.” "));
        assert!(!ends_as_sentence("Read more"));
    }
}
