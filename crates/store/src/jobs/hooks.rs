//! Webhooks: how far their receivers were told, and when each may be told again. What there is to
//! tell is in the job and its pages; a delivery and the step past its event are committed together,
//! so that after a crash an event may come again, with the same id, but none is left out.

use std::time::Duration;

use jiff::Timestamp;
use sqlx::{QueryBuilder, Sqlite, SqliteConnection, SqlitePool};
use trawls_contract::Delivery;

use super::{
    change::{Claim, JobAnswer, JobChange, Lease},
    deliveries::DeliveryRow,
    owner::Owner,
    rows::{self, Named},
    silence::Held,
    to_json, unexpected,
};
use crate::{Store, StoreError};

/// Longest rest of a receiver. One that would rest longer does so by a clock that was set since.
const LONGEST_REST: Duration = Duration::from_secs(60);

/// How much a receiver was told, beside pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// Nothing yet.
    Nothing,
    /// Of the start of the job.
    Start,
    /// Of its end at this time. A job that was retried meanwhile comes to another one.
    End(Timestamp),
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
    /// Number of the last page that the job had when the webhook was taken.
    pub pages_until: u64,
    /// How much was told.
    pub told: Told,
    /// Number of the last page that was told of.
    pub last_page: u64,
    /// Number of the last delivery.
    pub last_delivery: u64,
    /// Events in a row that the receiver did not take.
    pub failures: u32,
    /// Is it told of pages?
    pub tells_pages: bool,
    /// The event that it did not take yet.
    pub under_way: Option<Delivery>,
}

/// Where a webhook stands now, with the delivery that brought it there.
#[derive(Debug)]
pub(crate) struct HookStep {
    lease: Lease,
    told: Told,
    last_page: i64,
    failures: i64,
    tells_pages: bool,
    under_way: Option<String>,
    delivery: Option<DeliveryRow>,
}

/// The end of a turn.
#[derive(Debug)]
pub(crate) struct HookRelease {
    lease: Lease,
    not_before: i64,
}

/// A claimed webhook: job, told, last page, failures, whether it is told of pages, what is under
/// way, last delivery, last page of the job.
pub(crate) type ClaimedHook = (i64, i64, i64, i64, bool, Option<String>, i64, i64);

impl Store {
    /// Takes the webhook whose turn it is: one that has something to tell, does not rest, and that
    /// nobody takes care of.
    ///
    /// # Errors
    /// The database cannot be read or written.
    pub async fn claim_hook(&self, owner: &Owner) -> Result<Option<Hook>, StoreError> {
        let db = &self.database.readers;
        let [_, silence] = &*self.silence;
        let claim = self.claim_of(owner, silence, held(db).await?, None);
        let mut free = QueryBuilder::new("");
        push_free(&mut free, &claim);
        let free: Option<i64> = free.build_query_scalar().fetch_optional(db).await?;
        if free.is_none() {
            return Ok(None);
        }
        let claimed = match self.change_job(JobChange::ClaimHook(claim)).await? {
            JobAnswer::Hook(Some(claimed)) => *claimed,
            JobAnswer::Hook(None) => return Ok(None),
            other => return Err(unexpected(&other)),
        };
        let (job, told, last_page, failures, tells_pages, under_way, last_delivery, pages) =
            claimed;
        let Some((_, of)) = rows::find(db, Named::Number(job)).await? else {
            return Ok(None);
        };
        let under_way = under_way.map(|json| serde_json::from_str(&json));
        Ok(Some(Hook {
            job,
            owner: owner.clone(),
            request: self.request_of(job).await?,
            id: of.id,
            pages_until: pages.unsigned_abs(),
            told: match told {
                0 => Told::Nothing,
                _ => Told::Start,
            },
            last_page: last_page.unsigned_abs(),
            last_delivery: last_delivery.unsigned_abs(),
            failures: u32::try_from(failures).unwrap_or(u32::MAX),
            tells_pages,
            under_way: under_way
                .transpose()
                .map_err(|error| StoreError::Damaged(error.to_string()))?,
        }))
    }

    /// Keeps where a webhook stands, with the delivery that brought it there. Also a sign of life.
    ///
    /// # Errors
    /// `LeaseLost` when somebody else tells now.
    pub async fn hook_step(
        &self,
        hook: &Hook,
        delivery: Option<&Delivery>,
    ) -> Result<(), StoreError> {
        let step = HookStep {
            lease: hook.lease(),
            told: hook.told,
            last_page: i64::try_from(hook.last_page).unwrap_or(i64::MAX),
            failures: hook.failures.into(),
            tells_pages: hook.tells_pages,
            under_way: hook.under_way.as_ref().map(to_json).transpose()?,
            delivery: delivery.map(DeliveryRow::of).transpose()?,
        };
        self.change_job(JobChange::HookStep(Box::new(step)))
            .await
            .map(drop)
    }

    /// Lets somebody else tell, after a rest of at most a minute.
    ///
    /// # Errors
    /// The database cannot be written; the webhook is free when its owner is gone.
    pub async fn release_hook(&self, hook: &Hook, rest: Duration) -> Result<(), StoreError> {
        let lease = hook.lease();
        let release = HookRelease {
            not_before: lease.alive_at.saturating_add(ms(rest.min(LONGEST_REST))),
            lease,
        };
        self.change_job(JobChange::ReleaseHook(release))
            .await
            .map(drop)
    }
}

impl Hook {
    fn lease(&self) -> Lease {
        Lease {
            job: self.job,
            owner: self.owner.id().to_owned(),
            alive_at: Timestamp::now().as_millisecond(),
            worked_ms: 0,
        }
    }
}

fn ms(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// Webhooks that somebody tells.
async fn held(db: &SqlitePool) -> Result<Vec<Held>, sqlx::Error> {
    let told = "SELECT job, owner, alive_at FROM webhooks WHERE told < 2 AND owner IS NOT NULL";
    Held::all(db, told).await
}

/// Those with something to tell that nobody takes care of, whoever waits longest first.
fn push_free(query: &mut QueryBuilder<Sqlite>, claim: &Claim) {
    query.push(
        "SELECT hook.job FROM webhooks AS hook JOIN jobs ON jobs.number = hook.job \
         WHERE hook.told < 2 AND ((hook.told = 0 AND jobs.started_at IS NOT NULL) \
         OR (hook.tells_pages <> 0 AND hook.last_page < jobs.last_page) OR ",
    );
    rows::push_is_final(query);
    query.push(") AND NOT (hook.not_before > ");
    query.push_bind(claim.now).push(" AND hook.not_before <= ");
    query.push_bind(claim.now.saturating_add(ms(LONGEST_REST)));
    query.push(") AND (hook.owner IS NULL OR ");
    claim.push_orphaned(query, "hook.job, hook.owner, hook.alive_at");
    query.push(") ORDER BY hook.not_before, hook.job LIMIT 1");
}

pub(super) async fn claim(
    db: &mut SqliteConnection,
    claim: &Claim,
) -> Result<Option<Box<ClaimedHook>>, sqlx::Error> {
    let mut query = QueryBuilder::new("UPDATE webhooks SET owner = ");
    query.push_bind(&claim.owner);
    query.push(", alive_at = ").push_bind(claim.now);
    query.push(" WHERE job = (");
    push_free(&mut query, claim);
    query.push(
        ") RETURNING job, told, last_page, failures, tells_pages, under_way, \
         (SELECT coalesce(max(number), 0) FROM deliveries WHERE deliveries.job = webhooks.job), \
         (SELECT last_page FROM jobs WHERE jobs.number = webhooks.job)",
    );
    let claimed = query.build_query_as().fetch_optional(db).await?;
    Ok(claimed.map(Box::new))
}

impl HookStep {
    pub(super) async fn apply(&self, db: &mut SqliteConnection) -> Result<(), StoreError> {
        let told = match self.told {
            Told::Nothing => 0,
            Told::Start => 1,
            Told::End(at) if is_the_end(db, self.lease.job, at).await? => 2,
            Told::End(_) => 1,
        };
        let moved = sqlx::query(
            "UPDATE webhooks SET told = ?, last_page = ?, failures = ?, tells_pages = ?, \
             under_way = ?, alive_at = ? WHERE job = ? AND owner = ?",
        )
        .bind(told)
        .bind(self.last_page)
        .bind(self.failures)
        .bind(self.tells_pages)
        .bind(&self.under_way)
        .bind(self.lease.alive_at)
        .bind(self.lease.job)
        .bind(&self.lease.owner)
        .execute(&mut *db)
        .await?;
        if moved.rows_affected() == 0 {
            return Err(StoreError::LeaseLost);
        }
        if let Some(delivery) = &self.delivery {
            delivery.insert(db, self.lease.job).await?;
        }
        Ok(())
    }
}

/// Did the job end then, and not go on since?
async fn is_the_end(
    db: &mut SqliteConnection,
    job: i64,
    at: Timestamp,
) -> Result<bool, sqlx::Error> {
    let finished_at: Option<Option<i64>> =
        sqlx::query_scalar("SELECT finished_at FROM jobs WHERE number = ?")
            .bind(job)
            .fetch_optional(db)
            .await?;
    Ok(finished_at.flatten() == Some(at.as_millisecond()))
}

/// A job with a webhook.
pub(super) async fn insert(db: &mut SqliteConnection, job: i64) -> Result<(), sqlx::Error> {
    sqlx::query("INSERT INTO webhooks (job) VALUES (?)")
        .bind(job)
        .execute(db)
        .await?;
    Ok(())
}

/// The job goes on: its end will have to be told again, to a receiver that may have come back.
pub(super) async fn reopen(db: &mut SqliteConnection, job: i64) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE webhooks SET told = min(told, 1), not_before = 0, failures = 0, tells_pages = 1 \
         WHERE job = ?",
    )
    .bind(job)
    .execute(db)
    .await?;
    Ok(())
}

impl HookRelease {
    pub(super) async fn apply(&self, db: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        sqlx::query(
            "UPDATE webhooks SET owner = NULL, alive_at = NULL, not_before = ? \
             WHERE job = ? AND owner = ?",
        )
        .bind(self.not_before)
        .bind(self.lease.job)
        .bind(&self.lease.owner)
        .execute(db)
        .await?;
        Ok(())
    }
}
