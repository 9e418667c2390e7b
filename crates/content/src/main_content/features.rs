//! What the scorer sees of each block: one row of numbers, the same for training and for reading.
//! The order of the columns is the model's; a change here needs a new `model.bin`.

use std::{collections::HashMap, sync::LazyLock};

use crate::dom::{Document, Tag};

use super::landmark;
use super::patterns::{NAME_FAMILIES, TEXT_FAMILIES};
use super::segment::{Block, Frame, Segments, Sums, heading_level, ratio};
use super::signals;
use super::text::TitleWords;

/// Rows of numbers, one per block.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// Columns.
    pub width: usize,
    /// Row after row.
    pub values: Vec<f32>,
}

/// How many frames upwards a block looks at, each larger than the one before.
const LEVELS: usize = 5;
/// Stands for "no such ancestor" in distances.
const FAR: f32 = 30.0;
/// Longest distance to an ancestor that is told apart.
const MAX_DISTANCE: usize = 20;

/// Everything the columns are made of.
pub(crate) struct Features<'a> {
    document: &'a Document,
    segments: &'a Segments,
    title: &'a TitleWords,
    signals: [f32; signals::COUNT],
    /// By frame: how many siblings look alike, and their words.
    alike: Vec<(u32, u32)>,
    /// By block: how often its text occurs, and which occurrence it is.
    repeats: Vec<(u32, u32)>,
    /// Words in the blocks before, one more entry than blocks.
    words_before: Vec<u32>,
    /// The same for characters in links.
    links_before: Vec<u32>,
    chars_before: Vec<u32>,
    /// Words before the first `<h1>`.
    title_at: Option<u32>,
}

impl<'a> Features<'a> {
    /// Looks at the whole page once.
    pub(crate) fn new(
        document: &'a Document,
        segments: &'a Segments,
        title: &'a TitleWords,
        path: &str,
    ) -> Self {
        let running = |of: fn(&Sums) -> u32| {
            let mut sum = 0;
            let mut sums = vec![0];
            sums.extend(segments.blocks.iter().map(|block| {
                sum += of(&block.sums);
                sum
            }));
            sums
        };
        let words_before = running(|sums| sums.text.words);
        let is_title =
            |block: &Block| document.tag(segments.frames[block.frame as usize].id) == Tag::H1;
        let title_at = segments
            .blocks
            .iter()
            .position(is_title)
            .map(|index| words_before[index]);
        Self {
            document,
            segments,
            title,
            signals: signals::signals(document, path),
            alike: alike(&segments.frames),
            repeats: repeats(&segments.blocks),
            words_before,
            title_at,
            links_before: running(|sums| sums.link_chars),
            chars_before: running(|sums| sums.text.chars),
        }
    }

    /// The whole table.
    pub(crate) fn table(&self) -> Table {
        let blocks = &self.segments.blocks;
        let Some(page) = self.segments.frames.first().map(|frame| frame.sums) else {
            return Table::default();
        };
        let page_columns = self.page(&page);
        let mut values = Vec::new();
        let mut width = 0;
        let mut past = Past::default();
        for (index, block) in blocks.iter().enumerate() {
            let start = values.len();
            self.own(block, &mut values);
            self.place(index, &past, &mut values);
            self.around(block, &mut values);
            self.levels(index, &page, &mut values);
            self.neighbours(index, &mut values);
            self.repeated(index, &mut values);
            hints(block.texts, TEXT_FAMILIES.len(), &mut values);
            hints(past.hints, TEXT_FAMILIES.len(), &mut values);
            values.extend_from_slice(&page_columns);
            past.step(block, self.level(block));
            width = values.len() - start;
            if index == 0 {
                values.reserve(width * blocks.len());
            }
        }
        Table { width, values }
    }

    fn frame(&self, block: &Block) -> &Frame {
        &self.segments.frames[block.frame as usize]
    }

    fn level(&self, block: &Block) -> u32 {
        heading_level(self.document.tag(self.frame(block).id))
    }

    fn own(&self, block: &Block, row: &mut Vec<f32>) {
        let text = &block.sums.text;
        let words = text.words;
        row.extend([
            log(words),
            log(text.chars),
            ratio(text.chars, words),
            block.sums.link_share(),
            ratio(block.sums.links, words),
            ratio(text.capitals, words),
            ratio(text.shorts, words),
            ratio(text.digits, text.chars),
            ratio(text.commas, words),
            ratio(text.stops, words),
            text.stops.min(20) as f32,
            ratio(text.money, words),
            ratio(text.bars, words),
            ratio(text.title_words, words),
            ratio(text.title_words, self.title.len() as u32),
            f32::from(block.is_sentence),
        ]);
        row.extend(block.styled.map(|chars| ratio(chars, text.chars)));
        let frame = self.frame(block);
        row.push(tag_code(self.document.tag(frame.id)));
        row.push(tag_code(
            self.document
                .tag(self.segments.frames[frame.parent as usize].id),
        ));
    }

    fn place(&self, index: usize, past: &Past, row: &mut Vec<f32>) {
        let total = self.words_before.last().copied().unwrap_or(0);
        let before = self.words_before[index];
        row.extend([
            ratio(index as u32, self.segments.blocks.len() as u32),
            ratio(before, total),
            log(before),
            log(total - before),
            log(past.words_since_first_heading),
            past.headings.min(50) as f32,
            log(past.words_since_heading),
            past.blocks_since_heading.min(50) as f32,
            past.heading_level as f32,
            f32::from(past.first_heading_seen),
            self.title_at.map_or(0.0, |at| before as f32 - at as f32),
        ]);
    }

    /// Landmarks and names on the way up.
    fn around(&self, block: &Block, row: &mut Vec<f32>) {
        let frames = &self.segments.frames;
        let own = self.frame(block);
        row.extend((0..landmark::COUNT).map(|bit| ((own.landmarks >> bit) & 1) as f32));
        row.push(f32::from(own.depth));
        let mut distances = [FAR; NAME_FAMILIES.len()];
        let mut index = block.frame;
        let mut seen = 0;
        for distance in 0..MAX_DISTANCE {
            let frame = &frames[index as usize];
            let mut fresh = frame.names & !seen;
            seen |= frame.names;
            while fresh != 0 {
                distances[fresh.trailing_zeros() as usize] = distance as f32;
                fresh &= fresh - 1;
            }
            if index == 0 {
                break;
            }
            index = frame.parent;
        }
        row.extend(distances);
    }

    /// Sums over larger and larger frames around the block.
    fn levels(&self, at: usize, page: &Sums, row: &mut Vec<f32>) {
        let block = &self.segments.blocks[at];
        let frames = &self.segments.frames;
        let mut index = block.frame;
        for _ in 0..LEVELS {
            let frame = &frames[index as usize];
            let sums = &frame.sums;
            row.extend([
                log(sums.text.words),
                sums.link_share(),
                ratio(sums.text.words, sums.blocks),
                ratio(sums.text.words, page.text.words),
                ratio(sums.prose_words, sums.text.words),
                ratio(sums.images, sums.blocks),
                ratio(sums.controls, sums.blocks),
                ratio(sums.headings, sums.blocks),
                ratio(
                    self.words_before[at] - self.words_before[frame.first_block as usize],
                    sums.text.words,
                ),
            ]);
            index = frame.up;
        }
        // The first frame that holds half of the page, and the one below it.
        let (mut index, mut below, mut steps) = (block.frame, block.frame, 0);
        while index != 0 && frames[index as usize].sums.text.words * 2 < page.text.words {
            below = index;
            index = frames[index as usize].up;
            steps += 1;
        }
        let (half, part) = (&frames[index as usize], &frames[below as usize]);
        row.extend([
            steps as f32,
            f32::from(half.depth),
            half.sums.link_share(),
            ratio(half.sums.text.words, page.text.words),
            ratio(part.sums.text.words, half.sums.text.words),
            part.sums.link_share(),
            ratio(part.sums.prose_words, page.prose_words),
            tag_code(self.document.tag(part.id)),
        ]);
        self.repeated_group(block, page, row);
    }

    /// The nearest ancestor that stands among at least three alike: a card, an entry, a post.
    fn repeated_group(&self, block: &Block, page: &Sums, row: &mut Vec<f32>) {
        let frames = &self.segments.frames;
        let mut index = block.frame;
        let mut distance = 0;
        let mut found = [0.0, 0.0, 0.0, 0.0, FAR, 0.0, 0.0];
        let mut largest = (0, 0.0, 0.0);
        loop {
            let frame = &frames[index as usize];
            let (count, words) = self.alike[index as usize];
            if count >= 3 {
                if found[0] == 0.0 {
                    found = [
                        log(count),
                        ratio(words, count),
                        frame.sums.link_share(),
                        ratio(words, page.text.words),
                        distance as f32,
                        ratio(frame.sums.images, 1),
                        frame.sums.blocks as f32,
                    ];
                }
                if words > largest.0 {
                    largest = (words, ratio(words, count), log(count));
                }
            }
            if index == 0 {
                break;
            }
            index = frame.parent;
            distance += 1;
        }
        row.extend(found);
        row.extend([ratio(largest.0, page.text.words), largest.1, largest.2]);
    }

    fn neighbours(&self, index: usize, row: &mut Vec<f32>) {
        let blocks = &self.segments.blocks;
        for offset in [-2_isize, -1, 1, 2] {
            let near = index
                .checked_add_signed(offset)
                .and_then(|at| blocks.get(at));
            match near {
                Some(near) => row.extend([
                    log(near.sums.text.words),
                    near.sums.link_share(),
                    self.level(near) as f32,
                    f32::from(near.is_sentence),
                ]),
                None => row.extend([-1.0, -1.0, -1.0, -1.0]),
            }
        }
        for reach in [5, 20] {
            let (from, to) = (
                index.saturating_sub(reach),
                (index + reach + 1).min(blocks.len()),
            );
            let words = self.words_before[to] - self.words_before[from];
            let chars = self.chars_before[to] - self.chars_before[from];
            let links = self.links_before[to] - self.links_before[from];
            row.extend([ratio(words, (to - from) as u32), ratio(links, chars)]);
        }
    }

    fn repeated(&self, index: usize, row: &mut Vec<f32>) {
        let (count, nth) = self.repeats[index];
        row.extend([log(count), nth.min(20) as f32]);
    }

    /// What is the same for all blocks of a page.
    fn page(&self, page: &Sums) -> Vec<f32> {
        let frames = &self.segments.frames;
        let with = |bit: u32| {
            let inside = |frame: &&Frame| {
                frame.landmarks & bit != 0 && frames[frame.parent as usize].landmarks & bit == 0
            };
            frames
                .iter()
                .skip(1)
                .filter(inside)
                .fold((0, 0), |(n, words), frame| {
                    (n + 1, words + frame.sums.text.words)
                })
        };
        let (articles, article_words) = with(landmark::ARTICLE);
        let (mains, main_words) = with(landmark::MAIN);
        let longest = self
            .segments
            .blocks
            .iter()
            .map(|block| block.sums.text.words)
            .max()
            .unwrap_or(0);
        let group = self
            .alike
            .iter()
            .map(|&(count, words)| if count >= 3 { words } else { 0 })
            .max()
            .unwrap_or(0);
        let mut row = vec![
            log(page.text.words),
            log(page.blocks),
            page.link_share(),
            ratio(page.prose_words, page.text.words),
            log(page.prose_words),
            ratio(page.images, page.blocks),
            ratio(page.controls, page.blocks),
            ratio(page.text.money, page.blocks),
            ratio(page.headings, page.blocks),
            articles.min(50) as f32,
            ratio(article_words, page.text.words),
            mains.min(5) as f32,
            ratio(main_words, page.text.words),
            log(longest),
            ratio(group, page.text.words),
        ];
        row.extend(self.signals);
        row
    }
}

/// What came before a block.
#[derive(Default)]
struct Past {
    first_heading_seen: bool,
    words_since_first_heading: u32,
    words_since_heading: u32,
    blocks_since_heading: u32,
    headings: u32,
    heading_level: u32,
    /// Hints of the last heading.
    hints: u64,
}

impl Past {
    fn step(&mut self, block: &Block, level: u32) {
        let words = block.sums.text.words;
        self.words_since_heading += words;
        self.words_since_first_heading += words;
        self.blocks_since_heading += 1;
        if level == 0 {
            return;
        }
        self.headings += 1;
        self.heading_level = level;
        self.hints = block.texts;
        (self.words_since_heading, self.blocks_since_heading) = (0, 0);
        if level == 1 && !self.first_heading_seen {
            self.first_heading_seen = true;
            self.words_since_first_heading = 0;
        }
    }
}

/// `ln(1 + count)`; most counts are small and asked for again and again.
fn log(count: u32) -> f32 {
    static SMALL: LazyLock<Vec<f32>> =
        LazyLock::new(|| (0..4096).map(|count| (count as f32).ln_1p()).collect());
    match SMALL.get(count as usize) {
        Some(&log) => log,
        None => (count as f32).ln_1p(),
    }
}

fn hints(set: u64, count: usize, row: &mut Vec<f32>) {
    row.extend((0..count).map(|bit| ((set >> bit) & 1) as f32));
}

/// Siblings with the same tag and class: how many there are, and their words together.
fn alike(frames: &[Frame]) -> Vec<(u32, u32)> {
    let mut groups: HashMap<(u32, u64), (u32, u32)> = HashMap::with_capacity(frames.len());
    for frame in frames.iter().skip(1) {
        let group = groups.entry((frame.parent, frame.signature)).or_default();
        group.0 += 1;
        group.1 += frame.sums.text.words;
    }
    let mut alike: Vec<_> = frames
        .iter()
        .map(|frame| {
            groups
                .get(&(frame.parent, frame.signature))
                .copied()
                .unwrap_or((1, 0))
        })
        .collect();
    if let Some(first) = alike.first_mut() {
        *first = (1, 0);
    }
    alike
}

fn repeats(blocks: &[Block]) -> Vec<(u32, u32)> {
    let mut counts: HashMap<u64, u32> = HashMap::with_capacity(blocks.len());
    let nth: Vec<u32> = blocks
        .iter()
        .map(|block| {
            let count = counts.entry(block.hash).or_default();
            *count += 1;
            *count
        })
        .collect();
    blocks
        .iter()
        .zip(nth)
        .map(|(block, nth)| (counts.get(&block.hash).copied().unwrap_or(1), nth))
        .collect()
}

/// Tags as numbers, like ones close together, so that a threshold can part them.
fn tag_code(tag: Tag) -> f32 {
    let code = match tag {
        Tag::H1 => 0,
        Tag::H2 => 1,
        Tag::H3 => 2,
        Tag::H4 => 3,
        Tag::H5 => 4,
        Tag::H6 => 5,
        Tag::P => 6,
        Tag::Pre => 7,
        Tag::Blockquote => 8,
        Tag::Figcaption | Tag::Caption => 9,
        Tag::Td => 10,
        Tag::Th => 11,
        Tag::Dd => 12,
        Tag::Dt => 13,
        Tag::Li => 14,
        Tag::Article => 15,
        Tag::Main => 16,
        Tag::Section => 17,
        Tag::Div => 18,
        Tag::Other => 19,
        Tag::Span => 20,
        Tag::A => 21,
        Tag::Ul | Tag::Ol => 22,
        Tag::Summary | Tag::Details => 23,
        Tag::Label | Tag::Legend | Tag::Fieldset | Tag::Form => 24,
        Tag::Button | Tag::Option | Tag::Select => 25,
        Tag::Header | Tag::Hgroup => 26,
        Tag::Aside => 27,
        Tag::Footer => 28,
        Tag::Nav => 29,
        Tag::Body => 30,
        _ => 31,
    };
    code as f32
}
