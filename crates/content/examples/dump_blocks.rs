//! Writes what the trainer reads: `blocks.jsonl` (page, texts) and `rows.bin` (`f32` rows).
//! Usage: `dump_blocks CORPUS OUT`.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr
)]

use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use flate2::read::GzDecoder;
use trawls_content::training::{self, Rows};
use url::Url;

fn unzip(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(File::open(path).unwrap())
        .read_to_end(&mut bytes)
        .unwrap();
    bytes
}

fn main() {
    let mut args = std::env::args().skip(1).map(PathBuf::from);
    let (corpus, out) = (args.next().expect("CORPUS"), args.next().expect("OUT"));
    fs::create_dir_all(&out).unwrap();
    let mut pages: Vec<String> = fs::read_dir(corpus.join("html"))
        .unwrap()
        .map(|entry| {
            entry
                .unwrap()
                .file_name()
                .to_string_lossy()
                .replace(".html.gz", "")
        })
        .collect();
    pages.sort();
    let results: Mutex<Vec<Option<Rows>>> = Mutex::new(pages.iter().map(|_| None).collect());
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(page) = pages.get(index) else { return };
                    let truth = unzip(&corpus.join(format!("ground-truth/{page}.json.gz")));
                    let truth: serde_json::Value = serde_json::from_slice(&truth).unwrap();
                    let url = truth["url"].as_str().and_then(|url| Url::parse(url).ok());
                    let url = url.unwrap_or_else(|| Url::parse("https://example.com/").unwrap());
                    let html = unzip(&corpus.join(format!("html/{page}.html.gz")));
                    let rows = training::rows(&html, &url);
                    results.lock().unwrap()[index] = Some(rows);
                }
            });
        }
    });
    let mut texts = BufWriter::new(File::create(out.join("blocks.jsonl")).unwrap());
    let mut values = BufWriter::new(File::create(out.join("rows.bin")).unwrap());
    for (page, rows) in pages.iter().zip(results.into_inner().unwrap()) {
        let rows = rows.unwrap();
        let line = serde_json::json!({"page": page, "width": rows.width, "texts": rows.texts});
        writeln!(texts, "{line}").unwrap();
        for value in &rows.values {
            values.write_all(&value.to_le_bytes()).unwrap();
        }
    }
}
