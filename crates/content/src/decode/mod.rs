//! From bytes to text, as browsers do: BOM, then the header, then the document's own words, then
//! detection. Where a browser would show garbage because the declaration is plainly a lie, the
//! bytes win.

mod prescan;

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Non-ASCII characters of which a declared encoding may fail to read one, before others are
/// tried. Damaged pages have single bad bytes; a wrong encoding fails at every second character.
const GOOD_PER_BAD: usize = 20;
/// So many valid UTF-8 sequences don't happen by chance in a legacy multi-byte encoding; in a
/// single-byte one, where each would be a capital letter and a symbol, one is telling enough.
const TELLING_SEQUENCES: usize = 4;
/// Bytes that are looked at to see UTF-16 without BOM.
const UTF_16_SAMPLE: usize = 2048;

/// A decoded body.
#[derive(Debug)]
pub(crate) struct Decoded<'a> {
    /// Its text, without BOM.
    pub(crate) text: Cow<'a, str>,
    /// What a reader of the text should know.
    pub(crate) warning: Option<String>,
}

/// What kind of declaration the body itself may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Markup {
    /// `<meta>`, or an XML declaration.
    Html,
    /// The XML declaration only.
    Xml,
    /// Neither.
    None,
}

/// Text of a body. Never fails: what no encoding can read becomes U+FFFD.
pub(crate) fn decode<'a>(body: &'a [u8], header: Option<&str>, markup: Markup) -> Decoded<'a> {
    if let Some((encoding, bom)) = Encoding::for_bom(body) {
        return finish(encoding, &body[bom..], None);
    }
    if let Some(encoding) = undeclared_utf16(body) {
        return finish(encoding, body, None);
    }
    let in_header = header.and_then(of_header);
    let in_body = match markup {
        Markup::Html => prescan::declared(body),
        Markup::Xml => prescan::xml(body),
        Markup::None => None,
    };
    let declared = in_header.or(in_body);
    let encoding = choose(body, in_header, in_body);
    let lie = declared.filter(|&declared| declared != encoding);
    finish(encoding, body, lie)
}

/// Is it text in UTF-16, with or without BOM? Its NUL bytes are no sign of a binary then.
pub(crate) fn is_utf16(body: &[u8]) -> bool {
    let by_bom = Encoding::for_bom(body).is_some_and(|(encoding, _)| encoding != UTF_8);
    by_bom || undeclared_utf16(body).is_some()
}

/// `charset` of a `Content-Type`; `utf-16` is believed only when the bytes look like it.
fn of_header(header: &str) -> Option<&'static Encoding> {
    Encoding::for_label_no_replacement(prescan::in_content(header.as_bytes())?)
        .filter(|&encoding| encoding != UTF_16LE && encoding != UTF_16BE)
}

/// The first candidate that reads the bytes well.
fn choose(
    body: &[u8],
    in_header: Option<&'static Encoding>,
    in_body: Option<&'static Encoding>,
) -> &'static Encoding {
    let sequences = utf8_sequences(body);
    if let Some(sequences) = sequences {
        let telling = match in_header.or(in_body) {
            None => 0,
            Some(encoding) if encoding == UTF_8 || encoding.is_single_byte() => 1,
            Some(_) => TELLING_SEQUENCES,
        };
        if sequences >= telling {
            return UTF_8;
        }
    }
    // `iso-8859-1` in a header is often a server's default that nobody chose.
    if let (Some(header), Some(other)) = (in_header, in_body)
        && header == WINDOWS_1252
        && !other.is_single_byte()
        && other != UTF_8
        && damage(body, other).bad == 0
    {
        return other;
    }
    let declared = [in_header, in_body].into_iter().flatten();
    let mut worst: Option<(usize, &'static Encoding)> = None;
    for encoding in declared {
        let damage = damage(body, encoding);
        if damage.is_tolerable() {
            return encoding;
        }
        worst = worst.or(Some((damage.bad, encoding)));
    }
    let detected = detect(body);
    match worst {
        Some((bad, declared)) if damage(body, detected).bad >= bad => declared,
        _ => detected,
    }
}

struct Damage {
    good: usize,
    bad: usize,
}

impl Damage {
    fn is_tolerable(&self) -> bool {
        self.bad * GOOD_PER_BAD <= self.good
    }
}

/// How well an encoding reads the bytes that are not ASCII.
fn damage(body: &[u8], encoding: &'static Encoding) -> Damage {
    let (text, had_errors) = encoding.decode_without_bom_handling(without_cut_tail(body));
    if !had_errors {
        return Damage { good: 1, bad: 0 };
    }
    let (mut good, mut bad) = (0, 0);
    for char in text.chars().filter(|char| !char.is_ascii()) {
        match char {
            '\u{fffd}' => bad += 1,
            _ => good += 1,
        }
    }
    Damage { good, bad }
}

/// Number of multi-byte sequences, if the body is UTF-8 up to a character cut at its end.
fn utf8_sequences(body: &[u8]) -> Option<usize> {
    let body = without_cut_tail(body);
    std::str::from_utf8(body).ok()?;
    // Sums that fit into a byte, so that many bytes are looked at in one step.
    let leads = |piece: &[u8]| piece.iter().map(|byte| u8::from(*byte >= 0xc0)).sum::<u8>();
    let pieces = body.chunks(usize::from(u8::MAX));
    Some(pieces.map(|piece| usize::from(leads(piece))).sum())
}

/// Without the beginning of a UTF-8 character that the end of the body cuts.
fn without_cut_tail(body: &[u8]) -> &[u8] {
    match std::str::from_utf8(&body[body.len().saturating_sub(4)..]) {
        Err(error) if error.error_len().is_none() => {
            let tail = body.len().min(4) - error.valid_up_to();
            &body[..body.len() - tail]
        }
        _ => body,
    }
}

fn detect(body: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(body, true);
    detector.guess(None, Utf8Detection::Allow)
}

/// UTF-16 that nothing declares: markup and spaces leave NULs at every second byte, and never at
/// the others.
fn undeclared_utf16(body: &[u8]) -> Option<&'static Encoding> {
    let sample = &body[..body.len().min(UTF_16_SAMPLE)];
    let pairs = sample.len() / 2;
    let (mut even, mut odd) = (0, 0);
    for pair in sample.chunks_exact(2) {
        even += usize::from(pair[0] == 0);
        odd += usize::from(pair[1] == 0);
    }
    let is_many = |count: usize| pairs >= 4 && count * 5 >= pairs;
    let is_few = |count: usize| count * 100 <= pairs;
    match () {
        () if is_many(odd) && is_few(even) => Some(UTF_16LE),
        () if is_many(even) && is_few(odd) => Some(UTF_16BE),
        () => None,
    }
}

fn finish<'a>(
    encoding: &'static Encoding,
    body: &'a [u8],
    lie: Option<&'static Encoding>,
) -> Decoded<'a> {
    let body = match encoding == UTF_8 {
        true => without_cut_tail(body),
        false => body,
    };
    let (text, had_errors) = encoding.decode_without_bom_handling(body);
    let name = encoding.name();
    let warning = match lie {
        Some(declared) => Some(format!(
            "declared as {} but read as {name}, which fits the bytes",
            declared.name()
        )),
        None => had_errors.then(|| format!("some bytes are not valid {name}")),
    };
    Decoded { text, warning }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUSSIAN: &str = "Маяк на северном мысу снова горит, паром ходит по расписанию.";
    const JAPANESE: &str = "北の岬の灯台は毎晩灯り、渡し船は時刻表どおりに走る。";

    fn encode(label: &str, text: &str) -> Vec<u8> {
        let encoding = Encoding::for_label(label.as_bytes()).unwrap();
        encoding.encode(text).0.into_owned()
    }

    fn utf16(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(to_bytes).collect()
    }

    #[track_caller]
    fn reads(body: &[u8], header: Option<&str>, text: &str) {
        let decoded = decode(body, header, Markup::Html);
        assert_eq!(decoded.text, text, "{:?}", decoded.warning);
    }

    #[test]
    fn a_bom_wins_over_everything_and_is_not_text() {
        let text = format!("<meta charset=koi8-r>{RUSSIAN}");
        let mut body = b"\xef\xbb\xbf".to_vec();
        body.extend(text.as_bytes());
        reads(&body, Some("text/html; charset=windows-1251"), &text);
        let marked = format!("\u{feff}{text}");
        reads(
            &utf16(&marked, u16::to_le_bytes),
            Some("text/html; charset=utf-8"),
            &text,
        );
        reads(&utf16(&marked, u16::to_be_bytes), None, &text);
    }

    #[test]
    fn the_header_wins_over_the_meta() {
        let text = format!("<meta charset=koi8-r>{RUSSIAN}");
        for header in [
            "text/html; charset=windows-1251",
            "text/html;Charset = \"CP1251\"",
            "text/html; x=charset; charset='windows-1251'; y",
        ] {
            reads(&encode("windows-1251", &text), Some(header), &text);
        }
    }

    #[test]
    fn the_meta_counts_without_a_header() {
        for label in ["koi8-r", "windows-1251", "iso-8859-5", "x-mac-cyrillic"] {
            let text =
                format!("<meta content='a; charset={label}' http-equiv=content-type>{RUSSIAN}");
            reads(&encode(label, &text), Some("text/html"), &text);
        }
        for label in ["x-sjis", "Shift_JIS", "euc-jp", "iso-2022-jp", "gb18030"] {
            let text = format!("<meta charset={label}>{JAPANESE}");
            reads(&encode(label, &text), None, &text);
        }
    }

    #[test]
    fn what_nothing_declares_is_detected() {
        reads("Fête à Ploërmel".as_bytes(), None, "Fête à Ploërmel");
        reads(&encode("windows-1251", RUSSIAN), None, RUSSIAN);
        let japanese = JAPANESE.repeat(4);
        reads(&encode("shift_jis", &japanese), None, &japanese);
        reads(&encode("euc-jp", &japanese), None, &japanese);
        let chinese = "渡船按照时刻表运行，灯塔每晚都亮着。".repeat(4);
        reads(&encode("gbk", &chinese), None, &chinese);
        let text = "<p>plain markup</p>";
        reads(&utf16(text, u16::to_le_bytes), None, text);
        reads(
            &utf16(text, u16::to_be_bytes),
            Some("text/html; charset=utf-8"),
            text,
        );
    }

    #[test]
    fn a_lie_is_seen_through() {
        let text = format!("<meta charset=utf-8>{RUSSIAN}");
        reads(
            text.as_bytes(),
            Some("text/html; charset=iso-8859-1"),
            &text,
        );
        reads(text.as_bytes(), Some("text/html; charset=utf-16"), &text);
        reads(
            &encode("windows-1251", &text),
            Some("text/html; charset=utf-8"),
            &text,
        );
        let own = format!("<meta charset=shift_jis>{JAPANESE}");
        reads(
            &encode("shift_jis", &own),
            Some("text/html; charset=iso-8859-1"),
            &own,
        );
        reads(
            &encode("shift_jis", &own),
            Some("text/html; charset=utf-8"),
            &own,
        );
        let french = "Ça coûte 5 € à Orléans, c’est très cher";
        reads(
            &encode("windows-1252", french),
            Some("text/html; charset=utf-8"),
            french,
        );
    }

    #[test]
    fn latin_1_means_windows_1252() {
        reads(
            b"5 \x80 \x93x\x94",
            Some("text/html; charset=iso-8859-1"),
            "5 € “x”",
        );
    }

    #[test]
    fn a_damaged_or_cut_body_keeps_its_encoding() {
        let mut body = RUSSIAN.as_bytes().to_vec();
        body.push(0xd0);
        reads(&body, None, RUSSIAN);
        body.pop();
        body.insert(0, 0xff);
        reads(
            &body,
            Some("text/html; charset=utf-8"),
            &format!("\u{fffd}{RUSSIAN}"),
        );
        assert!(
            decode(&body, Some("a; charset=utf-8"), Markup::Html)
                .warning
                .is_some()
        );
        reads(b"", None, "");
    }
}
