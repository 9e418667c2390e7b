//! The words that callers and crates share: options, requests, results, errors, jobs.
//!
//! `ScrapeOptions` is what a caller wrote; `ScrapeRequest` is what it means and cannot be built
//! unless it is valid; `PageResult` is what comes back. Everything here is plain data: no IO, no
//! async, no SQL, no HTML. Wire names are `snake_case` and carry their unit.

mod attempt;
mod crawl;
mod error;
mod intake;
mod job;
mod login;
mod map;
mod metadata;
mod options;
mod outcome;
mod page;
mod request;
mod request_log;
mod system;
mod tree;
mod webhook;

pub use attempt::{Attempt, FetchMode, Verdict};
pub use crawl::{
    BatchBody, BatchJob, BatchRequest, Bounds, Checks, CrawlBody, CrawlRequest, ListedUrl,
    ReprocessBody, ScopeOptions, Strategy,
};
pub use error::{ApiError, ErrorBody, ErrorCode, ErrorInfo};
pub use intake::{Fault, read_body, read_query};
pub use job::{ExportFormat, Job, JobCounts, JobKind, JobPage, JobStatus, List, Reprocessing};
pub use login::Login;
pub use map::{MapBody, MapCall, MapLink, MapRequest, MapResult, MapSource, SitemapUse};
pub use metadata::PageMetadata;
pub use options::{
    Action, ActionKind, CacheMode, ChunkOptions, ChunkStrategy, ExtractOptions, Format, Location,
    Mode, ScrapeBody, ScrapeOptions, WaitFor,
};
pub use outcome::{Outcome, PageStatus};
pub use page::{
    ActionResult, Chunk, Image, JsonData, Link, LinkKind, PageResult, Quality, Table, Timings,
};
pub use request::{
    BrowserOptions, CachePolicy, ContentOptions, FetchOptions, Formats, InvalidOption,
    MAX_URL_BYTES, SCRAPE_TIMEOUT_MS, ScrapeRequest, Visitor, parse_url,
};
pub use request_log::RequestRecord;
pub use system::{BrowserState, Health, PartState, Readiness, SystemInfo};
pub use tree::{Tree, TreeCounts, TreeNode};
pub use webhook::{Delivery, DeliveryAttempt, Webhook, WebhookEvent, WebhookEventKind};
