//! The server: accepts, reads one request, plays the answer of its trap, closes. Every request is
//! kept in a log, so that tests can say what was never asked for.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

use crate::{Answer, Step, TRAPS, forest};

/// Ceiling of a request's head and body; nothing of ours comes near it.
const MAX_REQUEST_BYTES: usize = 1 << 20;

/// One request as the site saw it.
#[derive(Debug, Clone)]
pub struct Request {
    /// The method.
    pub method: String,
    /// Path without the query.
    pub path: String,
    /// Query without the question mark.
    pub query: String,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    /// How often this path was asked for before.
    pub seen: usize,
    /// The site's own origin, as in `http://127.0.0.1:4000`.
    pub origin: String,
}

/// A running site. Dropping it stops it.
#[derive(Debug)]
pub struct TrapSite {
    address: SocketAddr,
    log: Log,
    task: JoinHandle<()>,
}

type Log = Arc<Mutex<Vec<Request>>>;

impl TrapSite {
    /// Starts on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// When no port can be bound.
    pub async fn start() -> std::io::Result<Self> {
        Self::start_on(SocketAddr::from(([127, 0, 0, 1], 0))).await
    }

    /// Starts on an address.
    ///
    /// # Errors
    /// When the address cannot be bound.
    pub async fn start_on(address: SocketAddr) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let log = Log::default();
        let task = tokio::spawn(accept(
            listener,
            format!("http://{address}"),
            Arc::clone(&log),
        ));
        Ok(Self { address, log, task })
    }

    /// Absolute URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Every request so far, oldest first.
    pub fn requests(&self) -> Vec<Request> {
        self.log
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// How often a path was asked for.
    pub fn hits(&self, path: &str) -> usize {
        self.requests()
            .iter()
            .filter(|request| request.path == path)
            .count()
    }
}

impl Drop for TrapSite {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, origin: String, log: Log) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        // A visitor's task ends with its answer or with the visitor; traps are bounded in time.
        tokio::spawn(serve(stream, origin.clone(), Arc::clone(&log)));
    }
}

async fn serve(mut stream: TcpStream, origin: String, log: Log) {
    let Some(mut request) = read_request(&mut stream, origin).await else {
        return;
    };
    {
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        request.seen = log
            .iter()
            .filter(|earlier| earlier.path == request.path)
            .count();
        log.push(request.clone());
    }
    let trap = TRAPS.iter().find(|trap| trap.path == request.path);
    let answer = trap
        .map(|trap| (trap.answer)(&request))
        .or_else(|| forest::answer(&request.path))
        .unwrap_or_else(no_trap);
    play(&mut stream, answer).await;
    let _ = stream.shutdown().await;
}

fn no_trap() -> Answer {
    let html = [("Content-Type", "text/html")];
    Answer::new(404, &html, "<h1>No such trap</h1>")
}

/// Reads a head and drops the body; `None` when the visitor left or sent nonsense.
async fn read_request(stream: &mut TcpStream, origin: String) -> Option<Request> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if bytes.len() > MAX_REQUEST_BYTES || stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let mut words = lines.next()?.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?);
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let headers = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    Some(Request {
        method,
        path: path.to_owned(),
        query: query.to_owned(),
        headers,
        seen: 0,
        origin,
    })
}

async fn play(stream: &mut TcpStream, answer: Answer) {
    for step in answer.steps {
        let played = match step {
            Step::Write(bytes) => stream.write_all(&bytes).await,
            Step::Pause(pause) => {
                rest(stream, pause).await;
                Ok(())
            }
            Step::Drip {
                bytes,
                pause,
                times,
            } => drip(stream, bytes, pause, times).await,
        };
        if played.is_err() {
            return;
        }
    }
}

async fn drip(
    stream: &mut TcpStream,
    bytes: &'static [u8],
    pause: Duration,
    times: usize,
) -> std::io::Result<()> {
    for _ in 0..times {
        rest(stream, pause).await;
        stream.write_all(bytes).await?;
    }
    Ok(())
}

/// Waits, but not longer than the visitor does.
async fn rest(stream: &mut TcpStream, pause: Duration) {
    let mut byte = [0];
    let _ = tokio::time::timeout(pause, stream.read(&mut byte)).await;
}
