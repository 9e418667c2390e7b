//! What a document says about its own encoding: the HTML standard's prescan for `<meta>`, and the
//! XML declaration. Attributes come in any order and any quotes.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use memchr::{memchr, memmem};

/// The standard asks for 1024 bytes, but browsers also obey a later `<meta>` when the parser meets
/// it; heads with inline styles before it are common.
const REACH: usize = 64 * 1024;

/// The encoding that the first useful `<meta>` declares, else the XML declaration.
pub(super) fn declared(body: &[u8]) -> Option<&'static Encoding> {
    let body = &body[..body.len().min(REACH)];
    meta(body).or_else(|| xml(body))
}

/// The encoding of the XML declaration.
pub(super) fn xml(body: &[u8]) -> Option<&'static Encoding> {
    let declaration = body.trim_ascii_start().strip_prefix(b"<?xml")?;
    let declaration = &declaration[..memchr(b'>', declaration)?];
    let after = &declaration[memmem::find(declaration, b"encoding")? + 8..];
    let value = after.trim_ascii_start().strip_prefix(b"=")?;
    resolve(quoted(value.trim_ascii_start())?)
}

/// A document that could be read this far is no UTF-16, whatever it says.
fn resolve(label: &[u8]) -> Option<&'static Encoding> {
    if label.eq_ignore_ascii_case(b"x-user-defined") {
        return Some(WINDOWS_1252);
    }
    let encoding = Encoding::for_label_no_replacement(label)?;
    Some(match encoding == UTF_16LE || encoding == UTF_16BE {
        true => UTF_8,
        false => encoding,
    })
}

fn meta(body: &[u8]) -> Option<&'static Encoding> {
    let mut at = 0;
    while let Some(found) = memchr(b'<', &body[at..]) {
        at += found + 1;
        let rest = &body[at..];
        if rest.starts_with(b"!--") {
            // `<!-->` is a whole comment.
            at += memmem::find(&rest[1..], b"-->")? + 4;
            continue;
        }
        let name_at = usize::from(rest.first() == Some(&b'/'));
        if !rest.get(name_at).is_some_and(u8::is_ascii_alphabetic) {
            if matches!(rest.first(), Some(b'!' | b'/' | b'?')) {
                at += memchr(b'>', rest)?;
            }
            continue;
        }
        let is_name = |byte: &u8| !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'>');
        let name_len = rest[name_at..].iter().take_while(|b| is_name(b)).count();
        let name = &rest[..name_at + name_len];
        let mut attrs = Attrs {
            bytes: body,
            at: at + name.len(),
        };
        if name.eq_ignore_ascii_case(b"meta") {
            if let Some(encoding) = of_meta(&mut attrs) {
                return Some(encoding);
            }
        } else if name.eq_ignore_ascii_case(b"body") {
            return None;
        }
        attrs.by_ref().for_each(drop);
        at = attrs.at;
    }
    None
}

fn of_meta(attrs: &mut Attrs) -> Option<&'static Encoding> {
    let (mut charset, mut content, mut is_pragma) = (None, None, false);
    for (name, value) in attrs {
        if name.eq_ignore_ascii_case(b"charset") {
            charset = charset.or(Some(value));
        } else if name.eq_ignore_ascii_case(b"content") {
            content = content.or_else(|| in_content(value));
        } else if name.eq_ignore_ascii_case(b"http-equiv") {
            is_pragma |= value.eq_ignore_ascii_case(b"content-type");
        }
    }
    resolve(charset.or(content.filter(|_| is_pragma))?)
}

/// `charset` of a value such as `text/html; charset=x`.
pub(super) fn in_content(value: &[u8]) -> Option<&[u8]> {
    let mut rest = value;
    loop {
        let at = rest
            .windows(7)
            .position(|window| window.eq_ignore_ascii_case(b"charset"))?;
        rest = &rest[at + 7..];
        if let Some(value) = rest.trim_ascii_start().strip_prefix(b"=") {
            let value = value.trim_ascii_start();
            return quoted(value).or_else(|| {
                let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b';' | b',');
                let len = value.iter().take_while(|byte| !ends(byte)).count();
                Some(&value[..len])
            });
        }
    }
}

fn quoted(value: &[u8]) -> Option<&[u8]> {
    let (&quote, rest) = value.split_first()?;
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    Some(&rest[..memchr(quote, rest)?])
}

/// Attributes of one tag; afterwards `at` is behind it.
struct Attrs<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Attrs<'a> {
    fn skip(&mut self, test: impl Fn(u8) -> bool) -> &'a [u8] {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(|&byte| test(byte)) {
            self.at += 1;
        }
        &self.bytes[start..self.at]
    }

    fn value(&mut self) -> &'a [u8] {
        match self.bytes.get(self.at) {
            Some(&quote @ (b'"' | b'\'')) => {
                self.at += 1;
                let value = self.skip(|byte| byte != quote);
                self.at = (self.at + 1).min(self.bytes.len());
                value
            }
            _ => self.skip(|byte| !byte.is_ascii_whitespace() && byte != b'>'),
        }
    }
}

impl<'a> Iterator for Attrs<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        self.skip(|byte| byte.is_ascii_whitespace() || byte == b'/');
        if matches!(self.bytes.get(self.at), None | Some(b'>')) {
            return None;
        }
        let start = self.at;
        self.at += 1;
        self.skip(|byte| !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'>' | b'='));
        let name = &self.bytes[start..self.at];
        self.skip(|byte| byte.is_ascii_whitespace());
        if self.bytes.get(self.at) != Some(&b'=') {
            return Some((name, b""));
        }
        self.at += 1;
        self.skip(|byte| byte.is_ascii_whitespace());
        Some((name, self.value()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn says(html: &str, encoding: Option<&str>) {
        let found = declared(html.as_bytes()).map(Encoding::name);
        assert_eq!(found, encoding, "{html}");
    }

    #[test]
    fn a_meta_is_found_whatever_its_order_and_quotes() {
        for html in [
            "<meta charset=koi8-r>",
            "<META CHARSET = 'KOI8-R' />",
            "<html><head data-x='>'><title>a</title><meta\nname=x charset=\"koi8-r\">",
            "<meta content='text/html; charset=koi8-r' http-equiv=Content-Type>",
            "<meta http-equiv='content-type' content=\"text/html;charset='koi8-r'\">",
            "<!-- <meta charset=big5> --><meta charset=koi8-r>",
            "<!--><meta charset=koi8-r><!-- -->",
            "<? <meta ?><meta charset=koi8-r>",
            "<meta charset=nonsense><meta charset=koi8-r>",
            "<?xml version='1.0' encoding=\"koi8-r\"?><html>",
            "<meta charset=koi8-r",
        ] {
            says(html, Some("KOI8-R"));
        }
    }

    #[test]
    fn what_declares_nothing_declares_nothing() {
        for html in [
            "",
            "<",
            "<meta content='text/html; charset=koi8-r'>",
            "<meta name=charset content=koi8-r>",
            "<p title='<meta charset=koi8-r>'>",
            "<!-- <meta charset=koi8-r>",
            "<body><meta charset=koi8-r>",
        ] {
            says(html, None);
        }
    }

    #[test]
    fn a_meta_cannot_make_it_utf_16() {
        says("<meta charset=utf-16le>", Some("UTF-8"));
        says("<meta charset=x-user-defined>", Some("windows-1252"));
    }
}
