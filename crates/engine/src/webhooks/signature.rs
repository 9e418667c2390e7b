//! Proves to a receiver who sends, and when.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// `t=SECONDS,v1=HEX`: HMAC-SHA256 of the seconds, a full stop and the body.
pub(super) fn signature(secret: &str, seconds: i64, body: &[u8]) -> String {
    // Any length is a key.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
        return String::new();
    };
    mac.update(format!("{seconds}.").as_bytes());
    mac.update(body);
    let code = mac.finalize().into_bytes();
    let hex: String = code.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("t={seconds},v1={hex}")
}

#[cfg(test)]
mod tests {
    use super::signature;

    #[test]
    fn a_signature_is_what_openssl_says_it_is() {
        // printf '1700000000.{"a":1}' | openssl dgst -sha256 -hmac secret
        assert_eq!(
            signature("secret", 1_700_000_000, br#"{"a":1}"#),
            "t=1700000000,v1=49f24e537407743fa4a0242bb63b94b9a47ee99cbbe071ccd8a22550ae411686"
        );
    }
}
