//! What a site asks of robots: the rules of its robots.txt, and a cache of them.

mod cache;
mod rules;

pub(crate) use cache::{Answer, RobotsCache};
pub use rules::Robots;
