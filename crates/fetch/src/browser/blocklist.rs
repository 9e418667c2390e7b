//! Advertisers and trackers by host: a host is named when it, or a domain above it, is on the list.

use std::{collections::HashSet, sync::LazyLock};

/// One domain a line; `#` begins a remark.
static DOMAINS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    include_str!("blocklist.txt")
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect()
});

/// Is this the host of an advertiser or a tracker?
pub(super) fn names(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    let dots = host.match_indices('.').map(|(at, _)| &host[at + 1..]);
    std::iter::once(host)
        .chain(dots)
        .any(|domain| DOMAINS.contains(domain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_covers_what_is_below_it_and_nothing_else() {
        for host in [
            "doubleclick.net",
            "g.doubleclick.net",
            "a.b.doubleclick.net.",
        ] {
            assert!(names(host), "{host}");
        }
        for host in ["notdoubleclick.net", "doubleclick.net.example", "net", ""] {
            assert!(!names(host), "{host}");
        }
    }

    #[test]
    fn the_list_is_sorted_and_has_no_host_of_public_content() {
        let lines: Vec<_> = include_str!("blocklist.txt")
            .lines()
            .filter(|line| !line.starts_with('#') && !line.is_empty())
            .collect();
        assert!(lines.is_sorted());
        assert!(lines.iter().all(|line| line.contains('.')));
    }
}
