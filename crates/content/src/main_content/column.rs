//! Columns: blocks at the same place of repeated structures (the prices of a page's cards, the
//! signatures of its posts) are alike to a reader, so what is likely of one is likely of all.

use std::collections::HashMap;

use super::segment::Segments;

/// How much of a block's likelihood its column decides. Between 0.5 and 1 the choice hardly
/// matters; below, less is gained.
const SHARED: f32 = 0.7;
/// Likelihoods closer to 0 and 1 than this are taken for equally sure.
const SURE: f32 = 1e-4;
/// Mixes the signatures of a chain of frames.
const CHAIN_PRIME: u64 = 0x9e37_79b9_7f4a_7c15;

/// By block: its column, a hash of the tags and classes from the top down to its element.
fn columns(segments: &Segments) -> Vec<u64> {
    let mut chains: Vec<u64> = Vec::with_capacity(segments.frames.len());
    for frame in &segments.frames {
        let above = chains.get(frame.parent as usize).copied().unwrap_or(0);
        let mixed = (above ^ frame.signature).wrapping_mul(CHAIN_PRIME);
        chains.push(mixed.rotate_left(23));
    }
    let column = |frame: u32| chains[frame as usize];
    segments.blocks.iter().map(|b| column(b.frame)).collect()
}

/// Moves each block's likelihood towards the mean of its column, in log odds.
pub(crate) fn share(segments: &Segments, probabilities: &mut [f32]) {
    let columns = columns(segments);
    let mut means: HashMap<u64, (f32, f32)> = HashMap::with_capacity(columns.len());
    for (column, p) in columns.iter().zip(probabilities.iter()) {
        let mean = means.entry(*column).or_default();
        mean.0 += log_odds(*p);
        mean.1 += 1.0;
    }
    for (column, p) in columns.iter().zip(probabilities) {
        let (sum, count) = means[column];
        let mixed = (1.0 - SHARED) * log_odds(*p) + SHARED * sum / count;
        *p = 1.0 / (1.0 + (-mixed).exp());
    }
}

fn log_odds(p: f32) -> f32 {
    let p = p.clamp(SURE, 1.0 - SURE);
    (p / (1.0 - p)).ln()
}

#[cfg(test)]
mod tests {
    use super::super::segment::segment;
    use super::super::text::TitleWords;
    use super::*;
    use crate::dom::{Document, Kept};

    #[test]
    fn the_fields_of_cards_are_decided_together() {
        let card = "<li><h3>Lamp</h3><p class=price>12</p></li>";
        let html = format!("<ul>{}</ul><p>Imprint</p>", card.repeat(3));
        let document = Document::of(&html);
        let body = document.body().unwrap();
        let segments = segment(
            &document,
            &Kept::all(&document),
            body,
            &TitleWords::default(),
        );
        let mut probabilities = [0.9, 0.2, 0.6, 0.4, 0.9, 0.3, 0.1];
        share(&segments, &mut probabilities);
        assert!(
            probabilities[2] > 0.7 && probabilities[3] < 0.35,
            "{probabilities:?}"
        );
        assert!((probabilities[6] - 0.1).abs() < 1e-3, "{probabilities:?}");
    }
}
