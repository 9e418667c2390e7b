//! A browser that runs elsewhere, over its DevTools WebSocket.

use std::{net::IpAddr, sync::Arc, time::Duration};

use futures_util::{SinkExt, StreamExt, stream::SplitSink, stream::SplitStream};
use serde_json::Value;
use tokio::{net::TcpStream, sync::mpsc, task::JoinSet, time::timeout};
use tokio_tungstenite::{
    WebSocketStream, client_async_with_config,
    tungstenite::{Message, protocol::WebSocketConfig},
};
use url::Url;

use super::cdp::Cdp;
use crate::FetchError;

/// As for the pipe.
const MAX_MESSAGE_BYTES: usize = 256 * 1024 * 1024;
/// Time to connect.
const CONNECT_TIME: Duration = Duration::from_secs(10);

type Socket = WebSocketStream<TcpStream>;

/// The tasks that carry messages; they end with it.
pub(super) struct Transport {
    /// Our address and the browser's, as each sees the other.
    pub(super) ends: (IpAddr, IpAddr),
    _tasks: JoinSet<()>,
}

/// Connects to a DevTools endpoint: its WebSocket, or the HTTP address that names it.
///
/// # Errors
/// `BrowserUnavailable` when nobody answers there.
pub(super) async fn connect(url: &Url) -> Result<(Arc<Cdp>, Transport), FetchError> {
    let connected = timeout(CONNECT_TIME, open(url)).await;
    let (socket, ends) = connected
        .map_err(|_| "no answer in time".to_owned())
        .and_then(|opened| opened)
        .map_err(|error| {
            tracing::error!(error, "the remote browser cannot be reached");
            FetchError::BrowserUnavailable
        })?;
    let (cdp, outbox) = Cdp::new();
    let (sink, stream) = socket.split();
    let mut tasks = JoinSet::new();
    tasks.spawn(write(sink, outbox));
    tasks.spawn(read(stream, Arc::clone(&cdp)));
    let transport = Transport {
        ends,
        _tasks: tasks,
    };
    Ok((cdp, transport))
}

async fn open(url: &Url) -> Result<(Socket, (IpAddr, IpAddr)), String> {
    let endpoint = match url.scheme() {
        "ws" => url.clone(),
        "http" => named_endpoint(url).await?,
        scheme => return Err(format!("{scheme} is not spoken here; ws and http are")),
    };
    let stream = dial(&endpoint).await?;
    let address = |end: std::io::Result<std::net::SocketAddr>| {
        end.map(|end| end.ip()).map_err(|error| error.to_string())
    };
    let ends = (address(stream.local_addr())?, address(stream.peer_addr())?);
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE_BYTES))
        .max_frame_size(Some(MAX_MESSAGE_BYTES));
    let socket = client_async_with_config(endpoint.as_str(), stream, Some(config)).await;
    socket
        .map(|(socket, _)| (socket, ends))
        .map_err(|error| error.to_string())
}

/// The WebSocket that `/json/version` names, at the host that was asked.
async fn named_endpoint(url: &Url) -> Result<Url, String> {
    let mut description = url.clone();
    description.set_path("/json/version");
    let broken = |error: wreq::Error| error.to_string();
    let client = wreq::Client::builder().no_proxy().build().map_err(broken)?;
    let answer = client
        .get(description.as_str())
        .send()
        .await
        .map_err(broken)?;
    let description = answer.bytes().await.map_err(broken)?;
    let description: Value =
        serde_json::from_slice(&description).map_err(|error| error.to_string())?;
    let named = description["webSocketDebuggerUrl"].as_str();
    let named = named.ok_or("it names no WebSocket")?;
    let named = Url::parse(named).map_err(|error| error.to_string())?;
    let mut endpoint = url.clone();
    // It names itself as it sees itself, which may be another name than ours for it.
    endpoint.set_path(named.path());
    endpoint
        .set_scheme("ws")
        .map_err(|()| "not a WebSocket".to_owned())?;
    Ok(endpoint)
}

async fn dial(url: &Url) -> Result<TcpStream, String> {
    let host = url.host_str().ok_or("no host")?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let port = url.port_or_known_default().ok_or("no port")?;
    // The operator's own word, not a caller's: the door has no say.
    #[allow(clippy::disallowed_methods)]
    let stream = TcpStream::connect((host, port)).await;
    stream.map_err(|error| error.to_string())
}

async fn write(mut sink: SplitSink<Socket, Message>, mut outbox: mpsc::Receiver<String>) {
    while let Some(message) = outbox.recv().await {
        if sink.send(Message::text(message)).await.is_err() {
            return;
        }
    }
}

async fn read(mut stream: SplitStream<Socket>, cdp: Arc<Cdp>) {
    while let Some(Ok(message)) = stream.next().await {
        match message {
            Message::Text(text) => cdp.deliver(text.as_bytes()),
            Message::Binary(bytes) => cdp.deliver(&bytes),
            Message::Close(_) => break,
            _ => {}
        }
    }
    cdp.close();
}
