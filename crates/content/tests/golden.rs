//! Whole pages against the Markdown that they must give: `tests/golden/<page>/input.html` and
//! `expected.md` at the top of the workspace. `UPDATE_GOLDEN=1` rewrites what is expected.

#![allow(clippy::unwrap_used)] // a failure here is a failed test

use std::path::{Path, PathBuf};

use trawls_content::{Interrupt, RawDocument, ReadOptions, read};

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden")
}

fn markdown(page: &Path) -> String {
    let document = RawDocument {
        body: std::fs::read(page.join("input.html")).unwrap().into(),
        content_type: Some("text/html".to_owned()),
        url: "https://example.org/dir/page.html".parse().unwrap(),
    };
    let options = ReadOptions {
        only_main_content: true,
        remove_base64_images: true,
        citations: page.file_name().is_some_and(|name| name == "citations"),
        ..ReadOptions::default()
    };
    read(&document, &options, &Interrupt::default())
        .unwrap()
        .markdown
}

#[test]
fn golden_pages_give_the_expected_markdown() {
    let updates = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut pages: Vec<PathBuf> = std::fs::read_dir(golden())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    pages.sort();
    assert!(pages.len() >= 60, "only {} golden pages", pages.len());
    let mut wrong = Vec::new();
    for page in pages {
        let markdown = markdown(&page);
        let expected = page.join("expected.md");
        if updates {
            std::fs::write(expected, markdown).unwrap();
        } else if std::fs::read_to_string(&expected).unwrap_or_default() != markdown {
            wrong.push(format!("{}:\n{markdown}", page.display()));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} pages differ (UPDATE_GOLDEN=1 rewrites):\n{}",
        wrong.len(),
        wrong.join("\n----\n")
    );
}
