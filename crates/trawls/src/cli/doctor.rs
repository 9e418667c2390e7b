//! `trawls doctor`: what is installed, what works, what to do.

use std::fmt::Write as _;

use clap::Args;
use serde::Serialize;

use super::{Ended, Refusal, output};
use crate::config::Config;

mod checks;

/// Arguments of `trawls doctor`.
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

/// What was found about one part.
#[derive(Debug, Serialize)]
struct Finding {
    part: &'static str,
    state: State,
    detail: String,
    /// What to do about it; empty when nothing.
    advice: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Works,
    /// Trawls works without it; some of it doesn't.
    Missing,
    /// Trawls cannot work.
    Broken,
}

/// All findings, as `--json` prints them.
#[derive(Debug, Serialize)]
struct Findings {
    version: &'static str,
    /// Nothing is broken.
    usable: bool,
    findings: Vec<Finding>,
}

impl Doctor {
    /// Looks at everything and prints it. Well when the essentials work.
    pub(crate) async fn run(self, config: &Config) -> Result<Ended, Refusal> {
        let findings = checks::all(config).await;
        let usable = findings
            .iter()
            .all(|finding| finding.state != State::Broken);
        let findings = Findings {
            version: env!("CARGO_PKG_VERSION"),
            usable,
            findings,
        };
        let text = if self.json {
            serde_json::to_string_pretty(&findings)? + "\n"
        } else {
            table(&findings)
        };
        output::write(&text, None)?;
        if usable {
            Ok(Ended::Well)
        } else {
            Err(Refusal::Broken(anyhow::anyhow!(
                "an essential part does not work"
            )))
        }
    }
}

fn table(findings: &Findings) -> String {
    let width = findings
        .findings
        .iter()
        .map(|f| f.part.len())
        .max()
        .unwrap_or(0);
    let mut text = format!("Trawls {}\n", findings.version);
    for Finding {
        part,
        state,
        detail,
        advice,
    } in &findings.findings
    {
        let mark = match state {
            State::Works => "ok     ",
            State::Missing => "missing",
            State::Broken => "BROKEN ",
        };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{mark}  {part:width$}  {detail}");
        if !advice.is_empty() {
            let _ = writeln!(text, "{:9}{:width$}  → {advice}", "", "");
        }
    }
    text
}
