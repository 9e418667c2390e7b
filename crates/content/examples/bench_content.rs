//! CPU of reading against parsing alone, on one thread: `scraper`'s parse as the reference, our
//! parse, our whole way from bytes to Markdown and metadata. Best of interleaved rounds.
//! `CORPUS=dir` (HTML, gzipped or not, in `html/`), `PAGES=300`, `ROUNDS=5`.

#![allow(clippy::print_stdout)]

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use cpu_time::ThreadTime;
use trawls_content::{Interrupt, RawDocument, ReadOptions, parse_only, read};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The work that is compared, the reference first.
const WORKS: [&str; 3] = ["scraper parse", "our parse", "bytes to Markdown"];

fn main() -> Result<()> {
    let corpus = std::env::var("CORPUS").unwrap_or_else(|_| "../shared/corpora/wcxb-dev".into());
    let pages = load(Path::new(&corpus), number("PAGES", 300))?;
    let bytes: usize = pages.iter().map(|page| page.body.len()).sum();
    println!("{} pages, {:.1} MB", pages.len(), bytes as f64 / 1e6);
    let mut best = vec![[Duration::MAX; WORKS.len()]; pages.len()];
    for _ in 0..number("ROUNDS", 5) {
        for (work, _) in WORKS.iter().enumerate() {
            for (page, best) in pages.iter().zip(&mut best) {
                best[work] = best[work].min(run(work, page)?);
            }
        }
    }
    let reference: Duration = best.iter().map(|page| page[0]).sum();
    for (work, name) in WORKS.iter().enumerate() {
        let mut times: Vec<Duration> = best.iter().map(|page| page[work]).collect();
        times.sort_unstable();
        let total: Duration = times.iter().sum();
        let at =
            |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
        println!(
            "{name:<18} {:>7.1} ms  {:>5.2} x  {:>6.1} MB/s  p50 {:>6.2} ms  p99 {:>6.2} ms  max {:>6.2} ms",
            total.as_secs_f64() * 1e3,
            total.as_secs_f64() / reference.as_secs_f64(),
            bytes as f64 / 1e6 / total.as_secs_f64(),
            at(0.5),
            at(0.99),
            at(1.0),
        );
    }
    Ok(())
}

fn run(work: usize, page: &RawDocument) -> Result<Duration> {
    let start = ThreadTime::now();
    match work {
        0 => {
            let text = String::from_utf8_lossy(&page.body);
            std::hint::black_box(scraper::Html::parse_document(&text));
        }
        1 => {
            let text = String::from_utf8_lossy(&page.body);
            std::hint::black_box(parse_only(&text));
        }
        _ => {
            let options = ReadOptions {
                only_main_content: true,
                remove_base64_images: true,
                ..ReadOptions::default()
            };
            std::hint::black_box(read(page, &options, &Interrupt::new())?);
        }
    }
    Ok(start.elapsed())
}

fn number(name: &str, default: usize) -> usize {
    let given = std::env::var(name).ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn load(corpus: &Path, count: usize) -> Result<Vec<RawDocument>> {
    let html = corpus.join("html");
    let entries = std::fs::read_dir(&html).with_context(|| format!("{}", html.display()))?;
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    paths.sort();
    ensure!(!paths.is_empty(), "no pages in {}", html.display());
    // Spread over the whole corpus, which is sorted by kind.
    let step = (paths.len() / count.max(1)).max(1);
    paths
        .into_iter()
        .step_by(step)
        .take(count)
        .map(load_page)
        .collect()
}

fn load_page(path: PathBuf) -> Result<RawDocument> {
    let mut body = std::fs::read(&path)?;
    if path.extension().is_some_and(|extension| extension == "gz") {
        let mut plain = Vec::new();
        flate2::read::GzDecoder::new(&body[..]).read_to_end(&mut plain)?;
        body = plain;
    }
    Ok(RawDocument {
        body: Bytes::from(body),
        content_type: Some("text/html".into()),
        url: "https://example.com/a/b".parse()?,
    })
}
