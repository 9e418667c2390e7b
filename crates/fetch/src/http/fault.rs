//! What went wrong below us, in the crate's own terms. The client's errors are chains of boxed
//! causes, many of private types: types are asked where they can be, texts where not.

use std::{
    error::Error,
    io::{self, ErrorKind},
    time::Duration,
};

use super::dial::DialTimeout;
use crate::{FetchError, egress::Refusal};

/// A chain of causes, and all that it says, in lower case.
struct Causes<'a> {
    chain: Vec<&'a (dyn Error + 'static)>,
    text: String,
}

/// Why a request got no response. `connect_limit` is the time that connecting had.
pub(super) fn of_request(
    error: &wreq::Error,
    is_proxied: bool,
    connect_limit: Duration,
) -> FetchError {
    let causes = Causes::of(error);
    tracing::debug!(error = %causes.text, "request failed");
    if error.is_builder() {
        return FetchError::InvalidUrl("HTTP cannot carry it".into());
    }
    if causes.find::<DialTimeout>().is_some() {
        return FetchError::TimeoutConnect(connect_limit);
    }
    if let Some(refusal) = causes.find::<Refusal>() {
        return refusal.into_error();
    }
    if error.is_dns() {
        return FetchError::Dns;
    }
    let is_in_proxy =
        error.is_proxy_connect() || causes.says("tunnel error") || causes.says("socks error");
    if causes.says("ssl routines") && !is_in_proxy {
        return FetchError::Tls(causes.tls().into());
    }
    if is_proxied && (error.is_connect() || is_in_proxy) {
        return FetchError::Proxy(causes.proxy().into());
    }
    FetchError::Connect(causes.connection(error.is_connect()).into())
}

impl<'a> Causes<'a> {
    fn of(error: &'a wreq::Error) -> Self {
        let mut causes = Self {
            chain: Vec::new(),
            text: String::new(),
        };
        let mut next = error.source();
        while let Some(cause) = next {
            // What the TLS library calls its faults is only in the debugging form.
            causes.text += &format!("{cause}; {cause:?}; ").to_ascii_lowercase();
            causes.chain.push(cause);
            next = cause.source();
        }
        causes
    }

    fn find<T: Error + 'static>(&self) -> Option<&T> {
        self.chain.iter().find_map(|cause| cause.downcast_ref())
    }

    fn says(&self, mark: &str) -> bool {
        self.text.contains(mark)
    }

    fn first<'b>(&self, marks: &[(&str, &'b str)]) -> Option<&'b str> {
        let found = marks.iter().find(|(mark, _)| self.says(mark));
        found.map(|(_, why)| *why)
    }

    fn tls(&self) -> &'static str {
        let marks = [
            (
                "certificate_verify_failed",
                "the certificate cannot be verified",
            ),
            (
                "wrong_version_number",
                "the server does not speak TLS on this port",
            ),
            ("http_request", "the server does not speak TLS on this port"),
        ];
        self.first(&marks).unwrap_or("the handshake failed")
    }

    fn proxy(&self) -> &'static str {
        let marks = [
            ("authorization required", "it asks for credentials"),
            ("password", "it asks for credentials"),
            ("unsuccessful", "it refuses the target"),
            ("refused", "it refuses connections"),
        ];
        self.first(&marks)
            .unwrap_or("it cannot be reached or does not answer")
    }

    fn connection(&self, is_connecting: bool) -> &'static str {
        match self.find::<io::Error>().map(io::Error::kind) {
            Some(ErrorKind::ConnectionRefused) => return "refused",
            Some(ErrorKind::ConnectionReset | ErrorKind::BrokenPipe) => {
                return "reset by the server";
            }
            Some(ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable) => {
                return "no route to the host";
            }
            Some(ErrorKind::TimedOut) => return "the network gave up",
            _ => {}
        }
        let marks = [
            ("too large", "the response head is too large"),
            ("parse", "the response is not HTTP"),
            ("invalid", "the response is not HTTP"),
        ];
        self.first(&marks).unwrap_or(match is_connecting {
            true => "the host cannot be reached",
            false => "the server closed it without a response",
        })
    }
}
