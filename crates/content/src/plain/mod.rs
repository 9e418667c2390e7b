//! Bodies that are not HTML, as Markdown: text and data verbatim in a fence, Markdown as it is,
//! feeds as a page with one section per entry.

mod feed;
mod json;

pub(crate) use feed::as_html as feed_as_html;

use url::Url;

use crate::media::Media;

/// Markdown of a body that is neither HTML nor a feed.
pub(crate) fn markdown(media: Media, text: &str, url: &Url) -> String {
    match media {
        Media::Markdown => tidy(text),
        Media::Text("") if is_markdown_path(url) => tidy(text),
        Media::Text(language) => fence(language, text),
        Media::Json => match json::pretty(text) {
            Some(pretty) => fence("json", &pretty),
            None => fence("", text),
        },
        Media::Xml | Media::Html => fence("xml", text),
    }
}

/// Title of a Markdown text: its first heading.
pub(crate) fn title(markdown: &str) -> Option<String> {
    let heading = markdown.lines().find_map(|line| line.strip_prefix("# "))?;
    Some(heading.trim().trim_end_matches('#').trim_end().to_owned()).filter(|t| !t.is_empty())
}

fn is_markdown_path(url: &Url) -> bool {
    let path = url.path().to_ascii_lowercase();
    [".md", ".markdown", ".mkd"]
        .iter()
        .any(|end| path.ends_with(end))
}

fn tidy(text: &str) -> String {
    let mut tidied = text.replace("\r\n", "\n").replace(['\r', '\0'], "\n");
    tidied.truncate(tidied.trim_end().len());
    tidied
}

/// A fenced block that no line of the text can close; empty text gives nothing.
fn fence(language: &str, text: &str) -> String {
    let text = tidy(text);
    let text = text.trim_start_matches('\n');
    if text.trim().is_empty() {
        return String::new();
    }
    let longest = text
        .lines()
        .map(|line| {
            line.trim_start()
                .bytes()
                .take_while(|&byte| byte == b'`')
                .count()
        })
        .max();
    let ticks = "`".repeat((longest.unwrap_or(0) + 1).max(3));
    format!("{ticks}{language}\n{text}\n{ticks}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn becomes(media: Media, text: &str, markdown: &str) {
        let url = Url::parse("https://example.com/file").unwrap();
        assert_eq!(super::markdown(media, text, &url), markdown);
    }

    #[test]
    fn text_stays_what_it_is() {
        becomes(
            Media::Text(""),
            "a <b>\r\n  c\n\n",
            "```\na <b>\n  c\n```\n",
        );
        becomes(Media::Text(""), "x\n```\ny", "````\nx\n```\ny\n````\n");
        becomes(Media::Text(""), " \n", "");
        becomes(Media::Markdown, "# a\r\nb\n", "# a\nb");
        becomes(Media::Xml, "<a/>", "```xml\n<a/>\n```\n");
        let url = Url::parse("https://example.com/README.MD?x").unwrap();
        assert_eq!(markdown(Media::Text(""), "# a", &url), "# a");
        assert_eq!(title("x\n# A b #\n"), Some("A b".into()));
    }

    #[test]
    fn json_is_indented_without_touching_a_value() {
        becomes(
            Media::Json,
            r#"{"a":[1.50,1e400,"x,{\"\\"],"b":{},"c": [ ] }"#,
            "```json\n{\n  \"a\": [\n    1.50,\n    1e400,\n    \"x,{\\\"\\\\\"\n  ],\n  \"b\": {},\n  \"c\": []\n}\n```\n",
        );
        becomes(Media::Json, "{broken", "```\n{broken\n```\n");
    }
}
