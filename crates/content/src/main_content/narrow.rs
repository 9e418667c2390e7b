//! From a decision per block to the mask: what holds no kept block goes, as high up as possible.

use crate::dom::{Document, Kept, NodeId, Tag};

use super::landmark;
use super::segment::Segments;

/// Drops all blocks that `keep` does not name and returns the smallest element around the rest.
pub(crate) fn narrow(
    document: &Document,
    segments: &Segments,
    keep: &[bool],
    kept: &mut Kept,
) -> Option<NodeId> {
    let mut before = vec![0_u32];
    let mut count = 0;
    before.extend(keep.iter().map(|&is_kept| {
        count += u32::from(is_kept);
        count
    }));
    let holds = |from: usize, to: usize| before[to.min(keep.len())] > before[from.min(keep.len())];
    let mut dropped_until = None;
    for frame in &segments.frames {
        if dropped_until.is_some_and(|end| frame.id < end) {
            continue;
        }
        let from = frame.first_block as usize;
        let blocks = frame.sums.blocks as usize;
        let stays = if blocks > 0 {
            holds(from, from + blocks)
        } else {
            // Pictures, rules: they go with the text around them.
            frame.landmarks & landmark::HIDDEN == 0 && holds(from.saturating_sub(1), from + 1)
        };
        if !stays {
            kept.drop(frame.id);
            dropped_until = Some(document.subtree_end(frame.id));
        }
    }
    for (block, _) in segments
        .blocks
        .iter()
        .zip(keep)
        .filter(|(_, is_kept)| !**is_kept)
    {
        let frame = segments.frames[block.frame as usize].id;
        let run = document
            .children(frame)
            .skip_while(|&id| id < block.first)
            .take_while(|&id| id <= block.last);
        for id in run {
            kept.drop(id);
        }
    }
    let root = innermost(document, segments, keep)?;
    Some(segments.frames[root].id)
}

/// The innermost frame around all kept blocks; never a part of a table or list.
pub(crate) fn innermost(document: &Document, segments: &Segments, keep: &[bool]) -> Option<usize> {
    let first = keep.iter().position(|&is_kept| is_kept)?;
    let last = keep.iter().rposition(|&is_kept| is_kept)?;
    let mut index = segments.blocks[first].frame as usize;
    loop {
        let frame = &segments.frames[index];
        let range = frame.first_block as usize..(frame.first_block + frame.sums.blocks) as usize;
        let is_part = matches!(
            document.tag(frame.id),
            Tag::Td
                | Tag::Th
                | Tag::Tr
                | Tag::Thead
                | Tag::Tbody
                | Tag::Tfoot
                | Tag::Caption
                | Tag::Li
                | Tag::Dt
                | Tag::Dd
        );
        if index == 0 || !is_part && range.contains(&first) && range.contains(&last) {
            return Some(index);
        }
        index = frame.parent as usize;
    }
}
