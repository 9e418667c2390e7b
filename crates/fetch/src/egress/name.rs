//! Which host names belong to private networks by convention, whatever they resolve to.

/// Names, and ends of names, of hosts and networks that are nobody's but the machine's own: the
/// special-use names of RFC 6761, 6762, 8375 and 9476, what clouds and container runtimes use for
/// their metadata, and the old habits of private networks.
const INTERNAL: [&str; 14] = [
    "localhost",
    "localdomain",
    "local",
    "internal",
    "intranet",
    "private",
    "corp",
    "home",
    "lan",
    "home.arpa",
    "svc",
    "onion",
    "alt",
    "invalid",
];

/// Is this a name that only makes sense inside of a private network? A name without a dot
/// (`metadata`, `redis`, `ip6-localhost`) is one: search lists complete it.
pub(super) fn looks_internal(host: &str) -> bool {
    let name = host.trim_end_matches('.').to_ascii_lowercase();
    !name.contains('.')
        || INTERNAL.iter().any(|end| {
            name.strip_suffix(end)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        })
}

#[cfg(test)]
mod tests {
    use super::looks_internal;

    #[test]
    fn internal_names_end_in_an_internal_label() {
        for name in [
            "LOCALHOST",
            "a.localhost.",
            "redis",
            "db.svc",
            "x.Home.Arpa",
            "svc",
            "home.arpa",
        ] {
            assert!(looks_internal(name), "{name}");
        }
        for name in [
            "mylocalhost.com",
            "internal.example.com",
            "notlocal.org",
            "xhome.arpa",
            "a.b.",
        ] {
            assert!(!looks_internal(name), "{name}");
        }
    }
}
