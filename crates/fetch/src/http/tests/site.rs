//! A server of a few lines: it hands each request head to a function and writes what comes back.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpListener,
};
use url::Url;

/// What a request gets.
pub(super) enum Reply {
    /// These bytes; then the connection is kept.
    Keep(Vec<u8>),
    /// These bytes; then the connection is closed.
    Close(Vec<u8>),
    /// These bytes; then nothing, for ever.
    Hang(Vec<u8>),
    /// These bytes, then this byte again and again at this pace.
    Drip(Vec<u8>, u8, Duration),
    /// The connection is closed without a byte.
    Drop,
}

type Answer = dyn Fn(&Request) -> Reply + Send + Sync;

/// A request head as it came.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) head: String,
    /// Path and query.
    pub(super) target: String,
    /// How many requests came before it.
    pub(super) number: usize,
}

impl Request {
    /// The value of a header, or nothing.
    pub(super) fn header(&self, name: &str) -> &str {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines
            .filter(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
            .next()
            .unwrap_or_default()
    }
}

/// A server on loopback.
pub(super) struct Site {
    pub(super) port: u16,
    seen: Arc<Mutex<Vec<Request>>>,
    connections: Arc<AtomicUsize>,
}

impl Site {
    pub(super) async fn new(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let answer: Arc<Answer> = Arc::new(answer);
        let seen = Arc::new(Mutex::new(Vec::new()));
        let connections = Arc::new(AtomicUsize::new(0));
        let site = Self {
            port,
            seen: Arc::clone(&seen),
            connections: Arc::clone(&connections),
        };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                connections.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(converse(stream, Arc::clone(&answer), Arc::clone(&seen)));
            }
        });
        site
    }

    /// A site with one page for every path.
    pub(super) async fn with(response: impl Into<Vec<u8>>) -> Self {
        let response = response.into();
        Self::new(move |_| Reply::Close(response.clone())).await
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub(super) fn at(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.port)
    }

    pub(super) fn as_proxy(&self, scheme: &str) -> Url {
        Url::parse(&format!("{scheme}://127.0.0.1:{}", self.port)).unwrap()
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }

    pub(super) fn targets(&self) -> Vec<String> {
        self.requests()
            .into_iter()
            .map(|request| request.target)
            .collect()
    }

    pub(super) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

/// Serves one connection to its end.
pub(super) async fn converse<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    answer: Arc<Answer>,
    seen: Arc<Mutex<Vec<Request>>>,
) {
    while let Some(head) = read_head(&mut stream).await {
        let target = head.split(' ').nth(1).unwrap_or_default().to_owned();
        let request = {
            let mut seen = seen.lock().unwrap();
            let request = Request {
                head,
                target,
                number: seen.len(),
            };
            seen.push(request.clone());
            request
        };
        match answer(&request) {
            Reply::Keep(bytes) => {
                if stream.write_all(&bytes).await.is_err() {
                    return;
                }
            }
            Reply::Close(bytes) => {
                let _ = stream.write_all(&bytes).await;
                let _ = stream.shutdown().await;
                return;
            }
            Reply::Hang(bytes) => {
                let _ = stream.write_all(&bytes).await;
                std::future::pending::<()>().await;
            }
            Reply::Drip(bytes, byte, pause) => {
                let _ = stream.write_all(&bytes).await;
                while stream.write_all(&[byte]).await.is_ok() {
                    tokio::time::sleep(pause).await;
                }
                return;
            }
            Reply::Drop => return,
        }
    }
}

/// Up to the empty line.
pub(super) async fn read_head<S: AsyncRead + Unpin>(stream: &mut S) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    Some(String::from_utf8_lossy(&head).into_owned())
}

/// A whole response with a length.
pub(super) fn page(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\n{headers}\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

pub(super) fn html(body: &str) -> Vec<u8> {
    page("200 OK", "Content-Type: text/html; charset=utf-8\r\n", body)
}

pub(super) fn redirect(location: &str) -> Vec<u8> {
    page("302 Found", &format!("Location: {location}\r\n"), "")
}
