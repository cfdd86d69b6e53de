//! The least cost: simplification, then branch and bound on each independent part.
//!
//! A search of our own rather than a SAT solver: on random matrices of 500 tests and 300 items
//! the Lagrangian bound reaches the linear relaxation in milliseconds, from which core-guided
//! search with cardinality encodings was mostly far after 10 seconds.

mod bound;
mod cover;
mod deepen;
mod local;
mod problem;
mod search;
mod simplify;
mod split;

use super::greedy::greedy;
use super::hgs::hgs;
use super::matrix::{ReductionMatrix, Row};
use deepen::least;
use problem::Problem;
use simplify::simplify;
use split::split;

/// What a reduction is to make small.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cost {
    /// The number of tests.
    Tests,
    /// The number of steps of all tests together.
    Steps,
}

impl Cost {
    /// What keeping a test costs.
    pub fn of(self, row: &Row) -> u64 {
        match self {
            Cost::Tests => 1,
            Cost::Steps => row.steps().into(),
        }
    }
}

/// An effort that takes some seconds when it is needed to the full.
pub const DEFAULT_EFFORT: u64 = 1000;

/// How many entries of matrices one unit of effort reads.
const ENTRIES: u64 = 1_000_000;

/// The tests that were kept, and how good that is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Minimum {
    /// The tests' positions, ascending.
    pub kept: Vec<usize>,
    /// Whether no choice costs less.
    pub optimal: bool,
    /// No choice costs less than this.
    pub lower_bound: u64,
    /// What the kept tests cost.
    pub cost: u64,
}

/// Keeps the tests that cost least together. The search stops after `effort`, counted in
/// millions of matrix entries read, so that the same effort gives the same answer everywhere;
/// what was found by then is returned with the bound that was proven by then.
pub fn exact(matrix: &ReductionMatrix, cost: Cost, effort: u64) -> Minimum {
    let unit = common_unit(matrix, cost);
    let simplified = simplify(Problem::of(matrix, |row| cost.of(row) / unit));
    let (mut kept, mut lower) = (simplified.chosen.origins, simplified.chosen.cost);
    let mut left = effort.saturating_mul(ENTRIES);
    let parts = split(simplified.rest);
    let waiting = (1..=parts.len() as u64).rev();
    for (part, waiting) in parts.into_iter().zip(waiting) {
        // The smallest come first, so what they do not use goes to those that need it.
        let share = left / waiting;
        let answer = least(part, share);
        left -= share - answer.left;
        lower += answer.lower;
        kept.extend(answer.cover.origins);
    }
    outcome(matrix, cost, kept, lower * unit)
}

fn outcome(matrix: &ReductionMatrix, cost: Cost, found: Vec<usize>, lower_bound: u64) -> Minimum {
    let cost = |kept: &Vec<usize>| kept.iter().map(|&test| cost.of(&matrix.tests[test])).sum();
    // With little effort on a large matrix the heuristics may be ahead.
    let candidates = [matrix.checked(found), greedy(matrix), hgs(matrix)];
    let kept = candidates.into_iter().min_by_key(&cost).unwrap_or_default();
    let cost: u64 = cost(&kept);
    assert!(lower_bound <= cost, "a bound of {lower_bound} above a cost of {cost}");
    Minimum { kept, optimal: lower_bound == cost, lower_bound, cost }
}

/// The greatest number that divides all costs: tests of equal length cost one unit each, and
/// bounds are rounded up to whole units.
fn common_unit(matrix: &ReductionMatrix, cost: Cost) -> u64 {
    matrix.tests.iter().map(|row| cost.of(row)).fold(0, greatest_divisor).max(1)
}

fn greatest_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}
