//! What the HTTP face needs to know. Plain data, made by the composition root.

use subtle::ConstantTimeEq;
use url::Url;

/// How the HTTP face behaves.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// Who may call.
    pub access: Access,
    /// The address that callers use, when it isn't the one we listen on.
    pub public_url: Option<Url>,
    /// Pages that may be scraped at once; the next call is told to come back.
    pub max_pages_running: usize,
}

/// Who may call.
#[derive(Debug, Clone)]
pub enum Access {
    /// Everybody on this machine; requests must name a loopback host.
    Loopback,
    /// Everybody who reaches the address: the operator asked for it.
    Open,
    /// Who knows the key.
    Key(ApiKey),
}

/// A secret that is compared in constant time and never printed.
#[derive(Clone)]
pub struct ApiKey(String);

impl ApiKey {
    /// Keeps a key.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    /// Is this the key? The time taken tells only whether the lengths agree.
    pub(crate) fn is(&self, candidate: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(candidate).into()
    }
}

impl std::fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ApiKey(…)")
    }
}
