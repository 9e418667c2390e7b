//! Takes the attributes beyond a cap out of every tag, in one linear pass. html5ever compares
//! each attribute of a tag with all before it, so a tag with 100,000 of them costs minutes.

use memchr::{memchr, memmem};

/// Attributes of one tag that stay. Real tags have fewer than forty.
const MAX_ATTRS: usize = 256;

/// The text without the excess; `None` when no tag has any.
pub(super) fn calm(html: &str) -> Option<String> {
    let bytes = html.as_bytes();
    let mut calmed = String::new();
    let mut copied = 0;
    let mut at = 0;
    let mut may_close = true;
    while let Some(found) = memchr(b'<', &bytes[at..]) {
        at += found + 1;
        let rest = &bytes[at..];
        if rest.starts_with(b"!--") {
            // Where no comment ends any more, looking again at every `<!--` would be quadratic.
            let end = may_close.then(|| memmem::find(rest, b"-->")).flatten();
            may_close = end.is_some();
            at += end.unwrap_or(0);
        } else if rest.first().is_some_and(u8::is_ascii_alphabetic) {
            let tag = scan(bytes, at);
            if let Some(excess) = tag.excess {
                calmed.push_str(&html[copied..excess]);
                copied = tag.end;
            }
            at = tag.end;
        }
    }
    if copied == 0 {
        return None;
    }
    calmed.push_str(&html[copied..]);
    Some(calmed)
}

struct Scanned {
    /// Where the first attribute beyond the cap begins.
    excess: Option<usize>,
    /// Position of the closing `>`, or the end of the text.
    end: usize,
}

/// Reads one tag from its name on, as the tokenizer does.
fn scan(bytes: &[u8], name: usize) -> Scanned {
    let is_space = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' | b'/');
    let skip = |mut at: usize, test: &dyn Fn(u8) -> bool| {
        while bytes.get(at).is_some_and(|&byte| test(byte)) {
            at += 1;
        }
        at
    };
    let mut at = skip(name, &|byte| !is_space(byte) && byte != b'>');
    let mut attrs = 0;
    let mut excess = None;
    loop {
        at = skip(at, &is_space);
        match bytes.get(at) {
            None | Some(b'>') => return Scanned { excess, end: at },
            Some(_) => {}
        }
        attrs += 1;
        if attrs > MAX_ATTRS && excess.is_none() {
            excess = Some(at);
        }
        // A leading `=` belongs to the name.
        at = skip(at + 1, &|byte| {
            !is_space(byte) && byte != b'>' && byte != b'='
        });
        let equals = skip(at, &|byte| is_space(byte) && byte != b'/');
        if bytes.get(equals) == Some(&b'=') {
            at = value_end(bytes, skip(equals + 1, &|b| is_space(b) && b != b'/'));
        }
    }
}

fn value_end(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(&quote @ (b'"' | b'\'')) => {
            memchr(quote, &bytes[at + 1..]).map_or(bytes.len(), |found| at + found + 2)
        }
        _ => {
            let ends = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'>';
            bytes[at..]
                .iter()
                .position(ends)
                .map_or(bytes.len(), |found| at + found)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_cut_and_the_rest_stays() {
        let names: String = (0..1000).map(|i| format!(" a{i}='>' b{i}=x")).collect();
        let html = format!("<p class='>'>é<div{names}>text</div><!-- <x -->");
        let calmed = calm(&html).unwrap();
        assert!(calmed.starts_with("<p class='>'>é<div a0='>' b0=x"));
        assert!(
            calmed.ends_with(" b127=x >text</div><!-- <x -->"),
            "{calmed}"
        );
    }

    #[test]
    fn usual_markup_is_left_alone() {
        assert_eq!(calm("<p a=1 b='2' c>1 < 2 </p><!--<a-->"), None);
        assert_eq!(calm("<"), None);
        assert_eq!(calm("<a b='"), None);
        assert_eq!(calm("<a b="), None);
    }
}
