//! The HTTP clients: one per kind of connection, built once and shared, so that connections are
//! kept alive between fetches. All of them resolve names through the egress door only.

use std::{
    collections::HashSet,
    sync::{Arc, OnceLock},
    time::Duration,
};

use url::Url;
use wreq::{Client, Proxy, http1::Http1Options, redirect};

use super::dial::DialLayer;
use crate::{
    FetchError,
    egress::{Door, Vetted, VettedOrTrusted},
    identity,
};

/// Idle connections kept per host.
const IDLE_PER_HOST: usize = 32;
/// Hosts with idle connections; a crawl of many hosts must not run out of descriptors.
const IDLE_HOSTS: usize = 256;
/// Servers close idle connections after 5 to 75 s; keeping ours longer only collects dead ones.
const IDLE_LIFETIME: Duration = Duration::from_secs(60);
/// Chrome's ceiling for a response head.
const MAX_HEAD_BYTES: usize = 256 * 1024;
/// Header fields in one response.
const MAX_HEADERS: usize = 256;

/// The clients by kind of connection.
pub(super) struct Clients {
    door: Arc<Door>,
    /// Host and port of the operator's proxies.
    proxies: HashSet<(String, u16)>,
    trusted_hosts: Arc<HashSet<String>>,
    built: [OnceLock<Result<Client, FetchError>>; 4],
}

impl Clients {
    /// `proxies` are the operator's; their hosts may be private.
    pub(super) fn new(door: Arc<Door>, proxies: &[Url]) -> Result<Self, FetchError> {
        let proxies: HashSet<_> = proxies.iter().filter_map(endpoint).collect();
        let hosts = proxies.iter().map(|(host, _)| host.clone()).collect();
        let clients = Self {
            door,
            proxies,
            trusted_hosts: Arc::new(hosts),
            built: Default::default(),
        };
        clients.client(true, false)?;
        Ok(clients)
    }

    /// Is this one of the operator's proxies?
    pub(super) fn trusts(&self, proxy: &Url) -> bool {
        endpoint(proxy).is_some_and(|endpoint| self.proxies.contains(&endpoint))
    }

    /// The client for connections that verify certificates or not, through a proxy or not.
    pub(super) fn client(&self, verify_tls: bool, is_proxied: bool) -> Result<&Client, FetchError> {
        let kind = usize::from(verify_tls) + 2 * usize::from(is_proxied);
        self.built[kind]
            .get_or_init(|| self.build(verify_tls, is_proxied))
            .as_ref()
            .map_err(Clone::clone)
    }

    fn build(&self, verify_tls: bool, is_proxied: bool) -> Result<Client, FetchError> {
        let builder = Client::builder()
            .emulation(identity::emulation())
            .http1_options(
                Http1Options::builder()
                    .max_headers(MAX_HEADERS)
                    .max_buf_size(MAX_HEAD_BYTES)
                    .allow_obsolete_multiline_headers_in_responses(true)
                    .allow_spaces_after_header_name_in_responses(true)
                    .ignore_invalid_headers_in_responses(true)
                    .build(),
            )
            .no_proxy()
            .redirect(redirect::Policy::none())
            .no_gzip()
            .no_brotli()
            .no_deflate()
            .no_zstd()
            .pool_idle_timeout(IDLE_LIFETIME)
            .pool_max_idle_per_host(IDLE_PER_HOST)
            .pool_max_size(IDLE_HOSTS)
            .tls_cert_verification(verify_tls)
            .tls_verify_hostname(verify_tls)
            .connector_layer(DialLayer);
        let door = Arc::clone(&self.door);
        let builder = if is_proxied {
            let trusted = Arc::clone(&self.trusted_hosts);
            builder.dns_resolver(VettedOrTrusted { door, trusted })
        } else {
            builder.dns_resolver(Vetted(door))
        };
        builder.build().map_err(|error| {
            tracing::error!(%error, "HTTP client not built");
            FetchError::Internal("the HTTP client cannot be built".into())
        })
    }
}

/// Host, without brackets, and port of a proxy.
fn endpoint(proxy: &Url) -> Option<(String, u16)> {
    let host = proxy.host_str()?.trim_matches(['[', ']']).to_owned();
    let port = match proxy.scheme() {
        "socks5" | "socks5h" => proxy.port().unwrap_or(1080),
        _ => proxy.port_or_known_default()?,
    };
    Some((host, port))
}

/// A proxy as the client wants it.
pub(super) fn proxy(url: &Url) -> Result<Proxy, FetchError> {
    Proxy::all(url.as_str()).map_err(|_| FetchError::Proxy("its URL is not usable".into()))
}
