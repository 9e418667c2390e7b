//! Where names become addresses: the seam `Resolve`, and the resolvers that the HTTP client is
//! given, which know nothing but what the door let through.

use std::{
    collections::HashSet,
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use futures_util::future::BoxFuture;
use wreq::dns::{Addrs, Name, Resolving};

use super::Door;

/// Turns a host name into addresses.
pub trait Resolve: Send + Sync + 'static {
    /// All addresses of `host`, best first; it is never an IP address as text.
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;
}

/// The resolver of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            // The door's own look-up; everybody else is banned from it.
            #[allow(clippy::disallowed_methods)]
            let answer = tokio::net::lookup_host((host, 0)).await?;
            Ok(answer.map(|address| address.ip()).collect())
        })
    }
}

/// Gives the HTTP client the vetted addresses of a host.
pub(crate) struct Vetted(pub(crate) Arc<Door>);

impl wreq::dns::Resolve for Vetted {
    fn resolve(&self, name: Name) -> Resolving {
        let door = Arc::clone(&self.0);
        Box::pin(async move { Ok(dialled(&door.addresses(name.as_str()).await?)) })
    }
}

/// The same for connections through a proxy: the hosts of the operator's proxies may be private.
pub(crate) struct VettedOrTrusted {
    pub(crate) door: Arc<Door>,
    pub(crate) trusted: Arc<HashSet<String>>,
}

impl wreq::dns::Resolve for VettedOrTrusted {
    fn resolve(&self, name: Name) -> Resolving {
        let door = Arc::clone(&self.door);
        let is_trusted = self.trusted.contains(name.as_str());
        Box::pin(async move {
            let addresses = if is_trusted {
                door.trusted_addresses(name.as_str()).await?
            } else {
                door.addresses(name.as_str()).await?
            };
            Ok(dialled(&addresses))
        })
    }
}

/// Port 0 means the port of the URL.
fn dialled(addresses: &[IpAddr]) -> Addrs {
    let addresses: Vec<_> = addresses.iter().map(|ip| SocketAddr::new(*ip, 0)).collect();
    Box::new(addresses.into_iter())
}
