//! The store on real SQLite files, as a user of the crate sees it.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod browser;
mod durability;
mod keeping;
mod sample;
