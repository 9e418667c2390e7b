//! Material that tests read and the project does not carry: annotated pages, lists, cases.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

/// Every so manieth file of a folder of the shared material, in the order of their names; another
/// step if `SAMPLE_STEP` is set. `None` as with `shared`.
///
/// # Panics
/// As `shared` does, and when the folder cannot be listed.
pub fn sample(folder: &str, skipped: &str, step: usize) -> Option<Vec<PathBuf>> {
    let folder = shared(folder, skipped)?;
    let entries = std::fs::read_dir(&folder).and_then(|entries| {
        let paths = entries.map(|entry| entry.map(|entry| entry.path()));
        paths.collect::<std::io::Result<Vec<PathBuf>>>()
    });
    let mut files = entries.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    files.sort();
    let asked = std::env::var("SAMPLE_STEP").ok();
    let step = asked.and_then(|step| step.parse().ok()).unwrap_or(step);
    Some(files.into_iter().step_by(step.max(1)).collect())
}

/// A file or folder of the shared material, from `SHARED_DIR` or beside the project. `None` after
/// saying on the terminal, past the capture of the test runner, that `skipped` is skipped.
///
/// # Panics
/// If it is missing in CI, where it always is.
pub fn shared(path: &str, skipped: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let found = std::env::var_os("SHARED_DIR")
        .map_or_else(beside, PathBuf::from)
        .join(path);
    if found.exists() {
        return Some(found);
    }
    let missing = found.display();
    assert!(
        std::env::var_os("CI").is_none(),
        "{missing} is missing, and CI must not skip {skipped}"
    );
    let _ = writeln!(
        std::io::stderr(),
        "SKIPPED: {skipped}: {missing} is missing"
    );
    None
}
