//! A file name for a page: readable, unique within the job by the page's number, and good on every
//! system: no separators, no reserved names, no case that matters, short.

use unicode_normalization::UnicodeNormalization;
use url::Url;

/// Bytes of the readable part; file systems allow 255 for the whole name.
const MAX_BYTES: usize = 100;

/// `000012-docs-install.md` for page 12 at `/docs/install`.
pub fn file_name(number: u64, url: &str) -> String {
    let readable = readable(url);
    match readable.is_empty() {
        true => format!("{number:06}.md"),
        false => format!("{number:06}-{readable}.md"),
    }
}

/// Letters and digits of the path and the query, or of the host when these have none.
fn readable(url: &str) -> String {
    let Ok(url) = Url::parse(url) else {
        return slug(url);
    };
    let query = url.query().unwrap_or_default();
    let path = slug(&percent_decoded(&format!("{} {query}", url.path())));
    match path.is_empty() {
        true => slug(url.host_str().unwrap_or_default()),
        false => path,
    }
}

fn slug(text: &str) -> String {
    let mut slug = String::new();
    for letter in text.nfc().flat_map(char::to_lowercase) {
        if slug.len() + letter.len_utf8() > MAX_BYTES {
            break;
        }
        // Marks belong to the letters before them in many scripts.
        if letter.is_alphanumeric() || unicode_normalization::char::is_combining_mark(letter) {
            slug.push(letter);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = (*first == b'%')
            .then(|| after.get(..2))
            .flatten()
            .and_then(|two| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok());
        match escaped {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn names_are_readable_and_safe_everywhere() {
        for (url, name) in [
            (
                "https://a.example/docs/Install.html?v=2",
                "000007-docs-install-html-v-2.md",
            ),
            ("https://a.example/", "000007-a-example.md"),
            (
                "https://a.example/../..%2f..%2fetc/passwd",
                "000007-etc-passwd.md",
            ),
            ("https://a.example/con", "000007-con.md"),
            ("https://a.example/a%00b:c*?\"<>|", "000007-a-b-c.md"),
            (
                "https://a.example/stra%C3%9Fe/%E6%97%A5%E6%9C%AC",
                "000007-straße-日本.md",
            ),
            ("not a url", "000007-not-a-url.md"),
            ("///", "000007.md"),
        ] {
            assert_eq!(file_name(7, url), name, "{url}");
        }
        let long = file_name(7, &format!("https://a.example/{}", "%E6%97%A5".repeat(500)));
        assert!(long.len() < 120 && long.ends_with(".md"), "{long}");
    }
}
