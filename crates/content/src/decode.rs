//! From bytes to text.

use encoding_rs::{Encoding, UTF_8};

/// Text of a body.
pub(crate) fn decode(body: &[u8], content_type: Option<&str>) -> String {
    let label = content_type.and_then(|header| header.split_once("charset="));
    let declared = label.and_then(|(_, label)| Encoding::for_label(label.as_bytes()));
    declared.unwrap_or(UTF_8).decode(body).0.into_owned()
}
