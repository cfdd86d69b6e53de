//! The rank-sum test of Mann and Whitney (1947), also Wilcoxon's (1945).

use crate::invalid::{InvalidArgument, require, sample};
use crate::normal;

/// What the null hypothesis, that both samples have one distribution, is tested against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alternative {
    /// Values of the first sample tend to be smaller.
    Less,
    /// Values of the first sample tend to be larger.
    Greater,
    /// Either.
    TwoSided,
}

/// How the probability was computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankMethod {
    /// Over all divisions of the pooled values into two samples.
    Exact,
    /// By the normal distribution, corrected for ties and for continuity.
    Normal,
}

/// The result of a rank-sum test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankTest {
    /// The pairs in which the value of the first sample is the larger one; ties count half.
    pub u: f64,
    /// `u` as a share of all pairs: how probably a value of the first sample exceeds one of the
    /// second (Vargha and Delaney's A).
    pub superiority: f64,
    /// The probability of such a `u`, or one more extreme, under the null hypothesis.
    pub p_value: f64,
    /// How it was computed.
    pub method: RankMethod,
}

/// Samples up to this size are tested exactly, if no values are equal; as in R.
const EXACT_SIZE: usize = 50;

/// Pooled samples beyond this size are not tested exactly, even if asked for.
const EXACT_LIMIT: usize = 200;

/// Tests whether one sample tends to larger values than the other: exactly for samples of up to
/// 50 different values, else by the normal distribution; the relative error of either
/// computation is below 1e-11.
pub fn mann_whitney(
    x: &[f64],
    y: &[f64],
    alternative: Alternative,
) -> Result<RankTest, InvalidArgument> {
    let small = x.len() <= EXACT_SIZE && y.len() <= EXACT_SIZE;
    let method = match small && Ranks::of(x, y)?.ties == 0.0 {
        true => RankMethod::Exact,
        false => RankMethod::Normal,
    };
    mann_whitney_by(method, x, y, alternative)
}

/// The same by a given method. The exact one also allows equal values, and up to 200 values
/// in all.
pub fn mann_whitney_by(
    method: RankMethod,
    x: &[f64],
    y: &[f64],
    alternative: Alternative,
) -> Result<RankTest, InvalidArgument> {
    let ranks = Ranks::of(x, y)?;
    let (n, m) = (x.len() as f64, y.len() as f64);
    let u = ranks.sum() as f64 / 2.0 - n * (n + 1.0) / 2.0;
    let p_value = match method {
        RankMethod::Normal => normal_p_value(u, n, m, ranks.ties, alternative),
        RankMethod::Exact => {
            let size = ranks.doubled.len();
            let expected = "at most 200 values for the exact test";
            require(size <= EXACT_LIMIT, "values", size as f64, expected)?;
            choose(ranks.tails(), alternative)
        }
    };
    Ok(RankTest { u, superiority: u / (n * m), p_value, method })
}

fn choose((less, greater): (f64, f64), alternative: Alternative) -> f64 {
    match alternative {
        Alternative::Less => less.min(1.0),
        Alternative::Greater => greater.min(1.0),
        Alternative::TwoSided => (2.0 * less.min(greater)).min(1.0),
    }
}

fn normal_p_value(u: f64, n: f64, m: f64, ties: f64, alternative: Alternative) -> f64 {
    let size = n + m;
    let variance = n * m / 12.0 * (size + 1.0 - ties / (size * (size - 1.0)));
    if variance <= 0.0 {
        // All values are equal: nothing can be more extreme.
        return 1.0;
    }
    let (off, deviation) = (u - n * m / 2.0, variance.sqrt());
    match alternative {
        Alternative::Less => normal::cdf((off + 0.5) / deviation),
        Alternative::Greater => normal::cdf(-(off - 0.5) / deviation),
        Alternative::TwoSided => (2.0 * normal::cdf(-(off.abs() - 0.5) / deviation)).min(1.0),
    }
}

/// The ranks of the pooled values.
struct Ranks {
    /// Twice the rank of each value, first sample first; equal values share the mean rank.
    doubled: Vec<usize>,
    /// The size of the first sample.
    first: usize,
    /// The sum of t³ - t over groups of t equal values.
    ties: f64,
}

impl Ranks {
    fn of(x: &[f64], y: &[f64]) -> Result<Ranks, InvalidArgument> {
        sample("x", x)?;
        sample("y", y)?;
        let pooled: Vec<f64> = x.iter().chain(y).copied().collect();
        let mut order: Vec<usize> = (0..pooled.len()).collect();
        order.sort_by(|&a, &b| pooled[a].total_cmp(&pooled[b]));
        let mut ranks = Ranks { doubled: vec![0; pooled.len()], first: x.len(), ties: 0.0 };
        let mut before = 0;
        // `==` and not the total order: 0 and -0 are equal values.
        for group in order.chunk_by(|&a, &b| pooled[a] == pooled[b]) {
            // The mean of before + 1, ..., before + t, twice.
            group.iter().for_each(|&at| ranks.doubled[at] = 2 * before + group.len() + 1);
            before += group.len();
            let t = group.len() as f64;
            ranks.ties += t * t * t - t;
        }
        Ok(ranks)
    }

    /// Twice the sum of the first sample's ranks.
    fn sum(&self) -> usize {
        self.doubled[..self.first].iter().sum()
    }

    /// The probabilities of a rank sum at most, and at least, the present one when each choice
    /// of the first sample is as likely as any other.
    fn tails(&self) -> (f64, f64) {
        // Without ties the doubled ranks are all even.
        let unit = if self.ties == 0.0 { 2 } else { 1 };
        let ranks: Vec<usize> = self.doubled.iter().map(|rank| rank / unit).collect();
        let sums = sums_of_choices(&ranks, self.first);
        let present = self.sum() / unit;
        (sums[..=present].iter().sum(), sums[present..].iter().sum())
    }
}

/// The distribution of the sum of `count` numbers, chosen from `numbers` at random.
fn sums_of_choices(numbers: &[usize], count: usize) -> Vec<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    let most: usize = sorted.iter().rev().take(count).sum();
    // By how many were chosen so far, and their sum.
    let mut chances = vec![vec![0.0; most + 1]; count + 1];
    chances[0][0] = 1.0;
    for (seen, &number) in sorted.iter().enumerate() {
        let left = sorted.len() - seen;
        for chosen in (0..=count.min(seen)).rev() {
            // The next one is chosen as often as places are free among the numbers left.
            let taken = (count - chosen) as f64 / left as f64;
            let (kept, raised) = chances.split_at_mut(chosen + 1);
            let kept = &mut kept[chosen];
            if let Some(raised) = raised.first_mut() {
                let targets = raised.get_mut(number..).unwrap_or_default();
                targets.iter_mut().zip(&*kept).for_each(|(to, from)| *to += taken * from);
            }
            let stays = (left + chosen).saturating_sub(count) as f64 / left as f64;
            kept.iter_mut().for_each(|chance| *chance *= stays);
        }
    }
    chances.pop().unwrap_or_default()
}
