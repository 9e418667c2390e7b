//! The log of deliveries: one row an event, with all its tries.

use sqlx::{SqliteConnection, SqlitePool};
use trawls_contract::{Delivery, DeliveryAttempt, List, PageResult, WebhookEventKind};

use super::{
    JobCall,
    change::{JobAnswer, JobChange},
    to_json, unexpected,
};
use crate::{Store, StoreError, codec};

/// A delivery of a job, ready for the writer.
#[derive(Debug)]
pub(crate) struct DeliveryRow {
    number: i64,
    event: &'static str,
    page: Option<i64>,
    delivered: bool,
    attempts: String,
}

/// One more try of a delivery that is in the log.
#[derive(Debug)]
pub(crate) struct DeliveredAgain {
    job: i64,
    number: i64,
    attempt: DeliveryAttempt,
}

impl Store {
    /// The deliveries of a job after number `after`; `None` when there is no such job.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn deliveries(
        &self,
        id: &str,
        after: u64,
        limit: u32,
    ) -> Result<Option<List<Delivery>>, StoreError> {
        let db = &self.database.readers;
        match self.find_job(id).await? {
            Some((job, _)) => list(db, job, after, limit).await.map(Some),
            None => Ok(None),
        }
    }

    /// One delivery of a job.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn delivery(
        &self,
        call: &JobCall,
        number: u64,
    ) -> Result<Option<Delivery>, StoreError> {
        let before = number.saturating_sub(1);
        let found = list(&self.database.readers, call.number, before, 1).await?;
        let mut found = found.items.into_iter();
        Ok(found.find(|delivery| delivery.number == number))
    }

    /// The page that a delivery told of, as it is now: also when it was done or read again since.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn page_of_delivery(
        &self,
        call: &JobCall,
        number: u64,
    ) -> Result<Option<PageResult>, StoreError> {
        let packed: Option<Vec<u8>> = sqlx::query_scalar(
            "SELECT pages.result FROM deliveries AS told JOIN job_pages AS page \
             ON page.job = told.job AND page.entry = told.entry \
             JOIN pages ON pages.id = page.page_id WHERE told.job = ? AND told.number = ?",
        )
        .bind(call.number)
        .bind(i64::try_from(number).unwrap_or(i64::MAX))
        .fetch_optional(&self.database.readers)
        .await?;
        let Some(packed) = packed else {
            return Ok(None);
        };
        let size = packed.len().saturating_mul(4);
        let page = codec::run(size, move || codec::unpack_page(&packed)).await?;
        Ok(Some(page.0))
    }

    /// Adds a try to a delivery; returns it with all of them, or `None` when it is gone.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn delivered_again(
        &self,
        call: &JobCall,
        number: u64,
        attempt: DeliveryAttempt,
    ) -> Result<Option<Delivery>, StoreError> {
        let again = DeliveredAgain {
            job: call.number,
            number: i64::try_from(number).unwrap_or(i64::MAX),
            attempt,
        };
        let change = JobChange::DeliveredAgain(Box::new(again));
        match self.change_job(change).await? {
            JobAnswer::Done => self.delivery(call, number).await,
            other => Err(unexpected(&other)),
        }
    }
}

impl DeliveryRow {
    pub(super) fn of(delivery: &Delivery) -> Result<Self, StoreError> {
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        Ok(Self {
            number: number(delivery.number),
            event: delivery.event.as_str(),
            page: delivery.page.map(number),
            delivered: delivery.delivered,
            attempts: to_json(&delivery.attempts)?,
        })
    }

    pub(super) async fn insert(
        &self,
        db: &mut SqliteConnection,
        job: i64,
    ) -> Result<(), sqlx::Error> {
        sqlx::query(
            "INSERT INTO deliveries (job, number, event, page, entry, delivered, attempts) \
             VALUES (?, ?, ?, ?, (SELECT entry FROM job_pages WHERE job = ? AND number = ?), ?, ?)",
        )
        .bind(job)
        .bind(self.number)
        .bind(self.event)
        .bind(self.page)
        .bind(job)
        .bind(self.page)
        .bind(self.delivered)
        .bind(&self.attempts)
        .execute(db)
        .await?;
        Ok(())
    }
}

impl DeliveredAgain {
    /// Reads and writes in one transaction: of two at once, both are there.
    pub(super) async fn apply(&self, db: &mut SqliteConnection) -> Result<(), StoreError> {
        let attempts: Option<String> =
            sqlx::query_scalar("SELECT attempts FROM deliveries WHERE job = ? AND number = ?")
                .bind(self.job)
                .bind(self.number)
                .fetch_optional(&mut *db)
                .await?;
        let Some(attempts) = attempts else {
            return Ok(());
        };
        let mut attempts = tries(&attempts)?;
        attempts.push(self.attempt.clone());
        sqlx::query(
            "UPDATE deliveries SET delivered = max(delivered, ?), attempts = ? \
             WHERE job = ? AND number = ?",
        )
        .bind(self.attempt.is_good())
        .bind(to_json(&attempts)?)
        .bind(self.job)
        .bind(self.number)
        .execute(db)
        .await?;
        Ok(())
    }
}

fn tries(json: &str) -> Result<Vec<DeliveryAttempt>, StoreError> {
    serde_json::from_str(json).map_err(|error| StoreError::Damaged(error.to_string()))
}

async fn list(
    db: &SqlitePool,
    job: i64,
    after: u64,
    limit: u32,
) -> Result<List<Delivery>, StoreError> {
    type Row = (i64, String, Option<i64>, bool, String);
    let rows: Vec<Row> = sqlx::query_as(
        "SELECT number, event, page, delivered, attempts FROM deliveries \
         WHERE job = ? AND number > ? ORDER BY number LIMIT ?",
    )
    .bind(job)
    .bind(i64::try_from(after).unwrap_or(i64::MAX))
    .bind(i64::from(limit) + 1)
    .fetch_all(db)
    .await?;
    let read = |(number, event, page, delivered, attempts): Row| {
        let event: WebhookEventKind = codec::from_name(&event)?;
        Ok(Delivery {
            number: number.unsigned_abs(),
            event,
            page: page.map(i64::unsigned_abs),
            delivered,
            attempts: tries(&attempts)?,
        })
    };
    let found: Vec<_> = rows
        .into_iter()
        .map(read)
        .collect::<Result<_, StoreError>>()?;
    Ok(List::cut(found, limit, |delivery: &Delivery| {
        delivery.number.to_string()
    }))
}
