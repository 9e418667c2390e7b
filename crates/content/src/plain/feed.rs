//! RSS 0.9 to 2.0 and Atom as an HTML document, which is then read like any other. Entities that
//! a document declares itself are not expanded.

use std::borrow::Cow;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion, escape};

/// Entries beyond this many are left out.
const MAX_ENTRIES: usize = 1000;

#[derive(Debug, Default)]
struct Part {
    title: String,
    link: String,
    author: String,
    date: String,
    /// HTML.
    summary: String,
    /// HTML.
    content: String,
}

/// HTML that says what the feed says; `None` when the text is no feed.
pub(crate) fn as_html(xml: &str) -> Option<String> {
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = false;
    let mut feed = Part::default();
    let mut entries: Vec<Part> = Vec::new();
    let mut is_feed = false;
    // Damaged feeds are read up to the damage.
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(tag) => match tag.local_name().as_ref() {
                "rss" | "feed" | "RDF" => is_feed = true,
                _ if !is_feed => return None,
                "channel" => {}
                "item" | "entry" if entries.len() == MAX_ENTRIES => break,
                "item" | "entry" => entries.push(Part::default()),
                _ => take(entries.last_mut().unwrap_or(&mut feed), &tag, &mut reader),
            },
            Event::Empty(tag) if tag.local_name().as_ref() == "link" => {
                take_link(entries.last_mut().unwrap_or(&mut feed), &tag);
            }
            Event::Eof => break,
            _ => {}
        }
    }
    is_feed.then(|| write(&feed, &entries))
}

/// Reads one element of a feed or entry, with all that is in it.
fn take(part: &mut Part, tag: &BytesStart, reader: &mut Reader<&[u8]>) {
    let Ok(inner) = reader.read_text(tag.name()) else {
        return;
    };
    let inner: &str = &inner;
    let target = match tag.name().as_ref() {
        "title" => &mut part.title,
        "link" if inner.trim().is_empty() => return take_link(part, tag),
        "link" => &mut part.link,
        "author" | "dc:creator" => &mut part.author,
        "pubDate" | "published" | "dc:date" => &mut part.date,
        "updated" if part.date.is_empty() => &mut part.date,
        "description" | "summary" | "subtitle" => &mut part.summary,
        "content" | "content:encoded" => &mut part.content,
        _ => return,
    };
    if !target.is_empty() {
        return;
    }
    let kind = attr(tag, "type").unwrap_or_default();
    *target = match (tag.name().as_ref(), &*kind) {
        (_, "xhtml") => inner.to_owned(),
        ("summary" | "subtitle" | "content" | "title", "" | "text") => plain(&words(inner)),
        ("description" | "content:encoded", _) | (_, "html") => words(inner),
        ("author", _) => plain(&words(name(inner))),
        _ => plain(words(inner).trim()),
    };
}

fn take_link(part: &mut Part, tag: &BytesStart) {
    let is_page = attr(tag, "rel").is_none_or(|rel| rel == "alternate");
    if let Some(href) = attr(tag, "href").filter(|_| is_page && part.link.is_empty()) {
        part.link = plain(&href);
    }
}

/// Atom's author has a name of its own.
fn name(inner: &str) -> &str {
    let start = inner.find("<name>").map(|at| at + "<name>".len());
    let end = inner.find("</name>");
    match (start, end) {
        (Some(start), Some(end)) if start <= end => &inner[start..end],
        _ => inner,
    }
}

fn attr<'a>(tag: &'a BytesStart, name: &str) -> Option<Cow<'a, str>> {
    let attr = tag.try_get_attribute(name).ok()??;
    Some(Cow::Owned(
        attr.normalized_value(XmlVersion::Implicit1_0)
            .ok()?
            .into_owned(),
    ))
}

/// Character data: CDATA sections as they are, the rest unescaped.
fn words(inner: &str) -> String {
    let mut out = String::new();
    let mut rest = inner.trim();
    while let Some((before, after)) = rest.split_once("<![CDATA[") {
        let (data, behind) = after.split_once("]]>").unwrap_or((after, ""));
        out.push_str(&unescape(before));
        out.push_str(data);
        rest = behind;
    }
    out.push_str(&unescape(rest));
    out
}

/// Names that XML does not know, as `&nbsp;`, are left for the HTML parser.
fn unescape(text: &str) -> Cow<'_, str> {
    escape::unescape(text).unwrap_or(Cow::Borrowed(text))
}

/// Text as HTML. Ampersands are left: feeds escape them once or twice, and HTML forgives.
fn plain(text: &str) -> String {
    text.replace('<', "&lt;").replace('"', "&quot;")
}

fn write(feed: &Part, entries: &[Part]) -> String {
    let mut html = format!(
        "<!DOCTYPE html><title>{0}</title><body><h1>{0}</h1>",
        feed.title
    );
    if !feed.summary.is_empty() {
        html.push_str(&format!("<div>{}</div>", feed.summary));
    }
    for entry in entries {
        let title = match entry.title.is_empty() {
            true => &entry.link,
            false => &entry.title,
        };
        html.push_str("<article><h2>");
        match entry.link.is_empty() {
            true => html.push_str(title),
            false => html.push_str(&format!("<a href=\"{}\">{title}</a>", entry.link)),
        }
        html.push_str("</h2>");
        let about = [&entry.date, &entry.author].map(String::as_str);
        let about: Vec<&str> = about.into_iter().filter(|text| !text.is_empty()).collect();
        if !about.is_empty() {
            html.push_str(&format!("<p>{}</p>", about.join(" · ")));
        }
        let text = match entry.content.is_empty() {
            true => &entry.summary,
            false => &entry.content,
        };
        html.push_str(&format!("<div>{text}</div></article>"));
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rss_becomes_sections() {
        let html = as_html(
            "<?xml version='1.0'?><rss version='2.0'><channel><title>Ropes &amp; knots</title>\
             <link>https://a.example/</link><description>News</description>\
             <item><title><![CDATA[A < B]]></title><link>https://a.example/1?x=1&amp;y=2</link>\
             <pubDate>Mon, 1 Jan 2024</pubDate><description>&lt;p&gt;short&lt;/p&gt;</description>\
             <content:encoded><![CDATA[<p>long</p>]]></content:encoded></item>\
             <item><description>only <![CDATA[<b>text</b>]]></description></item></channel></rss>",
        )
        .unwrap();
        for part in [
            "<h1>Ropes & knots</h1><div>News</div>",
            "<h2><a href=\"https://a.example/1?x=1&y=2\">A &lt; B</a></h2><p>Mon, 1 Jan 2024</p>",
            "<div><p>long</p></div></article>",
            "<article><h2></h2><div>only <b>text</b></div>",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
    }

    #[test]
    fn atom_becomes_sections() {
        let html = as_html(
            "<feed xmlns='http://www.w3.org/2005/Atom'><title type='html'>T &lt;b&gt;</title>\
             <link rel='self' href='x'/><entry><title>One</title><link href='/1'/>\
             <author><name>Ada</name><uri>u</uri></author><updated>2024-01-02</updated>\
             <content type='xhtml'><div><p>a</p></div></content></entry>\
             <entry><title>Two</title><summary>1 &lt; 2</summary></entry></feed>",
        )
        .unwrap();
        for part in [
            "<h2><a href=\"/1\">One</a></h2><p>2024-01-02 · Ada</p><div><div><p>a</p></div></div>",
            "<h2>Two</h2><div>1 &lt; 2</div>",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
    }

    #[test]
    fn other_xml_is_no_feed_and_a_torn_feed_is_read_up_to_the_tear() {
        assert_eq!(as_html("<urlset><url/></urlset>"), None);
        assert_eq!(as_html("no xml"), None);
        let torn = as_html("<rss><channel><title>T</title><item><title>One</title><descr").unwrap();
        assert!(torn.contains("<h2>One</h2>"), "{torn}");
    }
}
