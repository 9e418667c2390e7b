//! What a site sees of us below HTTP: the TLS ClientHello and the first HTTP/2 frames must be
//! those of the Chrome that our headers claim.

use std::{
    pin::Pin,
    sync::Mutex,
    task::{Context, Poll},
};

use btls::sha::sha256;
use bytes::Bytes;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
};

use super::{
    tls::{accept, acceptor},
    *,
};

/// Chrome 149, as captured from the browser.
const CHROME_JA4: &str = "t13d1516h2_8daaf6152771_d8a2da3f94cd";
const CHROME_HTTP2: &str = "1:65536;2:0;4:6291456;6:262144|15663105|0|m,a,s,p";
const CHROME_HEADERS: [&str; 13] = [
    "sec-ch-ua",
    "sec-ch-ua-mobile",
    "sec-ch-ua-platform",
    "upgrade-insecure-requests",
    "user-agent",
    "accept",
    "sec-fetch-site",
    "sec-fetch-mode",
    "sec-fetch-user",
    "sec-fetch-dest",
    "accept-encoding",
    "accept-language",
    "priority",
];

/// What one request looked like.
struct Seen {
    hello: Vec<u8>,
    frames: Vec<u8>,
    headers: Vec<String>,
    user_agent: String,
}

/// Serves one request over HTTP/2 and records it from below.
async fn observe() -> Seen {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let hello = peek_hello(&stream).await;
        let stream = accept(&acceptor("fp.example", b"\x02h2"), stream)
            .await
            .unwrap();
        let frames = Arc::new(Mutex::new(Vec::new()));
        let recorder = Recorder {
            inner: stream,
            read: Arc::clone(&frames),
        };
        let mut connection = http2::server::handshake(recorder).await.unwrap();
        let (request, mut respond) = connection.accept().await.unwrap().unwrap();
        let frames = frames.lock().unwrap().clone();
        let mut body = respond
            .send_response(http::Response::new(()), false)
            .unwrap();
        body.send_data(Bytes::from_static(b"seen"), true).unwrap();
        tokio::spawn(async move { while connection.accept().await.is_some() {} });
        let headers = request.headers();
        Seen {
            hello,
            frames,
            headers: headers.keys().map(ToString::to_string).collect(),
            user_agent: headers["user-agent"].to_str().unwrap().to_owned(),
        }
    });
    let mut plan = plan(&format!("https://fp.example:{port}/"));
    plan.trust.verify_tls = false;
    let exchange = run(&open_rung(), &plan).await.unwrap();
    assert_eq!(text(&exchange), "seen");
    server.await.unwrap()
}

#[tokio::test]
async fn tls_http2_and_headers_are_those_of_the_chrome_that_we_claim() {
    let seen = observe().await;
    assert_eq!(Hello::parse(&seen.hello).ja4(), CHROME_JA4);
    assert_eq!(akamai(&seen.frames), CHROME_HTTP2);
    assert_eq!(seen.headers, CHROME_HEADERS);
    assert!(
        seen.user_agent.contains(" Chrome/149."),
        "{}",
        seen.user_agent
    );
}

#[tokio::test]
async fn the_order_of_extensions_changes_with_each_connection_as_chromes_does() {
    let (first, second) = (observe().await, observe().await);
    let order = |seen: &Seen| Hello::parse(&seen.hello).extensions;
    assert_ne!(order(&first), order(&second));
}

/// Waits until the first TLS record is there, and leaves it there.
async fn peek_hello(stream: &TcpStream) -> Vec<u8> {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        stream.readable().await.unwrap();
        let length = stream.peek(&mut buffer).await.unwrap();
        let record = usize::from(u16::from_be_bytes([buffer[3], buffer[4]])) + 5;
        if length >= record {
            buffer.truncate(record);
            return buffer;
        }
        tokio::task::yield_now().await;
    }
}

/// A stream that keeps a copy of what was read from it.
struct Recorder<S> {
    inner: S,
    read: Arc<Mutex<Vec<u8>>>,
}

impl<S: AsyncRead + Unpin> AsyncRead for Recorder<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.inner).poll_read(cx, buffer);
        self.read
            .lock()
            .unwrap()
            .extend_from_slice(&buffer.filled()[before..]);
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Recorder<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

/// A reader of big-endian fields.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(length);
        self.0 = rest;
        taken
    }

    fn number(&mut self, bytes: usize) -> usize {
        self.take(bytes)
            .iter()
            .fold(0, |number, byte| number << 8 | usize::from(*byte))
    }

    /// A field that begins with its own length.
    fn sized(&mut self, length_bytes: usize) -> &'a [u8] {
        let length = self.number(length_bytes);
        self.take(length)
    }

    fn words(bytes: &[u8]) -> Vec<u16> {
        bytes
            .chunks_exact(2)
            .map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
            .collect()
    }
}

/// A ClientHello without its GREASE.
struct Hello {
    ciphers: Vec<u16>,
    extensions: Vec<u16>,
    signatures: Vec<u16>,
    alpn: String,
}

impl Hello {
    fn parse(record: &[u8]) -> Self {
        let mut fields = Fields(&record[5..]);
        assert_eq!(fields.number(1), 1, "not a ClientHello");
        fields.take(3 + 2 + 32);
        fields.sized(1);
        let ciphers = without_grease(Fields::words(fields.sized(2)));
        fields.sized(1);
        let mut rest = Fields(fields.sized(2));
        let mut hello = Self {
            ciphers,
            extensions: Vec::new(),
            signatures: Vec::new(),
            alpn: String::new(),
        };
        while !rest.0.is_empty() {
            let kind = rest.number(2) as u16;
            let mut value = Fields(rest.sized(2));
            hello.extensions.push(kind);
            match kind {
                13 => hello.signatures = without_grease(Fields::words(value.sized(2))),
                16 => {
                    let first = Fields(value.sized(2)).sized(1).to_vec();
                    hello.alpn = String::from_utf8(first).unwrap();
                }
                _ => {}
            }
        }
        hello.extensions = without_grease(hello.extensions);
        hello
    }

    /// FoxIO's JA4 for TLS 1.3 over TCP with a server name.
    fn ja4(&self) -> String {
        let hex = |words: &[u16]| {
            words
                .iter()
                .map(|word| format!("{word:04x}"))
                .collect::<Vec<_>>()
                .join(",")
        };
        let short = |text: &str| {
            sha256(text.as_bytes())[..6]
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect::<String>()
        };
        let mut ciphers = self.ciphers.clone();
        ciphers.sort_unstable();
        let mut extensions = self.extensions.clone();
        extensions.retain(|kind| !matches!(kind, 0 | 16));
        extensions.sort_unstable();
        let rest = format!("{}_{}", hex(&extensions), hex(&self.signatures));
        format!(
            "t13d{:02}{:02}{}{}_{}_{}",
            self.ciphers.len(),
            self.extensions.len(),
            &self.alpn[..1],
            &self.alpn[self.alpn.len() - 1..],
            short(&hex(&ciphers)),
            short(&rest),
        )
    }
}

/// RFC 8701: values like 0x0a0a and 0xfafa mean nothing.
fn without_grease(mut words: Vec<u16>) -> Vec<u16> {
    words.retain(|word| word & 0x0f0f != 0x0a0a || word >> 8 != word & 0xff);
    words
}

/// Akamai's string: settings, connection window, priorities, order of the pseudo-headers.
fn akamai(bytes: &[u8]) -> String {
    let mut fields = Fields(
        bytes
            .strip_prefix(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            .unwrap(),
    );
    let (mut settings, mut window, mut priorities) = (Vec::new(), 0, Vec::new());
    loop {
        let length = fields.number(3);
        let (kind, flags) = (fields.number(1), fields.number(1));
        let stream = fields.number(4);
        let mut payload = Fields(fields.take(length));
        match kind {
            4 if flags & 1 == 0 => {
                while !payload.0.is_empty() {
                    settings.push(format!("{}:{}", payload.number(2), payload.number(4)));
                }
            }
            8 => window = payload.number(4),
            2 => priorities.push(stream.to_string()),
            1 => {
                payload.take(if flags & 8 != 0 { 1 } else { 0 });
                payload.take(if flags & 0x20 != 0 { 5 } else { 0 });
                let none = if priorities.is_empty() {
                    "0".into()
                } else {
                    priorities.join(",")
                };
                let pseudo = pseudo_headers(payload.0);
                return format!("{}|{window}|{none}|{pseudo}", settings.join(";"));
            }
            _ => {}
        }
    }
}

/// The pseudo-headers at the start of an HPACK block: all of them have names of the static table.
fn pseudo_headers(block: &[u8]) -> String {
    let mut fields = Fields(block);
    let mut order = Vec::new();
    loop {
        let first = fields.number(1);
        let index = if first & 0x80 != 0 {
            first & 0x7f
        } else {
            first & 0x3f
        };
        order.push(match index {
            1 => "a",
            2 | 3 => "m",
            4 | 5 => "p",
            6 | 7 => "s",
            _ => return order.join(","),
        });
        if first & 0x80 == 0 {
            let length = fields.number(1) & 0x7f;
            fields.take(length);
        }
    }
}
