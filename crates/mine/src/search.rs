//! What all ways to search have in common: the subject, the work allowed, and what was found.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::alphabet::Alphabet;
use crate::compile::MiningError;
use crate::library::LoadedProgram;
use crate::run::{ProgramRun, StepFailure, Vector};
use crate::server::Server;
use crate::spawned::SpawnedProgram;

/// A test is a sequence of inputs.
pub type InputSequence = Vec<Vector>;

/// The program as it is run.
pub enum RunningProgram {
    /// In this process.
    Library(LoadedProgram),
    /// A process for each test.
    Server(Server),
    /// Any executable.
    Spawned(SpawnedProgram),
}

/// What a step that hangs costs.
pub(crate) const HANG_COST: u64 = 20_000;

/// What a process costs, in steps of a library.
const PROCESS_COST: u64 = 500;

impl RunningProgram {
    /// Runs a test from the initial state.
    pub fn run(&mut self, test: &[Vector]) -> Result<ProgramRun, MiningError> {
        match self {
            RunningProgram::Library(program) => Ok(program.run(test)),
            RunningProgram::Server(server) => server.run(test),
            RunningProgram::Spawned(program) => program.run(test),
        }
    }

    /// How much work a test is.
    pub fn cost(&self, steps: usize) -> u64 {
        let process = if matches!(self, RunningProgram::Library(_)) { 0 } else { PROCESS_COST };
        process + steps as u64 + 1
    }
}

/// How much may be done.
pub struct StepBudget<'a> {
    /// Steps of the program that are left.
    left: u64,
    /// Steps that were done.
    pub done: u64,
    stop: &'a dyn Fn() -> bool,
    asked: u64,
}

impl<'a> StepBudget<'a> {
    /// So many steps, unless `stop` says that it is enough.
    pub fn new(steps: u64, stop: &'a dyn Fn() -> bool) -> StepBudget<'a> {
        StepBudget { left: steps, done: 0, stop, asked: 0 }
    }

    /// Takes some work; false when there is none left.
    pub fn take(&mut self, amount: u64) -> bool {
        self.done += amount;
        self.left = self.left.saturating_sub(amount);
        // Steps are many and short; a process is neither.
        if self.done >= self.asked || amount >= PROCESS_COST {
            self.asked = self.done + 4096;
            if (self.stop)() {
                self.left = 0;
            }
        }
        self.left > 0
    }
}

/// Something that is wrong with the program, and how to see it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProgramFinding {
    /// What happens.
    pub stop: StepFailure,
    /// The inputs up to the step in which it happens.
    pub test: InputSequence,
}

/// How far a search came.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Closure {
    /// There may be more.
    #[default]
    Open,
    /// Nothing more is reachable with the chosen values of the inputs.
    OverValues,
    /// Nothing more is reachable.
    Proven,
}

provoke_base::words!(Closure { Open = "open", OverValues = "values", Proven = "proven" });

/// What a search found.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SearchResult {
    /// The tests.
    pub tests: Vec<InputSequence>,
    /// What is wrong.
    pub findings: Vec<ProgramFinding>,
    /// Findings like those above.
    pub more_findings: usize,
    /// States the search told apart.
    pub states: usize,
    /// Whether there is more.
    pub closure: Closure,
    /// Steps of the program that were done.
    pub steps: u64,
    /// Something that users should know.
    pub notes: Vec<String>,
}

/// The most findings that are kept with their tests.
const MAX_FINDINGS: usize = 50;

impl SearchResult {
    /// What several searches found together: each test, finding and note once.
    pub fn joined(mut all: Vec<SearchResult>) -> SearchResult {
        if all.len() == 1 {
            return all.remove(0);
        }
        let mut joined = SearchResult::default();
        let mut known = BTreeSet::new();
        for found in all {
            let new = |test: &InputSequence| known.insert(test.clone());
            joined.tests.extend(found.tests.into_iter().filter(new));
            joined.more_findings += found.more_findings;
            joined.states = joined.states.max(found.states);
            joined.steps += found.steps;
            for finding in found.findings {
                if !joined.findings.contains(&finding) {
                    joined.findings.push(finding);
                }
            }
            for note in found.notes {
                if !joined.notes.contains(&note) {
                    joined.notes.push(note);
                }
            }
        }
        joined
    }

    /// Notes why a test stopped, unless the same is known from the same outputs.
    pub fn stopped(
        &mut self,
        known: &mut BTreeSet<(StepFailure, Vector)>,
        stop: &StepFailure,
        last: &[i64],
        test: &[Vector],
    ) {
        if !stop.is_finding() || !known.insert((stop.clone(), last.to_vec())) {
            return;
        }
        // One test for a kind of finding says most; a few more show other ways to it.
        let alike = self.findings.iter().filter(|finding| finding.stop == *stop).count();
        if alike >= 5 || self.findings.len() >= MAX_FINDINGS {
            self.more_findings += 1;
            return;
        }
        self.findings.push(ProgramFinding { stop: stop.clone(), test: test.to_vec() });
    }
}

/// What is seen of a program at its outputs: values that follow each other.
#[derive(Clone, Debug, Default)]
pub struct Behaviour {
    pairs: FxHashSet<(usize, i64, i64)>,
    /// How many pairs each output has.
    counts: Vec<usize>,
    states: FxHashSet<Vector>,
}

/// An output with more changes than this is a number, whose changes say little.
const MANY: usize = 64;
/// More states than this are numbers, too.
const MANY_STATES: usize = 4096;

impl Behaviour {
    /// Notes a step; true if a state of the outputs, or a change of one, is new.
    pub fn note(&mut self, before: &[i64], after: &[i64]) -> bool {
        let mut novel = false;
        self.counts.resize(after.len().max(self.counts.len()), 0);
        for (place, (old, new)) in before.iter().zip(after).enumerate() {
            if self.counts[place] < MANY && self.pairs.insert((place, *old, *new)) {
                self.counts[place] += 1;
                novel = true;
            }
        }
        if self.states.len() < MANY_STATES && !self.states.contains(after) {
            self.states.insert(after.to_vec());
            novel = true;
        }
        novel
    }
}

/// What a search needs.
pub struct SearchContext<'a> {
    /// The program.
    pub subject: &'a mut RunningProgram,
    /// The values of its inputs.
    pub alphabet: &'a Alphabet,
    /// Where random numbers start.
    pub seed: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_are_joined_without_repetition() {
        let finding = |signal| ProgramFinding {
            stop: StepFailure::Signal(signal),
            test: vec![vec![signal.into()]],
        };
        let found = |tests: &[i64], signals: &[i32], states| SearchResult {
            tests: tests.iter().map(|value| vec![vec![*value]]).collect(),
            findings: signals.iter().copied().map(finding).collect(),
            states,
            steps: 10,
            notes: vec!["full".to_string()],
            ..SearchResult::default()
        };
        let joined =
            SearchResult::joined(vec![found(&[1, 2], &[8], 7), found(&[2, 3], &[8, 11], 5)]);
        assert_eq!(joined.tests, [[[1]], [[2]], [[3]]]);
        assert_eq!(joined.findings, [finding(8), finding(11)]);
        assert_eq!((joined.states, joined.steps), (7, 20));
        assert_eq!(joined.notes, ["full"]);
        let alone = SearchResult::joined(vec![SearchResult {
            closure: Closure::Proven,
            ..found(&[4, 4], &[], 1)
        }]);
        assert_eq!((alone.tests.len(), alone.closure), (2, Closure::Proven));
    }
}
