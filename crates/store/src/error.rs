//! What can go wrong with the database, in terms that a caller can act on.

/// A failure of the database. Cheap to clone: one failed commit answers a whole batch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The file cannot be opened or created, or its schema is from a newer version.
    #[error("the database cannot be opened: {0}")]
    Open(String),
    /// No space is left for a write.
    #[error("the disk or the database is full")]
    Full,
    /// The file or its folder does not allow writing.
    #[error("the database is read-only")]
    ReadOnly,
    /// Another process holds the write lock for too long.
    #[error("the database is busy")]
    Busy,
    /// The file, or a value in it, is damaged.
    #[error("the database is damaged: {0}")]
    Damaged(String),
    /// The job is another process's now.
    #[error("the job was taken over")]
    LeaseLost,
    /// What is asked needs the job to be over.
    #[error("the job is not over")]
    JobRuns,
    /// The idempotency key was used for another body.
    #[error("the idempotency key was used with another body")]
    KeyReused,
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
    /// Anything else; for the log, not for callers.
    #[error("database: {0}")]
    Other(String),
}

/// Primary result codes of SQLite (the low byte of an extended code).
mod sqlite {
    pub(super) const BUSY: u32 = 5;
    pub(super) const LOCKED: u32 = 6;
    pub(super) const READONLY: u32 = 8;
    pub(super) const CORRUPT: u32 = 11;
    pub(super) const FULL: u32 = 13;
    pub(super) const CANTOPEN: u32 = 14;
    pub(super) const NOTADB: u32 = 26;
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        if let sqlx::Error::PoolClosed = error {
            return Self::Closed;
        }
        if let sqlx::Error::PoolTimedOut = error {
            return Self::Busy;
        }
        let code = error
            .as_database_error()
            .and_then(|database| database.code()?.parse::<u32>().ok())
            .map(|extended| extended & 0xff);
        match code {
            Some(sqlite::BUSY | sqlite::LOCKED) => Self::Busy,
            Some(sqlite::READONLY) => Self::ReadOnly,
            Some(sqlite::FULL) => Self::Full,
            Some(sqlite::CANTOPEN) => Self::Open(error.to_string()),
            Some(sqlite::CORRUPT | sqlite::NOTADB) => Self::Damaged(error.to_string()),
            _ => Self::Other(error.to_string()),
        }
    }
}

impl From<sqlx::migrate::MigrateError> for StoreError {
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        match error {
            sqlx::migrate::MigrateError::Execute(error) => error.into(),
            other => Self::Open(other.to_string()),
        }
    }
}
