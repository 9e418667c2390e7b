//! A glance at an HTML body, for the verdict: how much there is to read, and what stands in its
//! place. One pass over the bytes, no DOM, no decoding; it stops as soon as it has seen enough,
//! so an ordinary page costs its first kilobytes only. Never fails, never runs twice over a byte.

/// Visible characters after which a page plainly has something to say. The longest refusal pages
/// (a firewall's, with its three paragraphs of advice) stay under 1,200.
pub(crate) const ENOUGH_CHARS: usize = 1500;

/// Titles are kept up to this many bytes.
const MAX_TITLE_BYTES: usize = 200;

/// Ids and elements that script applications render into.
const APP_ROOTS: [&[u8]; 10] = [
    b"root",
    b"app",
    b"__next",
    b"__nuxt",
    b"___gatsby",
    b"q-app",
    b"svelte",
    b"app-root",
    b"react-root",
    b"main-app",
];

/// What one glance shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Glance {
    /// Of the first title element, as written.
    pub(crate) title: String,
    /// Visible text, spaces collapsed, up to `ENOUGH_CHARS` characters.
    pub(crate) text: String,
    /// Characters in `text`.
    pub(crate) chars: usize,
    /// Is there a script?
    pub(crate) has_scripts: bool,
    /// Is there a field that a person would fill in?
    pub(crate) has_fields: bool,
    /// Is there a root of a script application with nothing in it?
    pub(crate) has_empty_root: bool,
    /// Do scripts carry a price?
    pub(crate) has_priced_data: bool,
}

impl Glance {
    /// Looks at an HTML body.
    pub(crate) fn at(body: &[u8]) -> Self {
        let mut scan = Scan {
            body,
            at: 0,
            seen: Self::default(),
            is_after_root: false,
            is_quoting_broken: false,
            is_hiding_broken: false,
        };
        while scan.at < body.len() && scan.seen.chars < ENOUGH_CHARS {
            scan.step();
        }
        scan.seen
    }

    /// Does the text show an amount of money?
    pub(crate) fn shows_money(&self) -> bool {
        const SIGNS: [char; 9] = ['$', '€', '£', '¥', '₹', '₽', '₩', '₺', '₫'];
        const CODES: [&str; 14] = [
            "USD", "EUR", "GBP", "CHF", "SEK", "NOK", "DKK", "PLN", "CZK", "JPY", "kr", "zł", "Kč",
            "lei",
        ];
        self.text.contains(SIGNS) || CODES.iter().any(|code| self.text.contains(code))
    }

    /// Is there more to read than any refusal holds?
    pub(crate) fn says_enough(&self) -> bool {
        self.chars >= ENOUGH_CHARS
    }
}

/// `"price": "12.90"` and its like, as JSON-LD and shops' own data have it.
fn carries_price(source: &[u8]) -> bool {
    const KEY: &[u8] = b"\"price\"";
    memchr::memmem::find_iter(source, KEY).any(|at| {
        let behind = &source[at + KEY.len()..];
        let value = behind.trim_ascii_start().strip_prefix(b":");
        value.is_some_and(|value| {
            let value = value.trim_ascii_start();
            let value = value.strip_prefix(b"\"").unwrap_or(value);
            value
                .first()
                .is_some_and(|digit| (b'1'..=b'9').contains(digit))
        })
    })
}

struct Scan<'a> {
    body: &'a [u8],
    at: usize,
    seen: Glance,
    /// The last tag opened an application's root, and nothing visible came since.
    is_after_root: bool,
    /// A quote in a tag is never closed: from here on a tag ends at the next `>`.
    is_quoting_broken: bool,
    /// An element that shows nothing is never closed: from here on they are read through.
    is_hiding_broken: bool,
}

impl<'a> Scan<'a> {
    /// One run of text, or one tag or comment, with all of an element that shows nothing.
    fn step(&mut self) {
        let rest = &self.body[self.at..];
        if rest[0] != b'<' {
            let end = position(rest, b'<').unwrap_or(rest.len());
            self.text(&rest[..end]);
            self.at += end;
        } else if rest.starts_with(b"<!--") {
            self.at += find(&rest[4..], b"-->").map_or(rest.len(), |at| 4 + at + 3);
        } else {
            match rest.get(1) {
                Some(b'/' | b'!' | b'?') => self.close(),
                Some(byte) if byte.is_ascii_alphabetic() => self.open(),
                _ => {
                    self.text(b"<");
                    self.at += 1;
                }
            }
        }
    }

    fn close(&mut self) {
        self.take_tag();
        if self.is_after_root {
            self.seen.has_empty_root = true;
            self.is_after_root = false;
        }
    }

    fn open(&mut self) {
        let tag = self.take_tag();
        let name_end = tag
            .iter()
            .position(|byte| !is_name(*byte))
            .unwrap_or(tag.len());
        let (name, attributes) = tag.split_at(name_end);
        self.is_after_root = false;
        match name.to_ascii_lowercase().as_slice() {
            b"title" => {
                let title = self.take_element(name);
                if self.seen.title.is_empty() {
                    let title = &title[..title.len().min(MAX_TITLE_BYTES)];
                    self.seen.title = String::from_utf8_lossy(title.trim_ascii()).into_owned();
                }
            }
            b"script" => {
                self.seen.has_scripts = true;
                let source = self.take_element(name);
                self.seen.has_priced_data = self.seen.has_priced_data || carries_price(source);
            }
            b"style" => {
                self.take_element(name);
            }
            b"noscript" | b"template" | b"svg" | b"iframe" | b"math" => {
                if !attributes.ends_with(b"/") {
                    self.hide_element(name);
                }
            }
            b"textarea" => {
                self.seen.has_fields = true;
                self.take_element(name);
            }
            b"input" => self.seen.has_fields |= !is_inert_input(attributes),
            other => {
                self.is_after_root = APP_ROOTS.contains(&other)
                    || attribute(attributes, b"id").is_some_and(|id| APP_ROOTS.contains(&id));
            }
        }
    }

    /// The inside of the tag at the cursor, which moves behind it.
    fn take_tag(&mut self) -> &'a [u8] {
        let inside = &self.body[self.at + 1..];
        let end = if self.is_quoting_broken {
            position(inside, b'>')
        } else {
            tag_end(inside).or_else(|| {
                self.is_quoting_broken = true;
                position(inside, b'>')
            })
        };
        let end = end.unwrap_or(inside.len());
        self.at = (self.at + 1 + end + 1).min(self.body.len());
        &inside[..end]
    }

    /// What stands between the cursor and the element's end tag; the cursor moves before that tag,
    /// or to the end of the body when there is none.
    fn take_element(&mut self, name: &[u8]) -> &'a [u8] {
        let rest = &self.body[self.at..];
        let mut end = 0;
        while let Some(at) = find(&rest[end..], b"</") {
            end += at;
            let behind = &rest[end + 2..];
            if behind.len() >= name.len() && behind[..name.len()].eq_ignore_ascii_case(name) {
                self.at += end;
                return &rest[..end];
            }
            end += 2;
        }
        self.at = self.body.len();
        rest
    }

    /// Unlike a script, such an element does not swallow the page when its end is missing.
    fn hide_element(&mut self, name: &[u8]) {
        let start = self.at;
        if self.is_hiding_broken {
            return;
        }
        self.take_element(name);
        if self.at == self.body.len() {
            self.at = start;
            self.is_hiding_broken = true;
        }
    }

    fn text(&mut self, run: &[u8]) {
        let run = String::from_utf8_lossy(run);
        let mut rest = run.as_ref();
        while let Some(char) = rest
            .chars()
            .next()
            .filter(|_| self.seen.chars < ENOUGH_CHARS)
        {
            let (shown, bytes) = match char {
                '&' => reference(rest),
                _ => (char, char.len_utf8()),
            };
            rest = &rest[bytes..];
            self.show(shown);
        }
    }

    fn show(&mut self, char: char) {
        if char == '\0' {
            return;
        }
        let is_space = char.is_whitespace() || matches!(char, '\u{200b}'..='\u{200f}' | '\u{feff}');
        if !is_space {
            self.is_after_root = false;
            self.seen.text.push(char);
        } else if self.seen.text.is_empty() || self.seen.text.ends_with(' ') {
            return;
        } else {
            self.seen.text.push(' ');
        }
        self.seen.chars += 1;
    }
}

/// A character reference is one character; which one matters only if it is a space.
fn reference(text: &str) -> (char, usize) {
    match text.bytes().take(10).position(|byte| byte == b';') {
        Some(end) => match &text[..end] {
            "&nbsp" | "&#160" | "&#xa0" | "&#xA0" | "&zwnj" | "&emsp" | "&ensp" => (' ', end + 1),
            _ => ('\u{fffd}', end + 1),
        },
        None => ('&', 1),
    }
}

/// Where the tag ends: the first `>` outside of quotes that follow a `=`.
fn tag_end(inside: &[u8]) -> Option<usize> {
    let mut quote = None;
    let mut previous = 0;
    for (at, &byte) in inside.iter().enumerate() {
        match quote {
            Some(open) if byte == open => quote = None,
            Some(_) => {}
            None if byte == b'>' => return Some(at),
            None if matches!(byte, b'"' | b'\'') && previous == b'=' => quote = Some(byte),
            None => {}
        }
        if !byte.is_ascii_whitespace() {
            previous = byte;
        }
    }
    None
}

/// The value of an attribute, when it is written as `name=value` with or without quotes.
fn attribute<'a>(attributes: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let mut from = 0;
    while let Some(at) = find(&attributes[from..], b"=") {
        let equals = from + at;
        let before = attributes[..equals].trim_ascii_end();
        let value = attributes[equals + 1..].trim_ascii_start();
        let value = match value.first() {
            Some(quote @ (b'"' | b'\'')) => {
                let inside = &value[1..];
                &inside[..position(inside, *quote).unwrap_or(inside.len())]
            }
            _ => value
                .split(u8::is_ascii_whitespace)
                .next()
                .unwrap_or_default(),
        };
        let start = before
            .iter()
            .rposition(|byte| !is_name(*byte))
            .map_or(0, |at| at + 1);
        if before[start..].eq_ignore_ascii_case(name) {
            return Some(value);
        }
        from = equals + 1;
    }
    None
}

/// Buttons and hidden inputs are no fields.
fn is_inert_input(attributes: &[u8]) -> bool {
    attribute(attributes, b"type").is_some_and(|kind| {
        [&b"hidden"[..], b"submit", b"button", b"image", b"reset"]
            .iter()
            .any(|inert| kind.eq_ignore_ascii_case(inert))
    })
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':')
}

fn position(bytes: &[u8], byte: u8) -> Option<usize> {
    memchr::memchr(byte, bytes)
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, needle)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn glance(html: &str) -> Glance {
        Glance::at(html.as_bytes())
    }

    #[test]
    fn scripts_styles_and_comments_are_not_read() {
        let seen = glance(
            "<!doctype html><html><head><title> A ferry </title><style>p{}</style></head><body>\
             <!-- <p>no --><script>if (a<b) '<p>no</p>'</SCRIPT ><p>To\n  the <b>isles</b>",
        );
        assert_eq!(
            (seen.title.as_str(), seen.text.as_str()),
            ("A ferry", "To the isles")
        );
        assert!(seen.has_scripts);
    }

    #[test]
    fn a_greater_than_inside_a_quoted_attribute_does_not_end_the_tag() {
        assert_eq!(glance("<a title=\"x > y\" href='>'>go</a>").text, "go");
    }

    #[test]
    fn a_quote_that_is_never_closed_hides_nothing_after_the_tag() {
        assert_eq!(glance("<a title=\"x>go</a> on").text, "go on");
    }

    #[test]
    fn an_image_that_is_never_closed_hides_nothing() {
        assert_eq!(glance("<svg><path/><p>one</p><svg/>two").text, "onetwo");
        assert_eq!(glance("<svg><text>no</text></svg>yes").text, "yes");
    }

    #[test]
    fn an_apostrophe_in_a_tag_is_no_quote() {
        assert_eq!(glance("<p it's>here</p><p>there").text, "herethere");
    }

    #[test]
    fn references_are_one_character_and_hard_spaces_are_spaces() {
        let seen = glance("&nbsp;&#160; a&amp;b &nbsp; ");
        assert_eq!(seen.chars, 4);
        assert!(glance("a & b").text == "a & b");
    }

    #[test]
    fn an_empty_application_root_is_seen_however_it_is_written() {
        for root in [
            "<div id=\"root\"></div>",
            "<DIV class='x' ID='app'>\n<!-- --> </DIV>",
            "<div id=__next></div>",
            "<app-root></app-root>",
        ] {
            assert!(
                glance(&format!("<body>{root}<script src=x></script>")).has_empty_root,
                "{root}"
            );
        }
    }

    #[test]
    fn a_root_with_anything_in_it_is_not_empty() {
        for root in [
            "<div id=root>Loading</div>",
            "<div id=root><p></p></div>",
            "<div id=roots></div>",
        ] {
            assert!(!glance(root).has_empty_root, "{root}");
        }
    }

    #[test]
    fn hidden_inputs_are_no_fields() {
        assert!(!glance("<input type=hidden name=a><input TYPE='submit'>").has_fields);
        assert!(glance("<input name=q>").has_fields);
        assert!(glance("<input type=\"password\">").has_fields);
    }

    #[test]
    fn the_glance_ends_when_it_has_seen_enough() {
        let html = format!("<p>{}</p><script>", "word ".repeat(1000));
        let seen = glance(&html);
        assert!(seen.says_enough());
        assert!(!seen.has_scripts);
    }

    #[test]
    fn floods_are_read_in_one_pass() {
        for flood in [
            "<a \"", "<", "<script>", "<!--", "</", "&", "<a b=\"", "<div id=", "<title>", "<svg>",
        ] {
            let flood = flood.repeat(1_000_000 / flood.len());
            Glance::at(flood.as_bytes());
        }
    }

    proptest! {
        #[test]
        fn any_bytes_can_be_looked_at(body in prop::collection::vec(any::<u8>(), 0..600)) {
            let seen = Glance::at(&body);
            prop_assert_eq!(seen.text.chars().count(), seen.chars);
        }

        #[test]
        fn any_soup_of_tags_can_be_looked_at(
            soup in prop::collection::vec("(<|</|<!--|-->|>|script|title|div|root|id=|['\"= &;a]|nbsp)", 0..40)
        ) {
            let seen = Glance::at(soup.concat().as_bytes());
            prop_assert!(seen.chars <= ENOUGH_CHARS);
        }
    }
}
