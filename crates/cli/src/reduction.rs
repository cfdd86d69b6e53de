//! Which tests of a suite stay, for `reduce` and `generate` alike.

use std::num::NonZeroUsize;

use provoke_cover::{Cost, Matrix, Row};

use crate::args::{Reduction, Unit};

/// How tests are chosen.
pub(crate) struct Choosing {
    pub(crate) method: Reduction,
    /// What the exact method makes small.
    pub(crate) by: Unit,
    /// How long the exact method may try.
    pub(crate) effort: u64,
    /// Where the random method starts, and how often it tries.
    pub(crate) seed: u64,
    pub(crate) repeat: u32,
}

/// The tests that stay, and what is known about how few they are.
pub(crate) struct Chosen {
    pub(crate) kept: Vec<usize>,
    pub(crate) optimal: Option<bool>,
    pub(crate) lower_bound: Option<u64>,
    pub(crate) sizes: Vec<usize>,
}

impl Choosing {
    /// Some of the tests that cover as much as all, in their order.
    pub(crate) fn choose(&self, matrix: &Matrix) -> Chosen {
        let plain = |kept| Chosen { kept, optimal: None, lower_bound: None, sizes: Vec::new() };
        match self.method {
            Reduction::Greedy => plain(provoke_cover::greedy(matrix)),
            Reduction::Hgs => plain(provoke_cover::hgs(matrix)),
            Reduction::Random => {
                let runs = NonZeroUsize::new(self.repeat as usize).unwrap_or(NonZeroUsize::MIN);
                let distribution = provoke_cover::repeat(matrix, self.seed, runs);
                let sizes = if self.repeat > 1 { distribution.sizes } else { Vec::new() };
                Chosen { sizes, ..plain(distribution.best) }
            }
            Reduction::Exact => {
                let cost = match self.by {
                    Unit::Tests => Cost::Tests,
                    Unit::Steps => Cost::Steps,
                };
                let outcome = provoke_cover::exact(matrix, cost, self.effort);
                Chosen {
                    optimal: Some(outcome.optimal),
                    lower_bound: Some(outcome.lower_bound),
                    ..plain(outcome.kept)
                }
            }
        }
    }

    /// The same, but the first `given` tests stay whatever they cover.
    pub(crate) fn choose_after(&self, given: usize, mut matrix: Matrix) -> Vec<usize> {
        let open = matrix.tests.split_off(given);
        let done = matrix.covered();
        let row = |row: Row| Row::new(row.items() - &done, row.steps());
        let mut chosen = self.choose(&Matrix { tests: open.into_iter().map(row).collect() }).kept;
        chosen.sort_unstable();
        (0..given).chain(chosen.into_iter().map(|test| given + test)).collect()
    }
}
