//! What a site asks of robots.

mod rules;

pub use rules::{MAX_ROBOTS_BYTES, Robots};
