//! The logarithm of the gamma function, and what is left of it without its main term.

use std::f64::consts::TAU;

use crate::invalid::{InvalidArgument, require};

/// From here on the asymptotic series is exact to the last digit.
const ASYMPTOTIC: f64 = 10.0;

/// ln Γ(x) for x > 0. The error is below 1e-14, or 1e-14 of the value where that is more.
pub fn ln_gamma(x: f64) -> Result<f64, InvalidArgument> {
    require(x > 0.0 && x.is_finite(), "x", x, "a positive number")?;
    Ok(ln_gamma_positive(x))
}

/// ln of the number of ways to choose `k` of `n`; k above n has no way, which is -∞. The error
/// is below 1e-13, or 1e-15 of ln n! where that is more.
pub fn ln_choose(n: u64, k: u64) -> f64 {
    if k > n {
        return f64::NEG_INFINITY;
    }
    let ln_factorial = |count: u64| ln_gamma_positive(count as f64 + 1.0);
    ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k)
}

fn ln_gamma_positive(x: f64) -> f64 {
    let (mut shifted, mut product) = (x, 1.0);
    while shifted < ASYMPTOTIC {
        product *= shifted;
        shifted += 1.0;
    }
    stirling(shifted) + series(shifted) - product.ln()
}

/// ln Γ(x) minus Stirling's formula for it, for x > 0; the error is below 1e-14.
///
/// In ratios of gamma functions the large parts cancel, and with them the leading digits.
/// This small part remains (Loader, "Fast and accurate computation of binomial
/// probabilities", 2000).
pub(crate) fn stirling_error(x: f64) -> f64 {
    if x >= ASYMPTOTIC { series(x) } else { ln_gamma_positive(x) - stirling(x) }
}

/// Stirling's formula for ln Γ(x).
fn stirling(x: f64) -> f64 {
    (x - 0.5) * x.ln() - x + 0.5 * TAU.ln()
}

/// What Stirling's formula leaves out, for x >= 10: the Bernoulli numbers B(2i) / 2i(2i - 1).
fn series(x: f64) -> f64 {
    const TERMS: [f64; 8] = [
        1.0 / 12.0,
        -1.0 / 360.0,
        1.0 / 1260.0,
        -1.0 / 1680.0,
        1.0 / 1188.0,
        -691.0 / 360_360.0,
        1.0 / 156.0,
        -3617.0 / 122_400.0,
    ];
    let square = 1.0 / (x * x);
    TERMS.iter().rev().fold(0.0, |sum, term| sum * square + term) / x
}

/// x ln(x / m) + m - x: how far `x` is from its mean `m`, without cancellation when they are
/// close.
pub(crate) fn deviance(x: f64, mean: f64) -> f64 {
    let difference = x - mean;
    if difference.abs() >= 0.1 * (x + mean) {
        return if x > 0.0 { x * (x / mean).ln() - difference } else { mean };
    }
    // With v = (x - m) / (x + m): ln(x / m) = 2 (v + v³/3 + v⁵/5 + ...).
    let v = difference / (x + mean);
    let (mut sum, mut term) = (difference * v, 2.0 * x * v);
    for odd in (3..).step_by(2) {
        term *= v * v;
        let next = sum + term / f64::from(odd);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}
