//! The store on real SQLite files, as a user of the crate sees it.

mod durability;
mod keeping;
mod sample;
