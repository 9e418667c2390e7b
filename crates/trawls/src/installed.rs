//! Looks for programs that Trawls can use, along PATH.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use tokio::process::Command;

use crate::config::Config;

/// Names of Chromium's binary, the usual ones first.
const CHROMIUM: [&str; 5] = [
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
];
/// A program that takes longer than this to tell its version is not well.
const VERSION_TIMEOUT: Duration = Duration::from_secs(5);

/// Chromium: where TRAWLS_BROWSER_PATH points, else the first in PATH.
pub(crate) fn chromium(config: &Config) -> Option<PathBuf> {
    match &config.browser.path {
        Some(path) => path.is_file().then(|| path.clone()),
        None => CHROMIUM.iter().find_map(|name| program(config, name)),
    }
}

/// A program in PATH.
pub(crate) fn program(config: &Config, name: &str) -> Option<PathBuf> {
    config
        .search_path
        .iter()
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

/// The first line that a program prints, to either stream, when asked with `argument`.
pub(crate) async fn first_line(path: &Path, argument: &str) -> Option<String> {
    let output = Command::new(path)
        .arg(argument)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = tokio::time::timeout(VERSION_TIMEOUT, output)
        .await
        .ok()?
        .ok()?;
    [output.stdout, output.stderr].iter().find_map(|stream| {
        let text = String::from_utf8_lossy(stream);
        let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
        Some(line.to_owned())
    })
}
