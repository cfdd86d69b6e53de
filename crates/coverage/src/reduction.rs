//! Which tests of a suite stay, for reduction and generation alike.

use std::num::NonZeroUsize;

use provoke_cover::{Cost, ReductionMatrix, Row};

use crate::options::Reduction;

/// What the exact method makes small.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReductionUnit {
    /// The number of tests.
    Tests,
    /// The number of steps in all tests.
    Steps,
}

provoke_base::words!(ReductionUnit { Tests = "tests", Steps = "steps" });

/// How tests are chosen.
#[derive(Clone, Copy, Debug)]
pub struct ReductionChoice {
    /// The method.
    pub method: Reduction,
    /// What the exact method makes small.
    pub by: ReductionUnit,
    /// How long the exact method may try.
    pub effort: u64,
    /// Where the random method starts.
    pub seed: u64,
    /// How often the random method tries.
    pub repeat: u32,
}

/// The tests that stay, and what is known about how few they are.
#[derive(Clone, Debug)]
pub struct ReducedSuite {
    /// The tests that stay, by position.
    pub kept: Vec<usize>,
    /// Whether no choice has fewer, where the method knows.
    pub optimal: Option<bool>,
    /// What no choice is below, where the method knows.
    pub lower_bound: Option<u64>,
    /// How many tests each try of the random method kept, ascending.
    pub sizes: Vec<usize>,
}

impl ReductionChoice {
    /// Some of the tests that cover as much as all, in their order.
    pub fn choose(&self, matrix: &ReductionMatrix) -> ReducedSuite {
        let plain =
            |kept| ReducedSuite { kept, optimal: None, lower_bound: None, sizes: Vec::new() };
        match self.method {
            Reduction::Greedy => plain(provoke_cover::greedy(matrix)),
            Reduction::Hgs => plain(provoke_cover::hgs(matrix)),
            Reduction::Random => {
                let runs = NonZeroUsize::new(self.repeat as usize).unwrap_or(NonZeroUsize::MIN);
                let distribution = provoke_cover::repeat(matrix, self.seed, runs);
                let sizes = if self.repeat > 1 { distribution.sizes } else { Vec::new() };
                ReducedSuite { sizes, ..plain(distribution.best) }
            }
            Reduction::Exact => {
                let cost = match self.by {
                    ReductionUnit::Tests => Cost::Tests,
                    ReductionUnit::Steps => Cost::Steps,
                };
                let outcome = provoke_cover::exact(matrix, cost, self.effort);
                ReducedSuite {
                    optimal: Some(outcome.optimal),
                    lower_bound: Some(outcome.lower_bound),
                    ..plain(outcome.kept)
                }
            }
        }
    }

    /// The same, but the first `given` tests stay whatever they cover.
    pub fn choose_after(&self, given: usize, mut matrix: ReductionMatrix) -> Vec<usize> {
        let open = matrix.tests.split_off(given);
        let done = matrix.covered();
        let row = |row: Row| Row::new(row.items() - &done, row.steps());
        let mut chosen =
            self.choose(&ReductionMatrix { tests: open.into_iter().map(row).collect() }).kept;
        chosen.sort_unstable();
        (0..given).chain(chosen.into_iter().map(|test| given + test)).collect()
    }
}
