//! What several runs of a test say about each of its interactions.

use provoke_stats::{binomial, wilson};

use crate::board::Board;
use crate::consistency::{Expectation, Met};

/// The answer about an interaction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    /// As expected.
    Pass,
    /// Certainly not as expected.
    Fail,
    /// Neither is certain.
    Inconclusive,
    /// The target could not be tested.
    Error,
}

impl Verdict {
    /// The word in results.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::Inconclusive => "inconclusive",
            Verdict::Error => "error",
        }
    }
}

/// The part of the predicted consistent runs that must be there.
const SHARE: f64 = 0.35;

/// How unlikely a shortage must be on a system that is right.
const TAIL: f64 = 1e-4;

/// How certain it must be that an output is late or early: standard deviations of its mean.
const CERTAIN_SD: f64 = 4.0;

/// How far from its time an output must be to be wrong, as a part of the step.
const SHIFT: f64 = 0.1;

/// The fewest consistent runs from which something follows, where one run is not enough.
const FEWEST: u64 = 5;

/// Counts over several runs.
#[derive(Clone, PartialEq, Debug)]
pub struct Evidence {
    /// How many runs.
    pub runs: u64,
    /// In how many of them each interaction was consistent.
    pub consistent: Vec<u64>,
    /// For each expected change, how often it was met and how far from its mean delay in all.
    residuals: Vec<(u64, f64)>,
}

impl Evidence {
    /// No runs yet.
    pub fn new(expectation: &Expectation, interactions: usize) -> Evidence {
        let residuals = vec![(0, 0.0); expectation.changes.len()];
        Evidence { runs: 0, consistent: vec![0; interactions], residuals }
    }

    /// Adds a run.
    pub fn add(&mut self, expectation: &Expectation, met: &Met) {
        self.runs += 1;
        for (interaction, count) in self.consistent.iter_mut().enumerate() {
            *count += u64::from(met.is_consistent(interaction));
        }
        for (index, change) in expectation.changes.iter().enumerate() {
            if let Some(residual) = met.residuals_ms[index].filter(|_| change.step < met.holds) {
                self.residuals[index].0 += 1;
                self.residuals[index].1 += residual;
            }
        }
    }

    /// What follows for an interaction that would be consistent in `predicted` of
    /// [`PREDICTIONS`](crate::adaptive::PREDICTIONS) simulated runs of a right system.
    pub fn verdict(
        &self,
        interaction: usize,
        board: &Board,
        expectation: &Expectation,
        (predicted, simulated): (u64, u64),
    ) -> Verdict {
        if self.shifted(interaction, board, expectation).is_some() {
            return Verdict::Fail;
        }
        let (runs, seen) = (self.runs, self.consistent[interaction]);
        let share = predicted as f64 / simulated as f64;
        let wanted = SHARE * runs as f64 * share;
        if seen >= fewest(board) && seen as f64 >= wanted {
            return Verdict::Pass;
        }
        // The prediction is an estimate too; its lower end is used against the system.
        let low = wilson(predicted, simulated, 0.01).map_or(0.0, |interval| interval.low);
        let tail = binomial::at_most(seen, runs, low).unwrap_or(1.0);
        if (seen as f64) < SHARE * runs as f64 * low && tail < TAIL {
            return Verdict::Fail;
        }
        Verdict::Inconclusive
    }

    /// A change up to an interaction that is certainly not at its time, with how far off it is. What
    /// comes after a wrong time is no better: the software does something else.
    pub fn shifted(
        &self,
        interaction: usize,
        board: &Board,
        expectation: &Expectation,
    ) -> Option<(usize, f64)> {
        let before = |index: &usize| expectation.changes[*index].step <= interaction;
        (0..expectation.changes.len()).filter(before).find_map(|index| {
            let (count, sum) = self.residuals[index];
            let sd = board.controlled[expectation.changes[index].signal].delay.sd_ms();
            let mean = sum / count as f64;
            let certain = CERTAIN_SD * sd / (count as f64).sqrt();
            let far = mean.abs() > sd.max(SHIFT * board.step_ms) && mean.abs() > certain;
            (count > 0 && far).then_some((index, mean))
        })
    }
}

/// How many consistent runs are needed so that an output that is a step late would be noticed: its
/// mean must be eight standard errors away, four to count and four to be sure.
pub fn fewest(board: &Board) -> u64 {
    let sd = board.controlled.iter().map(|wire| wire.delay.sd_ms()).fold(0.0, f64::max);
    let needed = (8.0 * sd / board.step_ms).powi(2).ceil() as u64;
    if needed <= 1 { 1 } else { needed.max(FEWEST) }
}
