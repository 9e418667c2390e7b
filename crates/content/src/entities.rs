//! Character references in texts that the HTML parser has not decoded: JSON-LD strings, and attributes
//! that were escaped twice. Only what such texts contain: numbers and the common names.

use std::borrow::Cow;

/// The longest reference that is looked for, without `&` and `;`.
const MAX_LENGTH: usize = 10;

/// `text` with its character references replaced; unknown ones stay as they are.
pub(crate) fn decode(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let end = after
            .bytes()
            .take(MAX_LENGTH + 1)
            .position(|byte| byte == b';');
        match end.and_then(|end| Some((character(&after[..end])?, end))) {
            Some((character, end)) => {
                out.push(character);
                rest = &after[end + 1..];
            }
            None => {
                out.push('&');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn character(reference: &str) -> Option<char> {
    if let Some(number) = reference.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code).filter(|c| !c.is_control());
    }
    Some(match reference {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "ndash" => '–',
        "mdash" => '—',
        "lsquo" => '‘',
        "rsquo" => '’',
        "ldquo" => '“',
        "rdquo" => '”',
        "laquo" => '«',
        "raquo" => '»',
        "hellip" => '…',
        "middot" => '·',
        "bull" => '•',
        "copy" => '©',
        "reg" => '®',
        "trade" => '™',
        "eacute" => 'é',
        "egrave" => 'è',
        "auml" => 'ä',
        "ouml" => 'ö',
        "uuml" => 'ü',
        "szlig" => 'ß',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_references_are_decoded_and_others_stay() {
        assert_eq!(
            decode("Fish &amp; chips &#8211; it&#x27;s &unknown; & so"),
            "Fish & chips – it's &unknown; & so"
        );
        assert_eq!(decode("a & b"), "a & b");
        assert_eq!(decode("&é;&#0;&#xD800;&"), "&é;&#0;&#xD800;&");
    }
}
