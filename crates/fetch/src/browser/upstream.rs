//! The proxy that lies behind a gate: HTTP (CONNECT) or SOCKS5. Its address is vetted like any other
//! unless it is the operator's own.

use std::{io, time::Duration};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};
use tokio_socks::tcp::Socks5Stream;
use url::Url;

use crate::{FetchError, egress::Door};

/// The head of a proxy's answer to CONNECT is never longer.
const MAX_HEAD: usize = 16 * 1024;
/// Where a SOCKS proxy listens when its URL does not say (RFC 1928).
const SOCKS_PORT: u16 = 1080;
/// Time for the proxy's own greeting.
const GREETING_TIME: Duration = Duration::from_secs(10);

/// A connection to a target, whatever lies between.
pub(super) type Stream = Box<dyn Both>;

/// Reads and writes.
pub(super) trait Both: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Both for T {}

/// A proxy.
#[derive(Clone)]
pub(super) struct Upstream {
    /// With credentials; never logged.
    url: Url,
    /// The operator's own may stand on a private address.
    is_trusted: bool,
}

impl Upstream {
    pub(super) fn new(url: Url, is_trusted: bool) -> Self {
        Self { url, is_trusted }
    }

    /// A connection to `host` through the proxy.
    pub(super) async fn connect(
        &self,
        door: &Door,
        host: &str,
        port: u16,
    ) -> Result<Stream, FetchError> {
        let stream = self.dial(door).await?;
        let greeted = timeout(GREETING_TIME, self.greet(stream, host, port)).await;
        greeted.map_err(|_| FetchError::Proxy("it does not answer".into()))?
    }

    async fn greet(&self, stream: TcpStream, host: &str, port: u16) -> Result<Stream, FetchError> {
        match self.url.scheme() {
            "http" => self.tunnel(stream, host, port).await,
            "socks5" | "socks5h" => self.socks(stream, host, port).await,
            scheme => Err(FetchError::Proxy(format!(
                "the browser cannot use a proxy over {scheme}; http and socks5 it can"
            ))),
        }
    }

    async fn dial(&self, door: &Door) -> Result<TcpStream, FetchError> {
        let failed = || FetchError::Proxy("it cannot be reached".into());
        let host = self.url.host_str().ok_or_else(failed)?;
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let port = self.url.port_or_known_default().unwrap_or(SOCKS_PORT);
        match door.dial(host, port, self.is_trusted).await {
            Err(FetchError::Connect(_) | FetchError::Dns) => Err(failed()),
            dialled => dialled,
        }
    }

    async fn tunnel(
        &self,
        mut stream: TcpStream,
        host: &str,
        port: u16,
    ) -> Result<Stream, FetchError> {
        let target = match host.contains(':') {
            true => format!("[{host}]:{port}"),
            false => format!("{host}:{port}"),
        };
        let mut request = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n");
        if let Some((name, password)) = self.credentials() {
            let word = BASE64_STANDARD.encode(format!("{name}:{password}"));
            request.push_str(&format!("Proxy-Authorization: Basic {word}\r\n"));
        }
        request.push_str("\r\n");
        let broken = |_: io::Error| FetchError::Proxy("the connection broke".into());
        stream.write_all(request.as_bytes()).await.map_err(broken)?;
        let head = read_head(&mut stream).await.map_err(broken)?;
        match status(&head) {
            Some(200..=299) => Ok(Box::new(stream)),
            Some(407) => Err(FetchError::Proxy("it asks for credentials".into())),
            Some(status) => Err(FetchError::Proxy(format!("it answered {status}"))),
            None => Err(FetchError::Proxy("it does not speak HTTP".into())),
        }
    }

    async fn socks(&self, stream: TcpStream, host: &str, port: u16) -> Result<Stream, FetchError> {
        let target = (host, port);
        let connected = match self.credentials() {
            Some((name, password)) => {
                Socks5Stream::connect_with_password_and_socket(stream, target, &name, &password)
                    .await
            }
            None => Socks5Stream::connect_with_socket(stream, target).await,
        };
        match connected {
            Ok(stream) => Ok(Box::new(stream)),
            Err(error) => Err(FetchError::Proxy(error.to_string())),
        }
    }

    fn credentials(&self) -> Option<(String, String)> {
        let decode = |text: &str| {
            let bytes = percent_encoding::percent_decode_str(text);
            bytes.decode_utf8_lossy().into_owned()
        };
        let name = decode(self.url.username());
        let password = decode(self.url.password().unwrap_or_default());
        (!name.is_empty()).then_some((name, password))
    }
}

/// Byte by byte, so that nothing of what follows is taken.
async fn read_head(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(256);
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() > MAX_HEAD {
            return Err(io::ErrorKind::InvalidData.into());
        }
        head.push(stream.read_u8().await?);
    }
    Ok(head)
}

fn status(head: &[u8]) -> Option<u16> {
    let line = std::str::from_utf8(head.split(|byte| *byte == b'\r').next()?).ok()?;
    let (version, rest) = line.split_once(' ')?;
    version.starts_with("HTTP/1.").then_some(())?;
    rest.split(' ').next()?.parse().ok()
}
