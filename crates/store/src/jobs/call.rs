//! A job together with the call that made it, found once for all that is to be done with it.

use trawls_contract::Job;

use crate::{Store, StoreError, codec};

/// A job and the call that made it.
#[derive(Debug)]
pub struct JobCall {
    pub(super) number: i64,
    /// The job.
    pub job: Job,
    /// The body of the call, JSON.
    pub request: Vec<u8>,
}

impl Store {
    /// A job and its call; `None` when there is no such job.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn job_call(&self, id: &str) -> Result<Option<JobCall>, StoreError> {
        let Some((number, job)) = self.find_job(id).await? else {
            return Ok(None);
        };
        let request = self.request_of(number).await?;
        Ok(Some(JobCall {
            number,
            job,
            request,
        }))
    }

    pub(super) async fn request_of(&self, job: i64) -> Result<Vec<u8>, StoreError> {
        let packed: Vec<u8> = sqlx::query_scalar("SELECT request FROM jobs WHERE number = ?")
            .bind(job)
            .fetch_one(&self.database.readers)
            .await?;
        codec::unpack(&packed)
    }
}
