//! Reads bytes into a page: text, Markdown, links, metadata. Pure and synchronous: the same bytes
//! give the same page.
//!
//! One immutable DOM is built; each step narrows a mask over it (`read.rs` has their order).

mod address;
mod clean;
mod decode;
mod dom;
mod entities;
#[cfg(test)]
mod hostile;
mod image_source;
mod images;
mod interrupt;
mod links;
mod main_content;
mod markdown;
mod media;
mod metadata;
mod page;
mod plain;
mod read;
mod sitemap;
mod structured;
mod table_grid;
mod tables;
mod text;
#[cfg(test)]
mod whole;

pub use dom::Selector;
pub use interrupt::Interrupt;
#[doc(hidden)]
pub use main_content::training;
pub use page::{Page, RawDocument, ReadError, ReadOptions, Structured, Want};
pub use read::read;
pub use sitemap::{ListedPage, Sitemap};

/// Parses and counts the nodes: what the bench compares with other parsers.
#[doc(hidden)]
pub fn parse_only(html: &str) -> usize {
    dom::Document::parse(html, &Interrupt::new()).map_or(0, |document| document.node_count())
}
