//! Intervals for a probability, from `k` successes in `n` trials, n fixed beforehand.

use crate::beta::{self, Tail};
use crate::invalid::{InvalidArgument, inside, successes};
use crate::normal;

/// An interval of probabilities, ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfidenceInterval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl ConfidenceInterval {
    /// Everything that a probability can be.
    pub const ALL: ConfidenceInterval = ConfidenceInterval { low: 0.0, high: 1.0 };

    /// From one end to the other.
    pub fn width(&self) -> f64 {
        self.high - self.low
    }

    /// The point in the middle.
    pub fn centre(&self) -> f64 {
        (self.low + self.high) / 2.0
    }

    /// Whether `p` is inside.
    pub fn contains(&self, p: f64) -> bool {
        self.low <= p && p <= self.high
    }

    /// Whether the two have a point in common.
    pub fn overlaps(&self, other: &ConfidenceInterval) -> bool {
        self.low <= other.high && other.low <= self.high
    }

    fn clipped(low: f64, high: f64) -> ConfidenceInterval {
        ConfidenceInterval { low: low.max(0.0), high: high.min(1.0) }
    }
}

/// The interval of Clopper and Pearson (1934): it contains the probability in at least
/// 1 - alpha of all cases, whatever the probability is. The relative error of both ends is
/// below 1e-11 for n up to 10^6. No trials say nothing.
pub fn clopper_pearson(k: u64, n: u64, alpha: f64) -> Result<ConfidenceInterval, InvalidArgument> {
    counts(k, n, alpha)?;
    Ok(exact(k, n, alpha / 2.0))
}

/// The probabilities under which neither `k` or fewer nor `k` or more successes are rarer than
/// `tail`.
pub(crate) fn exact(k: u64, n: u64, tail: f64) -> ConfidenceInterval {
    if n == 0 {
        return ConfidenceInterval::ALL;
    }
    let (hits, misses) = (k as f64, (n - k) as f64);
    // x^n = tail, and (1 - x)^n = tail, have closed forms.
    let root = tail.ln() / n as f64;
    let low = match k {
        0 => 0.0,
        _ if k == n => root.exp(),
        _ => beta::solve(hits, misses + 1.0, tail, Tail::Lower),
    };
    let high = match k {
        0 => -root.exp_m1(),
        _ if k == n => 1.0,
        _ => beta::solve(hits + 1.0, misses, tail, Tail::Upper),
    };
    ConfidenceInterval { low, high }
}

/// The score interval of Wilson (1927): it contains the probability in about 1 - alpha of all
/// cases, and is reliable for few trials. The error of the ends is below 1e-14.
pub fn wilson(k: u64, n: u64, alpha: f64) -> Result<ConfidenceInterval, InvalidArgument> {
    counts(k, n, alpha)?;
    if n == 0 {
        return Ok(ConfidenceInterval::ALL);
    }
    let z = normal::quantile(alpha / 2.0)?;
    let (hits, misses, all) = (k as f64, (n - k) as f64, n as f64);
    let spread = -z * (hits * misses / all + z * z / 4.0).sqrt();
    let centre = hits + z * z / 2.0;
    Ok(ConfidenceInterval::clipped(
        (centre - spread) / (all + z * z),
        (centre + spread) / (all + z * z),
    ))
}

/// The frequency plus and minus what Hoeffding's inequality (1963) allows: it contains the
/// probability in at least 1 - alpha of all cases, and is wider than need be.
pub fn hoeffding(k: u64, n: u64, alpha: f64) -> Result<ConfidenceInterval, InvalidArgument> {
    counts(k, n, alpha)?;
    if n == 0 {
        return Ok(ConfidenceInterval::ALL);
    }
    let half = ((2.0 / alpha).ln() / (2.0 * n as f64)).sqrt();
    let frequency = k as f64 / n as f64;
    Ok(ConfidenceInterval::clipped(frequency - half, frequency + half))
}

/// The trials after which the frequency is within `epsilon` of the probability in at least
/// 1 - alpha of all cases, whatever the probability is (the Chernoff-Hoeffding bound).
pub fn hoeffding_runs(epsilon: f64, alpha: f64) -> Result<u64, InvalidArgument> {
    inside("epsilon", epsilon)?;
    inside("alpha", alpha)?;
    Ok(((2.0 / alpha).ln() / (2.0 * epsilon * epsilon)).ceil() as u64)
}

fn counts(k: u64, n: u64, alpha: f64) -> Result<(), InvalidArgument> {
    successes(k, n)?;
    inside("alpha", alpha)
}
