//! Maps that are handed out piece by piece, for as long as somebody may ask for the next piece.

use std::sync::Arc;

use jiff::Timestamp;
use sqlx::SqliteConnection;
use trawls_contract::{MapLink, MapResult};

use crate::{Store, StoreError, codec, writer::Change};

/// How long the next piece may be asked for.
const LIFE_MS: i64 = 3_600_000;
/// Links that are packed together: a piece costs what it holds, and at most this much more.
const LINKS: usize = 1000;
/// About how large a link is as JSON.
const LINK_BYTES: usize = 200;

/// A map to be kept.
#[derive(Debug)]
pub(crate) struct MapRow {
    id: String,
    made_at: i64,
    /// The map without its links; JSON, zstd.
    map: Vec<u8>,
    /// So many links each, the last one less; JSON, zstd.
    links: Vec<Vec<u8>>,
}

impl MapRow {
    fn pack(map: &MapResult, now: Timestamp) -> Result<Self, StoreError> {
        let head = MapResult {
            links: Vec::new(),
            warnings: map.warnings.clone(),
            next_cursor: None,
            ..*map
        };
        let links = map
            .links
            .chunks(LINKS)
            .map(|links| codec::pack_json(&links));
        Ok(Self {
            id: uuid::Uuid::new_v4().simple().to_string(),
            made_at: now.as_millisecond(),
            map: codec::pack_json(&head)?,
            links: links.collect::<Result<_, _>>()?,
        })
    }

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
            .execute(&mut *db)
            .await?;
        for (number, links) in (0_i64..).zip(&self.links) {
            sqlx::query("INSERT INTO map_links (map, number, links) VALUES (?, ?, ?)")
                .bind(&self.id)
                .bind(number)
                .bind(links)
                .execute(&mut *db)
                .await?;
        }
        Ok(())
    }
}

impl Store {
    /// Keeps a map for an hour; returns its id.
    ///
    /// # Errors
    /// It is not kept.
    pub async fn keep_map(
        &self,
        map: Arc<MapResult>,
        now: Timestamp,
    ) -> Result<String, StoreError> {
        let size = map.links.len().saturating_mul(LINK_BYTES);
        let row = codec::run(size, move || MapRow::pack(&map, now)).await?;
        let id = row.id.clone();
        self.writer()?.write(Change::KeepMap(Box::new(row))).await?;
        Ok(id)
    }

    /// A map of the last hour with at most `limit` of its links, from place `from` on.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn map_piece(
        &self,
        id: &str,
        from: usize,
        limit: usize,
        now: Timestamp,
    ) -> Result<Option<MapResult>, StoreError> {
        let db = &self.database.readers;
        let head: Option<Vec<u8>> =
            sqlx::query_scalar("SELECT map FROM maps WHERE id = ? AND made_at >= ?")
                .bind(id)
                .bind(now.as_millisecond().saturating_sub(LIFE_MS))
                .fetch_optional(db)
                .await?;
        let Some(head) = head else {
            return Ok(None);
        };
        let number = |place: usize| i64::try_from(place / LINKS).unwrap_or(i64::MAX);
        let packed: Vec<Vec<u8>> = sqlx::query_scalar(
            "SELECT links FROM map_links WHERE map = ? AND number BETWEEN ? AND ? ORDER BY number",
        )
        .bind(id)
        .bind(number(from))
        .bind(number(from.saturating_add(limit)))
        .fetch_all(db)
        .await?;
        let size = packed.len().saturating_mul(LINKS * LINK_BYTES);
        codec::run(size, move || {
            let mut map: MapResult = codec::unpack_json(&head)?;
            for packed in packed {
                map.links
                    .extend(codec::unpack_json::<Vec<MapLink>>(&packed)?);
            }
            let before = (from % LINKS).min(map.links.len());
            map.links.drain(..before);
            map.links.truncate(limit);
            Ok(Some(map))
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn pieces_of_any_size_are_the_map_and_beyond_its_end_is_nothing() {
        let store = Store::open_in_memory().await.unwrap();
        let links = (0..2500).map(|number| MapLink {
            url: format!("https://a.example/{number}"),
            sources: Vec::new(),
            depth: None,
            lastmod: None,
            title: None,
            score: None,
        });
        let map = Arc::new(MapResult {
            links: links.collect(),
            total: 2500,
            next_cursor: None,
            has_more: false,
            truncated: true,
            warnings: vec!["One.".into()],
        });
        let now = Timestamp::now();
        let id = store.keep_map(Arc::clone(&map), now).await.unwrap();
        for (from, limit) in [
            (0, 1),
            (999, 2),
            (1000, 1000),
            (1, 2499),
            (2499, 7),
            (0, 9999),
        ] {
            let piece = store
                .map_piece(&id, from, limit, now)
                .await
                .unwrap()
                .unwrap();
            let to = map.links.len().min(from + limit);
            assert_eq!(piece.links, map.links[from..to], "{from}, {limit}");
            assert_eq!((piece.total, &piece.warnings), (2500, &map.warnings));
        }
        for from in [2500, 2600, 3000, usize::MAX] {
            let piece = store.map_piece(&id, from, 10, now).await.unwrap().unwrap();
            assert_eq!(piece.links, []);
        }
        let later = now + jiff::SignedDuration::from_hours(2);
        assert!(store.map_piece(&id, 0, 1, later).await.unwrap().is_none());
    }
}
