//! Links as numbered references: `[text][1]`, with each URL once in a list at the end.

use std::collections::HashMap;

use super::escape;

/// The URLs cited so far.
#[derive(Debug, Default)]
pub(super) struct Citations {
    numbers: HashMap<String, usize>,
    urls: Vec<String>,
}

impl Citations {
    /// The number of a URL, the same each time.
    pub(super) fn number(&mut self, url: &str) -> usize {
        if let Some(&number) = self.numbers.get(url) {
            return number;
        }
        self.urls.push(url.to_owned());
        self.numbers.insert(url.to_owned(), self.urls.len());
        self.urls.len()
    }

    /// The definitions, one a line.
    pub(super) fn definitions(&self) -> String {
        let mut out = String::new();
        for (index, url) in self.urls.iter().enumerate() {
            if index > 0 {
                out.push('\n');
            }
            out.push_str(&format!("[{}]: ", index + 1));
            escape::destination(&mut out, url);
        }
        out
    }
}
