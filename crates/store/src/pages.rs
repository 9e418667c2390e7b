//! Pages and their raw bodies.

use bytes::Bytes;
use sqlx::{SqliteConnection, SqlitePool};
use trawls_contract::PageResult;

use crate::{Blob, StoreError, blobs, codec};

/// The bytes a page was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawBody {
    /// Content-decoded, charset untouched.
    pub bytes: Bytes,
    /// As the server declared it.
    pub content_type: Option<String>,
}

/// A page ready to be inserted: all the work that needs no database is done.
#[derive(Debug)]
pub(crate) struct PageRow {
    pub(crate) id: String,
    pub(crate) kept_at: i64,
    pub(crate) plain_bytes: usize,
    url: String,
    pub(crate) outcome: &'static str,
    pub(crate) code: Option<&'static str>,
    result: Vec<u8>,
    body: Option<BodyRow>,
    blobs: Vec<Blob>,
}

#[derive(Debug)]
struct BodyRow {
    content_type: Option<String>,
    body: Vec<u8>,
}

impl PageRow {
    pub(crate) fn pack(
        page: &PageResult,
        body: Option<&RawBody>,
        blobs: Vec<Blob>,
    ) -> Result<Self, StoreError> {
        let result = codec::pack_page(page)?;
        let body = body
            .map(|raw| {
                Ok::<_, StoreError>(BodyRow {
                    content_type: raw.content_type.clone(),
                    body: codec::pack(&raw.bytes)?,
                })
            })
            .transpose()?;
        Ok(Self {
            id: page.id.clone(),
            kept_at: page.fetched_at.as_millisecond(),
            plain_bytes: result.plain_bytes,
            url: page.url.clone(),
            outcome: page.outcome.as_str(),
            code: page.error.as_ref().map(|error| error.code.as_str()),
            result: result.bytes,
            body,
            blobs,
        })
    }

    /// A page of `job`, if it is one's.
    pub(crate) async fn insert(
        &self,
        db: &mut SqliteConnection,
        job: Option<i64>,
    ) -> Result<(), sqlx::Error> {
        sqlx::query(
            "INSERT INTO pages (id, kept_at, url, outcome, code, result, job) \
             VALUES (?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(&self.id)
        .bind(self.kept_at)
        .bind(&self.url)
        .bind(self.outcome)
        .bind(self.code)
        .bind(&self.result)
        .bind(job)
        .execute(&mut *db)
        .await?;
        if let Some(body) = &self.body {
            sqlx::query("INSERT INTO page_bodies (page_id, content_type, body) VALUES (?, ?, ?)")
                .bind(&self.id)
                .bind(&body.content_type)
                .bind(&body.body)
                .execute(&mut *db)
                .await?;
        }
        blobs::insert(db, &self.blobs, (&self.id, self.kept_at)).await
    }
}

/// The packed result.
pub(crate) async fn find(db: &SqlitePool, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
    Ok(sqlx::query_scalar("SELECT result FROM pages WHERE id = ?")
        .bind(id)
        .fetch_optional(db)
        .await?)
}

/// Content type and packed body.
pub(crate) async fn find_body(
    db: &SqlitePool,
    id: &str,
) -> Result<Option<(Option<String>, Vec<u8>)>, StoreError> {
    Ok(
        sqlx::query_as("SELECT content_type, body FROM page_bodies WHERE page_id = ?")
            .bind(id)
            .fetch_optional(db)
            .await?,
    )
}

/// The same body and blobs for another page.
pub(crate) async fn copy_raw(
    db: &mut SqliteConnection,
    from: &str,
    to: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO page_bodies (page_id, content_type, body) \
         SELECT ?, content_type, body FROM page_bodies WHERE page_id = ?",
    )
    .bind(to)
    .bind(from)
    .execute(&mut *db)
    .await?;
    blobs::copy(db, from, to).await
}

/// Gives body and blobs of a page to the one that was read from it again.
pub(crate) async fn move_raw(
    db: &mut SqliteConnection,
    from: &str,
    to: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE page_bodies SET page_id = ? WHERE page_id = ?")
        .bind(to)
        .bind(from)
        .execute(&mut *db)
        .await?;
    blobs::hand_over(db, from, to).await
}

/// Removes a page with its body, blobs and cache entries.
pub(crate) async fn remove(db: &mut SqliteConnection, id: &str) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM pages WHERE id = ?")
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

/// Removes up to `limit` of the oldest pages that are no job's from before `before`, with their bodies and cache
/// entries, and returns their ids.
pub(crate) async fn sweep(
    db: &mut SqliteConnection,
    before: i64,
    limit: i64,
) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar(
        "DELETE FROM pages WHERE id IN \
         (SELECT id FROM pages WHERE kept_at < ? AND job IS NULL ORDER BY kept_at LIMIT ?) \
         RETURNING id",
    )
    .bind(before)
    .bind(limit)
    .fetch_all(db)
    .await
}

/// Adds to the number of pages that `Database::figures` reads.
pub(crate) async fn count(db: &mut SqliteConnection, delta: i64) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE counters SET value = value + ? WHERE name = 'pages'")
        .bind(delta)
        .execute(db)
        .await?;
    Ok(())
}
