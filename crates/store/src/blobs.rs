//! What a browser made of a page beside its document: pictures and prints, kept with the page and
//! gone with it.

use bytes::Bytes;
use sqlx::SqliteConnection;

use crate::{Store, StoreError};

/// A picture or a print of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    /// Nobody can guess it.
    pub id: String,
    /// What it is.
    pub kind: BlobKind,
    /// As it is.
    pub bytes: Bytes,
}

/// What a blob is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlobKind {
    /// A picture of the page, PNG.
    Screenshot,
    /// The printed page.
    Pdf,
}

impl BlobKind {
    const ALL: [Self; 2] = [Self::Screenshot, Self::Pdf];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Screenshot => "screenshot",
            Self::Pdf => "pdf",
        }
    }

    /// Its media type.
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Screenshot => "image/png",
            Self::Pdf => "application/pdf",
        }
    }

    /// The extension of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Screenshot => "png",
            Self::Pdf => "pdf",
        }
    }

    fn named(name: &str) -> Result<Self, StoreError> {
        let known = Self::ALL.into_iter().find(|kind| kind.as_str() == name);
        known.ok_or_else(|| StoreError::Damaged(format!("a blob of kind {name}")))
    }
}

impl Store {
    /// A kept blob.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn blob(&self, id: &str) -> Result<Option<Blob>, StoreError> {
        let row: Option<(String, Vec<u8>)> =
            sqlx::query_as("SELECT kind, bytes FROM blobs WHERE id = ? LIMIT 1")
                .bind(id)
                .fetch_optional(&self.database.readers)
                .await?;
        let Some((kind, bytes)) = row else {
            return Ok(None);
        };
        Ok(Some(Blob {
            id: id.to_owned(),
            kind: BlobKind::named(&kind)?,
            bytes: Bytes::from(bytes),
        }))
    }
}

/// Keeps the blobs of a page that is kept already.
pub(crate) async fn insert(
    db: &mut SqliteConnection,
    blobs: &[Blob],
    (page_id, created_at): (&str, i64),
) -> Result<(), sqlx::Error> {
    for blob in blobs {
        sqlx::query(
            "INSERT INTO blobs (id, page_id, kind, created_at, bytes) \
             VALUES (?, ?, ?, ?, ?)",
        )
        .bind(&blob.id)
        .bind(page_id)
        .bind(blob.kind.as_str())
        .bind(created_at)
        .bind(&blob.bytes[..])
        .execute(&mut *db)
        .await?;
    }
    Ok(())
}

/// The same blobs for another page.
pub(crate) async fn copy(
    db: &mut SqliteConnection,
    from: &str,
    to: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO blobs (id, page_id, kind, created_at, bytes) \
         SELECT id, ?, kind, created_at, bytes FROM blobs WHERE page_id = ?",
    )
    .bind(to)
    .bind(from)
    .execute(db)
    .await?;
    Ok(())
}

/// Gives the blobs of a page to the one that takes its place.
pub(crate) async fn hand_over(
    db: &mut SqliteConnection,
    from: &str,
    to: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE blobs SET page_id = ? WHERE page_id = ?")
        .bind(to)
        .bind(from)
        .execute(db)
        .await?;
    Ok(())
}
