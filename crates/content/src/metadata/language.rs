//! The page's language: what it declares, otherwise what its text is, when that is clear.

use crate::dom::Document;
use crate::text::line_of;

/// Enough text to tell, and not more.
const SAMPLE_BYTES: usize = 4_000;
/// Shorter texts are mostly names.
const MIN_SAMPLE_BYTES: usize = 80;

/// A well-formed BCP 47 tag from a declared one (`en_US` and `EN-us` are both `en-US`).
pub(super) fn tag(declared: &str) -> Option<String> {
    let declared = declared.split([',', ';', '.', ' ']).next()?.trim();
    let mut parts = declared.split(['-', '_']);
    let language = parts.next()?.to_ascii_lowercase();
    if !(2..=3).contains(&language.len()) || !language.bytes().all(|byte| byte.is_ascii_lowercase())
    {
        return None;
    }
    let mut tag = language;
    for part in parts.take(3) {
        if part.is_empty()
            || part.len() > 8
            || !part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        {
            break;
        }
        tag.push('-');
        match part.len() {
            2 => tag.push_str(&part.to_ascii_uppercase()),
            4 => {
                tag.push_str(&part[..1].to_ascii_uppercase());
                tag.push_str(&part[1..].to_ascii_lowercase());
            }
            _ => tag.push_str(&part.to_ascii_lowercase()),
        }
    }
    Some(tag)
}

/// The language of the visible text, if it is clear.
pub(super) fn detect(document: &Document) -> Option<String> {
    let text = line_of(document, document.body()?, SAMPLE_BYTES);
    if text.len() < MIN_SAMPLE_BYTES {
        return None;
    }
    let found = whatlang::detect(&text).filter(whatlang::Info::is_reliable)?;
    Some(two_letters(found.lang().code()).to_owned())
}

/// BCP 47 wants the two-letter code where there is one: three letters, then two.
const TWO_LETTERS: &str = "\
    eng en deu de fra fr spa es ita it por pt nld nl swe sv dan da nob nb \
    fin fi pol pl ces cs slk sk slv sl hrv hr srp sr hun hu ron ro bul bg \
    rus ru ukr uk bel be ell el tur tr ara ar heb he pes fa urd ur hin hi \
    ben bn tam ta tel te tha th vie vi ind id cmn zh jpn ja kor ko cat ca \
    lat la est et lav lv lit lt afr af kat ka hye hy aze az epo eo yid yi \
    mar mr guj gu pan pa mal ml kan kn mya my khm km nep ne sin si amh am \
    jav jv zul zu sna sn aka ak mkd mk uzb uz tuk tk tgl tl cym cy ori or";

fn two_letters(code: &str) -> &str {
    let mut codes = TWO_LETTERS.split_whitespace();
    match codes.find(|known| *known == code) {
        Some(_) => codes.next().unwrap_or(code),
        None => code,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_tags_are_brought_into_form() {
        for (declared, wanted) in [
            ("en_US", Some("en-US")),
            ("DE", Some("de")),
            ("zh-hant-tw", Some("zh-Hant-TW")),
            ("en-US,en", Some("en-US")),
            ("english", None),
            ("", None),
            ("x", None),
            ("{{lang}}", None),
        ] {
            assert_eq!(tag(declared).as_deref(), wanted, "{declared}");
        }
    }

    #[test]
    fn a_clear_text_tells_its_language() {
        let text = "Der Müller fuhr am frühen Morgen über die Brücke und brachte das Mehl in die Stadt, weil dort Markt war.";
        assert_eq!(detect(&Document::of(text)).as_deref(), Some("de"));
        assert_eq!(detect(&Document::of("OK")), None);
    }
}
