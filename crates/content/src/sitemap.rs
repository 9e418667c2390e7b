//! Sitemaps as they are found: XML, index, RSS, Atom or plain lines, gzipped whatever their name
//! says, with a BOM or blank lines before them, cut off in the middle. Entities that a document
//! declares itself are never resolved.

use std::{borrow::Cow, io::Read};

use encoding_rs::Encoding;
use quick_xml::{Reader, escape, events::Event};
use url::Url;

/// Size of a sitemap after decompression, as sitemaps.org has it.
const MAX_BYTES: u64 = 50 * 1024 * 1024;
/// URLs of one sitemap: twice what sitemaps.org allows.
const MAX_URLS: usize = 100_000;

/// What a sitemap lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sitemap {
    /// Pages, in order.
    pub pages: Vec<ListedPage>,
    /// Other sitemaps, in order.
    pub sitemaps: Vec<Url>,
}

/// A page that a sitemap lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPage {
    /// Absolute, http or https.
    pub url: Url,
    /// When it was last changed, as the sitemap says it.
    pub lastmod: Option<String>,
}

impl Sitemap {
    /// Reads a sitemap that came from `base`. Never fails: what can be read of it is read.
    pub fn parse(body: &[u8], base: &Url) -> Self {
        let unpacked = unpack(body);
        let text = decode(&unpacked);
        let text = text.trim_start();
        match text.starts_with('<') {
            true => read_xml(text, base),
            false => read_lines(text, base),
        }
    }

    fn add_page(&mut self, url: &str, lastmod: Option<String>, base: &Url) {
        if self.pages.len() < MAX_URLS
            && let Some(url) = absolute(url, base)
        {
            self.pages.push(ListedPage { url, lastmod });
        }
    }

    fn add_sitemap(&mut self, url: &str, base: &Url) {
        if self.sitemaps.len() < MAX_URLS
            && let Some(url) = absolute(url, base)
        {
            self.sitemaps.push(url);
        }
    }
}

fn absolute(url: &str, base: &Url) -> Option<Url> {
    let url = url.trim();
    let url = (!url.is_empty()).then(|| base.join(url).ok())??;
    matches!(url.scheme(), "http" | "https").then_some(url)
}

/// By the magic number, for the media type and the name are often wrong.
fn unpack(body: &[u8]) -> Cow<'_, [u8]> {
    if !body.starts_with(&[0x1f, 0x8b]) {
        return Cow::Borrowed(&body[..body.len().min(MAX_BYTES as usize)]);
    }
    let mut unpacked = Vec::new();
    // A cut or damaged stream is read up to the damage.
    let _end = flate2::read::MultiGzDecoder::new(body)
        .take(MAX_BYTES)
        .read_to_end(&mut unpacked);
    Cow::Owned(unpacked)
}

/// Without a copy when it is UTF-8 already: sitemaps are large, and several are read at once.
fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let encoding = Encoding::for_bom(bytes).map_or(encoding_rs::UTF_8, |(encoding, _)| encoding);
    encoding.decode(bytes).0
}

fn read_lines(text: &str, base: &Url) -> Sitemap {
    let mut sitemap = Sitemap::default();
    for line in text.lines().map(str::trim) {
        if line.starts_with("http://") || line.starts_with("https://") {
            sitemap.add_page(line, None, base);
        }
    }
    sitemap
}

/// The element that is being read.
#[derive(Default)]
struct Item {
    is_sitemap: bool,
    url: String,
    lastmod: Option<String>,
}

fn read_xml(text: &str, base: &Url) -> Sitemap {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    let mut sitemap = Sitemap::default();
    let mut item: Option<Item> = None;
    // A damaged document is read up to the damage.
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(tag) => match tag.name().as_ref() {
                "url" | "item" | "entry" => item = Some(Item::default()),
                "sitemap" => {
                    item = Some(Item {
                        is_sitemap: true,
                        ..Item::default()
                    });
                }
                // Only with these names: `image:loc` and its kind are no pages.
                "loc" | "link" => {
                    let words = words(&mut reader, &tag);
                    if let Some(item) = item.as_mut().filter(|item| item.url.is_empty()) {
                        item.url = words.unwrap_or_default();
                    }
                }
                "lastmod" | "updated" | "pubDate" => {
                    let words = words(&mut reader, &tag);
                    if let Some(item) = item.as_mut() {
                        item.lastmod = words.filter(|words| !words.is_empty());
                    }
                }
                _ => {}
            },
            // Atom: `<link href="…"/>`, of which the alternate one is the page.
            Event::Empty(tag) if tag.name().as_ref() == "link" => {
                let attr = |name: &str| {
                    let found = tag
                        .attributes()
                        .flatten()
                        .find(|attr| attr.key.as_ref() == name);
                    found.map(|attr| unescaped(&attr.value))
                };
                let is_page = attr("rel").is_none_or(|rel| rel == "alternate");
                if let (Some(item), Some(href), true) = (item.as_mut(), attr("href"), is_page)
                    && item.url.is_empty()
                {
                    item.url = href;
                }
            }
            Event::End(tag) => {
                let ends = matches!(tag.name().as_ref(), "url" | "item" | "entry" | "sitemap");
                match item.take_if(|_| ends) {
                    Some(item) if item.is_sitemap => sitemap.add_sitemap(&item.url, base),
                    Some(item) => sitemap.add_page(&item.url, item.lastmod, base),
                    None => {}
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    sitemap
}

/// Text of an element, CDATA included.
fn words(reader: &mut Reader<&[u8]>, tag: &quick_xml::events::BytesStart) -> Option<String> {
    let inner = reader.read_text(tag.name()).ok()?;
    let inner: &str = &inner;
    let inner = inner.trim();
    let plain = inner
        .strip_prefix("<![CDATA[")
        .and_then(|inner| inner.strip_suffix("]]>"));
    Some(match plain {
        Some(plain) => plain.trim().to_owned(),
        None => unescaped(inner).trim().to_owned(),
    })
}

/// With the five entities of XML resolved; as written where something else is in it, for many
/// sites write a bare `&`.
fn unescaped(text: &str) -> String {
    escape::unescape(text).map_or_else(|_| text.to_owned(), std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn parse(body: &[u8]) -> Sitemap {
        Sitemap::parse(
            body,
            &Url::parse("https://a.example/maps/sitemap.xml").unwrap(),
        )
    }

    fn pages(body: &[u8]) -> Vec<String> {
        parse(body)
            .pages
            .into_iter()
            .map(|page| page.url.into())
            .collect()
    }

    const SET: &str = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
        <url><loc> https://a.example/?a=1&amp;b=2 </loc><lastmod>2026-01-02</lastmod></url>\
        <url><loc><![CDATA[https://a.example/cd?x&y]]></loc>\
        <image:image><image:loc>https://a.example/p.png</image:loc></image:image></url>\
        <url><loc>/relative</loc></url><url><loc>ftp://a.example/</loc></url></urlset>";

    #[test]
    fn pages_are_read_with_their_dates() {
        let sitemap = parse(SET.as_bytes());
        let urls: Vec<&str> = sitemap.pages.iter().map(|page| page.url.as_str()).collect();
        assert_eq!(
            urls,
            [
                "https://a.example/?a=1&b=2",
                "https://a.example/cd?x&y",
                "https://a.example/relative"
            ]
        );
        assert_eq!(sitemap.pages[0].lastmod.as_deref(), Some("2026-01-02"));
    }

    #[test]
    fn packed_prefixed_and_cut_ones_are_read_as_far_as_they_go() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packed.write_all(SET.as_bytes()).unwrap();
        assert_eq!(pages(&packed.finish().unwrap()).len(), 3);
        let prefixed = format!("\u{feff}\n\n  <?xml version=\"1.0\"?>{SET}");
        assert_eq!(pages(prefixed.as_bytes()).len(), 3);
        let cut = &SET.as_bytes()[..SET.len() - 60];
        assert_eq!(pages(cut).len(), 2);
        let wide: Vec<u8> = std::iter::once(0xfeff)
            .chain(SET.encode_utf16())
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(pages(&wide).len(), 3);
    }

    #[test]
    fn an_index_lists_sitemaps() {
        let index = "<sitemapindex><sitemap><loc>one.xml.gz</loc></sitemap>\
                     <sitemap><loc>https://b.example/two.xml</loc></sitemap></sitemapindex>";
        let sitemap = parse(index.as_bytes());
        let urls: Vec<&str> = sitemap.sitemaps.iter().map(Url::as_str).collect();
        assert_eq!(
            urls,
            [
                "https://a.example/maps/one.xml.gz",
                "https://b.example/two.xml"
            ]
        );
    }

    #[test]
    fn feeds_and_lines_are_sitemaps_too() {
        let rss = "<rss><channel><link>https://a.example/</link><item><title>x</title>\
                   <link>https://a.example/one</link></item></channel></rss>";
        assert_eq!(pages(rss.as_bytes()), ["https://a.example/one"]);
        let atom = "<feed><link href=\"https://a.example/\"/><entry>\
                    <link rel=\"edit\" href=\"/e\"/><link href=\"/two\"/></entry></feed>";
        assert_eq!(pages(atom.as_bytes()), ["https://a.example/two"]);
        let lines = b"https://a.example/1\r\n\r\n# note\nhttps://a.example/2";
        assert_eq!(pages(lines).len(), 2);
    }

    #[test]
    fn entities_of_the_document_stay_what_they_are() {
        let hostile = "<!DOCTYPE u [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>\
                       <urlset><url><loc>https://a.example/&x;</loc></url></urlset>";
        assert_eq!(pages(hostile.as_bytes()), ["https://a.example/&x;"]);
        assert!(pages(b"<html><body><p>Not found</p></body></html>").is_empty());
        assert!(pages(b"\x1f\x8bgarbage").is_empty() && pages(b"").is_empty());
    }
}
