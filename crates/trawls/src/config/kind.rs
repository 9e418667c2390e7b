//! What the value of a setting may look like.

use std::net::IpAddr;

use url::{Host, Url};

/// The shape of a value.
pub(crate) enum Kind {
    /// true or false.
    Flag,
    /// A whole number from the first to the second.
    Count(u64, u64),
    /// Anything.
    Text,
    /// Anything, never shown.
    Secret,
    /// A path on this machine.
    Path,
    /// An IP address or a host name.
    Host,
    /// An absolute URL with one of these schemes.
    Url(&'static [&'static str]),
    /// Several of these, separated by commas. May hold credentials, so it is never shown.
    Urls(&'static [&'static str]),
    /// One of these words.
    Choice(&'static [&'static str]),
}

impl Kind {
    /// Says what a wrong value should have been.
    pub(crate) fn check(&self, value: &str) -> Result<(), String> {
        let fits = match self {
            Self::Flag => parse_flag(value).is_some(),
            Self::Count(min, max) => value
                .parse::<u64>()
                .is_ok_and(|number| (*min..=*max).contains(&number)),
            Self::Text | Self::Secret | Self::Path => true,
            Self::Host => {
                let bare = value.trim_matches(['[', ']']);
                bare.parse::<IpAddr>().is_ok() || Host::parse(bare).is_ok()
            }
            Self::Url(schemes) => is_url(value, schemes),
            Self::Urls(schemes) => split_list(value).all(|url| is_url(url, schemes)),
            Self::Choice(words) => words.contains(&value),
        };
        if fits { Ok(()) } else { Err(self.wanted()) }
    }

    /// May a message repeat the value?
    pub(crate) fn is_public(&self) -> bool {
        !matches!(self, Self::Secret | Self::Url(_) | Self::Urls(_))
    }

    fn wanted(&self) -> String {
        match self {
            Self::Flag => "true or false".into(),
            Self::Count(min, max) => format!("a whole number from {min} to {max}"),
            Self::Text | Self::Secret => "a text".into(),
            Self::Path => "a path".into(),
            Self::Host => "an IP address or a host name".into(),
            Self::Url(schemes) => format!("a URL that starts with {}", list_schemes(schemes)),
            Self::Urls(schemes) => {
                format!(
                    "URLs, separated by commas, that start with {}",
                    list_schemes(schemes)
                )
            }
            Self::Choice(words) => words.join(" or "),
        }
    }
}

/// The spellings that people use for yes and no.
pub(crate) fn parse_flag(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Some(true),
        "false" | "0" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// The parts between commas, without empty ones.
pub(crate) fn split_list(value: &str) -> impl Iterator<Item = &str> {
    value
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
}

fn is_url(value: &str, schemes: &[&str]) -> bool {
    Url::parse(value).is_ok_and(|url| {
        // Files are the only thing that a URL of these schemes may name without a host.
        schemes.contains(&url.scheme()) && (url.has_host() || url.scheme() == "sqlite")
    })
}

fn list_schemes(schemes: &[&str]) -> String {
    let spelled: Vec<String> = schemes
        .iter()
        .map(|scheme| format!("{scheme}://"))
        .collect();
    spelled.join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_addresses_or_names() {
        for host in [
            "127.0.0.1",
            "::1",
            "[::1]",
            "0.0.0.0",
            "::",
            "localhost",
            "box.example.org",
        ] {
            assert_eq!(Kind::Host.check(host), Ok(()), "{host}");
        }
        for host in ["", "a b", "http://x", "127.0.0.1:80"] {
            assert!(Kind::Host.check(host).is_err(), "{host}");
        }
    }

    #[test]
    fn urls_need_a_known_scheme_and_a_host() {
        let kind = Kind::Url(&["http", "https"]);
        assert_eq!(kind.check("https://example.org/x"), Ok(()));
        for url in ["example.org", "ftp://example.org", "http://", "https:"] {
            assert!(kind.check(url).is_err(), "{url}");
        }
    }
}
