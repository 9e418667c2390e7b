//! Maps that are handed out piece by piece, for as long as somebody may ask for the next piece.

use jiff::Timestamp;
use sqlx::SqliteConnection;
use trawls_contract::MapResult;

use crate::{Store, StoreError, codec, writer::Change};

/// How long the next piece may be asked for.
const LIFE_MS: i64 = 3_600_000;

/// A map to be kept.
#[derive(Debug)]
pub(crate) struct MapRow {
    id: String,
    made_at: i64,
    /// JSON, zstd.
    map: Vec<u8>,
}

impl MapRow {
    /// Takes the place of those whose time is over.
    pub(crate) async fn insert(&self, db: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        sqlx::query("DELETE FROM maps WHERE made_at < ?")
            .bind(self.made_at.saturating_sub(LIFE_MS))
            .execute(&mut *db)
            .await?;
        sqlx::query("INSERT INTO maps (id, made_at, map) VALUES (?, ?, ?)")
            .bind(&self.id)
            .bind(self.made_at)
            .bind(&self.map)
            .execute(db)
            .await?;
        Ok(())
    }
}

impl Store {
    /// Keeps a map for an hour; returns its id.
    ///
    /// # Errors
    /// It is not kept.
    pub async fn keep_map(&self, map: &MapResult, now: Timestamp) -> Result<String, StoreError> {
        let row = MapRow {
            id: uuid::Uuid::new_v4().simple().to_string(),
            made_at: now.as_millisecond(),
            map: codec::pack_json(map)?,
        };
        let id = row.id.clone();
        self.writer()?.write(Change::KeepMap(Box::new(row))).await?;
        Ok(id)
    }

    /// A map of the last hour.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn map(&self, id: &str, now: Timestamp) -> Result<Option<MapResult>, StoreError> {
        let packed: Option<Vec<u8>> =
            sqlx::query_scalar("SELECT map FROM maps WHERE id = ? AND made_at >= ?")
                .bind(id)
                .bind(now.as_millisecond().saturating_sub(LIFE_MS))
                .fetch_optional(&self.database.readers)
                .await?;
        let Some(packed) = packed else {
            return Ok(None);
        };
        let size = packed.len().saturating_mul(8);
        codec::run(size, move || codec::unpack_json(&packed))
            .await
            .map(Some)
    }
}
