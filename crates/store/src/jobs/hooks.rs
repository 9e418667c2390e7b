//! Webhooks: how far their receivers were told, and the log of deliveries. What there is to tell
//! is in the job and its pages; a delivery and the step past its event are committed together, so
//! that after a crash an event may come again, with the same id, but none is left out.

use jiff::Timestamp;
use sqlx::{QueryBuilder, Sqlite, SqliteConnection, SqlitePool};
use trawls_contract::{Delivery, DeliveryAttempt, List, WebhookEventKind};

use super::{
    change::{Claim, JobAnswer, JobChange, Lease},
    owner::Owner,
    rows::{self, Named},
    to_json, unexpected, until,
};
use crate::{Store, StoreError, codec};

/// How much a receiver was told, beside pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// Nothing yet.
    Nothing,
    /// Of the start of the job.
    Start,
    /// Of its end.
    End,
}

impl Told {
    fn code(self) -> i64 {
        match self {
            Self::Nothing => 0,
            Self::Start => 1,
            Self::End => 2,
        }
    }
}

/// A webhook in the hands of the one who tells.
#[derive(Debug)]
pub struct Hook {
    job: i64,
    owner: Owner,
    /// The job's id.
    pub id: String,
    /// The body of the call that made the job, JSON.
    pub request: Vec<u8>,
    /// How much was told.
    pub told: Told,
    /// Number of the last page that was told of.
    pub last_page: u64,
    /// Number of the last delivery.
    pub last_delivery: u64,
}

/// A step past an event.
#[derive(Debug)]
pub(crate) struct HookStep {
    lease: Lease,
    told: i64,
    last_page: i64,
    delivery: Option<DeliveryRow>,
}

#[derive(Debug)]
struct DeliveryRow {
    number: i64,
    event: &'static str,
    page: Option<i64>,
    delivered: bool,
    attempts: String,
}

/// A claimed webhook: job, told, last page, last delivery.
pub(crate) type ClaimedHook = (i64, i64, i64, i64);

const WAITS: &str = "SELECT hook.job FROM webhooks AS hook JOIN jobs ON jobs.number = hook.job \
                     WHERE hook.told < 2 \
                     AND coalesce(jobs.started_at, jobs.finished_at) IS NOT NULL";

impl Store {
    /// Takes a webhook that has or will have something to tell and that nobody takes care of.
    ///
    /// # Errors
    /// The database cannot be read or written.
    pub async fn claim_hook(&self, owner: &Owner) -> Result<Option<Hook>, StoreError> {
        let db = &self.database.readers;
        let owners: Vec<Option<String>> =
            sqlx::query_scalar("SELECT DISTINCT owner FROM webhooks WHERE told < 2")
                .fetch_all(db)
                .await?;
        let claim = self.claim_of(owner, owners.into_iter().flatten().collect(), None);
        let mut free = QueryBuilder::new("");
        push_free(&mut free, &claim);
        let free: Option<i64> = free.build_query_scalar().fetch_optional(db).await?;
        if free.is_none() {
            return Ok(None);
        }
        let claimed = match self.change_job(JobChange::ClaimHook(claim)).await? {
            JobAnswer::Hook(Some(claimed)) => claimed,
            JobAnswer::Hook(None) => return Ok(None),
            other => return Err(unexpected(&other)),
        };
        let (job, told, last_page, last_delivery) = claimed;
        let Some((_, of)) = rows::find(db, Named::Number(job)).await? else {
            return Ok(None);
        };
        Ok(Some(Hook {
            job,
            owner: owner.clone(),
            request: self.job_request(job).await?,
            id: of.id,
            told: match told {
                0 => Told::Nothing,
                _ => Told::Start,
            },
            last_page: last_page.unsigned_abs(),
            last_delivery: last_delivery.unsigned_abs(),
        }))
    }

    /// Goes past an event, with its delivery if it was wanted. Also a sign of life.
    ///
    /// # Errors
    /// `LeaseLost` when somebody else tells now.
    pub async fn hook_step(
        &self,
        hook: &Hook,
        delivery: Option<&Delivery>,
    ) -> Result<(), StoreError> {
        let delivery = delivery.map(DeliveryRow::of).transpose()?;
        let step = HookStep {
            lease: self.hook_lease(hook, until(Timestamp::now())),
            told: hook.told.code(),
            last_page: i64::try_from(hook.last_page).unwrap_or(i64::MAX),
            delivery,
        };
        self.change_job(JobChange::HookStep(Box::new(step)))
            .await
            .map(drop)
    }

    /// Lets somebody else tell.
    ///
    /// # Errors
    /// The database cannot be written; the webhook is free when its owner is gone.
    pub async fn release_hook(&self, hook: &Hook) -> Result<(), StoreError> {
        let lease = self.hook_lease(hook, 0);
        self.change_job(JobChange::ReleaseHook(lease))
            .await
            .map(drop)
    }

    fn hook_lease(&self, hook: &Hook, until: i64) -> Lease {
        Lease {
            job: hook.job,
            owner: hook.owner.id().to_owned(),
            until,
            worked_ms: 0,
        }
    }

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

    /// What happened to a delivery that was sent again.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn delivered_again(&self, id: &str, delivery: &Delivery) -> Result<(), StoreError> {
        let Some((job, _)) = self.find_job(id).await? else {
            return Ok(());
        };
        let change = JobChange::DeliveredAgain {
            job,
            number: i64::try_from(delivery.number).unwrap_or(i64::MAX),
            delivered: delivery.delivered,
            attempts: to_json(&delivery.attempts)?,
        };
        self.change_job(change).await.map(drop)
    }

    /// The body of the call that made a job, JSON.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn request_of(&self, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        match self.find_job(id).await? {
            Some((job, _)) => self.job_request(job).await.map(Some),
            None => Ok(None),
        }
    }

    async fn job_request(&self, job: i64) -> Result<Vec<u8>, StoreError> {
        let packed: Vec<u8> = sqlx::query_scalar("SELECT request FROM jobs WHERE number = ?")
            .bind(job)
            .fetch_one(&self.database.readers)
            .await?;
        codec::unpack(&packed)
    }
}

/// Nobody's, or somebody's who is dead or silent.
fn push_free(query: &mut QueryBuilder<Sqlite>, claim: &Claim) {
    query.push(WAITS).push(" AND (hook.owner IS NULL OR ");
    claim.push_orphaned(query, "hook");
    query.push(") ORDER BY hook.job LIMIT 1");
}

pub(super) async fn claim(
    db: &mut SqliteConnection,
    claim: &Claim,
) -> Result<Option<ClaimedHook>, sqlx::Error> {
    let mut query = QueryBuilder::new("UPDATE webhooks SET owner = ");
    query.push_bind(&claim.owner);
    query.push(", owned_until = ").push_bind(claim.until);
    query.push(" WHERE job = (");
    push_free(&mut query, claim);
    query.push(
        ") RETURNING job, told, last_page, (SELECT coalesce(max(number), 0) FROM deliveries \
         WHERE deliveries.job = webhooks.job)",
    );
    query.build_query_as().fetch_optional(db).await
}

impl DeliveryRow {
    fn of(delivery: &Delivery) -> Result<Self, StoreError> {
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        Ok(Self {
            number: number(delivery.number),
            event: delivery.event.as_str(),
            page: delivery.page.map(number),
            delivered: delivery.delivered,
            attempts: to_json(&delivery.attempts)?,
        })
    }
}

impl HookStep {
    pub(super) async fn apply(&self, db: &mut SqliteConnection) -> Result<(), StoreError> {
        let moved = sqlx::query(
            "UPDATE webhooks SET told = ?, last_page = ?, owned_until = ? \
             WHERE job = ? AND owner = ?",
        )
        .bind(self.told)
        .bind(self.last_page)
        .bind(self.lease.until)
        .bind(self.lease.job)
        .bind(&self.lease.owner)
        .execute(&mut *db)
        .await?;
        if moved.rows_affected() == 0 {
            return Err(StoreError::LeaseLost);
        }
        let Some(delivery) = &self.delivery else {
            return Ok(());
        };
        sqlx::query(
            "INSERT INTO deliveries (job, number, event, page, delivered, attempts) \
             VALUES (?, ?, ?, ?, ?, ?)",
        )
        .bind(self.lease.job)
        .bind(delivery.number)
        .bind(delivery.event)
        .bind(delivery.page)
        .bind(delivery.delivered)
        .bind(&delivery.attempts)
        .execute(db)
        .await?;
        Ok(())
    }
}

/// A job with a webhook.
pub(super) async fn insert(db: &mut SqliteConnection, job: i64) -> Result<(), sqlx::Error> {
    sqlx::query("INSERT INTO webhooks (job) VALUES (?)")
        .bind(job)
        .execute(db)
        .await?;
    Ok(())
}

/// The job goes on: its end will have to be told again.
pub(super) async fn reopen(db: &mut SqliteConnection, job: i64) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE webhooks SET told = 1, owner = NULL WHERE job = ? AND told = 2")
        .bind(job)
        .execute(db)
        .await?;
    Ok(())
}

pub(super) async fn release(db: &mut SqliteConnection, lease: &Lease) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE webhooks SET owner = NULL, owned_until = NULL WHERE job = ? AND owner = ?")
        .bind(lease.job)
        .bind(&lease.owner)
        .execute(db)
        .await?;
    Ok(())
}

pub(super) async fn update(
    db: &mut SqliteConnection,
    (job, number): (i64, i64),
    delivered: bool,
    attempts: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE deliveries SET delivered = ?, attempts = ? WHERE job = ? AND number = ?")
        .bind(delivered)
        .bind(attempts)
        .bind(job)
        .bind(number)
        .execute(db)
        .await?;
    Ok(())
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
        let attempts: Vec<DeliveryAttempt> = serde_json::from_str(&attempts)
            .map_err(|error| StoreError::Damaged(error.to_string()))?;
        let event: WebhookEventKind = codec::from_name(&event)?;
        Ok(Delivery {
            number: number.unsigned_abs(),
            event,
            page: page.map(i64::unsigned_abs),
            delivered,
            attempts,
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
