//! Accepts connections until told to stop, then lets the running calls end.
//!
//! Connections are bounded in number, and each in the time it may take for a request head. The
//! connections' tasks are owned here: when `serve` returns, none is left.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{ConnectInfo, Request},
};
use hyper::{body::Incoming, server::conn::http1};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    task::JoinSet,
};
use tower::ServiceExt;

/// Connections at once. More than the pages that may run, so that the surplus is told so.
const MAX_CONNECTIONS: usize = 1_024;
/// Longest wait for a request head, and so for the next request on an idle connection.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// Longest wait for running calls once told to stop: a page with the default timeout can end.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(30);
/// Rest after a failed accept; out of file descriptors, say.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves until `shutdown` is ready and the calls that run then have ended, or their time is up.
pub async fn serve(listener: TcpListener, router: Router, shutdown: impl Future<Output = ()>) {
    let graceful = GracefulShutdown::new();
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut connections = JoinSet::new();
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        tokio::select! {
            biased;
            () = &mut shutdown => break,
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            (stream, peer, slot) = accept(&listener, &slots) => {
                let connection = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(HEAD_TIMEOUT)
                    .serve_connection(TokioIo::new(stream), service(router.clone(), peer));
                let connection = graceful.watch(connection);
                connections.spawn(async move {
                    if let Err(error) = connection.await {
                        tracing::debug!(%error, "a connection ended early");
                    }
                    drop(slot);
                });
            }
        }
    }
    drop(listener);
    tracing::info!(
        connections = connections.len(),
        "stopping: running calls may end"
    );
    if tokio::time::timeout(SHUTDOWN_GRACE, graceful.shutdown())
        .await
        .is_err()
    {
        tracing::warn!(connections = connections.len(), "stopping without them");
    }
    connections.shutdown().await;
}

/// Waits for a free slot first: surplus connections stay in the kernel's queue.
async fn accept(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
) -> (TcpStream, SocketAddr, Option<OwnedSemaphorePermit>) {
    // The semaphore is never closed, so this is always a permit.
    let slot = slots.clone().acquire_owned().await.ok();
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                // Only latency is lost where this cannot be set.
                let _ = stream.set_nodelay(true);
                return (stream, peer, slot);
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

fn service(
    router: Router,
    peer: SocketAddr,
) -> impl hyper::service::Service<
    Request<Incoming>,
    Response = axum::response::Response,
    Error = std::convert::Infallible,
    Future: Send,
> {
    hyper::service::service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().oneshot(request)
    })
}
