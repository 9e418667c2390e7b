//! A web full of traps: a small HTTP/1.1 server on loopback whose pages are rows of a table.
//!
//! It speaks raw TCP, because most traps are answers that no well-behaved server library would
//! send. It depends on none of our crates, so every one of them may use it in tests.

mod answer;
mod browser_traps;
mod forest;
mod shared;
mod site;
mod traps;

pub use answer::{Answer, Step};
pub use browser_traps::BROWSER_TRAPS;
pub use shared::{sample, shared};
pub use site::{Request, TrapSite};
pub use traps::{TRAPS, Trap};
