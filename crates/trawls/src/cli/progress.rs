//! How a job stands, live, when a person looks at stderr; nothing otherwise.

use std::{io::IsTerminal, time::Duration};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use trawls_contract::Job;

use super::output;

const SHAPE: &str = "{spinner} {pos}/{len} {wide_bar} {msg}";
const BLINK: Duration = Duration::from_millis(120);

/// The line of one job.
pub(super) struct Progress(ProgressBar);

impl Progress {
    pub(super) fn start() -> Self {
        let is_seen = std::io::stderr().is_terminal();
        let target = match is_seen {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        if let Ok(style) = ProgressStyle::with_template(SHAPE) {
            bar.set_style(style.progress_chars("━╸ "));
        }
        if is_seen {
            bar.enable_steady_tick(BLINK);
        }
        Self(bar)
    }

    pub(super) fn show(&self, job: &Job) {
        let counts = &job.counts;
        self.0.set_length(counts.total.max(counts.done));
        self.0.set_position(counts.done);
        let mut text = format!("{} pages/s", job.pages_per_s);
        if let Some(left) = job.eta_s {
            text.push_str(&format!(", {left} s left"));
        }
        let failed = counts.failed + counts.empty;
        if failed > 0 {
            text.push_str(&format!(", {failed} failed"));
        }
        self.0.set_message(text);
    }

    /// Above the line, or where it would be.
    pub(super) fn say(&self, text: &str) {
        match self.0.is_hidden() {
            true => output::note(text),
            false => self.0.println(text),
        }
    }

    pub(super) fn end(self) {
        self.0.finish_and_clear();
    }
}
