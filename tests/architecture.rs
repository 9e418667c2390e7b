//! The rules of the house that no compiler knows: who may depend on whom, and how long a file may
//! be. CLAUDE.md draws the same picture.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// Crate → our crates that it may depend on. `trawls` is the composition root; tests are free.
const MAY_DEPEND_ON: &[(&str, &[&str])] = &[
    ("contract", &[]),
    ("fetch", &["contract"]),
    ("content", &["contract"]),
    ("store", &["contract"]),
    ("engine", &["contract", "fetch", "content", "store"]),
    ("server", &["contract", "engine", "store"]),
    (
        "trawls",
        &["contract", "fetch", "content", "store", "engine", "server"],
    ),
    ("testkit", &[]),
];

/// Libraries that belong to one room: whoever else needs them asks that room.
const KEPT_IN: &[(&str, &[&str])] = &[
    ("axum", &["server"]),
    ("sqlx", &["store"]),
    ("wreq", &["fetch"]),
    ("html5ever", &["content"]),
    ("selectors", &["content"]),
    ("clap", &["trawls"]),
    ("indicatif", &["trawls"]),
    ("zip", &["engine"]),
];

/// Lines of a source file before its tests. A longer file hides a concept that has no name yet.
const MAX_LINES: usize = 500;

const TOP_LEVEL: &[&str] = &[
    "CLAUDE.md",
    "Cargo.lock",
    "Cargo.toml",
    "Dockerfile",
    "Makefile",
    "README.md",
    "crates",
    "deploy",
    "docker-compose.yml",
    "migrations",
    "static",
    "target",
    "tests",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

fn crates() -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Names under `[dependencies]` of a crate; dev-dependencies are not the product's.
fn dependencies(name: &str) -> Vec<String> {
    let manifest = fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap();
    let mut section = "";
    let mut found = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line.trim();
        } else if section == "[dependencies]"
            && let Some((key, _)) = line.split_once(['.', '=', ' '])
        {
            found.push(key.trim().to_owned());
        }
    }
    found
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !path.ends_with("target") && !path.ends_with("corpus") {
                rust_files(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The part of a source file before its inline tests; nothing of a file that is all tests.
fn product_part(file: &Path) -> String {
    let stem = file.file_stem().unwrap().to_str().unwrap();
    let folder = file.parent().unwrap();
    let declared_for_tests = ["mod.rs", "lib.rs", "main.rs"]
        .map(|name| folder.join(name))
        .into_iter()
        .chain([folder.with_extension("rs")])
        .filter_map(|parent| fs::read_to_string(parent).ok())
        .any(|text| text.contains(&format!("#[cfg(test)]\nmod {stem};")));
    let in_tests = file.components().any(|part| part.as_os_str() == "tests");
    if declared_for_tests || in_tests {
        return String::new();
    }
    let text = fs::read_to_string(file).unwrap();
    text.split("\n#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default()
        .to_owned()
}

fn name_of(file: &Path) -> String {
    file.strip_prefix(root()).unwrap().display().to_string()
}

#[test]
fn crates_depend_only_on_the_rooms_they_may_know() {
    let allowed: BTreeMap<&str, &[&str]> = MAY_DEPEND_ON.iter().copied().collect();
    for name in crates() {
        let Some(allowed) = allowed.get(name.as_str()) else {
            panic!("crates/{name} is not in this table: say what it may depend on");
        };
        for dependency in dependencies(&name) {
            let Some(ours) = dependency.strip_prefix("trawls-") else {
                continue;
            };
            assert!(
                allowed.contains(&ours),
                "crates/{name} must not depend on {ours}: see the picture in CLAUDE.md"
            );
        }
    }
}

#[test]
fn libraries_stay_in_their_room() {
    for name in crates() {
        for dependency in dependencies(&name) {
            let kept = KEPT_IN.iter().find(|(library, _)| *library == dependency);
            if let Some((library, rooms)) = kept {
                assert!(
                    rooms.contains(&name.as_str()),
                    "crates/{name} uses {library}, which belongs to {rooms:?}"
                );
            }
        }
    }
}

#[test]
fn no_source_file_is_too_long() {
    let mut files = Vec::new();
    rust_files(&root().join("crates"), &mut files);
    rust_files(&root().join("tests"), &mut files);
    let too_long: Vec<String> = files
        .iter()
        .filter_map(|file| {
            let lines = product_part(file).lines().count();
            (lines > MAX_LINES).then(|| format!("{}: {lines} lines", name_of(file)))
        })
        .collect();
    assert!(
        too_long.is_empty(),
        "over {MAX_LINES} lines before their tests, find the missing concept:\n{}",
        too_long.join("\n")
    );
}

#[test]
fn every_module_says_its_role_first() {
    let mut files = Vec::new();
    rust_files(&root().join("crates"), &mut files);
    for file in files {
        let text = product_part(&file);
        assert!(
            text.is_empty() || text.starts_with("//!"),
            "{} does not say its role in a //! header",
            name_of(&file)
        );
    }
}

#[test]
fn the_environment_is_read_only_in_config() {
    let mut files = Vec::new();
    // testkit is told where the shared material is; it is no part of the product.
    for name in crates().into_iter().filter(|name| name != "testkit") {
        rust_files(&root().join("crates").join(name).join("src"), &mut files);
    }
    for file in files {
        let is_config =
            file.ends_with("trawls/src/config.rs") || name_of(&file).contains("trawls/src/config/");
        assert!(
            is_config || !product_part(&file).contains("env::var"),
            "{} reads the environment: only the configuration may",
            name_of(&file)
        );
    }
}

#[test]
fn nothing_stands_at_the_top_that_is_not_in_the_picture() {
    for entry in fs::read_dir(root()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            name.starts_with('.') || TOP_LEVEL.contains(&name.as_str()),
            "{name} at the top level is not in the picture"
        );
    }
}
