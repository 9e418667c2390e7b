//! Which rung a host needs, for an hour after it was found out: in that time never a lower one.

use jiff::Timestamp;
use sqlx::{SqliteConnection, SqlitePool};
use trawls_contract::FetchMode;

use crate::{Store, StoreError, writer::Change};

/// How long it is believed.
const LIFE_MS: i64 = 3_600_000;

/// A rung and until when it is believed, milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KnownRung {
    pub(crate) rung: FetchMode,
    pub(crate) until: i64,
}

/// What is to be remembered.
#[derive(Debug)]
pub(crate) struct HostRung {
    host: String,
    known: KnownRung,
    now: i64,
}

impl Store {
    /// The lowest rung that promises anything on this host.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn host_rung(&self, host: &str, now: Timestamp) -> Result<FetchMode, StoreError> {
        let now = now.as_millisecond();
        let known = match self.hot.rung(host) {
            Some(known) => known,
            None => {
                let known = find(&self.database.readers, host).await?;
                self.hot.put_rung(host, known);
                known
            }
        };
        let valid = known.filter(|known| now < known.until);
        Ok(valid.map_or(FetchMode::Http, |known| known.rung))
    }

    /// This rung brought what no lower one did. Written only when it is news.
    ///
    /// # Errors
    /// It is not remembered.
    pub async fn remember_rung(
        &self,
        host: &str,
        rung: FetchMode,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        if self.host_rung(host, now).await? >= rung {
            return Ok(());
        }
        let now = now.as_millisecond();
        let known = KnownRung {
            rung,
            until: now.saturating_add(LIFE_MS),
        };
        let change = Change::RememberRung(Box::new(HostRung {
            host: host.to_owned(),
            known,
            now,
        }));
        self.writer()?.write(change).await?;
        // Another process may know of a higher one.
        self.hot.forget_rung(host);
        Ok(())
    }
}

impl HostRung {
    /// Takes the place of those whose time is over; a higher rung that is still believed stays.
    pub(crate) async fn upsert(&self, db: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        sqlx::query("DELETE FROM host_rungs WHERE known_until <= ?")
            .bind(self.now)
            .execute(&mut *db)
            .await?;
        sqlx::query(
            "INSERT INTO host_rungs (host, rung, known_until) VALUES (?, ?, ?) \
             ON CONFLICT (host) DO UPDATE SET rung = excluded.rung, \
             known_until = excluded.known_until WHERE host_rungs.rung < excluded.rung",
        )
        .bind(&self.host)
        .bind(number_of(self.known.rung))
        .bind(self.known.until)
        .execute(db)
        .await?;
        Ok(())
    }
}

async fn find(db: &SqlitePool, host: &str) -> Result<Option<KnownRung>, StoreError> {
    let row: Option<(i64, i64)> =
        sqlx::query_as("SELECT rung, known_until FROM host_rungs WHERE host = ?")
            .bind(host)
            .fetch_optional(db)
            .await?;
    Ok(row.map(|(number, until)| KnownRung {
        rung: rung_of(number),
        until,
    }))
}

fn number_of(rung: FetchMode) -> i64 {
    match rung {
        FetchMode::Http => 0,
        FetchMode::Browser => 1,
        FetchMode::Stealth => 2,
    }
}

fn rung_of(number: i64) -> FetchMode {
    match number {
        1 => FetchMode::Browser,
        2 => FetchMode::Stealth,
        _ => FetchMode::Http,
    }
}
