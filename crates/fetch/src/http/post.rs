//! One POST to an address that a caller chose: through the egress door, without redirects, with
//! nothing of a browser about it.

use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use tokio::time::timeout;
use url::Url;

use super::{DIAL, Dial, HttpFetch, fault};
use crate::FetchError;

/// Longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(5);

impl HttpFetch {
    /// Does the egress door let it pass?
    pub(crate) async fn admits(&self, url: &Url) -> Result<(), FetchError> {
        self.door.admit(url).await.map(drop)
    }

    /// The status of the answer; its body is not read.
    pub(crate) async fn post(
        &self,
        url: &Url,
        headers: HeaderMap,
        body: Bytes,
        limit: Duration,
    ) -> Result<u16, FetchError> {
        let exchange = async {
            self.door.admit(url).await?;
            let client = self.clients.client(true, false)?;
            let request = client
                .post(url.as_str())
                .default_headers(false)
                .headers(headers)
                .body(body);
            let sent = DIAL.scope(Dial::new(CONNECT), request.send()).await;
            sent.map(|response| response.status().as_u16())
                .map_err(|error| fault::of_request(&error, false, CONNECT))
        };
        timeout(limit, exchange)
            .await
            .map_err(|_| FetchError::TimeoutTtfb(limit))?
    }
}
