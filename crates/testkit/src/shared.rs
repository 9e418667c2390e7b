//! Material that tests read and the project does not carry: annotated pages, lists, cases.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

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
