//! A layer around the client's connector that knows the fetch it dials for: each fetch brings its
//! own time for connecting, and learns whether its request used a fresh connection.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use futures_util::future::BoxFuture;
use tower::{BoxError, Layer, Service};

tokio::task_local! {
    /// The dial of the request that is being sent in this task.
    pub(super) static DIAL: Dial;
}

/// How far the connection of one request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// No connection was made: one from the pool serves.
    Pooled,
    /// Name, TCP or TLS are not done.
    Dialling,
    /// A fresh connection stands.
    Connected,
}

/// One request's view on its connection.
#[derive(Debug, Clone)]
pub(super) struct Dial {
    limit: Duration,
    phase: Arc<AtomicU8>,
}

/// The connection was not there in time.
#[derive(Debug, thiserror::Error)]
#[error("no connection in time")]
pub(super) struct DialTimeout;

impl Dial {
    pub(super) fn new(limit: Duration) -> Self {
        Self {
            limit,
            phase: Arc::new(AtomicU8::new(0)),
        }
    }

    pub(super) fn phase(&self) -> Phase {
        match self.phase.load(Ordering::Relaxed) {
            0 => Phase::Pooled,
            1 => Phase::Dialling,
            _ => Phase::Connected,
        }
    }

    fn set(&self, phase: Phase) {
        let code = match phase {
            Phase::Pooled => 0,
            Phase::Dialling => 1,
            Phase::Connected => 2,
        };
        self.phase.store(code, Ordering::Relaxed);
    }
}

/// Applies the dial of the current task to each connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct DialLayer;

/// The connector inside of the layer.
#[derive(Debug, Clone)]
pub(super) struct DialService<S>(S);

impl<S> Layer<S> for DialLayer {
    type Service = DialService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        DialService(inner)
    }
}

impl<S, R> Service<R> for DialService<S>
where
    S: Service<R, Error = BoxError>,
    S::Future: Send + 'static,
    S::Response: Send,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<S::Response, BoxError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, request: R) -> Self::Future {
        let connecting = self.0.call(request);
        // The client may finish a connection in the background; it has no dial of its own there,
        // so the dial is taken now.
        let Ok(dial) = DIAL.try_with(Clone::clone) else {
            return Box::pin(connecting);
        };
        dial.set(Phase::Dialling);
        Box::pin(async move {
            let connected = tokio::time::timeout(dial.limit, connecting)
                .await
                .map_err(|_| DialTimeout)??;
            dial.set(Phase::Connected);
            Ok(connected)
        })
    }
}
