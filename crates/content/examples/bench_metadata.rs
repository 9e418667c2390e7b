//! Measures title, author and date against a folder of annotated pages:
//! `cargo run --release --example bench_metadata -- CORPUS [--misses title|author|date]`, where CORPUS
//! holds `html/<id>.html.gz` and `ground-truth/<id>.json.gz`.
//!
//! A page counts for a field when its annotation has it.
//! * *title*, *author*: the words are the same after NFKC, lower case and without punctuation; in
//!   authors "and" and "by" are no words, because lists of names are joined in many ways.
//!   `title within the other` also counts titles that only lack or add words: the annotation takes now
//!   the heading, now a part of `<title>`, and no rule tells which.
//! * *date*: the same calendar day as written. `±1 day` also counts the neighbours, since a page shows
//!   a local day and its data an instant.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    clippy::expect_used
)]

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use flate2::read::GzDecoder;
use serde_json::Value;
use trawls_content::{Interrupt, RawDocument, ReadOptions, read};
use trawls_contract::PageMetadata;
use unicode_normalization::UnicodeNormalization;
use url::Url;

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let corpus = args.next().context("which corpus?")?;
    let misses = args
        .next()
        .filter(|flag| flag == "--misses")
        .and_then(|_| args.next());
    let mut ids: Vec<String> = std::fs::read_dir(Path::new(&corpus).join("ground-truth"))?
        .filter_map(|entry| {
            Some(
                entry
                    .ok()?
                    .file_name()
                    .to_str()?
                    .strip_suffix(".json.gz")?
                    .to_owned(),
            )
        })
        .collect();
    ids.sort();
    let mut tally = Tally::default();
    for id in &ids {
        let truth: Value = serde_json::from_slice(&unzip(&corpus, "ground-truth", id, "json")?)?;
        let body = unzip(&corpus, "html", id, "html")?;
        let url = truth["url"].as_str().and_then(|url| Url::parse(url).ok());
        let url = url.map_or_else(|| Url::parse("https://example.org/"), Ok)?;
        let document = RawDocument {
            body: body.into(),
            content_type: None,
            url,
        };
        let started = Instant::now();
        let page = read(&document, &ReadOptions::default(), &Interrupt::new())?;
        tally.time += started.elapsed();
        for (field, wanted, got) in compare(&truth, &page.metadata) {
            let is_hit = tally.count(field, &truth, &wanted, got.as_deref());
            if !is_hit && misses.as_deref() == Some(field) {
                println!(
                    "{id} {:9} want {wanted:?}\n{:15} got {got:?}",
                    kind(&truth),
                    ""
                );
            }
        }
    }
    tally.print(ids.len());
    Ok(())
}

fn unzip(corpus: &str, folder: &str, id: &str, extension: &str) -> Result<Vec<u8>> {
    let path = Path::new(corpus)
        .join(folder)
        .join(format!("{id}.{extension}.gz"));
    let mut bytes = Vec::new();
    GzDecoder::new(std::fs::File::open(&path)?).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn kind(truth: &Value) -> &str {
    truth["_internal"]["page_type"]["primary"]
        .as_str()
        .unwrap_or("?")
}

fn compare(truth: &Value, metadata: &PageMetadata) -> Vec<(&'static str, String, Option<String>)> {
    [
        ("title", "title", &metadata.title),
        ("author", "author", &metadata.author),
        ("date", "publish_date", &metadata.published_at),
    ]
    .into_iter()
    .filter_map(|(field, name, got)| {
        let wanted = truth["ground_truth"][name]
            .as_str()
            .filter(|text| !text.trim().is_empty())?;
        Some((field, wanted.to_owned(), got.clone()))
    })
    .collect()
}

#[derive(Default)]
struct Tally {
    time: Duration,
    /// By field and page type: hits, misses with a value, misses without.
    rows: BTreeMap<(&'static str, String), [usize; 3]>,
    near_days: usize,
    /// Titles whose words contain, or are among, those of the annotation.
    near_titles: usize,
}

impl Tally {
    fn count(
        &mut self,
        field: &'static str,
        truth: &Value,
        wanted: &str,
        got: Option<&str>,
    ) -> bool {
        let is_hit = got.is_some_and(|got| match field {
            "date" => got.starts_with(wanted),
            _ => words(got) == words(wanted),
        });
        if let Some(got) = got.filter(|_| field == "date") {
            self.near_days += usize::from(is_near(got, wanted));
        }
        let column = if is_hit {
            0
        } else {
            1 + usize::from(got.is_none())
        };
        if let Some(got) = got.filter(|_| field == "title") {
            let (got, wanted) = (words(got), words(wanted));
            let is_within = |a: &[String], b: &[String]| a.iter().all(|word| b.contains(word));
            self.near_titles += usize::from(is_within(&got, &wanted) || is_within(&wanted, &got));
        }
        for kind in [kind(truth), "ALL"] {
            self.rows.entry((field, kind.to_owned())).or_default()[column] += 1;
        }
        is_hit
    }

    fn print(&self, pages: usize) {
        println!(
            "{:8} {:14} {:>5} {:>6} {:>6} {:>7}",
            "field", "type", "pages", "match", "wrong", "missing"
        );
        for ((field, kind), [hits, wrong, missing]) in &self.rows {
            let all = hits + wrong + missing;
            let share = *hits as f64 / all as f64;
            println!("{field:8} {kind:14} {all:5} {share:6.3} {wrong:6} {missing:7}");
        }
        println!("title within the other: {} pages", self.near_titles);
        println!("date ±1 day: {} pages", self.near_days);
        println!("read {pages} pages in {:.2} s", self.time.as_secs_f64());
    }
}

fn words(text: &str) -> Vec<String> {
    let text: String = text
        .nfkc()
        .filter(|c| !matches!(c, '\'' | '’' | '‘'))
        .collect();
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !matches!(*word, "" | "and" | "by"))
        .map(str::to_owned)
        .collect()
}

fn is_near(got: &str, wanted: &str) -> bool {
    let day = |text: &str| text.get(..10)?.parse::<jiff::civil::Date>().ok();
    match (day(got), day(wanted)) {
        (Some(got), Some(wanted)) => (got - wanted).get_days().abs() <= 1,
        _ => false,
    }
}
