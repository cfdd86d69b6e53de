//! The binomial distribution: `k` successes in `n` independent trials with probability `p`.

use std::f64::consts::TAU;

use crate::beta;
use crate::gamma::{deviance, stirling_error};
use crate::invalid::{InvalidArgument, probability, successes};

/// ln of the probability of exactly `k` successes. The error is below 1e-12 near the mean, and
/// 1e-14 of the value far from it.
pub fn ln_pmf(k: u64, n: u64, p: f64) -> Result<f64, InvalidArgument> {
    check(k, n, p)?;
    let (hits, misses, all) = (k as f64, (n - k) as f64, n as f64);
    if k == 0 || k == n {
        // 0 ln 0 is 0 here.
        let hit = if k == 0 { 0.0 } else { hits * p.ln() };
        let miss = if k == n { 0.0 } else { misses * (-p).ln_1p() };
        return Ok(hit + miss);
    }
    if p == 0.0 || p == 1.0 {
        return Ok(f64::NEG_INFINITY);
    }
    let correction = stirling_error(all) - stirling_error(hits) - stirling_error(misses);
    let distance = deviance(hits, all * p) + deviance(misses, all * (1.0 - p));
    Ok(correction - distance - 0.5 * (TAU * hits * (misses / all)).ln())
}

/// The probability of exactly `k` successes; relative error as [`ln_pmf`]'s error.
pub fn pmf(k: u64, n: u64, p: f64) -> Result<f64, InvalidArgument> {
    ln_pmf(k, n, p).map(f64::exp)
}

/// The probability of at most `k` successes; the relative error is below 1e-11 for n up to
/// 10^6.
pub fn at_most(k: u64, n: u64, p: f64) -> Result<f64, InvalidArgument> {
    check(k, n, p)?;
    if k == n {
        return Ok(1.0);
    }
    Ok(beta::tails(k as f64 + 1.0, (n - k) as f64, p).1)
}

/// The probability of at least `k` successes; the relative error is below 1e-11 for n up to
/// 10^6.
pub fn at_least(k: u64, n: u64, p: f64) -> Result<f64, InvalidArgument> {
    check(k, n, p)?;
    if k == 0 {
        return Ok(1.0);
    }
    Ok(beta::tails(k as f64, (n - k) as f64 + 1.0, p).0)
}

fn check(k: u64, n: u64, p: f64) -> Result<(), InvalidArgument> {
    successes(k, n)?;
    probability("p", p)
}
