//! How the sizes of randomly reduced suites are distributed.

use std::num::NonZeroUsize;

use super::matrix::ReductionMatrix;
use super::random::random;

/// The sizes, in tests, of the suites that repeated random reduction gave.
#[derive(Clone, PartialEq, Debug)]
pub struct Distribution {
    /// The sizes, ascending.
    pub sizes: Vec<usize>,
    /// The smallest.
    pub min: usize,
    /// The middle one, or the mean of the two in the middle.
    pub median: f64,
    /// The mean.
    pub mean: f64,
    /// The largest.
    pub max: usize,
    /// The first of the smallest suites.
    pub best: Vec<usize>,
}

/// Reduces at random `runs` times, with the seeds from `seed` on, so that each run can be
/// repeated alone by [`random`].
pub fn repeat(matrix: &ReductionMatrix, seed: u64, runs: NonZeroUsize) -> Distribution {
    let seeds = (0..runs.get() as u64).map(|run| seed.wrapping_add(run));
    let mut suites: Vec<Vec<usize>> = seeds.map(|seed| random(matrix, seed)).collect();
    // The sort is stable: of equally small suites the first stays the first.
    suites.sort_by_key(Vec::len);
    let sizes: Vec<usize> = suites.iter().map(Vec::len).collect();
    Distribution {
        min: sizes[0],
        median: median(&sizes),
        mean: sizes.iter().sum::<usize>() as f64 / sizes.len() as f64,
        max: sizes[sizes.len() - 1],
        best: suites.swap_remove(0),
        sizes,
    }
}

fn median(sorted: &[usize]) -> f64 {
    let (low, high) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
    (low + high) as f64 / 2.0
}
