//! The delays of a target as a table.

use provoke_base::table::aligned;
use provoke_stats::describe::quantile;

use crate::board::{Board, Wire};
use crate::calibrate::{Calibration, DelaySummary};

impl Calibration {
    /// The delays of each monitored signal, and of each controlled one, with its name.
    pub fn by_signal<'a>(&'a self, board: &'a Board) -> [Vec<(&'a str, &'a [f64])>; 2] {
        let named = |wires: &'a [Wire], samples: &'a [Vec<f64>]| {
            let all = wires.iter().zip(samples);
            all.map(|(wire, samples)| (wire.name.as_str(), samples.as_slice())).collect()
        };
        [named(&board.monitored, &self.monitored), named(&board.controlled, &self.controlled)]
    }

    /// A row for each signal: how many delays, their average, spread, quantiles and histogram.
    pub fn table(&self, board: &Board) -> String {
        let head =
            ["", "signal", "n", "mean ms", "sd", "p1", "p50", "p99", "correlation", "distribution"];
        let mut rows = vec![head.map(String::from).to_vec()];
        for (side, signals) in ["in", "out"].into_iter().zip(self.by_signal(board)) {
            for (name, samples) in signals {
                let mut row = row(side, name, samples);
                row.resize(head.len(), String::new());
                rows.push(row);
            }
        }
        let mut text = aligned(&rows);
        if let Some(step_ms) = self.step_ms() {
            let (count, said) = (self.steps_ms.len(), board.step_ms);
            text += &format!("step: {step_ms:.2} ms on average of {count}, the file says {said}\n");
        }
        text
    }
}

fn row(side: &str, name: &str, samples: &[f64]) -> Vec<String> {
    let mut row = vec![side.to_string(), name.to_string(), samples.len().to_string()];
    let Some(summary) = DelaySummary::new(samples) else {
        row.push("too few to say".to_string());
        return row;
    };
    row.extend([summary.mean_ms, summary.sd_ms].map(|number| format!("{number:.1}")));
    let levels = [0.01, 0.5, 0.99].map(|level| quantile(samples, level).unwrap_or(0.0));
    row.extend(levels.map(|number| format!("{number:.1}")));
    row.push(format!("{:.2}", summary.correlation));
    row.push(histogram(samples));
    row
}

/// Twenty bars between the smallest and the largest sample.
fn histogram(samples: &[f64]) -> String {
    const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let (low, high) = samples
        .iter()
        .fold((f64::MAX, f64::MIN), |(low, high), sample| (low.min(*sample), high.max(*sample)));
    let mut counts = [0_usize; 20];
    for sample in samples {
        let place = (sample - low) / (high - low).max(1e-9) * 20.0;
        counts[(place as usize).min(19)] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    let bar = |count: &usize| BARS[(count * 8).div_ceil(most).min(8)];
    let bars: String = counts.iter().map(bar).collect();
    format!("{low:.0} |{bars}| {high:.0}")
}
