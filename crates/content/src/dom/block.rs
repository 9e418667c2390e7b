//! Which elements stand on lines of their own, by the browsers' default style.

use super::Tag;

const BLOCKS: &[Tag] = &[
    Tag::Address,
    Tag::Article,
    Tag::Aside,
    Tag::Blockquote,
    Tag::Body,
    Tag::Caption,
    Tag::Center,
    Tag::Dd,
    Tag::Details,
    Tag::Dialog,
    Tag::Dir,
    Tag::Div,
    Tag::Dl,
    Tag::Dt,
    Tag::Fieldset,
    Tag::Figcaption,
    Tag::Figure,
    Tag::Footer,
    Tag::Form,
    Tag::Frameset,
    Tag::H1,
    Tag::H2,
    Tag::H3,
    Tag::H4,
    Tag::H5,
    Tag::H6,
    Tag::Head,
    Tag::Header,
    Tag::Hgroup,
    Tag::Hr,
    Tag::Html,
    Tag::Legend,
    Tag::Li,
    Tag::Listing,
    Tag::Main,
    Tag::Marquee,
    Tag::Menu,
    Tag::Nav,
    Tag::Ol,
    Tag::Optgroup,
    Tag::Option,
    Tag::P,
    Tag::Plaintext,
    Tag::Pre,
    Tag::Search,
    Tag::Section,
    Tag::Summary,
    Tag::Table,
    Tag::Tbody,
    Tag::Td,
    Tag::Tfoot,
    Tag::Th,
    Tag::Thead,
    Tag::Title,
    Tag::Tr,
    Tag::Ul,
    Tag::Xmp,
];

/// The same as a table by tag: walkers ask at every element.
const IS_BLOCK: [bool; 256] = {
    let mut table = [false; 256];
    let mut at = 0;
    while at < BLOCKS.len() {
        table[BLOCKS[at] as usize] = true;
        at += 1;
    }
    table
};

impl Tag {
    /// Does the element stand on lines of its own?
    pub(crate) fn is_block(self) -> bool {
        IS_BLOCK[self as usize]
    }
}
