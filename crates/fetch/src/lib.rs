//! Turns a plan into bytes, climbing http, browser, stealth only as needed.

mod robots;

pub use robots::Robots;
