//! The gate: a SOCKS5 proxy (RFC 1928) on loopback, the only way by which a browser context reaches
//! anything. It asks the egress door for each connection, dials exactly what the door admits, and
//! remembers what it refused. A context's own proxy lies behind it, so that the browser never sees
//! credentials.

use std::{
    collections::HashMap,
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split},
    net::{TcpListener, TcpStream},
    sync::{Semaphore, watch},
    task::{AbortHandle, JoinSet},
    time::timeout,
};

use super::{
    blocklist,
    upstream::{Stream, Upstream},
};
use crate::{
    FetchError,
    egress::{Door, Refusal},
};

/// Connections of one context at once; Chromium opens 32 per proxy.
const MAX_CONNECTIONS: usize = 128;
/// Time for name and connection.
const DIAL_TIME: Duration = Duration::from_secs(10);
/// Time for the browser to say what it wants.
const GREETING_TIME: Duration = Duration::from_secs(5);
/// Refusals that are told; a page that tries more is understood by then.
const MAX_REFUSALS: usize = 20;
/// Copied at once.
const CHUNK: usize = 32 * 1024;

/// What a gate lets pass.
pub(super) struct Rules {
    pub(super) door: Arc<Door>,
    /// What lies behind the gate.
    pub(super) upstream: Option<Upstream>,
    /// Refuse advertisers and trackers.
    pub(super) block_ads: bool,
}

/// One context's gate. Dropping it closes every connection through it.
pub(super) struct Gate {
    address: SocketAddr,
    log: Arc<Log>,
    task: AbortHandle,
}

/// What happened since the last visit began.
struct Log {
    visit: Mutex<Visit>,
    /// Too much came in.
    over: watch::Sender<bool>,
}

#[derive(Default)]
struct Visit {
    faults: HashMap<String, FetchError>,
    refused: Vec<String>,
    bytes: u64,
    most: u64,
}

impl Gate {
    /// Opens a gate on this machine's address `at`, to which only `peer` may come.
    ///
    /// # Errors
    /// No port is free.
    pub(super) async fn open(rules: Rules, at: IpAddr, peer: IpAddr) -> io::Result<Self> {
        let listener = TcpListener::bind((at, 0)).await?;
        let address = listener.local_addr()?;
        let log = Arc::new(Log {
            visit: Mutex::default(),
            over: watch::Sender::new(false),
        });
        let keeper = keep(listener, Arc::new(rules), Arc::clone(&log), peer);
        Ok(Self {
            address,
            log,
            task: tokio::spawn(keeper).abort_handle(),
        })
    }

    /// As Chromium wants to be told of it.
    pub(super) fn url(&self) -> String {
        format!("socks5://{}", self.address)
    }

    /// Begins a visit that may bring in `most` bytes.
    pub(super) fn begin(&self, most: u64) {
        *self.log.visit() = Visit {
            most,
            ..Visit::default()
        };
        self.log.over.send_replace(false);
    }

    /// Waits until the visit brought in too much.
    pub(super) async fn overflow(&self) {
        let mut over = self.log.over.subscribe();
        // The sender lives as long as the gate.
        let _ = over.wait_for(|over| *over).await;
    }

    /// Why the last connection to a host failed in this visit.
    pub(super) fn fault(&self, host: &str) -> Option<FetchError> {
        self.log.visit().faults.get(host).cloned()
    }

    /// The hosts that the door refused in this visit.
    pub(super) fn refused(&self) -> Vec<String> {
        self.log.visit().refused.clone()
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Log {
    fn visit(&self) -> MutexGuard<'_, Visit> {
        self.visit.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, host: &str, fault: FetchError) {
        let mut visit = self.visit();
        if matches!(fault, FetchError::SsrfBlocked(_))
            && visit.refused.len() < MAX_REFUSALS
            && !visit.refused.iter().any(|known| known == host)
        {
            visit.refused.push(host.to_owned());
        }
        if visit.faults.len() < MAX_CONNECTIONS {
            visit.faults.insert(host.to_owned(), fault);
        }
    }

    /// Counts what came in; false when it is too much.
    fn count(&self, bytes: usize) -> bool {
        let mut visit = self.visit();
        visit.bytes += bytes as u64;
        let is_within = visit.bytes <= visit.most;
        if !is_within {
            self.over.send_replace(true);
        }
        is_within
    }
}

/// Accepts until it is aborted; its connections end with it.
async fn keep(listener: TcpListener, rules: Arc<Rules>, log: Arc<Log>, peer: IpAddr) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        let Ok(place) = Arc::clone(&places).acquire_owned().await else {
            return;
        };
        let Ok((stream, from)) = listener.accept().await else {
            continue;
        };
        if from.ip() != peer {
            continue;
        }
        let (rules, log) = (Arc::clone(&rules), Arc::clone(&log));
        connections.spawn(async move {
            let _place = place;
            if let Err(error) = serve(stream, &rules, &log).await {
                tracing::trace!(%error, "a connection of the browser ended");
            }
        });
    }
}

async fn serve(mut stream: TcpStream, rules: &Rules, log: &Log) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let wanted = timeout(GREETING_TIME, greet(&mut stream)).await??;
    let Some((host, port)) = wanted else {
        return answer(&mut stream, Reply::Unsupported).await;
    };
    if rules.block_ads && blocklist::names(&host) {
        return answer(&mut stream, Reply::Forbidden).await;
    }
    let dialled = timeout(DIAL_TIME, dial(rules, &host, port)).await;
    match dialled.unwrap_or(Err(FetchError::TimeoutConnect(DIAL_TIME))) {
        Ok(target) => {
            answer(&mut stream, Reply::Connected).await?;
            relay(stream, target, log).await;
            Ok(())
        }
        Err(fault) => {
            let reply = match fault {
                FetchError::SsrfBlocked(_) => Reply::Forbidden,
                _ => Reply::Unreachable,
            };
            log.note(&host, fault);
            answer(&mut stream, reply).await
        }
    }
}

/// RFC 1928 §6.
#[derive(Clone, Copy)]
enum Reply {
    Connected = 0,
    Forbidden = 2,
    Unreachable = 4,
    Unsupported = 7,
}

/// The host and port that the browser wants; `None` when it wants something else than a connection.
async fn greet(stream: &mut TcpStream) -> io::Result<Option<(String, u16)>> {
    let (version, methods) = (stream.read_u8().await?, stream.read_u8().await?);
    if version != 5 {
        return Err(io::ErrorKind::InvalidData.into());
    }
    stream.read_exact(&mut vec![0; methods.into()]).await?;
    stream.write_all(&[5, 0]).await?;
    let mut head = [0; 4];
    stream.read_exact(&mut head).await?;
    let host = match head[3] {
        1 => IpAddr::from(read_array::<4>(stream).await?).to_string(),
        4 => IpAddr::from(read_array::<16>(stream).await?).to_string(),
        3 => {
            let mut name = vec![0; stream.read_u8().await?.into()];
            stream.read_exact(&mut name).await?;
            String::from_utf8(name).map_err(io::Error::other)?
        }
        _ => return Ok(None),
    };
    let port = stream.read_u16().await?;
    Ok((head[1] == 1).then_some((host, port)))
}

async fn read_array<const N: usize>(stream: &mut TcpStream) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    stream.read_exact(&mut bytes).await?;
    Ok(bytes)
}

async fn answer(stream: &mut TcpStream, reply: Reply) -> io::Result<()> {
    stream
        .write_all(&[5, reply as u8, 0, 1, 0, 0, 0, 0, 0, 0])
        .await
}

/// Through the door, and through what lies behind it.
async fn dial(rules: &Rules, host: &str, port: u16) -> Result<Stream, FetchError> {
    match &rules.upstream {
        Some(upstream) => {
            let vetted = rules.door.addresses(host).await;
            vetted.map_err(Refusal::into_error)?;
            upstream.connect(&rules.door, host, port).await
        }
        None => Ok(Box::new(rules.door.dial(host, port, false).await?)),
    }
}

/// Carries bytes both ways until one side ends or too much came in.
async fn relay(browser: TcpStream, target: Stream, log: &Log) {
    let (from_browser, to_browser) = split(browser);
    let (from_target, to_target) = split(target);
    tokio::join!(
        copy(from_browser, to_target, |_| true),
        copy(from_target, to_browser, |bytes| log.count(bytes)),
    );
}

async fn copy(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    may_go_on: impl Fn(usize) -> bool,
) {
    let mut chunk = vec![0; CHUNK];
    while let Ok(bytes @ 1..) = from.read(&mut chunk).await {
        if !may_go_on(bytes) || to.write_all(&chunk[..bytes]).await.is_err() {
            break;
        }
    }
    // The other side may have closed already.
    let _ = to.shutdown().await;
}

/// This machine alone.
pub(super) const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SystemResolver;

    async fn gate(allow_private: bool, block_ads: bool) -> Gate {
        let rules = Rules {
            door: Arc::new(Door::new(Arc::new(SystemResolver), allow_private)),
            upstream: None,
            block_ads,
        };
        Gate::open(rules, LOOPBACK, LOOPBACK).await.unwrap()
    }

    /// Asks for a connection by name and gives the reply code.
    async fn ask(gate: &Gate, host: &str, port: u16) -> (u8, TcpStream) {
        #[allow(clippy::disallowed_methods)]
        let mut stream = TcpStream::connect(gate.address).await.unwrap();
        let mut hello = vec![5, 1, 0, 5, 1, 0, 3, host.len() as u8];
        hello.extend(host.as_bytes());
        hello.extend(port.to_be_bytes());
        stream.write_all(&hello).await.unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).await.unwrap();
        assert_eq!(answer[..3], [5, 0, 5]);
        (answer[3], stream)
    }

    #[tokio::test]
    async fn a_private_address_is_refused_and_named() {
        let gate = gate(false, false).await;
        gate.begin(1000);
        for host in ["127.0.0.1", "localhost", "169.254.169.254", "::1"] {
            assert_eq!(ask(&gate, host, 80).await.0, Reply::Forbidden as u8);
            assert!(matches!(gate.fault(host), Some(FetchError::SsrfBlocked(_))));
        }
        assert_eq!(gate.refused().len(), 4);
        gate.begin(1000);
        assert!(gate.refused().is_empty());
    }

    #[tokio::test]
    async fn bytes_go_both_ways_until_too_many_came() {
        let server = TcpListener::bind((LOOPBACK, 0)).await.unwrap();
        let port = server.local_addr().unwrap().port();
        let gate = gate(true, false).await;
        gate.begin(1000);
        let (reply, mut browser) = ask(&gate, "127.0.0.1", port).await;
        assert_eq!(reply, Reply::Connected as u8);
        let (mut target, _) = server.accept().await.unwrap();
        browser.write_all(b"ping").await.unwrap();
        let mut heard = [0; 4];
        target.read_exact(&mut heard).await.unwrap();
        target.write_all(b"pong").await.unwrap();
        browser.read_exact(&mut heard).await.unwrap();
        assert_eq!(&heard, b"pong");
        target.write_all(&[0; 1000]).await.unwrap();
        gate.overflow().await;
        assert_eq!(browser.read_to_end(&mut Vec::new()).await.unwrap(), 0);
    }

    #[tokio::test]
    async fn advertisers_are_refused_but_not_held_against_the_page() {
        let gate = gate(false, true).await;
        gate.begin(1000);
        let (reply, _) = ask(&gate, "securepubads.g.doubleclick.net", 443).await;
        assert_eq!(reply, Reply::Forbidden as u8);
        assert!(gate.refused().is_empty());
    }
}
