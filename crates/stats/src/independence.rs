//! Whether consecutive observations have to do with each other.

use crate::describe::mean;
use crate::gamma::ln_choose;
use crate::invalid::{InvalidArgument, require};

/// The correlation of each value with the next one, from -1 to 1; about 0, give or take 2/√n,
/// for independent values. None for fewer than two values, or if all are equal.
pub fn autocorrelation(values: &[f64]) -> Option<f64> {
    let centre = mean(values)?;
    let variation: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    let common: f64 = values.windows(2).map(|pair| (pair[0] - centre) * (pair[1] - centre)).sum();
    (values.len() >= 2 && variation > 0.0).then(|| common / variation)
}

/// The result of a runs test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunsTest {
    /// The maximal sequences of equal outcomes.
    pub runs: u64,
    /// The number expected of independent outcomes.
    pub expected: f64,
    /// The probability of so few runs, or fewer: small if equal outcomes cluster.
    pub at_most: f64,
    /// The probability of so many runs, or more: small if outcomes alternate.
    pub at_least: f64,
    /// The probability of a number so far off, in either direction.
    pub p_value: f64,
}

/// The runs test of Wald and Wolfowitz (1940): given how many outcomes were true, is their order
/// random? Exact for any number of outcomes; the relative error is below 1e-9 for a million.
/// Outcomes that are all alike have one run, whatever their order: a probability of 1.
pub fn runs_test(outcomes: &[bool]) -> Result<RunsTest, InvalidArgument> {
    require(!outcomes.is_empty(), "outcomes", 0.0, "at least one outcome")?;
    let size = outcomes.len() as u64;
    let ones = outcomes.iter().filter(|&&outcome| outcome).count() as u64;
    let zeros = size - ones;
    let runs = 1 + outcomes.windows(2).filter(|pair| pair[0] != pair[1]).count() as u64;
    let expected = 1.0 + 2.0 * ones as f64 * zeros as f64 / size as f64;
    if ones == 0 || zeros == 0 {
        return Ok(RunsTest { runs, expected, at_most: 1.0, at_least: 1.0, p_value: 1.0 });
    }
    let most = (2 * ones.min(zeros) + 1).min(size);
    let chance = |count: u64| chance_of_runs(count, ones, zeros);
    let at_most: f64 = (2..=runs).map(chance).sum::<f64>().min(1.0);
    // From the far end, where the terms are small.
    let at_least: f64 = (runs..=most).rev().map(chance).sum::<f64>().min(1.0);
    let p_value = (2.0 * at_most.min(at_least)).min(1.0);
    Ok(RunsTest { runs, expected, at_most, at_least, p_value })
}

/// The probability of exactly that many runs, 2 or more: each kind of outcome is divided into
/// its share of the runs, which alternate.
fn chance_of_runs(runs: u64, ones: u64, zeros: u64) -> f64 {
    let divide = |outcomes: u64, parts: u64| ln_choose(outcomes - 1, parts - 1);
    let all = ln_choose(ones + zeros, ones);
    let ways =
        |of_ones: u64, of_zeros: u64| (divide(ones, of_ones) + divide(zeros, of_zeros) - all).exp();
    let half = runs / 2;
    if runs.is_multiple_of(2) {
        2.0 * ways(half, half)
    } else {
        ways(half, half + 1) + ways(half + 1, half)
    }
}
