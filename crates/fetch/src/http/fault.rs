//! What went wrong below us, in the crate's own terms. The client's errors are chains of boxed
//! causes, some of private types, so types are asked where they can be and texts where not.

use std::error::Error;

use crate::{FetchError, egress::Refusal};

use super::dial::DialTimeout;

/// Texts in the messages of causes whose types are private.
const TLS_MARKS: [&str; 4] = ["ssl", "tls", "certificate", "handshake"];
const PROXY_MARKS: [&str; 2] = ["tunnel error", "SOCKS error"];

/// Why a request got no response. `connect_limit` is the time that connecting had.
pub(super) fn of_request(
    error: &wreq::Error,
    is_proxied: bool,
    connect_limit: std::time::Duration,
) -> FetchError {
    let chain = causes(error);
    tracing::debug!(error = %texts(&chain), "request failed");
    if chain.iter().any(|cause| cause.is::<DialTimeout>()) {
        return FetchError::TimeoutConnect(connect_limit);
    }
    if let Some(refusal) = chain
        .iter()
        .find_map(|cause| cause.downcast_ref::<Refusal>())
    {
        return refusal.into_error();
    }
    if error.is_dns() {
        return FetchError::Dns;
    }
    if let Some(why) = tls_fault(&chain) {
        return FetchError::Tls(why.into());
    }
    if is_proxied && (error.is_connect() || error.is_proxy_connect()) {
        return FetchError::Proxy(proxy_fault(&chain).into());
    }
    FetchError::Connect(connect_fault(error, &chain).into())
}

fn causes(error: &wreq::Error) -> Vec<&(dyn Error + 'static)> {
    let mut chain = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        chain.push(cause);
        next = cause.source();
    }
    chain
}

fn texts(chain: &[&(dyn Error + 'static)]) -> String {
    chain
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}

fn says(chain: &[&(dyn Error + 'static)], mark: &str) -> bool {
    chain
        .iter()
        .any(|cause| cause.to_string().to_ascii_lowercase().contains(mark))
}

fn io_kind(chain: &[&(dyn Error + 'static)]) -> Option<std::io::ErrorKind> {
    chain
        .iter()
        .find_map(|cause| cause.downcast_ref::<std::io::Error>())
        .map(std::io::Error::kind)
}

fn tls_fault(chain: &[&(dyn Error + 'static)]) -> Option<&'static str> {
    if !TLS_MARKS.iter().any(|mark| says(chain, mark)) {
        return None;
    }
    if PROXY_MARKS
        .iter()
        .any(|mark| says(chain, &mark.to_ascii_lowercase()))
    {
        return None;
    }
    let marks = [
        ("hostname mismatch", "the certificate is for another host"),
        ("has expired", "the certificate has expired"),
        ("not yet valid", "the certificate is not valid yet"),
        ("self signed", "the certificate is self-signed"),
        ("self-signed", "the certificate is self-signed"),
        ("certificate", "the certificate is not trusted"),
        (
            "wrong_version",
            "the server does not speak TLS on this port",
        ),
    ];
    let found = marks.iter().find(|(mark, _)| says(chain, mark));
    Some(found.map_or("the handshake failed", |(_, why)| why))
}

fn proxy_fault(chain: &[&(dyn Error + 'static)]) -> &'static str {
    let marks = [
        ("authorization required", "it asks for credentials"),
        ("password", "it asks for credentials"),
        ("unsuccessful", "it refuses the target"),
        ("refused", "it refuses connections"),
    ];
    let found = marks.iter().find(|(mark, _)| says(chain, mark));
    found.map_or("it cannot be reached or does not answer", |(_, why)| why)
}

fn connect_fault(error: &wreq::Error, chain: &[&(dyn Error + 'static)]) -> &'static str {
    use std::io::ErrorKind;
    match io_kind(chain) {
        Some(ErrorKind::ConnectionRefused) => "refused",
        Some(ErrorKind::ConnectionReset | ErrorKind::BrokenPipe) => "reset by the server",
        Some(ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable) => "no route to the host",
        Some(ErrorKind::TimedOut) => "the network gave up",
        _ if says(chain, "too large") => "the response head is too large",
        _ if says(chain, "parse") || says(chain, "invalid") => "the response is not HTTP",
        _ if error.is_connect() => "the host cannot be reached",
        _ => "the server closed it without a response",
    }
}
