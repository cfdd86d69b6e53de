//! How far the work is, in one line.

use std::time::Duration;

use provoke_base::Progress;

/// The line, after some time.
pub fn progress(progress: &Progress, elapsed: Duration) -> String {
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
                "{phase}: {covered} covered, {infeasible} proven, {open} open, \
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
        let standing = Progress::Obligations { phase, covered: 30, infeasible: 6, open: 4 };
        let line = progress(&standing, Duration::from_secs(8));
        assert_eq!(line, "solving: 30 covered, 6 proven, 4 open, 4.5 decided/s, 8 s");
    }

    #[test]
    fn the_line_tells_how_far_a_search_of_zones_is() {
        let standing = Progress::Zones { stored: 30_000, waiting: 200 };
        let line = progress(&standing, Duration::from_secs(8));
        assert_eq!(line, "30000 zones, 200 of them to be looked at, 8 s");
    }
}
