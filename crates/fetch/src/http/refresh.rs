//! `<meta http-equiv=refresh>` and the `Refresh` header: a page that sends its reader on at once is
//! one more redirect. Only what a browser with scripts on would obey: comments, scripts, raw text
//! and `noscript` do not count.

use memchr::memmem;
use url::Url;

/// Where such a page says so; a browser would look further, but no honest redirect does.
const HEAD_BYTES: usize = 32 * 1024;
/// Longest wait that still is a redirect.
const MAX_SECONDS: f32 = 1.0;
/// Elements whose content is not markup, or not for a reader with scripts on.
const OPAQUE: [&[u8]; 9] = [
    b"script",
    b"style",
    b"noscript",
    b"template",
    b"textarea",
    b"title",
    b"xmp",
    b"iframe",
    b"noframes",
];

/// Where an HTML body sends its reader at once.
pub(super) fn in_html(body: &[u8], url: &Url) -> Option<Url> {
    let head = &body[..body.len().min(HEAD_BYTES)];
    if !contains_ignoring_case(head, b"refresh") {
        return None;
    }
    let mut base = None;
    let mut rest = head;
    while let Some(tag) = next_tag(&mut rest) {
        match tag.name.as_slice() {
            b"base" if base.is_none() => {
                base = tag.attribute("href").and_then(|href| url.join(&href).ok());
            }
            b"meta" if tag.attribute("http-equiv").is_some_and(is_refresh) => {
                let content = tag.attribute("content")?;
                return target(&content, base.as_ref().unwrap_or(url));
            }
            name if OPAQUE.contains(&name) => skip_element(&mut rest, name),
            _ => {}
        }
    }
    None
}

/// The same in the form `0; url=/next`, which both the element and the header use.
pub(super) fn target(content: &str, base: &Url) -> Option<Url> {
    let content = content.trim_ascii_start();
    let end = content
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(content.len());
    let seconds: f32 = content[..end].parse().ok()?;
    if seconds > MAX_SECONDS {
        return None;
    }
    let rest = content[end..].trim_start_matches(|c: char| c.is_ascii_whitespace());
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_ascii();
    let rest = after_url_label(rest).unwrap_or(rest);
    let text = match rest.chars().next() {
        None => return None,
        Some(quote @ ('"' | '\'')) => rest[1..].split(quote).next().unwrap_or_default(),
        Some(_) => rest,
    };
    let next = base.join(text.trim()).ok()?;
    matches!(next.scheme(), "http" | "https").then_some(next)
}

/// What follows `url =`, in any case and spacing.
fn after_url_label(text: &str) -> Option<&str> {
    let label = text
        .get(..3)
        .filter(|label| label.eq_ignore_ascii_case("url"))?;
    let rest = text[label.len()..].trim_ascii_start();
    Some(rest.strip_prefix('=')?.trim_ascii_start())
}

fn is_refresh(value: String) -> bool {
    value.trim().eq_ignore_ascii_case("refresh")
}

fn contains_ignoring_case(text: &[u8], word: &[u8]) -> bool {
    let first = [word[0].to_ascii_lowercase(), word[0].to_ascii_uppercase()];
    memchr::memchr2_iter(first[0], first[1], text).any(|at| {
        text.get(at..at + word.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(word))
    })
}

/// A start tag: its name in lower case, and the text of its attributes.
struct Tag<'a> {
    name: Vec<u8>,
    attributes: &'a [u8],
}

/// The next start tag; `rest` then begins after it.
fn next_tag<'a>(rest: &mut &'a [u8]) -> Option<Tag<'a>> {
    loop {
        let start = memchr::memchr(b'<', rest)? + 1;
        *rest = &rest[start..];
        if let Some(comment) = rest.strip_prefix(b"!--") {
            *rest = &comment[memmem::find(comment, b"-->")?..];
            continue;
        }
        let length = rest
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric())
            .count();
        if length == 0 {
            continue;
        }
        let end = tag_end(&rest[length..])? + length;
        let tag = Tag {
            name: rest[..length].to_ascii_lowercase(),
            attributes: &rest[length..end],
        };
        *rest = &rest[end..];
        return Some(tag);
    }
}

/// The `>` that ends a tag: quotes may hold others.
fn tag_end(text: &[u8]) -> Option<usize> {
    let mut quote = None;
    let mut previous = b' ';
    for (at, byte) in text.iter().copied().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at),
            (None, b'"' | b'\'') if previous == b'=' => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            previous = byte;
        }
    }
    None
}

/// Moves `rest` behind the end tag of `name`.
fn skip_element(rest: &mut &[u8], name: &[u8]) {
    let mut from = 0;
    while let Some(at) = memmem::find(&rest[from..], b"</") {
        let after = from + at + 2;
        if rest[after..]
            .get(..name.len())
            .is_some_and(|end| end.eq_ignore_ascii_case(name))
        {
            *rest = &rest[after..];
            return;
        }
        from = after;
    }
    *rest = &[];
}

impl Tag<'_> {
    /// The value of an attribute with its character references undone.
    fn attribute(&self, wanted: &str) -> Option<String> {
        let mut rest = self.attributes;
        loop {
            rest = trim_start(rest, |byte| byte.is_ascii_whitespace() || byte == b'/');
            if rest.is_empty() {
                return None;
            }
            let length = rest
                .iter()
                .position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'=' | b'/'))
                .unwrap_or(rest.len());
            let (name, after) = rest.split_at(length.max(1));
            let after = after.trim_ascii_start();
            let (value, after) = match after.strip_prefix(b"=") {
                Some(value) => attribute_value(value.trim_ascii_start()),
                None => (&b""[..], after),
            };
            if name.eq_ignore_ascii_case(wanted.as_bytes()) {
                return Some(unescape(&String::from_utf8_lossy(value)));
            }
            rest = after;
        }
    }
}

fn attribute_value(text: &[u8]) -> (&[u8], &[u8]) {
    match text {
        [quote @ (b'"' | b'\''), value @ ..] => {
            let end = memchr::memchr(*quote, value).unwrap_or(value.len());
            (&value[..end], &value[(end + 1).min(value.len())..])
        }
        _ => {
            let end = text
                .iter()
                .position(u8::is_ascii_whitespace)
                .unwrap_or(text.len());
            text.split_at(end)
        }
    }
}

fn trim_start(text: &[u8], is_noise: impl Fn(u8) -> bool) -> &[u8] {
    let start = text
        .iter()
        .position(|byte| !is_noise(*byte))
        .unwrap_or(text.len());
    &text[start..]
}

/// The character references that URLs in attributes use.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let (letter, length) = reference(&rest[at..]).unwrap_or(('&', 1));
        out.push(letter);
        rest = &rest[at + length..];
    }
    out.push_str(rest);
    out
}

fn reference(text: &str) -> Option<(char, usize)> {
    let end = text.find(';').filter(|end| *end <= 10)?;
    let letter = match &text[1..end] {
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        "lt" => '<',
        "gt" => '>',
        number => {
            let number = number.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)?
        }
    };
    Some((letter, end + 1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn go(html: &str) -> Option<String> {
        let url = Url::parse("http://a.example/dir/page?q=1").unwrap();
        in_html(html.as_bytes(), &url).map(String::from)
    }

    #[test]
    fn every_spelling_is_understood() {
        for (html, to) in [
            (
                "<meta http-equiv=refresh content='0;url=next'>",
                "/dir/next",
            ),
            (
                "<META CONTENT=\"0; URL='x/../next'\" HTTP-EQUIV=refresh>",
                "/dir/next",
            ),
            (
                "<meta content=\"1,url=/a?b=1&amp;c=2\" http-equiv=\"Refresh\"/>",
                "/a?b=1&c=2",
            ),
            ("<meta http-equiv = refresh content = 0;URL=/x >", "/x"),
            (
                "<meta http-equiv=refresh content='0.5 ; Url = \"/q\" '>",
                "/q",
            ),
            ("<meta http-equiv=refresh content='0; /bare'>", "/bare"),
            (
                "<title>a</title><script>1<2</script><meta http-equiv=refresh content='0;url=/z'>",
                "/z",
            ),
            (
                "<base href='/other/'><meta http-equiv=refresh content='0;url=z'>",
                "/other/z",
            ),
            (
                "<meta name='a>b' data-x><meta http-equiv=refresh content='0;url=/&#122;'>",
                "/z",
            ),
        ] {
            assert_eq!(go(html), Some(format!("http://a.example{to}")), "{html}");
        }
    }

    #[test]
    fn what_no_reader_with_scripts_obeys_is_not_followed() {
        for html in [
            "<noscript><meta http-equiv=refresh content='0;url=/nojs'></noscript>",
            "<!-- <meta http-equiv=refresh content='0;url=/x'> -->",
            "<script>'<meta http-equiv=refresh content=\"0;url=/x\">'</script>",
            "<textarea><meta http-equiv=refresh content='0;url=/x'></textarea>",
            "<meta http-equiv=refresh content='5;url=/later'>",
            "<meta http-equiv=refresh content='0'>",
            "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
            "<meta http-equiv=refresh content='0;url=file:///etc/passwd'>",
            "<meta http-equiv=refresh>",
            "<meta name=refresh content='0;url=/x'>",
            "<!-- refresh <meta http-equiv=refresh content='0;url=/x'>",
            "refresh <meta http-equiv=refresh content='0;url=/x",
        ] {
            assert_eq!(go(html), None, "{html}");
        }
        let far = format!(
            "{}<meta http-equiv=refresh content='0;url=/x'>",
            " ".repeat(40_000)
        );
        assert_eq!(go(&far), None);
    }

    proptest! {
        #[test]
        fn any_markup_is_survived(html in "(<|>|meta|http-equiv|=|refresh|content|'|\"|0;url=|/x|&|#|;|noscript|<!--|é| ){0,40}") {
            let _ = go(&format!("refresh{html}"));
        }
    }
}
