//! One line on the terminal that changes as the work goes on.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use provoke_testgen::Progress;

use crate::output::Output;

/// Faster changes than this are only unrest.
const PAUSE: Duration = Duration::from_millis(100);

/// The line; there is none where nobody looks.
pub(crate) struct ProgressLine<'o> {
    output: &'o Output,
    start: Instant,
    last: Option<Instant>,
    on: bool,
}

impl<'o> ProgressLine<'o> {
    /// A line that is not shown yet.
    pub(crate) fn new(output: &'o Output, start: Instant) -> ProgressLine<'o> {
        let on = std::io::stderr().is_terminal() && !output.is_json();
        ProgressLine { output, start, last: None, on }
    }

    /// Shows how things stand.
    pub(crate) fn show(&mut self, progress: Progress) {
        self.show_text(|elapsed| describe(progress, elapsed));
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

fn describe(progress: Progress, elapsed: Duration) -> String {
    let Progress { phase, covered, infeasible, open, .. } = progress;
    // In the first moments a rate says nothing.
    let seconds = elapsed.as_secs_f64().max(0.1);
    let rate = (covered + infeasible) as f64 / seconds;
    format!(
        "{phase}: {covered} covered, {infeasible} infeasible, {open} open, {rate:.1} decided/s, \
         {} s",
        elapsed.as_secs()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_what_is_decided_and_how_fast() {
        let progress =
            Progress { phase: "solving", covered: 30, infeasible: 6, open: 4, lemmas: 0 };
        let line = describe(progress, Duration::from_secs(8));
        assert_eq!(line, "solving: 30 covered, 6 infeasible, 4 open, 4.5 decided/s, 8 s");
    }
}
