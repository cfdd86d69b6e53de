//! What runs gave, as it is kept and handed on: columns of numbers, which are shorter than rows.

use serde::{Deserialize, Serialize};

use crate::estimate::RunValue;

/// Runs whose numbers follow each other.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct RunRecord {
    values: Vec<u64>,
    steps: Vec<u64>,
    /// The positions of those in which nothing could go on.
    stuck: Vec<usize>,
    /// The positions of those in which processes were hurried.
    #[serde(default)]
    hurried: Vec<usize>,
}

impl RunRecord {
    /// A record of runs.
    pub fn new(runs: &[RunValue]) -> RunRecord {
        let positions = |is: fn(&RunValue) -> bool| -> Vec<usize> {
            (0..runs.len()).filter(|at| is(&runs[*at])).collect()
        };
        RunRecord {
            values: runs.iter().map(|run| run.value).collect(),
            steps: runs.iter().map(|run| run.steps).collect(),
            stuck: positions(|run| run.stuck),
            hurried: positions(|run| run.hurried),
        }
    }

    /// The runs of a record; none if it does not fit together.
    pub fn runs(&self) -> Vec<RunValue> {
        if self.values.len() != self.steps.len() {
            return Vec::new();
        }
        let one = |(at, (value, steps)): (usize, (&u64, &u64))| {
            let stuck = self.stuck.binary_search(&at).is_ok();
            let hurried = self.hurried.binary_search(&at).is_ok();
            RunValue { value: *value, steps: *steps, stuck, hurried }
        };
        self.values.iter().zip(&self.steps).enumerate().map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_read_as_they_are_written() {
        let runs = [(1, 5, false, true), (f64::to_bits(-0.1), 0, true, false)]
            .map(|(value, steps, stuck, hurried)| RunValue { value, steps, stuck, hurried });
        let text = serde_json::to_string(&RunRecord::new(&runs)).expect("JSON");
        let read: RunRecord = serde_json::from_str(&text).expect("a record");
        assert_eq!(read.runs(), runs);
        let odd = RunRecord { values: vec![1], ..RunRecord::new(&[]) };
        assert_eq!(odd.runs(), []);
    }
}
