//! Turns a plan into bytes, climbing http, browser, stealth only as needed.

mod antibot;
mod glance;
mod ladder;
mod robots;

pub use robots::Robots;
