//! How well a text fits a few words: BM25 over the texts that were learnt.

use std::collections::HashMap;

/// BM25's usual constants (Robertson and Zaragoza 2009).
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// What is known of the texts so far.
#[derive(Debug)]
pub(crate) struct Bm25 {
    /// Each word of the query once, with the number of texts that hold it.
    holding: HashMap<String, u32>,
    texts: u32,
    words: u64,
}

impl Bm25 {
    pub(crate) fn new(query: &str) -> Self {
        Self {
            holding: words(query).map(|word| (word, 0)).collect(),
            texts: 0,
            words: 0,
        }
    }

    /// One more text.
    pub(crate) fn learn(&mut self, text: &[String]) {
        self.texts += 1;
        self.words += text.len() as u64;
        for (word, holding) in &mut self.holding {
            *holding += u32::from(text.contains(word));
        }
    }

    /// 0 when no word fits. Of a text that was learnt.
    pub(crate) fn score(&self, text: &[String]) -> f64 {
        let mean = self.words as f64 / f64::from(self.texts.max(1));
        let length = text.len() as f64 / mean.max(1.0);
        let score = |(word, holding): (&String, &u32)| {
            let count = text.iter().filter(|other| *other == word).count() as f64;
            let (all, with) = (f64::from(self.texts), f64::from(*holding));
            let rarity = ((all - with + 0.5) / (with + 0.5) + 1.0).ln();
            rarity * count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length))
        };
        self.holding.iter().map(score).sum()
    }
}

/// Words in lower case, of any script that writes them apart.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rare_word_counts_for_more_and_none_for_nothing() {
        let texts = ["the tide", "the boats", "the nets", "the quay"];
        let texts = texts.map(|text| words(text).collect::<Vec<_>>());
        let mut bm25 = Bm25::new("The Tide");
        texts.iter().for_each(|text| bm25.learn(text));
        let [tide, boats, ..] = texts.each_ref().map(|text| bm25.score(text));
        assert!(tide > boats && boats > 0.0);
        assert_eq!(bm25.score(&["harbour".into()]), 0.0);
    }
}
