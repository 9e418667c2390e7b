//! The one door through which every connection to an address that a caller can choose leaves.
//!
//! A host is resolved once, refused unless every address is global, and dialled at exactly these
//! addresses: the client's own resolver asks this door and nobody else. The answer is kept for
//! half a minute, so that vetting and dialling see the same one.

mod address;
mod name;
mod resolve;

use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use moka::future::Cache;
use tokio::net::TcpStream;
use url::{Host, Url};

pub use resolve::{Resolve, SystemResolver};
pub(crate) use resolve::{Vetted, VettedOrTrusted};

use crate::FetchError;

/// How long an answer is used: long enough for a page and its redirects, short enough for
/// sites that move by DNS.
const ANSWER_LIFETIME: Duration = Duration::from_secs(30);
/// Hosts remembered at once; about 200 bytes each.
const ANSWERS_KEPT: u64 = 10_000;

/// The door. Share it behind `Arc`.
pub struct Door {
    resolver: Arc<dyn Resolve>,
    allow_private: bool,
    answers: Cache<String, Arc<[IpAddr]>>,
}

impl Door {
    /// A door that asks `resolver`. With `allow_private` it lets every address pass, but still
    /// no scheme other than http and https.
    pub fn new(resolver: Arc<dyn Resolve>, allow_private: bool) -> Self {
        Self {
            resolver,
            allow_private,
            answers: Cache::builder()
                .max_capacity(ANSWERS_KEPT)
                .time_to_live(ANSWER_LIFETIME)
                .build(),
        }
    }

    /// The addresses at which `url` may be dialled, and no others.
    ///
    /// # Errors
    /// `SsrfBlocked` if the scheme, the host or any one of its addresses is not for the public;
    /// `Dns` if there is no address.
    pub async fn admit(&self, url: &Url) -> Result<Vec<SocketAddr>, FetchError> {
        let (host, port) = self.check(url)?;
        let addresses = self.addresses(&host).await.map_err(Refusal::into_error)?;
        Ok(addresses
            .iter()
            .map(|ip| SocketAddr::new(*ip, port))
            .collect())
    }

    /// The part of `admit` that needs no resolver; host and port on success.
    fn check(&self, url: &Url) -> Result<(String, u16), FetchError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(blocked("only http and https are fetched"));
        }
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
            return Err(FetchError::InvalidUrl("it has no host".into()));
        };
        Ok((host_text(&host), port))
    }

    /// The vetted addresses of a host: a name, or an IP address as text.
    pub(crate) async fn addresses(&self, host: &str) -> Result<Arc<[IpAddr]>, Refusal> {
        if let Ok(ip) = host.parse::<IpAddr>() {
            return self.vet(vec![ip]);
        }
        if !self.allow_private && name::looks_internal(host) {
            return Err(Refusal::Name);
        }
        let key = host.to_ascii_lowercase();
        if let Some(known) = self.answers.get(&key).await {
            return Ok(known);
        }
        let ask = async { self.vet(self.ask(&key).await?) };
        self.answers
            .try_get_with(key.clone(), ask)
            .await
            .map_err(|refusal| *refusal)
    }

    /// The addresses of a host whom the operator trusts (a proxy of the configuration).
    pub(crate) async fn trusted_addresses(&self, host: &str) -> Result<Arc<[IpAddr]>, Refusal> {
        match host.parse::<IpAddr>() {
            Ok(ip) => Ok(Arc::from([ip])),
            Err(_) => Ok(self.ask(host).await?.into()),
        }
    }

    /// A bare connection to a host, a name or an IP address as text, at one of the addresses that
    /// the door admits; `is_trusted` is for a host whom the operator trusts.
    pub(crate) async fn dial(
        &self,
        host: &str,
        port: u16,
        is_trusted: bool,
    ) -> Result<TcpStream, FetchError> {
        let addresses = match is_trusted {
            true => self.trusted_addresses(host).await,
            false => self.addresses(host).await,
        };
        for ip in addresses.map_err(Refusal::into_error)?.iter() {
            // The one place that may: these addresses were admitted just now.
            #[allow(clippy::disallowed_methods)]
            let dialled = TcpStream::connect(SocketAddr::new(*ip, port)).await;
            if let Ok(stream) = dialled {
                return Ok(stream);
            }
        }
        Err(FetchError::Connect("refused or unreachable".into()))
    }

    async fn ask(&self, host: &str) -> Result<Vec<IpAddr>, Refusal> {
        let answer = self.resolver.resolve(host).await;
        match answer {
            Ok(addresses) if !addresses.is_empty() => Ok(addresses),
            Ok(_) => Err(Refusal::NoAddress),
            Err(error) => {
                tracing::debug!(dns.host = host, %error, "name not resolved");
                Err(Refusal::NoAddress)
            }
        }
    }

    /// All or nothing: one private address among public ones is how rebinding begins.
    fn vet(&self, addresses: Vec<IpAddr>) -> Result<Arc<[IpAddr]>, Refusal> {
        if self.allow_private || addresses.iter().all(|ip| address::is_global(*ip)) {
            Ok(addresses.into())
        } else {
            Err(Refusal::Address)
        }
    }
}

/// Why a host may not be dialled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    /// The name belongs to a private network by convention.
    #[error("the host is not a public name")]
    Name,
    /// An address is not global.
    #[error("the host is not at a public address")]
    Address,
    /// The name has no address.
    #[error("the name has no address")]
    NoAddress,
}

impl Refusal {
    pub(crate) fn into_error(self) -> FetchError {
        match self {
            Self::Name | Self::Address => blocked(&self.to_string()),
            Self::NoAddress => FetchError::Dns,
        }
    }
}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> Self {
        Self::other(refusal)
    }
}

fn blocked(why: &str) -> FetchError {
    FetchError::SsrfBlocked(why.into())
}

/// The host as text; IPv6 without brackets.
fn host_text(host: &Host<&str>) -> String {
    match host {
        Host::Domain(name) => (*name).to_owned(),
        Host::Ipv4(ip) => ip.to_string(),
        Host::Ipv6(ip) => ip.to_string(),
    }
}

#[cfg(test)]
mod tests;
