//! Cuts the kept document into blocks: runs of text and inline elements between block borders.
//! The elements that hold blocks become frames, a smaller tree with sums over their subtrees.

use crate::dom::{Document, Kept, NodeId, Tag};

use super::landmark;
use super::patterns::{Families, NAMES, TEXTS};
use super::text::{self, Counts, TitleWords};

/// What holds for a text because of the elements around it.
pub(crate) mod state {
    /// In a link.
    pub(crate) const LINK: u32 = 1;
    /// In `<b>`, `<strong>` or the like.
    pub(crate) const STRONG: u32 = 1 << 1;
    /// In a button, label or summary.
    pub(crate) const CONTROL: u32 = 1 << 2;
    /// In code.
    pub(crate) const CODE: u32 = 1 << 3;
    /// In `<time>`.
    pub(crate) const TIME: u32 = 1 << 4;
}

/// Sums over a subtree or a block.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sums {
    /// All text.
    pub text: Counts,
    /// Characters in links.
    pub link_chars: u32,
    /// Links.
    pub links: u32,
    /// Blocks.
    pub blocks: u32,
    /// Words in blocks that read as prose.
    pub prose_words: u32,
    /// Headings.
    pub headings: u32,
    /// Images.
    pub images: u32,
    /// Form controls and buttons.
    pub controls: u32,
}

impl Sums {
    fn add(&mut self, other: &Self) {
        self.text += other.text;
        self.link_chars += other.link_chars;
        self.links += other.links;
        self.blocks += other.blocks;
        self.prose_words += other.prose_words;
        self.headings += other.headings;
        self.images += other.images;
        self.controls += other.controls;
    }

    /// Share of the characters that are in links.
    pub(crate) fn link_share(&self) -> f32 {
        ratio(self.link_chars, self.text.chars)
    }
}

/// `part / whole`, 0 for an empty whole.
pub(crate) fn ratio(part: u32, whole: u32) -> f32 {
    if whole == 0 {
        0.0
    } else {
        part as f32 / whole as f32
    }
}

/// An element that holds blocks.
#[derive(Debug)]
pub(crate) struct Frame {
    /// The element.
    pub id: NodeId,
    /// Index of the frame around it; the first frame is its own parent.
    pub parent: u32,
    /// Nearest frame around it that holds more blocks than it does; itself at the top.
    pub up: u32,
    /// Frames above it.
    pub depth: u16,
    /// Landmarks around and including it.
    pub landmarks: u32,
    /// Is it `<pre>` or inside of one? Lines of code may be elements of their own.
    pub in_code: bool,
    /// What its own class and id hint at.
    pub names: Families,
    /// Tag and class as a hash: siblings that look alike.
    pub signature: u64,
    /// Index of its first block.
    pub first_block: u32,
    /// Sums over its subtree.
    pub sums: Sums,
}

/// A run of text between block borders.
#[derive(Debug)]
pub(crate) struct Block {
    /// First node of the run, a child of the frame's element.
    pub first: NodeId,
    /// Last node of the run.
    pub last: NodeId,
    /// Index of its frame.
    pub frame: u32,
    /// Its own sums (`blocks` is 1).
    pub sums: Sums,
    /// Characters in bold, in controls, in code, in `<time>`.
    pub styled: [u32; 4],
    /// What its text hints at, if it is short.
    pub texts: Families,
    /// Hash of its text.
    pub hash: u64,
    /// Ends as a sentence does.
    pub is_sentence: bool,
}

/// The cut document.
#[derive(Debug, Default)]
pub(crate) struct Segments {
    /// In document order; the first is the body or what stands for it.
    pub frames: Vec<Frame>,
    /// In document order.
    pub blocks: Vec<Block>,
}

/// Texts longer than this are not asked for hints: running prose mentions everything.
const MAX_HINT_BYTES: usize = 200;
/// From this many words on, with few links, a block reads as prose.
const MIN_PROSE_WORDS: u32 = 12;

/// Cuts what `kept` keeps below `root`.
pub(crate) fn segment(
    document: &Document,
    kept: &Kept,
    root: NodeId,
    title: &TitleWords,
) -> Segments {
    let holders = holders(document, kept, root);
    let mut cutter = Cutter {
        document,
        title,
        segments: Segments::default(),
        open: Vec::new(),
        run: None,
        buffer: String::new(),
        breaks: 0,
    };
    cutter.open_frame(root);
    for id in document.kept_descendants(root, kept) {
        cutter.close_until(id);
        if holders[id.index()] {
            cutter.open_frame(id);
        } else {
            cutter.inline(id);
        }
    }
    cutter.end_run();
    let mut segments = cutter.segments;
    sum_up(&mut segments);
    segments
}

/// Which elements are borders: block elements and those that hold one.
fn holders(document: &Document, kept: &Kept, root: NodeId) -> Vec<bool> {
    let mut holders = vec![false; document.node_count()];
    for id in document.kept_descendants(root, kept) {
        if !is_border(document.tag(id)) {
            continue;
        }
        holders[id.index()] = true;
        for up in document.ancestors(id) {
            if std::mem::replace(&mut holders[up.index()], true) {
                break;
            }
        }
    }
    holders
}

/// Block elements, and what stands apart although it is none: a button, a custom element.
fn is_border(tag: Tag) -> bool {
    tag.is_block() || matches!(tag, Tag::Button | Tag::Noscript | Tag::Other | Tag::Select)
}

/// Heading level, 0 for other elements.
pub(crate) fn heading_level(tag: Tag) -> u32 {
    match tag {
        Tag::H1 => 1,
        Tag::H2 => 2,
        Tag::H3 => 3,
        Tag::H4 => 4,
        Tag::H5 => 5,
        Tag::H6 => 6,
        _ => 0,
    }
}

struct Cutter<'a> {
    document: &'a Document,
    title: &'a TitleWords,
    segments: Segments,
    /// Open elements: the node, its frame (its own, or the one it is inline in), inherited state.
    open: Vec<(NodeId, u32, u32)>,
    run: Option<Block>,
    /// The run's text in short, for hints and the hash.
    buffer: String,
    /// `<br>`s since the last text.
    breaks: u32,
}

impl Cutter<'_> {
    fn close_until(&mut self, id: NodeId) {
        while let Some(&(open, ..)) = self.open.last() {
            if id < self.document.subtree_end(open) {
                return;
            }
            self.open.pop();
        }
    }

    fn top(&self) -> (u32, u32) {
        self.open
            .last()
            .map_or((0, 0), |&(_, frame, state)| (frame, state))
    }

    fn open_frame(&mut self, id: NodeId) {
        self.end_run();
        let (parent, inherited) = self.top();
        let index = self.segments.frames.len() as u32;
        let tag = self.document.tag(id);
        let (class, own_id) = (
            self.document.attr(id, "class"),
            self.document.attr(id, "id"),
        );
        let names =
            class.map_or(0, |c| NAMES.families(c)) | own_id.map_or(0, |i| NAMES.families(i));
        let above = self.segments.frames.get(parent as usize);
        let landmarks = landmark::of(self.document, id, above.map_or(0, |frame| frame.landmarks));
        let depth = above.map_or(0, |frame| frame.depth + 1);
        let state = inherited | state_of(tag);
        let mut sums = Sums {
            headings: u32::from(heading_level(tag) > 0),
            ..Sums::default()
        };
        sums.controls += u32::from(tag == Tag::Button);
        sums.links += u32::from(tag == Tag::A);
        self.segments.frames.push(Frame {
            id,
            parent,
            up: parent,
            depth,
            landmarks,
            in_code: tag == Tag::Pre || above.is_some_and(|frame| frame.in_code),
            names,
            signature: signature(tag, class.unwrap_or_default()),
            first_block: self.segments.blocks.len() as u32,
            sums,
        });
        self.open.push((id, index, state));
    }

    /// An inline element or a text.
    fn inline(&mut self, id: NodeId) {
        let (frame, inherited) = self.top();
        let tag = self.document.tag(id);
        if let Some(text) = self.document.text(id) {
            self.text(id, text, frame, inherited);
            return;
        }
        match tag {
            Tag::Br => {
                self.breaks += 1;
                if self.breaks == 2 {
                    self.end_run();
                }
            }
            Tag::Img | Tag::Picture | Tag::Video | Tag::Svg | Tag::Iframe => {
                self.segments.frames[frame as usize].sums.images += u32::from(tag != Tag::Picture);
            }
            Tag::Input | Tag::Textarea | Tag::Label => {
                self.segments.frames[frame as usize].sums.controls += 1;
            }
            Tag::A => {
                if let Some(run) = &mut self.run {
                    run.sums.links += 1;
                } else {
                    self.segments.frames[frame as usize].sums.links += 1;
                }
            }
            _ => {}
        }
        self.open.push((id, frame, inherited | state_of(tag)));
    }

    fn text(&mut self, id: NodeId, text: &str, frame: u32, inherited: u32) {
        let counts = text::count(text, self.title);
        if counts.chars == 0 {
            return;
        }
        self.breaks = 0;
        let top = self.child_of_frame(id, frame);
        if self.run.as_ref().is_some_and(|run| run.frame != frame) {
            self.end_run();
        }
        let run = self.run.get_or_insert_with(|| Block {
            first: top,
            last: top,
            frame,
            sums: Sums::default(),
            styled: [0; 4],
            texts: 0,
            hash: 0,
            is_sentence: false,
        });
        run.last = top;
        run.sums.text += counts;
        if inherited & state::LINK != 0 {
            run.sums.link_chars += counts.chars;
        }
        for (bit, styled) in [state::STRONG, state::CONTROL, state::CODE, state::TIME]
            .iter()
            .zip(&mut run.styled)
        {
            if inherited & bit != 0 {
                *styled += counts.chars;
            }
        }
        run.is_sentence = text::ends_as_sentence(text);
        if self.buffer.len() <= MAX_HINT_BYTES {
            let cut = text.floor_char_boundary(2 * MAX_HINT_BYTES);
            for word in text[..cut].split_whitespace() {
                self.buffer.push_str(word);
                self.buffer.push(' ');
            }
        }
    }

    /// The ancestor-or-self of an inline node that is a child of the frame's element.
    fn child_of_frame(&self, id: NodeId, frame: u32) -> NodeId {
        let inline = self
            .open
            .iter()
            .rposition(|&(open, ..)| open == self.segments.frames[frame as usize].id);
        inline
            .and_then(|at| self.open.get(at + 1))
            .map_or(id, |&(open, ..)| open)
    }

    fn end_run(&mut self) {
        self.breaks = 0;
        let Some(mut run) = self.run.take() else {
            return;
        };
        if self.buffer.len() <= MAX_HINT_BYTES {
            run.texts = TEXTS.families(&self.buffer);
        }
        run.hash = hash(&self.buffer) ^ u64::from(run.sums.text.chars);
        self.buffer.clear();
        run.sums.blocks = 1;
        if run.sums.text.words >= MIN_PROSE_WORDS && run.sums.link_share() < 0.4 {
            run.sums.prose_words = run.sums.text.words;
        }
        self.segments.frames[run.frame as usize].sums.add(&run.sums);
        self.segments.blocks.push(run);
    }
}

/// Sums go up the tree, then each frame finds the next larger one.
fn sum_up(segments: &mut Segments) {
    let frames = &mut segments.frames;
    for index in (1..frames.len()).rev() {
        let sums = frames[index].sums;
        let parent = frames[index].parent as usize;
        frames[parent].sums.add(&sums);
    }
    for index in 1..frames.len() {
        let parent = frames[index].parent as usize;
        let is_wrapper = frames[parent].sums.blocks == frames[index].sums.blocks;
        frames[index].up = if is_wrapper && parent > 0 {
            frames[parent].up
        } else {
            parent as u32
        };
    }
}

fn state_of(tag: Tag) -> u32 {
    match tag {
        Tag::A => state::LINK,
        Tag::B | Tag::Strong => state::STRONG,
        Tag::Button | Tag::Label | Tag::Summary | Tag::Option => state::CONTROL,
        Tag::Code | Tag::Pre | Tag::Kbd | Tag::Samp => state::CODE,
        Tag::Time => state::TIME,
        _ => 0,
    }
}

fn signature(tag: Tag, class: &str) -> u64 {
    hash(class).wrapping_mul(257) ^ tag as u64
}

/// FNV-1a over bytes, eight at a time.
fn hash(text: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for chunk in text.as_bytes().chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0100_0000_01b3);
        hash ^= hash >> 29;
    }
    hash
}
