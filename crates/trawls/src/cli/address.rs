//! What people type for a URL.

/// `example.com/x` means `https://example.com/x`. What names a scheme stays as it is.
pub(crate) fn complete(typed: &str) -> String {
    let typed = typed.trim();
    let head = typed.split(['/', '?', '#']).next().unwrap_or_default();
    let names_a_scheme = match head.split_once(':') {
        Some((_, "")) => typed[head.len()..].starts_with("//"),
        // `host:8080` is no scheme, `mailto:x` is.
        Some((_, rest)) => !rest.bytes().all(|b| b.is_ascii_digit()),
        None => false,
    };
    let is_relative = head.is_empty() || head.starts_with('.');
    if names_a_scheme || is_relative {
        typed.to_owned()
    } else {
        format!("https://{typed}")
    }
}

#[cfg(test)]
mod tests {
    use super::complete;

    #[test]
    fn a_bare_host_gets_https() {
        assert_eq!(complete("example.com"), "https://example.com");
        assert_eq!(complete(" example.com/a?b#c "), "https://example.com/a?b#c");
        assert_eq!(complete("example.com:8443/a"), "https://example.com:8443/a");
        assert_eq!(complete("localhost:8000"), "https://localhost:8000");
        assert_eq!(
            complete("example.com:1/?u=http://b"),
            "https://example.com:1/?u=http://b"
        );
        assert_eq!(complete("example.com/a:b"), "https://example.com/a:b");
    }

    #[test]
    fn what_names_a_scheme_or_no_host_is_left_alone() {
        for typed in [
            "http://example.com",
            "ftp://x",
            "mailto:a@b.c",
            "javascript:alert(1)",
            "/etc/passwd",
            "./x.html",
            "",
        ] {
            assert_eq!(complete(typed), typed);
        }
    }
}
