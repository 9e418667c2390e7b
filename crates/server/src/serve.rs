//! Accepts connections until told to stop, then lets the running calls end.
//!
//! Connections are bounded in number, and each in the time that its client may take for a request
//! head and for reading an answer. The
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
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt;

/// Connections at once. More than the pages that may run, so that the surplus is told so.
const MAX_CONNECTIONS: usize = 1_024;
/// Longest wait for a request head, and so for the next request on an idle connection.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// Longest wait for a client that does not take what it asked for: heartbeats alone fill the
/// buffers of one that follows a job and never reads.
const WRITE_TIMEOUT: Duration = Duration::from_secs(60);
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
                let mut stream = TimeoutStream::new(stream);
                stream.set_write_timeout(Some(WRITE_TIMEOUT));
                let connection = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(HEAD_TIMEOUT)
                    .serve_connection(TokioIo::new(Box::pin(stream)), service(router.clone(), peer));
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

#[cfg(test)]
mod tests {
    use std::{convert::Infallible, io::Write};

    use axum::{body::Body, routing::get};
    use bytes::Bytes;
    use futures_util::stream;
    use tokio::sync::Notify;

    use super::*;

    /// Tells when it is dropped.
    struct Held(Arc<Notify>);

    impl Drop for Held {
        fn drop(&mut self) {
            self.0.notify_one();
        }
    }

    #[allow(
        clippy::disallowed_methods,
        reason = "a client of ours, from the same machine"
    )]
    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_read_is_let_go() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        client
            .write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            .unwrap();
        let gone = Arc::new(Notify::new());
        let endless = {
            let gone = Arc::clone(&gone);
            async move || {
                let held = Held(gone);
                Body::from_stream(stream::repeat_with(move || {
                    let _until_the_end = &held;
                    Ok::<_, Infallible>(Bytes::from_static(&[b'x'; 65_536]))
                }))
            }
        };
        let router = Router::new().route("/", get(endless));
        let serving = tokio::spawn(serve(listener, router, std::future::pending()));
        let let_go = tokio::time::timeout(10 * WRITE_TIMEOUT, gone.notified()).await;
        assert!(let_go.is_ok());
        serving.abort();
    }
}
