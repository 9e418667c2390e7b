//! robots.txt as RFC 9309 reads it: parsed once for our product token, asked many times.
//!
//! Never fails and never runs longer than the text times the path: a wildcard is matched by
//! leftmost search of the literals between stars, so there is nothing to backtrack into.

use std::time::Duration;

use url::Url;

/// Bytes of a robots.txt that are read; the RFC asks for at least this much.
pub(super) const MAX_ROBOTS_BYTES: usize = 500 * 1024;

/// A longer line is cut here, as Google's parser does (eight times the longest URL of old browsers).
const MAX_LINE_BYTES: usize = 2083 * 8 - 1;

/// A longer `Crawl-delay` is read as this: more is a way to say "no", and `Disallow` says that.
const MAX_CRAWL_DELAY: Duration = Duration::from_secs(30);

/// What one site allows to one product.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Robots {
    /// Longest first, `Allow` before `Disallow` of the same length: the first match decides.
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
    sitemaps: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    allow: bool,
    pattern: Pattern,
}

impl Robots {
    /// Reads the file for the product token `product`, falling back to the rules for `*`.
    /// An HTML page served in place of the file holds no rules.
    pub fn parse(file: &[u8], product: &str) -> Self {
        let file = &file[..file.len().min(MAX_ROBOTS_BYTES)];
        let file = file.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(file);
        if file.trim_ascii_start().starts_with(b"<") {
            return Self::default();
        }
        let mut reader = Reader::new(product);
        for line in file.split(|byte| matches!(byte, b'\n' | b'\r')) {
            reader.line(&line[..line.len().min(MAX_LINE_BYTES)]);
        }
        reader.finish()
    }

    /// May the product fetch this URL? `/robots.txt` itself always may be.
    pub fn allows(&self, url: &Url) -> bool {
        match url.query() {
            _ if url.path() == "/robots.txt" => true,
            Some(query) => self.allows_path(&format!("{}?{query}", url.path())),
            None => self.allows_path(url.path()),
        }
    }

    fn allows_path(&self, path: &str) -> bool {
        let path = with_upper_escapes(path.as_bytes());
        self.rules
            .iter()
            .find(|rule| rule.pattern.matches(&path))
            .is_none_or(|rule| rule.allow)
    }

    /// Seconds to leave between two requests, capped.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// The `Sitemap` lines as written, in order.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }

    /// Heap size, for a cache bounded by bytes.
    pub(super) fn weight(&self) -> usize {
        let rules = self.rules.iter().map(|rule| rule.pattern.text.len() + 64);
        let sitemaps = self.sitemaps.iter().map(|url| url.len() + 24);
        rules.sum::<usize>() + sitemaps.sum::<usize>()
    }
}

/// Rules of one kind of group while reading: ours, or everybody's.
#[derive(Default)]
struct Group {
    is_named: bool,
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
}

struct Reader<'a> {
    product: &'a str,
    ours: Group,
    everybody: Group,
    in_ours: bool,
    in_everybody: bool,
    /// A rule was seen since the last `User-agent`: the next one opens a new group.
    is_group_closed: bool,
    sitemaps: Vec<String>,
}

impl<'a> Reader<'a> {
    fn new(product: &'a str) -> Self {
        Self {
            product,
            ours: Group::default(),
            everybody: Group::default(),
            in_ours: false,
            in_everybody: false,
            is_group_closed: false,
            sitemaps: Vec::new(),
        }
    }

    fn line(&mut self, line: &[u8]) {
        let Some((key, value)) = split_line(line) else {
            return;
        };
        match Key::of(key) {
            Key::UserAgent => self.user_agent(value),
            Key::Allow => self.rule(true, value),
            Key::Disallow => self.rule(false, value),
            Key::CrawlDelay => self.crawl_delay(value),
            Key::Sitemap => {
                if !value.is_empty() {
                    self.sitemaps.push(String::from_utf8_lossy(value).into());
                }
            }
            Key::Unknown => {}
        }
    }

    fn user_agent(&mut self, value: &[u8]) {
        if self.is_group_closed {
            self.in_ours = false;
            self.in_everybody = false;
            self.is_group_closed = false;
        }
        let is_star = value.first() == Some(&b'*')
            && value.get(1).is_none_or(|byte| byte.is_ascii_whitespace());
        if is_star {
            self.in_everybody = true;
            self.everybody.is_named = true;
        } else if product_token(value).eq_ignore_ascii_case(self.product.as_bytes()) {
            self.in_ours = true;
            self.ours.is_named = true;
        }
    }

    fn rule(&mut self, allow: bool, value: &[u8]) {
        // A rule before the first `User-agent` closes nothing and binds nobody.
        self.is_group_closed = true;
        if value.is_empty() {
            return;
        }
        for group in self.current_groups() {
            if allow && let Some(pattern) = Pattern::directory_of_index(value) {
                group.rules.push(Rule { allow, pattern });
            }
            let pattern = Pattern::new(value);
            group.rules.push(Rule { allow, pattern });
        }
    }

    /// Not part of the RFC, so it must not close a group; it binds the agents named so far.
    fn crawl_delay(&mut self, value: &[u8]) {
        let seconds = std::str::from_utf8(value)
            .ok()
            .and_then(|text| text.parse::<f64>().ok());
        let Some(seconds) = seconds.filter(|seconds| *seconds > 0.0) else {
            return;
        };
        let delay = Duration::try_from_secs_f64(seconds)
            .unwrap_or(MAX_CRAWL_DELAY)
            .min(MAX_CRAWL_DELAY);
        for group in self.current_groups() {
            group.crawl_delay.get_or_insert(delay);
        }
    }

    fn current_groups(&mut self) -> impl Iterator<Item = &mut Group> {
        let ours = self.in_ours.then_some(&mut self.ours);
        let everybody = self.in_everybody.then_some(&mut self.everybody);
        ours.into_iter().chain(everybody)
    }

    fn finish(self) -> Robots {
        let group = if self.ours.is_named {
            self.ours
        } else {
            self.everybody
        };
        let mut rules = group.rules;
        rules.sort_by_key(|rule| (std::cmp::Reverse(rule.pattern.priority()), !rule.allow));
        Robots {
            rules,
            crawl_delay: group.crawl_delay,
            sitemaps: self.sitemaps,
        }
    }
}

enum Key {
    UserAgent,
    Allow,
    Disallow,
    CrawlDelay,
    Sitemap,
    Unknown,
}

impl Key {
    /// Names in any case, with the misspellings that real files hold and Google's parser accepts.
    fn of(name: &[u8]) -> Self {
        match name.to_ascii_lowercase().as_slice() {
            b"user-agent" | b"useragent" | b"user agent" => Self::UserAgent,
            b"allow" => Self::Allow,
            b"disallow" | b"dissallow" | b"dissalow" | b"disalow" | b"diasllow" | b"disallaw" => {
                Self::Disallow
            }
            b"crawl-delay" | b"crawldelay" | b"crawl delay" => Self::CrawlDelay,
            b"sitemap" | b"site-map" => Self::Sitemap,
            _ => Self::Unknown,
        }
    }
}

/// `key: value # comment`, or, as a frequent slip, `key value` of exactly two words.
fn split_line(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = line
        .iter()
        .position(|byte| *byte == b'#')
        .unwrap_or(line.len());
    let line = line[..end].trim_ascii();
    if let Some(colon) = line.iter().position(|byte| *byte == b':') {
        return Some((line[..colon].trim_ascii(), line[colon + 1..].trim_ascii()));
    }
    let space = line.iter().position(u8::is_ascii_whitespace)?;
    let (key, value) = (&line[..space], line[space..].trim_ascii());
    (!value.iter().any(u8::is_ascii_whitespace)).then_some((key, value))
}

/// `Trawls` of `Trawls/1.0 (+https://…)`.
fn product_token(value: &[u8]) -> &[u8] {
    let is_token = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_');
    let end = value
        .iter()
        .position(|byte| !is_token(byte))
        .unwrap_or(value.len());
    &value[..end]
}

/// A path pattern: literals with `*` between them and perhaps `$` at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern {
    /// ASCII, escaped like a URL's path, without the final `$`.
    text: String,
    is_anchored: bool,
}

impl Pattern {
    fn new(value: &[u8]) -> Self {
        let (value, is_anchored) = match value.strip_suffix(b"$") {
            Some(rest) => (rest, true),
            None => (value, false),
        };
        let text = with_upper_escapes(&escaped(value));
        Self { text, is_anchored }
    }

    /// `Allow: /shop/index.html` also opens `/shop/`, as Google reads it.
    fn directory_of_index(value: &[u8]) -> Option<Self> {
        let slash = value.iter().rposition(|byte| *byte == b'/')?;
        value[slash..].starts_with(b"/index.htm").then(|| Self {
            is_anchored: true,
            ..Self::new(&value[..=slash])
        })
    }

    /// The longer pattern is the more specific one.
    fn priority(&self) -> usize {
        self.text.len() + usize::from(self.is_anchored)
    }

    fn matches(&self, path: &str) -> bool {
        let mut literals = self.text.split('*');
        let Some(mut rest) = literals.next().and_then(|first| path.strip_prefix(first)) else {
            return false;
        };
        let mut last = None;
        for literal in literals {
            // The one before is settled as far left as it goes, which leaves most for the others.
            if let Some(previous) = last.replace(literal) {
                match rest.find(previous) {
                    Some(at) => rest = &rest[at + previous.len()..],
                    None => return false,
                }
            }
        }
        match (last, self.is_anchored) {
            (None, true) => rest.is_empty(),
            (None, false) => true,
            (Some(last), true) => rest.ends_with(last),
            (Some(last), false) => rest.contains(last),
        }
    }
}

/// Percent-encodes what a URL's path would not hold as it is, so that both sides compare alike.
fn escaped(value: &[u8]) -> Vec<u8> {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let mut out = Vec::with_capacity(value.len());
    for &byte in value {
        if byte.is_ascii_graphic() && !matches!(byte, b'"' | b'<' | b'>' | b'`' | b'{' | b'}') {
            out.push(byte);
        } else {
            out.extend([
                b'%',
                HEX[usize::from(byte >> 4)],
                HEX[usize::from(byte & 15)],
            ]);
        }
    }
    out
}

/// `%c3` and `%C3` are the same octet.
fn with_upper_escapes(text: &[u8]) -> String {
    let mut out = text.to_vec();
    let mut at = 0;
    while at + 2 < out.len() {
        if out[at] == b'%' && out[at + 1].is_ascii_hexdigit() && out[at + 2].is_ascii_hexdigit() {
            out[at + 1..at + 3].make_ascii_uppercase();
            at += 2;
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use trawls_testkit::shared;

    use super::*;

    fn allows(file: &str, url: &str) -> bool {
        Robots::parse(file.as_bytes(), "Trawls").allows(&Url::parse(url).unwrap())
    }

    /// Path and query of a URL as written, without the normalising that `Url` does.
    fn raw_path(url: &str) -> &str {
        let rest = url.split_once("//").map_or(url, |(_, rest)| rest);
        let path = rest.find(['/', '?']).map_or("/", |at| &rest[at..]);
        path.split('#').next().unwrap()
    }

    #[test]
    fn every_case_of_the_shared_table_is_decided_as_its_matcher_does() {
        let Some(table) = shared("bench/robots_cases.json", "the cases of robots.txt") else {
            return;
        };
        let table = std::fs::read(table).unwrap();
        let cases: Vec<serde_json::Value> = serde_json::from_slice(&table).unwrap();
        let wrong: Vec<_> = cases
            .iter()
            .filter(|case| {
                let text = |key: &str| case[key].as_str().unwrap();
                let robots = Robots::parse(text("robots").as_bytes(), text("ua"));
                robots.allows_path(raw_path(text("url"))) != case["want"].as_bool().unwrap()
            })
            .collect();
        assert!(
            wrong.is_empty(),
            "{} of {}: {wrong:#?}",
            wrong.len(),
            cases.len()
        );
        assert_eq!(cases.len(), 144);
    }

    #[test]
    fn rules_for_our_name_replace_those_for_everybody() {
        let file = "User-agent: *\nDisallow: /\n\nUser-agent: trawls/2.0\nDisallow: /private\n";
        assert!(allows(file, "https://a.example/open"));
        assert!(!allows(file, "https://a.example/private/b"));
    }

    #[test]
    fn a_byte_order_mark_does_not_hide_the_first_line() {
        assert!(!allows(
            "\u{feff}User-agent: *\nDisallow: /private\n",
            "https://a.example/private"
        ));
    }

    #[test]
    fn an_html_page_in_place_of_the_file_forbids_nothing() {
        let page = "\n<!doctype html><pre>\nUser-agent: *\nDisallow: /\n</pre>";
        assert!(allows(page, "https://a.example/x"));
    }

    #[test]
    fn the_file_itself_is_always_allowed() {
        assert!(allows(
            "User-agent: *\nDisallow: /",
            "https://a.example/robots.txt"
        ));
    }

    #[test]
    fn escapes_are_compared_in_any_case_and_spaces_as_a_url_writes_them() {
        assert!(!allows(
            "User-agent: *\nDisallow: /caf%c3%a9",
            "https://a.example/café"
        ));
        assert!(!allows(
            "User-agent: *\nDisallow: /a b",
            "https://a.example/a b/c"
        ));
    }

    #[test]
    fn wildcards_may_overlap_and_meet_the_anchor() {
        let file = "User-agent: *\nDisallow: /*ab*ba$\n";
        assert!(!allows(file, "https://a.example/abba"));
        assert!(allows(file, "https://a.example/aba"));
        assert!(allows(file, "https://a.example/abbac"));
        assert!(!allows(
            "User-agent: *\nDisallow: *.pdf$",
            "https://a.example/x/y.pdf"
        ));
        assert!(!allows(
            "User-agent: *\nDisallow: /x**y",
            "https://a.example/x/y"
        ));
    }

    #[test]
    fn two_thousand_stars_are_no_work() {
        let pattern = "*a".repeat(2000);
        let file = format!("User-agent: *\nDisallow: /{pattern}b\n");
        let robots = Robots::parse(file.as_bytes(), "Trawls");
        assert!(robots.allows_path(&format!("/{}", "a".repeat(100_000))));
    }

    #[test]
    fn only_the_first_500_kib_are_read() {
        let mut file = "# filling\n".repeat(MAX_ROBOTS_BYTES / 10 + 1);
        file.push_str("User-agent: *\nDisallow: /\n");
        assert!(allows(&file, "https://a.example/x"));
    }

    #[test]
    fn crawl_delay_binds_the_agents_named_before_it_and_closes_no_group() {
        let file =
            "User-agent: SlowBot\nCrawl-delay: 9\nUser-agent: *\nDisallow: /x\nCrawl-delay: 2.5";
        let robots = Robots::parse(file.as_bytes(), "Trawls");
        assert_eq!(robots.crawl_delay(), Some(Duration::from_millis(2500)));
        let slow = Robots::parse(file.as_bytes(), "SlowBot");
        assert_eq!(slow.crawl_delay(), Some(Duration::from_secs(9)));
        assert!(!slow.allows_path("/x"));
    }

    #[test]
    fn absurd_crawl_delays_are_capped_or_ignored() {
        for (written, read) in [
            ("86400", Some(30)),
            ("1e300", Some(30)),
            ("-1", None),
            ("NaN", None),
        ] {
            let file = format!("User-agent: *\nCrawl-delay: {written}");
            let delay = Robots::parse(file.as_bytes(), "Trawls").crawl_delay();
            assert_eq!(delay.map(|delay| delay.as_secs()), read, "{written}");
        }
    }

    #[test]
    fn sitemaps_are_kept_wherever_they_stand() {
        let file = "Sitemap: https://a.example/1.xml\nUser-agent: *\nSitemap:https://a.example/2.xml # new";
        let robots = Robots::parse(file.as_bytes(), "Trawls");
        assert_eq!(
            robots.sitemaps(),
            ["https://a.example/1.xml", "https://a.example/2.xml"]
        );
    }

    /// The definition of a match, slow and plain.
    fn matches_slowly(pattern: &[u8], path: &[u8], is_anchored: bool) -> bool {
        match pattern.split_first() {
            None => !is_anchored || path.is_empty(),
            Some((b'*', rest)) => {
                (0..=path.len()).any(|skip| matches_slowly(rest, &path[skip..], is_anchored))
            }
            Some((byte, rest)) => {
                path.first() == Some(byte) && matches_slowly(rest, &path[1..], is_anchored)
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(file in prop::collection::vec(any::<u8>(), 0..2000), path in "/\\PC{0,60}") {
            Robots::parse(&file, "Trawls").allows_path(&path);
        }

        #[test]
        fn lines_of_the_right_words_are_read_without_a_panic(
            lines in prop::collection::vec("(User-agent|Allow|Disallow|Crawl-delay|Sitemap|)[: ]{1,2}[*$/a%#0-9.TrawlsE-]{0,12}", 0..40),
            path in "/[a%/*$é0-9]{0,40}",
        ) {
            let robots = Robots::parse(lines.join("\n").as_bytes(), "Trawls");
            robots.allows_path(&path);
            let _ = (robots.weight(), robots.crawl_delay());
        }

        #[test]
        fn the_fast_match_is_the_plain_match(pattern in "/[ab*]{0,8}[$]?", path in "/[ab]{0,10}") {
            let anchored = pattern.ends_with('$');
            let plain = matches_slowly(pattern.trim_end_matches('$').as_bytes(), path.as_bytes(), anchored);
            prop_assert_eq!(Pattern::new(pattern.as_bytes()).matches(&path), plain);
        }
    }
}
