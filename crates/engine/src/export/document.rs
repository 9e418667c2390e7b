//! A page as a Markdown document with front matter.

use jiff::Timestamp;
use serde::Deserialize;
use trawls_contract::{ErrorInfo, Outcome};
use trawls_store::JobContent;

use crate::EngineError;

/// What exports show of a page; the rest of its result is not even parsed.
#[derive(Debug, Deserialize)]
pub(super) struct Exported {
    pub(super) url: String,
    pub(super) final_url: String,
    pub(super) outcome: Outcome,
    pub(super) error: Option<ErrorInfo>,
    pub(super) markdown: Option<String>,
    #[serde(default)]
    pub(super) metadata: Metadata,
    pub(super) fetched_at: Timestamp,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Metadata {
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) language: Option<String>,
    pub(super) author: Option<String>,
    pub(super) published_at: Option<String>,
}

impl Exported {
    pub(super) fn read(content: &JobContent) -> Result<Self, EngineError> {
        serde_json::from_slice(&content.json).map_err(|error| EngineError::Fault(error.to_string()))
    }

    /// Front matter, then the text as it is.
    pub(super) fn document(&self) -> String {
        let markdown = self.markdown.as_deref().unwrap_or_default();
        let mut text = String::with_capacity(markdown.len() + 512);
        text.push_str("---\n");
        let metadata = &self.metadata;
        let fetched_at = self.fetched_at.to_string();
        let redirected = (self.final_url != self.url).then_some(&self.final_url);
        let code = self.error.as_ref().map(|error| error.code.as_str());
        for (name, value) in [
            ("title", metadata.title.as_deref()),
            ("url", Some(self.url.as_str())),
            ("final_url", redirected.map(String::as_str)),
            ("description", metadata.description.as_deref()),
            ("language", metadata.language.as_deref()),
            ("author", metadata.author.as_deref()),
            ("published_at", metadata.published_at.as_deref()),
            ("fetched_at", Some(fetched_at.as_str())),
            ("error", code),
        ] {
            if let Some(value) = value {
                // A JSON string is a quoted YAML scalar, whatever is in it.
                let quoted = serde_json::Value::from(value);
                text.push_str(&format!("{name}: {quoted}\n"));
            }
        }
        text.push_str("---\n\n");
        text.push_str(markdown);
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_page_cannot_end_its_front_matter() {
        let page = Exported {
            url: "https://a.example/".into(),
            final_url: "https://a.example/".into(),
            outcome: Outcome::Success,
            error: None,
            markdown: Some("# Tides".into()),
            metadata: Metadata {
                title: Some("Tides: \"high\"\n---\nx: y".into()),
                ..Metadata::default()
            },
            fetched_at: Timestamp::UNIX_EPOCH,
        };
        assert_eq!(
            page.document(),
            "---\ntitle: \"Tides: \\\"high\\\"\\n---\\nx: y\"\nurl: \"https://a.example/\"\n\
             fetched_at: \"1970-01-01T00:00:00Z\"\n---\n\n# Tides\n"
        );
    }
}
