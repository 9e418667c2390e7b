//! The raw values, checked by their kinds, and typed access to them.

use std::{collections::HashMap, ffi::OsString, str::FromStr};

use super::{
    PREFIX, Setting,
    kind::{parse_flag, split_list},
};

/// Variables that are not ours and matter all the same.
const FOREIGN: [&str; 4] = ["HOME", "PATH", "XDG_DATA_HOME", "RUST_LOG"];
/// Most edits between a mistyped name and the one that is suggested for it.
const MAX_EDITS: usize = 3;

/// What is set, defaults filled in.
pub(crate) struct Values {
    by_name: HashMap<&'static str, String>,
    foreign: HashMap<&'static str, String>,
    unused: Vec<&'static str>,
}

impl Values {
    /// Takes what is ours out of an environment.
    ///
    /// # Errors
    /// One sentence per unknown name and per value that its kind refuses.
    pub(crate) fn collect(
        vars: impl Iterator<Item = (OsString, OsString)>,
        table: &'static [Setting],
    ) -> Result<Self, Vec<String>> {
        let defaults = table.iter().filter(|setting| !setting.default.is_empty());
        let mut values = Self {
            by_name: defaults.map(|s| (s.name, s.default.to_owned())).collect(),
            foreign: HashMap::new(),
            unused: Vec::new(),
        };
        let mut mistakes = Vec::new();
        for (name, value) in vars {
            let name = name.to_string_lossy();
            if let Some(foreign) = FOREIGN.iter().find(|foreign| **foreign == name) {
                values
                    .foreign
                    .insert(foreign, value.to_string_lossy().into_owned());
            } else if let Some(short) = name.strip_prefix(PREFIX) {
                match table.iter().find(|setting| setting.name == short) {
                    Some(setting) => mistakes.extend(values.take(setting, value).err()),
                    None => mistakes.push(unknown(&name, short, table)),
                }
            }
        }
        mistakes.sort();
        if mistakes.is_empty() {
            Ok(values)
        } else {
            Err(mistakes)
        }
    }

    fn take(&mut self, setting: &'static Setting, value: OsString) -> Result<(), String> {
        let name = setting.name;
        let value = value
            .into_string()
            .map_err(|_| format!("{PREFIX}{name} is not valid UTF-8"))?;
        let value = value.trim();
        if value.is_empty() {
            return Ok(());
        }
        setting.kind.check(value).map_err(|wanted| {
            let found = if setting.kind.is_public() {
                format!(", not `{value}`")
            } else {
                String::new()
            };
            format!("{PREFIX}{name} must be {wanted}{found}")
        })?;
        if !setting.is_used {
            self.unused.push(name);
        }
        self.by_name.insert(name, value.to_owned());
        Ok(())
    }

    /// One sentence per setting that is set and does nothing.
    pub(crate) fn unused(&self) -> Vec<String> {
        let mut names = self.unused.clone();
        names.sort_unstable();
        names
            .iter()
            .map(|name| format!("{PREFIX}{name} is not used in this version"))
            .collect()
    }

    /// A variable of `FOREIGN`.
    pub(crate) fn foreign(&self, name: &str) -> Option<&str> {
        self.foreign
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// As written.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.by_name.get(name).map(String::as_str)
    }

    /// False when unset.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.text(name).and_then(parse_flag).unwrap_or(false)
    }

    /// Parsed, if set.
    pub(crate) fn optional<T: FromStr>(&self, name: &str) -> Result<Option<T>, String> {
        self.text(name).map(|value| parse(name, value)).transpose()
    }

    /// Parsed; for settings with a default.
    pub(crate) fn parsed<T: FromStr>(&self, name: &str) -> Result<T, String> {
        self.optional(name)?
            .ok_or_else(|| format!("{PREFIX}{name} must be set"))
    }

    /// Parsed, each part between commas.
    pub(crate) fn list<T: FromStr>(&self, name: &str) -> Result<Vec<T>, String> {
        let value = self.text(name).unwrap_or_default();
        split_list(value).map(|part| parse(name, part)).collect()
    }
}

fn parse<T: FromStr>(name: &str, value: &str) -> Result<T, String> {
    value
        .parse()
        .map_err(|_| format!("{PREFIX}{name} is out of range"))
}

fn unknown(name: &str, short: &str, table: &[Setting]) -> String {
    match nearest(short, table) {
        Some(setting) => format!("{name} is not a setting; did you mean {PREFIX}{setting}?"),
        None => format!("{name} is not a setting; `trawls serve --help` lists them"),
    }
}

/// The setting that a name was probably meant to be: few edits away, or one the start of the other.
fn nearest(short: &str, table: &[Setting]) -> Option<&'static str> {
    let short = short.to_ascii_uppercase();
    let cost = |name: &str| {
        let is_part = short.len() >= 4 && (name.contains(&short) || short.contains(name));
        let edits = edit_distance(&short, name);
        if is_part { edits.min(1) } else { edits }
    };
    let allowed = MAX_EDITS.min(short.len() / 2);
    table
        .iter()
        .map(|setting| (cost(setting.name), setting.name))
        .filter(|(cost, _)| *cost <= allowed)
        .min()
        .map(|(_, name)| name)
}

/// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    rows[0] = (0..=b.len()).collect();
    for i in 1..=a.len() {
        rows[i][0] = i;
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swapped_letters_are_one_edit() {
        assert_eq!(edit_distance("PROT", "PORT"), 1);
        assert_eq!(edit_distance("", "PORT"), 4);
        assert_eq!(edit_distance("PORT", "PORT"), 0);
        assert_eq!(edit_distance("POTR", "HOST"), 3);
    }
}
