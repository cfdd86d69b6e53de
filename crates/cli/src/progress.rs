//! One line on the terminal that changes as the work goes on.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use provoke_base::Progress;

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

fn describe(progress: &Progress, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs();
    match progress {
        Progress::Tasks { name, done, total, workers: None } => {
            format!("{name}: {done} of {total}, {seconds} s")
        }
        Progress::Tasks { name, done, total, workers: Some(workers) } => {
            format!("{name}: {done} of {total}, {workers}, {seconds} s")
        }
        Progress::Text(text) => format!("{text}, {seconds} s"),
        Progress::Obligations { phase, covered, infeasible, open } => {
            // In the first moments a rate says nothing.
            let rate = (covered + infeasible) as f64 / elapsed.as_secs_f64().max(0.1);
            format!(
                "{phase}: {covered} covered, {infeasible} infeasible, {open} open, \
                 {rate:.1} decided/s, {seconds} s"
            )
        }
        Progress::Zones { stored, waiting } => {
            format!("{stored} zones, {waiting} of them to be looked at, {seconds} s")
        }
        Progress::Runs { done } => format!("{done} random runs, {seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_what_is_decided_and_how_fast() {
        let phase = "solving";
        let progress = Progress::Obligations { phase, covered: 30, infeasible: 6, open: 4 };
        let line = describe(&progress, Duration::from_secs(8));
        assert_eq!(line, "solving: 30 covered, 6 infeasible, 4 open, 4.5 decided/s, 8 s");
    }

    #[test]
    fn the_line_tells_how_far_a_search_of_zones_is() {
        let progress = Progress::Zones { stored: 30_000, waiting: 200 };
        let line = describe(&progress, Duration::from_secs(8));
        assert_eq!(line, "30000 zones, 200 of them to be looked at, 8 s");
    }
}
