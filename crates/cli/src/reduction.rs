//! Which tests of a suite stay, for `reduce` and `generate` alike.

use std::num::NonZeroUsize;

use provoke_suite::reduce::{self, Cost, Matrix, Row};

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
            Reduction::Greedy => plain(reduce::greedy(matrix)),
            Reduction::Hgs => plain(reduce::hgs(matrix)),
            Reduction::Random => {
                let runs = NonZeroUsize::new(self.repeat as usize).unwrap_or(NonZeroUsize::MIN);
                let distribution = reduce::repeat(matrix, self.seed, runs);
                let sizes = if self.repeat > 1 { distribution.sizes } else { Vec::new() };
                Chosen { sizes, ..plain(distribution.best) }
            }
            Reduction::Exact => {
                let cost = match self.by {
                    Unit::Tests => Cost::Tests,
                    Unit::Steps => Cost::Steps,
                };
                let outcome = reduce::exact(matrix, cost, self.effort);
                Chosen {
                    optimal: Some(outcome.optimal),
                    lower_bound: Some(outcome.lower_bound),
                    ..plain(outcome.kept)
                }
            }
        }
    }

    /// The same, but the first `given` tests stay whatever they cover.
    pub(crate) fn choose_after(&self, given: usize, rows: &[(Vec<usize>, usize)]) -> Vec<usize> {
        let (kept, open) = rows.split_at(given);
        let mut done: Vec<usize> = kept.iter().flat_map(|(covers, _)| covers).copied().collect();
        done.sort_unstable();
        let is_open = |item: &usize| done.binary_search(item).is_err();
        let row = |(covers, steps): &(Vec<usize>, usize)| {
            (covers.iter().copied().filter(is_open).collect(), *steps)
        };
        let open: Vec<(Vec<usize>, usize)> = open.iter().map(row).collect();
        let mut chosen = self.choose(&table(open)).kept;
        chosen.sort_unstable();
        (0..given).chain(chosen.into_iter().map(|test| given + test)).collect()
    }
}

/// What each test covers and how many steps it has, as a matrix.
pub(crate) fn table(rows: Vec<(Vec<usize>, usize)>) -> Matrix {
    let row = |(covered, steps): (Vec<usize>, usize)| {
        Row::new(covered.into_iter().map(|item| item as u32).collect(), steps as u32)
    };
    Matrix { tests: rows.into_iter().map(row).collect() }
}
