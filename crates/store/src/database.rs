//! Opening SQLite: pragmas, migrations, one write connection and a few read connections.

use std::{path::Path, time::Duration};

use sqlx::{
    SqlStr, SqlitePool,
    migrate::{Migration, MigrationType, Migrator},
    sqlite::{
        SqliteAutoVacuum, SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions,
        SqliteSynchronous,
    },
};

use crate::StoreError;

/// Readers beside the one writer; reads are short, so a few serve hundreds of requests.
const READERS: u32 = 4;
/// How long a write waits for another process's write lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// A write-ahead log that grew past this is cut back at the next checkpoint.
const WAL_LIMIT_BYTES: &str = "67108864";

/// `migrations/`, in the order in which they are applied.
const MIGRATIONS: &[(&str, &str)] = &[
    ("pages", include_str!("../../../migrations/0001_pages.sql")),
    ("jobs", include_str!("../../../migrations/0002_jobs.sql")),
    (
        "working_time",
        include_str!("../../../migrations/0003_working_time.sql"),
    ),
    ("maps", include_str!("../../../migrations/0004_maps.sql")),
    (
        "webhooks",
        include_str!("../../../migrations/0005_webhooks.sql"),
    ),
    (
        "reprocess",
        include_str!("../../../migrations/0006_reprocess.sql"),
    ),
    ("turns", include_str!("../../../migrations/0007_turns.sql")),
    (
        "map_links",
        include_str!("../../../migrations/0008_map_links.sql"),
    ),
    (
        "browser",
        include_str!("../../../migrations/0009_browser.sql"),
    ),
];

/// Connections to one database.
#[derive(Debug, Clone)]
pub(crate) struct Database {
    /// Exactly one connection; only the writer task uses it after opening.
    pub(crate) writer: SqlitePool,
    pub(crate) readers: SqlitePool,
}

fn migrations() -> Migrator {
    let numbered = (1..).zip(MIGRATIONS);
    let migrations = numbered.map(|(version, (name, sql))| {
        let sql = SqlStr::from_static(sql);
        Migration::new(version, (*name).into(), MigrationType::Simple, sql, false)
    });
    Migrator::with_migrations(migrations.collect())
}

/// Sizes for `/v1/system`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figures {
    /// Pages kept.
    pub pages: u64,
    /// Size of the database, without its write-ahead log.
    pub database_bytes: u64,
}

impl Database {
    /// Opens or creates the file and brings its schema up to date.
    pub(crate) async fn open(path: &Path) -> Result<Self, StoreError> {
        let options = SqliteConnectOptions::new().filename(path);
        // A commit is in the operating system's hands when it returns, so it survives the death
        // of this process; a power cut may lose the last commits, never the file's integrity.
        let writing = options
            .clone()
            .create_if_missing(true)
            .auto_vacuum(SqliteAutoVacuum::Incremental)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Normal)
            .busy_timeout(BUSY_TIMEOUT)
            .foreign_keys(true)
            .pragma("journal_size_limit", WAL_LIMIT_BYTES);
        let writer = connect(writing, 1).await?;
        migrations().run(&writer).await?;
        let reading = options.busy_timeout(BUSY_TIMEOUT).pragma("query_only", "1");
        let readers = connect(reading, READERS).await?;
        Ok(Self { writer, readers })
    }

    /// A database that lives as long as its one connection.
    pub(crate) async fn open_in_memory() -> Result<Self, StoreError> {
        let options = SqliteConnectOptions::new()
            .in_memory(true)
            .foreign_keys(true);
        let writer = connect(options, 1).await?;
        migrations().run(&writer).await?;
        Ok(Self {
            readers: writer.clone(),
            writer,
        })
    }

    /// Cheap: one row and two counters that SQLite keeps in its header.
    pub(crate) async fn figures(&self) -> Result<Figures, StoreError> {
        let (pages, database_bytes): (i64, i64) = sqlx::query_as(
            "SELECT (SELECT value FROM counters WHERE name = 'pages'), page_count * page_size \
             FROM pragma_page_count(), pragma_page_size()",
        )
        .fetch_one(&self.readers)
        .await?;
        Ok(Figures {
            pages: u64::try_from(pages).unwrap_or(0),
            database_bytes: u64::try_from(database_bytes).unwrap_or(0),
        })
    }

    /// Closes every connection; the last one folds the write-ahead log into the file.
    pub(crate) async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

async fn connect(
    options: SqliteConnectOptions,
    connections: u32,
) -> Result<SqlitePool, StoreError> {
    // Connections never expire: one in memory would take the database with it.
    SqlitePoolOptions::new()
        .max_connections(connections)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .acquire_timeout(2 * BUSY_TIMEOUT)
        .connect_with(options)
        .await
        .map_err(|error| match StoreError::from(error) {
            StoreError::Other(text) => StoreError::Open(text),
            known => known,
        })
}
