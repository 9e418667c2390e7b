//! User and password in a URL: taken out of it at the door, so that nothing shows them afterwards.

use http::HeaderValue;
use url::Url;

/// What a server is told of its visitor.
#[derive(Debug, Clone)]
pub struct Login {
    /// The server it is for; only its origin counts.
    pub server: Url,
    /// Value of `Authorization`, never printed.
    pub authorization: HeaderValue,
}

impl Login {
    /// Takes user and password out of a URL.
    pub fn take(url: &mut Url) -> Option<Self> {
        let has_user = !url.username().is_empty() || url.password().is_some();
        if !has_user {
            return None;
        }
        let user = percent_decoded(url.username());
        let password = percent_decoded(url.password().unwrap_or_default());
        // Both setters fail only for URLs without a host, which have neither.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        let pair = [&user[..], b":", &password[..]].concat();
        let mut authorization = HeaderValue::try_from(format!("Basic {}", base64(&pair))).ok()?;
        authorization.set_sensitive(true);
        Some(Self {
            server: url.clone(),
            authorization,
        })
    }
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = text
            .get(at + 1..at + 3)
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (bytes[at], code) {
            (b'%', Some(code)) => {
                out.push(code);
                at += 3;
            }
            (byte, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    out
}

/// RFC 4648 with padding; the one place that needs it.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let word = (0..3).fold(0, |word, at| {
            word << 8 | u32::from(*group.get(at).unwrap_or(&0))
        });
        for at in 0..4 {
            if at > group.len() {
                out.push('=');
            } else {
                let letter = word >> (18 - 6 * at) & 63;
                out.push(char::from(LETTERS[letter as usize]));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_and_password_become_a_header_that_is_never_printed_and_leave_the_url() {
        let mut url = Url::parse("http://us%40er:pa:ss@a.example/x").unwrap();
        let login = Login::take(&mut url).unwrap();
        assert_eq!(url.as_str(), "http://a.example/x");
        assert_eq!(login.authorization, "Basic dXNAZXI6cGE6c3M=");
        assert!(!format!("{login:?}").contains("dXN"));
        assert!(Login::take(&mut url).is_none());
        assert_eq!(base64(b"a"), "YQ==");
        assert_eq!(base64(b"ab"), "YWI=");
        assert_eq!(base64(b"abc"), "YWJj");
    }
}
