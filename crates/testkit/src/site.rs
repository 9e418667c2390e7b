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

use crate::{Answer, BROWSER_TRAPS, Step, TRAPS, forest};

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
    /// Its body, when its length was declared.
    pub body: Vec<u8>,
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
type OwnAnswer = dyn Fn(&Request) -> Option<Answer> + Send + Sync;

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
        Self::start_with(address, |_| None).await
    }

    /// Starts on a free port of 127.0.0.1 with answers of its own, which come before the traps.
    ///
    /// # Errors
    /// When no port can be bound.
    pub async fn of(
        answer: impl Fn(&Request) -> Option<Answer> + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        Self::start_with(SocketAddr::from(([127, 0, 0, 1], 0)), answer).await
    }

    /// The same on an address.
    ///
    /// # Errors
    /// When the address cannot be bound.
    pub async fn start_with(
        address: SocketAddr,
        answer: impl Fn(&Request) -> Option<Answer> + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let site = Arc::new(Site {
            origin: format!("http://{address}"),
            log: Log::default(),
            answer: Box::new(answer),
        });
        let log = Arc::clone(&site.log);
        let task = tokio::spawn(accept(listener, site));
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

/// What its visitors share.
struct Site {
    origin: String,
    log: Log,
    answer: Box<OwnAnswer>,
}

async fn accept(listener: TcpListener, site: Arc<Site>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        // A visitor's task ends with its answer or with the visitor; traps are bounded in time.
        tokio::spawn(serve(stream, Arc::clone(&site)));
    }
}

async fn serve(mut stream: TcpStream, site: Arc<Site>) {
    let Some(mut request) = read_request(&mut stream, site.origin.clone()).await else {
        return;
    };
    {
        let mut log = site.log.lock().unwrap_or_else(PoisonError::into_inner);
        request.seen = log
            .iter()
            .filter(|earlier| earlier.path == request.path)
            .count();
        log.push(request.clone());
    }
    let traps = || TRAPS.iter().chain(BROWSER_TRAPS);
    let trap = || traps().find(|trap| trap.path == request.path);
    let answer = (site.answer)(&request)
        .or_else(|| trap().map(|trap| (trap.answer)(&request)))
        .or_else(|| forest::answer(&request.path))
        .unwrap_or_else(no_trap);
    play(&mut stream, answer).await;
    let _ = stream.shutdown().await;
}

fn no_trap() -> Answer {
    let html = [("Content-Type", "text/html")];
    Answer::new(404, &html, "<h1>No such trap</h1>")
}

/// Reads a head and a body; `None` when the visitor left or sent nonsense.
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
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.get("content-length");
    let length = length.and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = bytes.split_off(end + 4);
    while body.len() < length {
        if body.len() > MAX_REQUEST_BYTES || stream.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    Some(Request {
        body,
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
