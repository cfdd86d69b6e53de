//! The permutation test on means.

use provoke_base::Random;

use crate::describe::mean;
use crate::invalid::{InvalidArgument, require, sample};

/// How many divisions of the values into two samples were looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangements {
    /// All of them: the probability is exact.
    All(u64),
    /// That many, at random: the probability is an estimate that is never too small on average.
    Sampled(u64),
}

/// The result of a permutation test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeansTest {
    /// The mean of the first sample minus that of the second.
    pub difference: f64,
    /// The probability of a difference at least as large, in either direction, if both samples
    /// have one distribution.
    pub p_value: f64,
    /// What the probability rests on.
    pub arrangements: Arrangements,
}

/// Up to this many divisions all are tried; two samples of ten have 184,756.
const EXACT_LIMIT: u64 = 500_000;

/// The two-sided permutation test with the difference of means as the statistic: over all
/// divisions of the values if these are at most 500,000, else over `rounds` random ones.
pub fn means_test(
    x: &[f64],
    y: &[f64],
    rounds: u64,
    random: &mut Random,
) -> Result<MeansTest, InvalidArgument> {
    sample("x", x)?;
    sample("y", y)?;
    require(rounds > 0, "rounds", 0.0, "at least one round")?;
    let mut pool = Pool::new(x, y);
    let divisions = divisions(pool.values.len() as u64, pool.count as u64);
    let (p_value, arrangements) = match divisions {
        Some(all) => (pool.extreme_of_all() as f64 / all as f64, Arrangements::All(all)),
        None => {
            let extreme = (0..rounds).filter(|_| pool.is_extreme_at_random(random)).count();
            // The division that was observed counts as one of those drawn, so that the
            // probability is never 0.
            let p_value = (extreme as f64 + 1.0) / (rounds as f64 + 1.0);
            (p_value, Arrangements::Sampled(rounds))
        }
    };
    let difference = mean(x).unwrap_or(0.0) - mean(y).unwrap_or(0.0);
    Ok(MeansTest { difference, p_value, arrangements })
}

/// The ways to choose `k` of `n`, if they are few enough to try them all.
fn divisions(n: u64, k: u64) -> Option<u64> {
    let mut ways: u64 = 1;
    for i in 0..k.min(n - k) {
        ways = ways.checked_mul(n - i)? / (i + 1);
        if ways > EXACT_LIMIT {
            return None;
        }
    }
    Some(ways)
}

/// All values, as distances from their mean. Then the difference of the two means is
/// proportional to the sum of either sample.
struct Pool {
    values: Vec<f64>,
    /// The size of the smaller sample, the one that is chosen.
    count: usize,
    /// Sums of at least this size are as extreme as the one observed.
    bound: f64,
}

impl Pool {
    fn new(x: &[f64], y: &[f64]) -> Pool {
        let (smaller, larger) = if x.len() <= y.len() { (x, y) } else { (y, x) };
        let pooled: Vec<f64> = smaller.iter().chain(larger).copied().collect();
        let centre = mean(&pooled).unwrap_or(0.0);
        let values: Vec<f64> = pooled.iter().map(|value| value - centre).collect();
        let observed: f64 = values[..smaller.len()].iter().sum();
        // Equal sums in another order of addition differ by some rounding.
        let rounding = 1e-12 * values.iter().map(|value| value.abs()).sum::<f64>();
        Pool { values, count: smaller.len(), bound: observed.abs() - rounding }
    }

    fn extreme_of_all(&self) -> u64 {
        let mut chosen: Vec<usize> = (0..self.count).collect();
        let mut extreme = 0;
        loop {
            let sum: f64 = chosen.iter().map(|&at| self.values[at]).sum();
            extreme += u64::from(sum.abs() >= self.bound);
            if !advance(&mut chosen, self.values.len()) {
                return extreme;
            }
        }
    }

    fn is_extreme_at_random(&mut self, random: &mut Random) -> bool {
        for at in 0..self.count {
            let other = at + random.below(self.values.len() - at);
            self.values.swap(at, other);
        }
        self.values[..self.count].iter().sum::<f64>().abs() >= self.bound
    }
}

/// The next choice of positions below `size`, in lexicographic order; false after the last.
fn advance(chosen: &mut [usize], size: usize) -> bool {
    let count = chosen.len();
    let Some(at) = (0..count).rev().find(|&at| chosen[at] < size - count + at) else {
        return false;
    };
    let next = chosen[at] + 1;
    chosen[at..].iter_mut().zip(next..).for_each(|(position, value)| *position = value);
    true
}
