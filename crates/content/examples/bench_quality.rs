//! Reads every page of a corpus and writes its Markdown, for `tests/bench/quality.sh` to score.
//!
//! Usage: `bench_quality CORPUS OUT [FOLDS]`. FOLDS is what `tests/bench/train/train.py` wrote:
//! `folds.json` (page → fold) and `fold<k>.bin`; each page is then read by the model that has not
//! seen its site. Pages that panic, fail, or take over two seconds are reported.
#![allow(missing_docs, clippy::print_stdout, clippy::print_stderr)]

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use trawls_content::training::{Model, read_with};
use trawls_content::{Interrupt, Page, RawDocument, ReadOptions, read};
use url::Url;

const SLOW: Duration = Duration::from_secs(2);
const SLOWEST_SHOWN: usize = 5;

/// Models by fold, and each page's fold.
struct Folds {
    models: Vec<Model>,
    of: HashMap<String, usize>,
}

impl Folds {
    fn load(folder: &Path) -> Result<Self> {
        let of: HashMap<String, usize> =
            serde_json::from_slice(&fs::read(folder.join("folds.json"))?)?;
        let count = of.values().max().map_or(0, |last| last + 1);
        let models = (0..count).map(|fold| {
            let bytes = fs::read(folder.join(format!("fold{fold}.bin")))?;
            Model::read(&bytes).with_context(|| format!("fold{fold}.bin is damaged"))
        });
        Ok(Self {
            models: models.collect::<Result<_>>()?,
            of,
        })
    }

    fn model(&self, page: &str) -> Result<&Model> {
        let fold = self
            .of
            .get(page)
            .with_context(|| format!("{page} is in no fold"))?;
        self.models.get(*fold).context("no such fold")
    }
}

/// One page's outcome.
struct Report {
    page: String,
    took: Duration,
    quality: Value,
    fault: Option<String>,
}

fn unzip(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = File::open(path).with_context(|| path.display().to_string())?;
    GzDecoder::new(file).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn document(corpus: &Path, page: &str) -> Result<RawDocument> {
    let truth: Value = serde_json::from_slice(&unzip(
        &corpus.join(format!("ground-truth/{page}.json.gz")),
    )?)?;
    let url = truth["url"].as_str().and_then(|url| Url::parse(url).ok());
    Ok(RawDocument {
        body: unzip(&corpus.join(format!("html/{page}.html.gz")))?.into(),
        content_type: None,
        url: url.map_or_else(|| Url::parse("https://example.com/"), Ok)?,
    })
}

fn read_page(corpus: &Path, out: &Path, folds: Option<&Folds>, page: &str) -> Result<Report> {
    let document = document(corpus, page)?;
    let options = ReadOptions {
        only_main_content: true,
        remove_base64_images: true,
        ..ReadOptions::default()
    };
    let model = folds.map(|folds| folds.model(page)).transpose()?;
    let start = Instant::now();
    let result = catch_unwind(AssertUnwindSafe(|| match model {
        Some(model) => read_with(&document, &options, model),
        None => read(&document, &options, &Interrupt::default()),
    }));
    let took = start.elapsed();
    let (read, fault) = match result {
        Ok(Ok(read)) => (read, None),
        Ok(Err(error)) => (Page::default(), Some(error.to_string())),
        Err(_) => (Page::default(), Some("panicked".to_owned())),
    };
    fs::write(out.join(format!("{page}.md")), &read.markdown)?;
    let quality =
        json!({"confidence": read.quality.confidence, "ratio": read.quality.main_content_ratio});
    Ok(Report {
        page: page.to_owned(),
        took,
        quality,
        fault,
    })
}

fn read_all(
    corpus: &Path,
    out: &Path,
    folds: Option<&Folds>,
    pages: &[String],
) -> Result<Vec<Report>> {
    let reports = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism()?.get();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let report = read_page(corpus, out, folds, page);
                    if let Ok(mut reports) = reports.lock() {
                        reports.push(report);
                    }
                }
            });
        }
    });
    let reports = reports
        .into_inner()
        .map_err(|error| anyhow::anyhow!("{error}"))?;
    reports.into_iter().collect()
}

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1).map(PathBuf::from);
    let (Some(corpus), Some(out)) = (args.next(), args.next()) else {
        bail!("usage: bench_quality CORPUS OUT [FOLDS]");
    };
    let folds = args.next().map(|folder| Folds::load(&folder)).transpose()?;
    fs::create_dir_all(&out)?;
    let mut pages = Vec::new();
    for entry in fs::read_dir(corpus.join("html"))? {
        pages.extend(
            entry?
                .file_name()
                .to_string_lossy()
                .strip_suffix(".html.gz")
                .map(str::to_owned),
        );
    }
    pages.sort();
    let start = Instant::now();
    let mut reports = read_all(&corpus, &out, folds.as_ref(), &pages)?;
    println!(
        "{} pages in {:.1} s",
        reports.len(),
        start.elapsed().as_secs_f32()
    );
    reports.sort_by_key(|report| std::cmp::Reverse(report.took));
    for report in reports.iter().take(SLOWEST_SHOWN) {
        println!("  slowest: {} {} ms", report.page, report.took.as_millis());
    }
    let slow = reports.iter().filter(|report| report.took > SLOW).count();
    println!("  pages over {} s: {slow}", SLOW.as_secs());
    let mut faults = 0;
    for report in &reports {
        if let Some(fault) = &report.fault {
            faults += 1;
            println!("  {}: {fault}", report.page);
        }
    }
    println!("  pages that failed: {faults}");
    let quality: HashMap<&str, &Value> = reports
        .iter()
        .map(|r| (r.page.as_str(), &r.quality))
        .collect();
    fs::write(out.join("quality.json"), serde_json::to_vec(&quality)?)?;
    Ok(())
}
