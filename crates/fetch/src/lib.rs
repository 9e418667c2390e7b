//! Turns a plan into bytes, climbing http, browser, stealth only as needed.
//!
//! `plan` says what, `fetched` what came of it, `error` why nothing did. `egress` is the one door
//! through which every connection leaves; `http` is the first rung; `identity` is whom it plays.

mod antibot;
mod egress;
mod error;
mod fetched;
mod glance;
mod http;
mod identity;
mod ladder;
mod plan;
mod robots;
mod rung;

pub use egress::{Door, Resolve, SystemResolver};
pub use error::FetchError;
pub use fetched::{FetchReport, Fetched};
pub use plan::{
    CONNECT_TIMEOUT, FetchConfig, FetchPlan, Identity, Limits, MAX_REDIRECTS, Trust, Validators,
};
pub use robots::Robots;
