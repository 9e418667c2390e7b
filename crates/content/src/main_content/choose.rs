//! Which blocks are worth their words: the ones that promise the best F1 together, then what
//! belongs to them by structure. A page is never dropped as a whole.

use std::collections::HashSet;

use crate::dom::{Document, Tag};

use super::cohere::cohere;
use super::column;
use super::landmark;
use super::patterns::{NAME_FAMILIES, family};
use super::segment::{Block, Segments};

/// On a page with fewer words there is nothing to learn from: only landmarks are left out.
const SHORT_PAGE_WORDS: u32 = 60;
/// Cells of a data table are short.
const MAX_CELL_WORDS: u32 = 30;
/// Shorter texts are said twice on purpose (steps, labels, captions); a longer one is the same text
/// again, for another screen. From 12 to 30 words the gain is the same.
const MIN_REPEAT_WORDS: u32 = 30;

/// A decision for each block, and how good it promises to be.
pub(crate) struct Choice {
    /// By block.
    pub keep: Vec<bool>,
    /// The F1 that the probabilities promise.
    pub expected_f1: f32,
}

/// Chooses among the blocks, given how likely each one is content.
pub(crate) fn choose(document: &Document, segments: &Segments, probabilities: &[f32]) -> Choice {
    let mut probabilities = probabilities.to_vec();
    let words = segments
        .frames
        .first()
        .map_or(0, |page| page.sums.text.words);
    if probabilities.len() != segments.blocks.len() || words < SHORT_PAGE_WORDS {
        return short_page(segments);
    }
    column::share(segments, &mut probabilities);
    join_pieces(document, segments, &mut probabilities);
    let (threshold, expected_f1) = best_threshold(segments, &probabilities);
    let mut keep: Vec<bool> = probabilities.iter().map(|&p| p >= threshold).collect();
    keep_title(document, segments, &mut keep);
    cohere(document, segments, &probabilities, &mut keep);
    drop_repeats(segments, &mut keep);
    Choice { keep, expected_f1 }
}

/// The probability at which keeping all blocks above it promises the best F1, and that F1.
fn best_threshold(segments: &Segments, probabilities: &[f32]) -> (f32, f32) {
    let weight = |index: &usize| segments.blocks[*index].sums.text.words as f32;
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|a, b| probabilities[*b].total_cmp(&probabilities[*a]));
    let expected: f32 = order.iter().map(|i| probabilities[*i] * weight(i)).sum();
    let (mut shared, mut kept, mut best) = (0.0, 0.0, (0.5, 0.0));
    for index in &order {
        shared += probabilities[*index] * weight(index);
        kept += weight(index);
        let f1 = 2.0 * shared / (kept + expected).max(1e-6);
        if f1 > best.1 {
            best = (probabilities[*index], f1);
        }
    }
    best
}

/// All but what stands in the page's landmarks; all of it if nothing else is there.
fn short_page(segments: &Segments) -> Choice {
    let aside =
        landmark::NAV | landmark::HEADER | landmark::FOOTER | landmark::ASIDE | landmark::DIALOG;
    let consent = family(NAME_FAMILIES, "consent");
    let is_content = |frame: u32| {
        let frame = &segments.frames[frame as usize];
        frame.landmarks & aside == 0 && frame.names & consent == 0
    };
    let mut keep: Vec<bool> = segments
        .blocks
        .iter()
        .map(|block| is_content(block.frame))
        .collect();
    if !keep.contains(&true) {
        keep.fill(true);
    }
    Choice {
        keep,
        expected_f1: 0.5,
    }
}

/// A data table stands or falls as a whole, and so does code.
fn join_pieces(document: &Document, segments: &Segments, probabilities: &mut [f32]) {
    for frame in &segments.frames {
        let is_piece = match document.tag(frame.id) {
            Tag::Table => frame.sums.text.words < MAX_CELL_WORDS * frame.sums.blocks,
            tag => tag == Tag::Pre,
        };
        if !is_piece || frame.sums.blocks < 2 {
            continue;
        }
        let range = frame.first_block as usize..(frame.first_block + frame.sums.blocks) as usize;
        let (mut words, mut expected) = (0.0, 0.0);
        for (block, p) in segments.blocks[range.clone()]
            .iter()
            .zip(&probabilities[range.clone()])
        {
            let weight = block.sums.text.words as f32 + 0.1;
            words += weight;
            expected += weight * p;
        }
        probabilities[range].fill(expected / words);
    }
}

/// Pages hold a text once per screen size, or once folded and once unfolded; a reader wants it
/// once. Tables repeat themselves on purpose, and so does a manual with code: it tells the same of a
/// parameter at each call.
fn drop_repeats(segments: &Segments, keep: &mut [bool]) {
    let frame = |block: &Block| &segments.frames[block.frame as usize];
    let mut kept = segments.blocks.iter().zip(keep.iter());
    if kept.any(|(block, &is_kept)| is_kept && frame(block).in_code) {
        return;
    }
    let mut seen = HashSet::new();
    for (block, is_kept) in segments.blocks.iter().zip(keep) {
        let can_repeat = frame(block).landmarks & landmark::TABLE != 0
            || block.sums.text.words < MIN_REPEAT_WORDS;
        if *is_kept && !can_repeat {
            *is_kept = seen.insert(block.hash);
        }
    }
}

/// The page's title belongs to its content, even where it stands outside of it.
fn keep_title(document: &Document, segments: &Segments, keep: &mut [bool]) {
    let is_title = |index: &usize| {
        let block = &segments.blocks[*index];
        let frame = &segments.frames[block.frame as usize];
        let in_title = block.sums.text.title_words * 2 > block.sums.text.words;
        document.tag(frame.id) == Tag::H1
            && in_title
            && frame.landmarks & (landmark::NAV | landmark::FOOTER) == 0
    };
    if let Some(index) = (0..keep.len()).find(is_title) {
        keep[index] = true;
    }
}
