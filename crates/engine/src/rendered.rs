//! What a browser made of a page: pictures and prints become blobs with an address, the rest goes
//! into the result.

use std::time::Duration;

use bytes::Bytes;
use trawls_contract::{Action, ActionResult};
use trawls_fetch::{ActionDone, Rendered, Yield};
use trawls_store::{Blob, BlobKind};
use url::Url;

/// As the result shows it.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    pub(crate) screenshot_url: Option<String>,
    pub(crate) pdf_url: Option<String>,
    pub(crate) actions: Option<Vec<ActionResult>>,
    pub(crate) elapsed: Option<Duration>,
}

/// Lays the blobs of one page aside.
pub(crate) struct Album<'a> {
    /// The address of this server, if it is known.
    public_url: Option<&'a Url>,
    blobs: Vec<Blob>,
}

impl<'a> Album<'a> {
    pub(crate) fn new(public_url: Option<&'a Url>) -> Self {
        Self {
            public_url,
            blobs: Vec::new(),
        }
    }

    /// What to show of it; `actions` are those that were asked for.
    pub(crate) fn show(&mut self, rendered: &Rendered, actions: &[Action]) -> Shown {
        let done = actions.iter().zip(&rendered.actions);
        let done: Vec<_> = done
            .map(|(action, done)| self.action(action, done))
            .collect();
        Shown {
            screenshot_url: self.keep(BlobKind::Screenshot, rendered.screenshot.as_ref()),
            pdf_url: self.keep(BlobKind::Pdf, rendered.pdf.as_ref()),
            actions: (!actions.is_empty()).then_some(done),
            elapsed: Some(rendered.elapsed),
        }
    }

    /// All that was laid aside.
    pub(crate) fn into_blobs(self) -> Vec<Blob> {
        self.blobs
    }

    fn action(&mut self, action: &Action, done: &ActionDone) -> ActionResult {
        let mut result = ActionResult {
            kind: action.kind(),
            duration_ms: done.elapsed.as_millis().try_into().unwrap_or(u64::MAX),
            value: None,
            html: None,
            screenshot_url: None,
        };
        match &done.yielded {
            Yield::Nothing => {}
            Yield::Value(value) => result.value = Some(value.clone()),
            Yield::Html(html) => result.html = Some(html.clone()),
            Yield::Screenshot(bytes) => {
                result.screenshot_url = self.keep(BlobKind::Screenshot, Some(bytes));
            }
        }
        result
    }

    /// The address under which the bytes will be.
    fn keep(&mut self, kind: BlobKind, bytes: Option<&Bytes>) -> Option<String> {
        let bytes = bytes?.clone();
        // Of random bits alone: who knows one page or its time knows no other.
        let id = uuid::Uuid::new_v4().to_string();
        let base = self.public_url.map_or("", Url::as_str);
        let address = format!("{}/v1/blobs/{id}", base.trim_end_matches('/'));
        self.blobs.push(Blob { id, kind, bytes });
        Some(address)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use trawls_contract::ActionKind;

    use super::*;
    use ActionKind::{Click, Evaluate, Scrape, Screenshot};

    fn rendered() -> Rendered {
        let done = |yielded| ActionDone {
            elapsed: Duration::from_millis(7),
            yielded,
        };
        Rendered {
            screenshot: Some(Bytes::from_static(b"last")),
            pdf: None,
            actions: vec![
                done(Yield::Nothing),
                done(Yield::Value(json!({"n": 1}))),
                done(Yield::Screenshot(Bytes::from_static(b"first"))),
                done(Yield::Html("<p>".into())),
            ],
            elapsed: Duration::from_millis(90),
        }
    }

    fn actions() -> Vec<Action> {
        serde_json::from_value(json!([
            {"type": "click", "selector": "a"},
            {"type": "evaluate", "script": "x"},
            {"type": "screenshot"},
            {"type": "scrape"},
        ]))
        .unwrap()
    }

    #[test]
    fn every_picture_has_an_address_of_its_own_and_the_bytes_behind_it() {
        let mut album = Album::new(None);
        let shown = album.show(&rendered(), &actions());
        let done = shown.actions.unwrap();
        let kinds: Vec<_> = done.iter().map(|action| action.kind).collect();
        assert_eq!(kinds, [Click, Evaluate, Screenshot, Scrape]);
        assert_eq!(done[1].value, Some(json!({"n": 1})));
        assert_eq!(done[3].html.as_deref(), Some("<p>"));
        assert!(done.iter().all(|action| action.duration_ms == 7));
        assert_eq!(shown.pdf_url, None);
        let blobs = album.into_blobs();
        for (address, bytes) in [
            (&done[2].screenshot_url, "first"),
            (&shown.screenshot_url, "last"),
        ] {
            let id = address
                .as_ref()
                .unwrap()
                .strip_prefix("/v1/blobs/")
                .unwrap();
            let blob = blobs.iter().find(|blob| blob.id == id).unwrap();
            assert_eq!(blob.bytes, bytes);
        }
        assert_eq!(blobs.len(), 2);
    }

    #[test]
    fn an_address_begins_with_that_of_the_server_when_it_is_known() {
        for base in ["https://trawls.example/", "https://a.example/below"] {
            let base = Url::parse(base).unwrap();
            let shown = Album::new(Some(&base)).show(&rendered(), &[]);
            let address = shown.screenshot_url.unwrap();
            let start = format!("{}/v1/blobs/", base.as_str().trim_end_matches('/'));
            assert!(address.starts_with(&start), "{address}");
            assert!(shown.actions.is_none());
        }
    }
}
