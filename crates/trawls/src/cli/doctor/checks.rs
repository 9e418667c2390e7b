//! One function per part that is looked at. None of them changes anything but the data folder.

use std::{path::Path, time::Duration};

use tokio::net::TcpStream;
use url::Url;

use super::{Finding, State};
use crate::{config::Config, installed, wiring};

/// Longest wait for a connection to a configured address.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// Where Linux distributions keep fonts.
const FONT_FOLDERS: [&str; 2] = ["/usr/share/fonts", "/usr/local/share/fonts"];

/// All of them, the essentials first.
pub(super) async fn all(config: &Config) -> Vec<Finding> {
    let mut findings = vec![
        database(config).await,
        address(config),
        chromium(config).await,
        fonts(),
        proxies(config).await,
        llm(config).await,
    ];
    for (part, name, flag, advice) in [
        (
            "pdf",
            "pdftotext",
            "-v",
            "apt-get install poppler-utils: text of PDF files, in a later version",
        ),
        (
            "ocr",
            "tesseract",
            "--version",
            "apt-get install tesseract-ocr: text of scanned pages, in a later version",
        ),
    ] {
        findings.push(program(config, part, name, flag, advice).await);
    }
    findings
}

fn works(part: &'static str, detail: impl Into<String>) -> Finding {
    Finding {
        part,
        state: State::Works,
        detail: detail.into(),
        advice: String::new(),
    }
}

fn missing(part: &'static str, detail: impl Into<String>, advice: impl Into<String>) -> Finding {
    Finding {
        part,
        state: State::Missing,
        detail: detail.into(),
        advice: advice.into(),
    }
}

fn broken(part: &'static str, detail: impl Into<String>, advice: impl Into<String>) -> Finding {
    Finding {
        part,
        state: State::Broken,
        detail: detail.into(),
        advice: advice.into(),
    }
}

/// Opens the real database and writes to it.
async fn database(config: &Config) -> Finding {
    let folder = config.storage.data_dir.display();
    let engine = match wiring::engine(config, false).await {
        Ok(engine) => engine,
        Err(error) => {
            return broken(
                "database",
                format!("{error:#}"),
                "set TRAWLS_DATA_DIR to a folder that can be written",
            );
        }
    };
    let readiness = engine.ready().await;
    let pages = engine.system().await.pages_stored;
    engine.close().await;
    if readiness.database.ok {
        works("database", format!("{folder}, {pages} pages stored"))
    } else {
        broken(
            "database",
            format!("{folder}: {}", readiness.database.detail),
            "free space, or set TRAWLS_DATA_DIR to a folder that can be written",
        )
    }
}

fn address(config: &Config) -> Finding {
    let host = config.listen.host.trim_matches(['[', ']']);
    let shown = format!("{host}:{}", config.listen.port);
    let Ok(address) = host.parse() else {
        return works("address", shown);
    };
    match config.listen.access(address) {
        Ok(_) => works("address", shown),
        Err(problem) => broken("address", shown, problem),
    }
}

async fn chromium(config: &Config) -> Finding {
    if let Some(url) = &config.browser.remote {
        return match is_reachable(url).await {
            true => works("browser", format!("{} takes connections", label(url))),
            false => missing(
                "browser",
                format!("{} takes no connection", label(url)),
                "start the browser there, or correct TRAWLS_BROWSER_WS_URL",
            ),
        };
    }
    let Some(path) = installed::chromium(config) else {
        return missing(
            "browser",
            "no Chromium: pages are fetched over plain HTTP alone",
            "apt-get install chromium, or set TRAWLS_BROWSER_PATH",
        );
    };
    match installed::first_line(&path, "--version").await {
        Some(version) => works("browser", format!("{version} at {}", path.display())),
        None => missing(
            "browser",
            format!("{} does not start", path.display()),
            "run it with --version and see what it says",
        ),
    }
}

/// Without fonts, screenshots show boxes.
fn fonts() -> Finding {
    let count: usize = FONT_FOLDERS
        .iter()
        .map(|folder| count_fonts(Path::new(folder), 0))
        .sum();
    if count > 0 {
        works("fonts", format!("{count} files"))
    } else {
        missing(
            "fonts",
            "none: screenshots will show boxes",
            "apt-get install fonts-noto fonts-noto-cjk fonts-noto-color-emoji",
        )
    }
}

fn count_fonts(folder: &Path, depth: usize) -> usize {
    // Deep enough for foundry/family folders; symbolic links may go in circles.
    if depth > 4 {
        return 0;
    }
    let Ok(entries) = std::fs::read_dir(folder) else {
        return 0;
    };
    entries
        .flatten()
        .map(|entry| {
            let path = entry.path();
            let is_font = path
                .extension()
                .and_then(|extension| extension.to_str())
                .is_some_and(|e| {
                    matches!(
                        e.to_ascii_lowercase().as_str(),
                        "ttf" | "otf" | "ttc" | "pfb"
                    )
                });
            match path.is_dir() {
                true => count_fonts(&path, depth + 1),
                false => usize::from(is_font),
            }
        })
        .sum()
}

/// Whether each proxy takes connections; shown without credentials.
async fn proxies(config: &Config) -> Finding {
    if config.fetch.proxies.is_empty() {
        return works("proxies", "none configured");
    }
    let mut dead = Vec::new();
    for proxy in &config.fetch.proxies {
        if !is_reachable(proxy).await {
            dead.push(label(proxy));
        }
    }
    let count = config.fetch.proxies.len();
    if dead.is_empty() {
        works("proxies", format!("{count} take connections"))
    } else {
        let detail = format!(
            "{} of {count} take no connection: {}",
            dead.len(),
            dead.join(", ")
        );
        missing("proxies", detail, "correct TRAWLS_PROXY_URLS")
    }
}

async fn llm(config: &Config) -> Finding {
    match &config.llm_base_url {
        None => works("llm", "none configured"),
        Some(url) if is_reachable(url).await => {
            works("llm", format!("{} takes connections", label(url)))
        }
        Some(url) => missing(
            "llm",
            format!("{} takes no connection", label(url)),
            "start the model server, or correct TRAWLS_LLM_BASE_URL",
        ),
    }
}

async fn program(
    config: &Config,
    part: &'static str,
    name: &str,
    flag: &str,
    advice: &str,
) -> Finding {
    let Some(path) = installed::program(config, name) else {
        return missing(part, format!("no {name}"), advice);
    };
    let version = installed::first_line(&path, flag).await;
    works(part, version.unwrap_or_else(|| path.display().to_string()))
}

/// Does something listen there?
#[expect(
    clippy::disallowed_methods,
    reason = "the operator chose these addresses; the door is for callers' addresses"
)]
async fn is_reachable(url: &Url) -> bool {
    let Some(host) = url.host_str() else {
        return false;
    };
    let port = url.port_or_known_default().unwrap_or(1080);
    let host = host.trim_matches(['[', ']']);
    let connection = TcpStream::connect((host, port));
    matches!(
        tokio::time::timeout(CONNECT_TIMEOUT, connection).await,
        Ok(Ok(_))
    )
}

fn label(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}
