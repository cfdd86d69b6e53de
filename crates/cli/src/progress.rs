//! One line on the terminal that changes as the work goes on.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use provoke_base::Progress;
use provoke_report::text;

use crate::output::Output;

/// Faster changes than this are only unrest.
const PAUSE: Duration = Duration::from_millis(100);

/// The line; there is none where nobody looks.
pub(crate) struct ProgressLine {
    output: Output,
    start: Instant,
    last: Option<Instant>,
    on: bool,
}

impl ProgressLine {
    /// A line that is not shown yet.
    pub(crate) fn new(output: &Output, start: Instant) -> ProgressLine {
        let on = std::io::stderr().is_terminal() && !output.is_json();
        ProgressLine { output: output.clone(), start, last: None, on }
    }

    /// Shows how things stand.
    pub(crate) fn show(&mut self, progress: &Progress) {
        self.show_text(|elapsed| text::progress(progress, elapsed));
    }

    /// Shows a text that may tell the time that has passed.
    pub(crate) fn show_text(&mut self, text: impl FnOnce(Duration) -> String) {
        let now = Instant::now();
        if !self.on || self.last.is_some_and(|last| now - last < PAUSE) {
            return;
        }
        self.last = Some(now);
        self.output.note(&format!("\r\x1b[K{}", text(now - self.start)));
    }

    /// Takes the line away.
    pub(crate) fn clear(&mut self) {
        if self.last.take().is_some() {
            self.output.note("\r\x1b[K");
        }
    }
}
