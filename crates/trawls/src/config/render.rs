//! The table of settings as text: for `trawls serve --help`, and for the README (by a test).

use std::fmt::Write;

use super::{PREFIX, SETTINGS};

/// For a terminal.
pub(crate) fn help_table() -> String {
    let mut text = String::from("Settings (environment):\n");
    for setting in SETTINGS {
        let default = match setting.default {
            "" => String::new(),
            value => format!(" [{value}]"),
        };
        let unused = if setting.is_used {
            ""
        } else {
            " (not used in this version)"
        };
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "  {PREFIX}{}{default}{unused}\n      {}\n",
            setting.name,
            setting.help.replace('`', "")
        );
    }
    text.push_str("\nAn unknown TRAWLS_ name stops the start.");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: &str = "<!-- settings -->\n";
    const CLOSE: &str = "<!-- /settings -->";

    /// `UPDATE_README=1 cargo test -p trawls readme` rewrites the table.
    #[test]
    fn the_readme_lists_the_settings() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
        let readme = std::fs::read_to_string(path).expect("README.md at the top level");
        let (before, rest) = readme
            .split_once(OPEN)
            .expect("`<!-- settings -->` in README.md");
        let (table, after) = rest
            .split_once(CLOSE)
            .expect("`<!-- /settings -->` in README.md");
        if std::env::var_os("UPDATE_README").is_some() {
            let updated = format!("{before}{OPEN}{}{CLOSE}{after}", markdown_table());
            std::fs::write(path, updated).unwrap();
            return;
        }
        assert_eq!(
            table.trim(),
            markdown_table().trim(),
            "run `UPDATE_README=1 cargo test -p trawls readme`"
        );
    }

    /// For the README, between its `settings` markers.
    fn markdown_table() -> String {
        let mut text = String::from("| `TRAWLS_…` | Default | What it does |\n|---|---|---|\n");
        for setting in SETTINGS {
            let default = match setting.default {
                "" => String::new(),
                value => format!("`{value}`"),
            };
            let unused = if setting.is_used {
                ""
            } else {
                " *Not used in this version.*"
            };
            let _ = writeln!(
                text,
                "| `{}` | {default} | {}{unused} |",
                setting.name, setting.help
            );
        }
        text
    }
}
