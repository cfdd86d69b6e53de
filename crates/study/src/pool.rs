//! From generated tests to many small suites and what each of them kills.
//!
//! The papers generate a test of its own for each obligation, which ends where the obligation is
//! fulfilled, and draw reduced suites from these (seed 004, section 4.4). Our generator runs each
//! test against all obligations and keeps few. So the test of an obligation is here the
//! generated one that was the first to cover it, up to the step in which it does.

use provoke_cover::{ReductionMatrix, Row, random};
use provoke_criteria::{Masking, Measurement, Obligation, Oracle};
use provoke_model::System;
use provoke_mutate::{KillMoment, MutantFate, Score, TestInputs};

use crate::outcome::ScoredSuite;

/// The test of an obligation: the beginning of a generated one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TestBeginning {
    /// The position of the generated test.
    pub of: usize,
    /// How many of its steps.
    pub steps: usize,
}

/// The tests that suites are drawn from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SuitePool {
    tests: Vec<TestBeginning>,
    matrix: ReductionMatrix,
}

impl SuitePool {
    /// The tests of the obligations that `tests` cover, in the order of the generated ones.
    pub fn new(
        system: &System,
        obligations: &[Obligation],
        masking: Masking,
        tests: &[TestInputs],
    ) -> SuitePool {
        let covers = covered(system, obligations, masking, tests);
        let mut first = vec![None; obligations.len()];
        for (of, covers) in covers.iter().enumerate() {
            for &(steps, obligation) in covers {
                first[obligation].get_or_insert(TestBeginning { of, steps });
            }
        }
        let mut tests: Vec<TestBeginning> = first.into_iter().flatten().collect();
        tests.sort_unstable();
        tests.dedup();
        let row = |test: &TestBeginning| {
            let inside = covers[test.of].iter().take_while(|(step, _)| *step <= test.steps);
            Row::new(inside.map(|(_, item)| *item as u32).collect(), test.steps as u32)
        };
        let matrix = ReductionMatrix { tests: tests.iter().map(row).collect() };
        SuitePool { tests, matrix }
    }

    /// How many tests there are.
    pub fn tests(&self) -> usize {
        self.tests.len()
    }

    /// How many steps they have in all.
    pub fn steps(&self) -> usize {
        self.tests.iter().map(|test| test.steps).sum()
    }

    /// A suite, drawn at random, that covers what all tests cover.
    pub fn suite(&self, seed: u64) -> Vec<TestBeginning> {
        random(&self.matrix, seed).into_iter().map(|test| self.tests[test]).collect()
    }

    /// Scores `count` suites, those of the seeds from `seed` on.
    pub fn suites(&self, kills: &Kills, seed: u64, count: u64) -> Vec<ScoredSuite> {
        let seeds = (0..count).map(|number| seed.wrapping_add(number));
        seeds.map(|seed| kills.scored(&self.suite(seed))).collect()
    }
}

/// For each test the obligations it covers and the steps in which it does, first steps first.
fn covered(
    system: &System,
    obligations: &[Obligation],
    masking: Masking,
    tests: &[TestInputs],
) -> Vec<Vec<(usize, usize)>> {
    let mut measurement =
        Measurement::new(system, obligations, masking, &Oracle::Outputs).of_every_test();
    let mut all = Vec::new();
    for test in tests {
        let mut covers = Vec::new();
        measurement.begin();
        for (index, inputs) in test.iter().enumerate() {
            if measurement.step(inputs).is_err() {
                break;
            }
            let new = &measurement.covered_here()[covers.len()..];
            covers.extend(new.iter().map(|obligation| (index + 1, *obligation)));
        }
        measurement.end();
        all.push(covers);
    }
    all
}

/// Which steps of which generated tests kill which mutants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kills {
    outputs: Matches,
    maximum: Matches,
    /// How many mutants are counted.
    pub mutants: usize,
    /// How many have no values in some test, and are killed by none.
    pub invalid: usize,
}

/// For each test the mutants it kills and the steps that show it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Matches {
    mutants: usize,
    tests: Vec<Vec<(usize, usize)>>,
}

impl Kills {
    /// From what all generated tests do to each mutant, by the outputs and by every variable.
    pub fn new(tests: usize, outputs: &[Score], maximum: &[Score]) -> Kills {
        let is_valid = |at: &usize| !matches!(outputs[*at].fate, MutantFate::Faulted(_));
        let valid: Vec<usize> = (0..outputs.len()).filter(is_valid).collect();
        let matches = |scores: &[Score]| {
            let mut matches = Matches { mutants: valid.len(), tests: vec![Vec::new(); tests] };
            for (mutant, &at) in valid.iter().enumerate() {
                for &KillMoment { test, step } in &scores[at].kills {
                    matches.tests[test].push((step, mutant));
                }
            }
            matches
        };
        Kills {
            outputs: matches(outputs),
            maximum: matches(maximum),
            mutants: valid.len(),
            invalid: outputs.len() - valid.len(),
        }
    }

    fn scored(&self, tests: &[TestBeginning]) -> ScoredSuite {
        ScoredSuite {
            tests: tests.len(),
            steps: tests.iter().map(|test| test.steps).sum(),
            outputs: self.outputs.killed(tests),
            maximum: self.maximum.killed(tests),
        }
    }
}

impl Matches {
    /// How many mutants these tests kill together.
    fn killed(&self, tests: &[TestBeginning]) -> usize {
        let mut killed = vec![false; self.mutants];
        for test in tests {
            for &(step, mutant) in &self.tests[test.of] {
                killed[mutant] |= step <= test.steps;
            }
        }
        killed.into_iter().filter(|killed| *killed).count()
    }
}
