//! What several runs of a test say about each of its interactions.

use provoke_stats::{binomial, wilson};

use crate::board::Board;
use crate::consistency::{AFTER, ConsistencyResult, Expectation};

/// The answer about an interaction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ExecutionVerdict {
    /// As expected.
    Pass,
    /// Certainly not as expected.
    Fail,
    /// Neither is certain.
    Inconclusive,
    /// The target could not be tested.
    Error,
}

provoke_base::words!(ExecutionVerdict {
    Pass = "pass",
    Fail = "fail",
    Inconclusive = "inconclusive",
    Error = "error",
});

/// The part of the predicted consistent runs that must be there to pass. A system that is wrong has some,
/// too: an output that is a step or two off may still be where it is allowed, in up to a third of the runs,
/// and an input that is read too late may hide a fault.
const PASSES: f64 = 0.6;

/// Below which part of the predicted consistent runs a system fails. Between the two nothing is certain.
const FAILS: f64 = 0.35;

/// How unlikely a shortage must be on a system that is right.
const TAIL: f64 = 1e-4;

/// How certain it must be that an output is late or early: standard deviations of its mean.
const CERTAIN_SD: f64 = 4.0;

/// How far from its time an output must be to be wrong, as a part of the step.
const SHIFT: f64 = 0.4;

/// The fewest consistent runs from which something follows, where one run is not enough.
const FEWEST: u64 = 5;

/// How far an expected change was from its mean delay, over several runs.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Residuals {
    count: u64,
    sum: f64,
    squares: f64,
}

impl Residuals {
    fn mean(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }

    fn sd(&self) -> f64 {
        (self.squares / self.count.max(1) as f64 - self.mean().powi(2)).max(0.0).sqrt()
    }
}

/// Counts over several runs.
#[derive(Clone, PartialEq, Debug)]
pub struct RunEvidence {
    /// How many runs.
    pub runs: u64,
    /// In how many of them each interaction was consistent.
    pub consistent: Vec<u64>,
    residuals: Vec<Residuals>,
}

impl RunEvidence {
    /// No runs yet.
    pub fn new(expectation: &Expectation, interactions: usize) -> RunEvidence {
        let residuals = vec![Residuals::default(); expectation.changes.len()];
        RunEvidence { runs: 0, consistent: vec![0; interactions], residuals }
    }

    /// Adds a run.
    pub fn add(&mut self, expectation: &Expectation, met: &ConsistencyResult) {
        self.runs += 1;
        for (interaction, count) in self.consistent.iter_mut().enumerate() {
            *count += u64::from(met.is_consistent(interaction));
        }
        for (index, change) in expectation.changes.iter().enumerate() {
            if let Some(residual) = met.residuals_ms[index].filter(|_| change.step < met.holds) {
                let of = &mut self.residuals[index];
                of.count += 1;
                of.sum += residual;
                of.squares += residual * residual;
            }
        }
    }

    /// The evidence of these runs and others together.
    pub fn with(&self, others: &RunEvidence) -> RunEvidence {
        let mut all = self.clone();
        all.runs += others.runs;
        for (count, other) in all.consistent.iter_mut().zip(&others.consistent) {
            *count += other;
        }
        for (residuals, other) in all.residuals.iter_mut().zip(&others.residuals) {
            residuals.count += other.count;
            residuals.sum += other.sum;
            residuals.squares += other.squares;
        }
        all
    }

    /// What follows for an interaction, given the evidence of simulated runs of a right system.
    pub fn verdict(
        &self,
        interaction: usize,
        board: &Board,
        expectation: &Expectation,
        right: &RunEvidence,
    ) -> ExecutionVerdict {
        if self.shifted(interaction, board, expectation, right).is_some() {
            return ExecutionVerdict::Fail;
        }
        let (runs, seen) = (self.runs, self.consistent[interaction]);
        let wanted = PASSES * runs as f64 * right.share(interaction);
        let fewest = right.fewest(interaction, board, expectation);
        if seen >= fewest && seen as f64 >= wanted {
            return ExecutionVerdict::Pass;
        }
        // The prediction is an estimate too; its lower end is used against the system.
        let low = wilson(right.consistent[interaction], right.runs, 0.01);
        let low = low.map_or(0.0, |interval| interval.low);
        let tail = binomial::at_most(seen, runs, low).unwrap_or(1.0);
        if (seen as f64) < FAILS * runs as f64 * low && tail < TAIL {
            return ExecutionVerdict::Fail;
        }
        ExecutionVerdict::Inconclusive
    }

    /// The part of the runs in which an interaction was consistent.
    pub fn share(&self, interaction: usize) -> f64 {
        self.consistent[interaction] as f64 / self.runs.max(1) as f64
    }

    /// A change that is certainly not at its time, with how far off it is from where it is in a right
    /// system, and that makes an interaction wrong. What comes after a wrong time is no better: the
    /// software does something else. A change that comes early makes those interactions wrong, too, in
    /// which the old value should still be there.
    pub fn shifted(
        &self,
        interaction: usize,
        board: &Board,
        expectation: &Expectation,
        right: &RunEvidence,
    ) -> Option<(usize, f64)> {
        relevant(interaction, expectation).find_map(|index| {
            let (usual, sd) = right.usual(index, board, expectation);
            let Residuals { count, .. } = self.residuals[index];
            let off = self.residuals[index].mean() - usual;
            let certain = CERTAIN_SD * sd / (count as f64).sqrt();
            let far = off.abs() > sd.max(SHIFT * board.step_ms) && off.abs() > certain;
            // Those that are earliest are not where they are allowed, so the mean is too late.
            let early_steps = (-off / board.step_ms).ceil().max(0.0) as usize;
            let since = expectation.changes[index].step.saturating_sub(early_steps);
            (count > 0 && far && since <= interaction).then_some((index, off))
        })
    }

    /// Where a change is on average, and how much that varies. An input that is a step late, which
    /// nothing else shows, makes it later.
    fn usual(&self, index: usize, board: &Board, expectation: &Expectation) -> (f64, f64) {
        let sd = board.controlled[expectation.changes[index].signal].delay.sd_ms();
        match &self.residuals[index] {
            few if few.count < 2 * FEWEST => (0.0, sd),
            seen => (seen.mean(), seen.sd().max(sd)),
        }
    }

    /// How many consistent runs are needed so that an output that is a step late would be noticed:
    /// its mean must be eight standard errors away, four to count and four to be sure.
    fn fewest(&self, interaction: usize, board: &Board, expectation: &Expectation) -> u64 {
        let sds = relevant(interaction, expectation);
        let sd = sds.map(|index| self.usual(index, board, expectation).1).fold(0.0, f64::max);
        needed(sd, board.step_ms)
    }
}

/// The changes of an interaction, those before it, and those after it that may come early.
fn relevant(interaction: usize, expectation: &Expectation) -> impl Iterator<Item = usize> {
    let changes = expectation.changes.iter().enumerate();
    let relevant = changes.filter(move |(_, change)| change.step <= interaction + AFTER);
    relevant.map(|(index, _)| index)
}

/// How many runs the delays of a board ask for at least.
pub fn fewest(board: &Board) -> u64 {
    let sd = board.controlled.iter().map(|wire| wire.delay.sd_ms()).fold(0.0, f64::max);
    needed(sd, board.step_ms)
}

fn needed(sd_ms: f64, step_ms: f64) -> u64 {
    let needed = (8.0 * sd_ms / step_ms).powi(2).ceil() as u64;
    if needed <= 1 { 1 } else { needed.max(FEWEST) }
}
