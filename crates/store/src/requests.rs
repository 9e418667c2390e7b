//! The request log.

use jiff::Timestamp;
use sqlx::{FromRow, Row, SqliteConnection, SqlitePool, sqlite::SqliteRow};
use trawls_contract::RequestRecord;

use crate::StoreError;

struct RequestRow {
    id: String,
    received_at: i64,
    method: String,
    path: String,
    status: i64,
    duration_ms: i64,
    key_label: Option<String>,
    code: Option<String>,
}

impl FromRow<'_, SqliteRow> for RequestRow {
    fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        Ok(Self {
            id: row.try_get("id")?,
            received_at: row.try_get("received_at")?,
            method: row.try_get("method")?,
            path: row.try_get("path")?,
            status: row.try_get("status")?,
            duration_ms: row.try_get("duration_ms")?,
            key_label: row.try_get("key_label")?,
            code: row.try_get("code")?,
        })
    }
}

impl RequestRow {
    fn record(self) -> Result<RequestRecord, StoreError> {
        Ok(RequestRecord {
            id: self.id,
            received_at: Timestamp::from_millisecond(self.received_at)
                .map_err(|error| StoreError::Damaged(error.to_string()))?,
            method: self.method,
            path: self.path,
            status: u16::try_from(self.status).unwrap_or(0),
            duration_ms: u64::try_from(self.duration_ms).unwrap_or(0),
            key_label: self.key_label,
            code: self.code,
        })
    }
}

/// A record whose id was already written is written once.
pub(crate) async fn insert(
    db: &mut SqliteConnection,
    record: &RequestRecord,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO request_log \
         (id, received_at, method, path, status, duration_ms, key_label, code) \
         VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
    )
    .bind(&record.id)
    .bind(record.received_at.as_millisecond())
    .bind(&record.method)
    .bind(&record.path)
    .bind(i64::from(record.status))
    .bind(i64::try_from(record.duration_ms).unwrap_or(i64::MAX))
    .bind(&record.key_label)
    .bind(&record.code)
    .execute(db)
    .await?;
    Ok(())
}

/// Newest first.
pub(crate) async fn latest(db: &SqlitePool, limit: u32) -> Result<Vec<RequestRecord>, StoreError> {
    let rows: Vec<RequestRow> = sqlx::query_as(
        "SELECT id, received_at, method, path, status, duration_ms, key_label, code \
         FROM request_log ORDER BY received_at DESC, id DESC LIMIT ?",
    )
    .bind(i64::from(limit))
    .fetch_all(db)
    .await?;
    rows.into_iter().map(RequestRow::record).collect()
}

/// Removes up to `limit` of the oldest records from before `before`; returns how many.
pub(crate) async fn sweep(
    db: &mut SqliteConnection,
    before: i64,
    limit: i64,
) -> Result<u64, sqlx::Error> {
    let swept = sqlx::query(
        "DELETE FROM request_log WHERE id IN \
         (SELECT id FROM request_log WHERE received_at < ? ORDER BY received_at LIMIT ?)",
    )
    .bind(before)
    .bind(limit)
    .execute(db)
    .await?;
    Ok(swept.rows_affected())
}
