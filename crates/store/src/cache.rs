//! The page cache: which kept page answers which request. Whether an entry is fresh enough is the
//! caller's decision; here it is only found, filled and confirmed.

use std::{fmt, sync::Arc};

use jiff::Timestamp;
use sha2::{Digest, Sha256};
use sqlx::{SqliteConnection, SqlitePool};
use trawls_contract::PageResult;

use crate::StoreError;

/// SHA-256 of all that makes two requests the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CacheKey([u8; 32]);

impl CacheKey {
    /// The key of a canonical text.
    pub fn of(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }
}

impl fmt::Debug for CacheKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CacheKey(")?;
        self.0[..4].iter().try_for_each(|b| write!(f, "{b:02x}"))?;
        f.write_str("…)")
    }
}

/// What a server gave to ask "has it changed?" with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Validators {
    /// `ETag`, as received.
    pub etag: Option<String>,
    /// `Last-Modified`, as received.
    pub last_modified: Option<String>,
}

/// A page found in the cache.
#[derive(Debug, Clone)]
pub struct CachedPage {
    /// As it was kept.
    pub page: Arc<PageResult>,
    /// When the page was fetched, or last found unchanged.
    pub confirmed_at: Timestamp,
    /// For a conditional request.
    pub validators: Validators,
}

/// An entry, pointing to its page.
#[derive(Debug, Clone)]
pub(crate) struct CacheRow {
    pub(crate) key: CacheKey,
    pub(crate) page_id: String,
    pub(crate) confirmed_at: Timestamp,
    pub(crate) validators: Validators,
}

impl CacheRow {
    /// The entry that answers `key` with `page`, as of its fetch.
    pub(crate) fn of(page: &PageResult, key: CacheKey, validators: Validators) -> Self {
        Self {
            key,
            page_id: page.id.clone(),
            confirmed_at: page.fetched_at,
            validators,
        }
    }

    pub(crate) async fn upsert(&self, db: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        sqlx::query(
            "INSERT INTO page_cache (cache_key, page_id, confirmed_at, etag, last_modified) \
             VALUES (?, ?, ?, ?, ?) \
             ON CONFLICT (cache_key) DO UPDATE SET page_id = excluded.page_id, \
             confirmed_at = excluded.confirmed_at, etag = excluded.etag, \
             last_modified = excluded.last_modified",
        )
        .bind(&self.key.0[..])
        .bind(&self.page_id)
        .bind(self.confirmed_at.as_millisecond())
        .bind(&self.validators.etag)
        .bind(&self.validators.last_modified)
        .execute(db)
        .await?;
        Ok(())
    }

    /// The page was found unchanged: entry and page live on from now. Does nothing when the page
    /// was swept meanwhile.
    pub(crate) async fn confirm(&self, db: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        let at = self.confirmed_at.as_millisecond();
        let kept = sqlx::query("UPDATE pages SET kept_at = ? WHERE id = ? AND kept_at < ?")
            .bind(at)
            .bind(&self.page_id)
            .bind(at)
            .execute(&mut *db)
            .await?;
        if kept.rows_affected() > 0 {
            self.upsert(db).await?;
        }
        Ok(())
    }
}

type Columns = (String, i64, Option<String>, Option<String>);

pub(crate) async fn find(db: &SqlitePool, key: CacheKey) -> Result<Option<CacheRow>, StoreError> {
    let columns: Option<Columns> = sqlx::query_as(
        "SELECT page_id, confirmed_at, etag, last_modified FROM page_cache WHERE cache_key = ?",
    )
    .bind(&key.0[..])
    .fetch_optional(db)
    .await?;
    let Some((page_id, confirmed_at, etag, last_modified)) = columns else {
        return Ok(None);
    };
    Ok(Some(CacheRow {
        key,
        page_id,
        confirmed_at: Timestamp::from_millisecond(confirmed_at)
            .map_err(|error| StoreError::Damaged(error.to_string()))?,
        validators: Validators {
            etag,
            last_modified,
        },
    }))
}
