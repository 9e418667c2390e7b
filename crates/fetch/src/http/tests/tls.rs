//! Certificates, good and bad, and the TLS server of the other tests.

use std::{
    pin::Pin,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use btls::{
    asn1::Asn1Time,
    bn::{BigNum, MsbOption},
    ec::{EcGroup, EcKey},
    hash::MessageDigest,
    nid::Nid,
    pkey::{PKey, Private},
    ssl::{AlpnError, Ssl, SslAcceptor, SslMethod, select_next_proto},
    x509::{X509, X509Name, extension::SubjectAlternativeName},
};
use tokio::{
    io::AsyncWriteExt,
    net::{TcpListener, TcpStream},
};
use tokio_btls::SslStream;
use trawls_contract::ErrorCode;

use super::{
    site::{Reply, converse, html},
    *,
};

/// A site over TLS with a certificate that nobody has signed; HTTP/1.1 only.
pub(super) struct TlsSite {
    pub(super) port: u16,
}

impl TlsSite {
    pub(super) async fn new(host: &str) -> Self {
        let acceptor = acceptor(host, b"\x08http/1.1");
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    if let Some(stream) = accept(&acceptor, stream).await {
                        let answer = |_: &_| Reply::Keep(html("over TLS"));
                        converse(stream, Arc::new(answer), Arc::new(Mutex::default())).await;
                    }
                });
            }
        });
        Self { port }
    }
}

pub(super) async fn accept<S>(acceptor: &SslAcceptor, stream: S) -> Option<SslStream<S>>
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
{
    let ssl = Ssl::new(acceptor.context()).unwrap();
    let mut stream = SslStream::new(ssl, stream).unwrap();
    Pin::new(&mut stream).accept().await.ok()?;
    Some(stream)
}

/// An acceptor with a fresh self-signed certificate for `host`.
pub(super) fn acceptor(host: &str, alpn: &'static [u8]) -> SslAcceptor {
    let key = key();
    let mut builder = SslAcceptor::mozilla_intermediate_v5(SslMethod::tls()).unwrap();
    builder.set_certificate(&certificate(host, &key)).unwrap();
    builder.set_private_key(&key).unwrap();
    builder.set_alpn_select_callback(move |_, offered| {
        select_next_proto(alpn, offered).ok_or(AlpnError::NOACK)
    });
    builder.build()
}

fn key() -> PKey<Private> {
    let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).unwrap();
    PKey::from_ec_key(EcKey::generate(&group).unwrap()).unwrap()
}

fn certificate(host: &str, key: &PKey<Private>) -> X509 {
    let mut name = X509Name::builder().unwrap();
    name.append_entry_by_text("CN", host).unwrap();
    let name = name.build();
    let mut serial = BigNum::new().unwrap();
    serial.rand(100, MsbOption::MAYBE_ZERO, false).unwrap();
    let mut builder = X509::builder().unwrap();
    builder.set_version(2).unwrap();
    builder
        .set_serial_number(&serial.to_asn1_integer().unwrap())
        .unwrap();
    builder.set_subject_name(&name).unwrap();
    builder.set_issuer_name(&name).unwrap();
    builder.set_pubkey(key).unwrap();
    builder
        .set_not_before(&Asn1Time::days_from_now(0).unwrap())
        .unwrap();
    builder
        .set_not_after(&Asn1Time::days_from_now(30).unwrap())
        .unwrap();
    let context = builder.x509v3_context(None, None);
    let names = SubjectAlternativeName::new()
        .dns(host)
        .build(&context)
        .unwrap();
    builder.append_extension(&names).unwrap();
    builder.sign(key, MessageDigest::sha256()).unwrap();
    builder.build()
}

#[tokio::test]
async fn a_certificate_that_nobody_signed_is_refused_unless_the_caller_insists() {
    let site = TlsSite::new("self-signed.example").await;
    let mut plan = plan(&format!("https://self-signed.example:{}/", site.port));
    let rung = open_rung();
    let error = run(&rung, &plan).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::TlsError, "{error}");
    assert_eq!(
        error.to_string(),
        "TLS failed: the certificate cannot be verified"
    );
    plan.trust.verify_tls = false;
    assert_eq!(text(&run(&rung, &plan).await.unwrap()), "over TLS");
    // What one fetch did not verify, the next does not inherit.
    plan.trust.verify_tls = true;
    assert!(run(&rung, &plan).await.is_err());
}

#[tokio::test]
async fn a_port_without_tls_is_a_tls_error() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
    });
    let error = get(&format!("https://127.0.0.1:{port}/"))
        .await
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::TlsError, "{error}");
}

#[tokio::test]
async fn a_server_that_hangs_up_in_the_handshake_is_no_success() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            drop::<TcpStream>(stream);
        }
    });
    let error = get(&format!("https://127.0.0.1:{port}/"))
        .await
        .unwrap_err();
    assert!(
        matches!(error.code(), ErrorCode::TlsError | ErrorCode::ConnectFailed),
        "{error:?}"
    );
}

/// Serves HTTP/2: each request gets a page of one paragraph, and `/cut` a reset after it.
async fn http2_site(connections: Arc<AtomicUsize>) -> u16 {
    let acceptor = acceptor("h2.example", b"\x02h2");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            connections.fetch_add(1, Ordering::Relaxed);
            let stream = accept(&acceptor, stream).await.unwrap();
            let mut connection = http2::server::handshake(stream).await.unwrap();
            tokio::spawn(async move {
                while let Some(Ok((request, mut respond))) = connection.accept().await {
                    let is_cut = request.uri().path() == "/cut";
                    let response = http::Response::new(());
                    let mut body = respond.send_response(response, false).unwrap();
                    body.send_data("<p>kelp</p>".into(), !is_cut).unwrap();
                    if is_cut {
                        tokio::spawn(async move {
                            tokio::time::sleep(Duration::from_millis(50)).await;
                            body.send_reset(http2::Reason::INTERNAL_ERROR);
                        });
                    }
                }
            });
        }
    });
    port
}

#[tokio::test]
async fn http_2_connections_are_shared_and_their_cuts_are_flagged() {
    let connections = Arc::new(AtomicUsize::new(0));
    let port = http2_site(Arc::clone(&connections)).await;
    let rung = open_rung();
    let mut plan = plan(&format!("https://h2.example:{port}/whole"));
    plan.trust.verify_tls = false;
    let (first, second) = tokio::join!(run(&rung, &plan), run(&rung, &plan));
    assert_eq!(text(&first.unwrap()), text(&second.unwrap()));
    plan.url.set_path("/cut");
    let cut = run(&rung, &plan).await.unwrap();
    assert_eq!(text(&cut), "<p>kelp</p>");
    assert!(cut.truncated.is_some());
    plan.url.set_path("/whole");
    assert!(run(&rung, &plan).await.unwrap().truncated.is_none());
    assert!(connections.load(Ordering::Relaxed) <= 2);
}
