//! Keeps pages, their bodies and blobs, the page cache, jobs and the request log; the only SQL.
//!
//! One writer task commits in batches, readers never wait for it, and what a caller was told is
//! kept has been committed: a killed process loses no page that it answered. Only contract types
//! come in and go out; every row type is private to its file.

mod blobs;
mod cache;
mod codec;
mod condition;
mod database;
mod error;
mod host_rungs;
mod hot;
mod jobs;
mod maps;
mod pages;
mod requests;
mod store;
mod writer;

pub use blobs::{Blob, BlobKind};
pub use cache::{CacheKey, CachedPage, Validators};
pub use database::Figures;
pub use error::StoreError;
pub use jobs::{
    Entry, Hook, InJob, JobCall, JobContent, JobToMake, Known, Marked, Marks, NewEntry, NewPage,
    OwnedJob, Owner, PageFilter, Reread, Rereadable, Step, ToReread, Told,
};
pub use pages::RawBody;
pub use store::{Keep, Store};
