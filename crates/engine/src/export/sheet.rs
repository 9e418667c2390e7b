//! One row a page, for spreadsheets: no cell can become a formula there.

use std::borrow::Cow;

use bytes::Bytes;
use trawls_contract::JobPage;

use super::document::Exported;
use crate::EngineError;

const COLUMNS: [&str; 14] = [
    "number",
    "url",
    "final_url",
    "outcome",
    "code",
    "http_status",
    "depth",
    "referrer",
    "title",
    "description",
    "language",
    "published_at",
    "fetched_at",
    "markdown",
];

pub(super) struct Sheet(csv::Writer<Vec<u8>>);

impl Sheet {
    pub(super) fn new() -> Result<Self, EngineError> {
        let mut sheet = Self(csv::Writer::from_writer(Vec::new()));
        sheet.write(COLUMNS.map(Cow::from))?;
        Ok(sheet)
    }

    pub(super) fn add(&mut self, listed: &JobPage, page: &Exported) -> Result<(), EngineError> {
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        let metadata = &page.metadata;
        let row = [
            listed.number.to_string(),
            page.url.clone(),
            page.final_url.clone(),
            page.outcome.as_str().to_owned(),
            text(&listed.code),
            listed
                .http_status
                .map(|status| status.to_string())
                .unwrap_or_default(),
            listed.depth.to_string(),
            text(&listed.referrer),
            text(&metadata.title),
            text(&metadata.description),
            text(&metadata.language),
            text(&metadata.published_at),
            page.fetched_at.to_string(),
            text(&page.markdown),
        ];
        self.write(row.each_ref().map(|cell| harmless(cell)))
    }

    pub(super) fn piece(&mut self) -> Bytes {
        let whole = csv::Writer::from_writer(Vec::new());
        let written = std::mem::replace(&mut self.0, whole).into_inner();
        // Writing to memory cannot fail.
        written.unwrap_or_default().into()
    }

    fn write(&mut self, row: [Cow<'_, str>; COLUMNS.len()]) -> Result<(), EngineError> {
        self.0
            .write_record(row.iter().map(|cell| cell.as_bytes()))
            .map_err(|error| EngineError::Fault(error.to_string()))
    }
}

/// Spreadsheets run what begins like this; an apostrophe before it makes it text.
fn harmless(cell: &str) -> Cow<'_, str> {
    match cell.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        true => Cow::Owned(format!("'{cell}")),
        false => Cow::Borrowed(cell),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        for cell in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"] {
            assert_eq!(harmless(cell), format!("'{cell}"));
        }
        assert_eq!(harmless("a=1"), "a=1");
    }
}
