//! The URLs of a job, done or still to do. Its order is decided when an entry is made (`rank`), and
//! hosts take turns: the index leads from host to host and to each one's best entry.

use sqlx::{QueryBuilder, SqliteConnection, SqlitePool};

use crate::StoreError;

/// Rows of one statement; SQLite binds at most 32,766 values.
const ROWS: usize = 500;

/// A URL that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEntry {
    /// In the order of discovery, from 1.
    pub number: i64,
    /// Absolute, or what a batch had in its place.
    pub url: String,
    /// Hash of what makes it the same page.
    pub identity: i64,
    /// Hash of the host.
    pub host: i64,
    /// The smallest goes first.
    pub rank: i64,
    /// Links away from the start.
    pub depth: u32,
    /// Number of the entry whose page linked here.
    pub referrer: Option<i64>,
}

/// A URL to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its number.
    pub number: i64,
    /// Absolute, or what a batch had in its place.
    pub url: String,
    /// Links away from the start.
    pub depth: u32,
    /// The page that linked here.
    pub referrer: Option<String>,
}

pub(super) async fn insert(
    db: &mut SqliteConnection,
    job: i64,
    entries: &[NewEntry],
) -> Result<(), sqlx::Error> {
    for rows in entries.chunks(ROWS) {
        let mut query = QueryBuilder::new(
            "INSERT INTO frontier (job, number, url, identity, host, rank, depth, referrer) ",
        );
        query.push_values(rows, |mut row, entry| {
            row.push_bind(job)
                .push_bind(entry.number)
                .push_bind(&entry.url)
                .push_bind(entry.identity)
                .push_bind(entry.host)
                .push_bind(entry.rank)
                .push_bind(i64::from(entry.depth))
                .push_bind(entry.referrer);
        });
        query.build().execute(&mut *db).await?;
    }
    Ok(())
}

/// An entry is done, or is to be done again.
pub(super) async fn mark(
    db: &mut SqliteConnection,
    (job, number): (i64, i64),
    is_done: bool,
) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE frontier SET done = ? WHERE job = ? AND number = ?")
        .bind(is_done)
        .bind(job)
        .bind(number)
        .execute(db)
        .await?;
    Ok(())
}

/// What is still to do will not be done.
pub(super) async fn leave(db: &mut SqliteConnection, job: i64) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE frontier SET done = 2 WHERE job = ? AND done = 0")
        .bind(job)
        .execute(db)
        .await?;
    Ok(())
}

/// How many entries are still to do.
pub(super) async fn waiting(db: &mut SqliteConnection, job: i64) -> Result<u64, sqlx::Error> {
    let waiting: i64 =
        sqlx::query_scalar("SELECT count(*) FROM frontier WHERE job = ? AND done = 0")
            .bind(job)
            .fetch_one(db)
            .await?;
    Ok(waiting.unsigned_abs())
}

/// The next host after `host` that has something to do.
pub(super) async fn next_host(
    db: &SqlitePool,
    job: i64,
    host: Option<i64>,
) -> Result<Option<i64>, StoreError> {
    let after = host.unwrap_or(i64::MIN);
    let skipped = i64::from(host.is_some());
    Ok(sqlx::query_scalar(
        "SELECT min(host) FROM frontier WHERE job = ? AND done = 0 AND host >= ? \
         AND NOT (host = ? AND ?)",
    )
    .bind(job)
    .bind(after)
    .bind(after)
    .bind(skipped)
    .fetch_one(db)
    .await?)
}

/// The best entries of a host.
pub(super) async fn best(
    db: &SqlitePool,
    job: i64,
    host: i64,
    limit: u32,
) -> Result<Vec<Entry>, StoreError> {
    let rows: Vec<(i64, String, i64, Option<String>)> = sqlx::query_as(
        "SELECT entry.number, entry.url, entry.depth, linking.url FROM frontier AS entry \
         LEFT JOIN frontier AS linking ON linking.job = entry.job AND linking.number = entry.referrer \
         WHERE entry.job = ? AND entry.done = 0 AND entry.host = ? \
         ORDER BY entry.rank, entry.number LIMIT ?",
    )
    .bind(job)
    .bind(host)
    .bind(i64::from(limit))
    .fetch_all(db)
    .await?;
    let entries = rows
        .into_iter()
        .map(|(number, url, depth, referrer)| Entry {
            number,
            url,
            depth: u32::try_from(depth).unwrap_or(u32::MAX),
            referrer,
        });
    Ok(entries.collect())
}

/// Numbers and URLs of what some page links to, in the order of discovery.
pub(super) async fn linked(
    db: &SqlitePool,
    job: i64,
    after: i64,
    limit: u32,
) -> Result<Vec<(i64, String)>, StoreError> {
    Ok(sqlx::query_as(
        "SELECT number, url FROM frontier WHERE job = ? AND number > ? AND referrer IS NOT NULL \
         ORDER BY number LIMIT ?",
    )
    .bind(job)
    .bind(after)
    .bind(i64::from(limit))
    .fetch_all(db)
    .await?)
}

/// The URL of an entry.
pub(super) async fn url(
    db: &SqlitePool,
    job: i64,
    number: i64,
) -> Result<Option<String>, StoreError> {
    Ok(
        sqlx::query_scalar("SELECT url FROM frontier WHERE job = ? AND number = ?")
            .bind(job)
            .bind(number)
            .fetch_optional(db)
            .await?,
    )
}

/// Identities of all entries, the number of the last one, and how many are still to do.
pub(super) async fn known(db: &SqlitePool, job: i64) -> Result<(Vec<i64>, i64, u64), StoreError> {
    let identities: Vec<i64> = sqlx::query_scalar("SELECT identity FROM frontier WHERE job = ?")
        .bind(job)
        .fetch_all(db)
        .await?;
    let (last, waiting): (i64, i64) = sqlx::query_as(
        "SELECT coalesce(max(number), 0), \
         (SELECT count(*) FROM frontier WHERE job = ? AND done = 0) FROM frontier WHERE job = ?",
    )
    .bind(job)
    .bind(job)
    .fetch_one(db)
    .await?;
    Ok((identities, last, waiting.unsigned_abs()))
}
