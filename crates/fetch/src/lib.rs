//! Turns a plan into bytes, climbing http, browser, stealth only as needed.
//!
//! `plan` says what, `fetched` what came of it, `error` why nothing did. `climb` is the story of one
//! fetch; `ladder`, `verdict` and `retry` decide in it; `http` is the first rung; `egress` is the one
//! door through which every connection leaves.

mod antibot;
mod breaker;
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
mod sign;
mod verdict;
mod window;

pub use egress::{Door, Resolve, SystemResolver};
pub use error::FetchError;
pub use fetched::{FetchReport, Fetched};
pub use fetcher::Fetcher;
pub use hosts::Allowance;
pub use plan::{
    CONNECT_TIMEOUT, FetchConfig, FetchPlan, Identity, Limits, MAX_REDIRECTS, Trust, Validators,
};
pub use robots::Robots;
