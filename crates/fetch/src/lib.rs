//! Turns a plan into bytes, climbing http, browser, stealth only as needed.
//!
//! `plan` says what, `fetched` what came of it, `error` why nothing did. `climb` is the story of one
//! fetch; `ladder`, `verdict` and `retry` decide in it; `http` is the first rung and `browser` the
//! others; `egress` is the one door through which every connection leaves.

mod antibot;
mod breaker;
mod browser;
mod callers;
mod climb;
mod egress;
mod error;
mod fetched;
mod fetcher;
mod glance;
mod hosts;
mod http;
mod identity;
mod ladder;
mod pace;
mod plan;
mod proxies;
mod retry;
mod robots;
mod rung;
mod rungs;
mod sign;
mod verdict;
mod window;

pub use browser::BrowserFigures;
pub use egress::{Door, Resolve, SystemResolver};
pub use error::FetchError;
pub use fetched::{ActionDone, FetchReport, Fetched, Rendered, Yield};
pub use fetcher::Fetcher;
pub use hosts::Allowance;
pub use plan::{
    BrowserConfig, BrowserSource, BrowserWork, CONNECT_TIMEOUT, FetchConfig, FetchPlan, Frame,
    Identity, Limits, MAX_REDIRECTS, Trust, Validators,
};
pub use robots::Robots;
