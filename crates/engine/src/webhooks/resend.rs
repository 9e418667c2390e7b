//! The log of deliveries, and an event that is sent again because somebody asked for it.

use trawls_contract::{Delivery, List};

use super::{Body, deliver};
use crate::{Engine, EngineError};

impl Engine {
    /// The deliveries of a job's webhook after number `after`; `None` when there is no such job.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn deliveries(
        &self,
        id: &str,
        after: u64,
        limit: u32,
    ) -> Result<Option<List<Delivery>>, EngineError> {
        Ok(self.rooms().store.deliveries(id, after, limit).await?)
    }

    /// Sends an event again, once, with the page as it is now; `None` when there is no such
    /// delivery, or its page is gone.
    ///
    /// # Errors
    /// The database cannot be read or written.
    pub async fn resend(&self, id: &str, number: u64) -> Result<Option<Delivery>, EngineError> {
        let (rooms, store) = (self.rooms(), &self.rooms().store);
        let Some(call) = store.job_call(id).await? else {
            return Ok(None);
        };
        let (Some(delivery), Some(webhook)) = (
            store.delivery(&call, number).await?,
            Body::webhook(&call.request),
        ) else {
            return Ok(None);
        };
        let page = store.page_of_delivery(&call, number).await?;
        if delivery.page.is_some() && page.is_none() {
            return Ok(None);
        }
        let event = deliver::event(&webhook, &call.job, number, delivery.event, page);
        let attempt = deliver::try_once(rooms, &webhook, &event).await;
        Ok(store.delivered_again(&call, number, attempt).await?)
    }
}
