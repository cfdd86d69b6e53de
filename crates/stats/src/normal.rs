//! The standard normal distribution.

use std::f64::consts::TAU;

use crate::invalid::{InvalidArgument, inside, require};

/// The probability that a standard normal variable is at most `x`. The relative error is
/// below 1e-12, also far out in the lower tail (until the result underflows at x = -38).
pub fn at_most(x: f64) -> Result<f64, InvalidArgument> {
    require(!x.is_nan(), "x", x, "a number")?;
    Ok(cdf(x))
}

/// The `x` with [`at_most`]`(x) = q`, for q between 0 and 1. The relative error is below 1e-12
/// in the lower half; above it, the distance of q from 1 limits what can be known.
pub fn quantile(q: f64) -> Result<f64, InvalidArgument> {
    inside("q", q)?;
    Ok(if q <= 0.5 { lower_quantile(q) } else { -lower_quantile(1.0 - q) })
}

pub(crate) fn cdf(x: f64) -> f64 {
    if x > 0.0 {
        return 1.0 - cdf(-x);
    }
    if x < -40.0 {
        return 0.0;
    }
    if x > -3.0 { 0.5 + density(x) * central_series(x) } else { density(x) * mills_ratio(-x) }
}

fn density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / TAU.sqrt()
}

/// x + x³/3 + x⁵/(3·5) + ...: terms of one sign, so that nothing cancels.
fn central_series(x: f64) -> f64 {
    let (mut sum, mut term) = (x, x);
    for odd in (3..).step_by(2) {
        term *= x * x / f64::from(odd);
        let next = sum + term;
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

/// The upper tail divided by the density, for x >= 3: 1/(x + 1/(x + 2/(x + 3/(x + ...)))),
/// from the inside; at x = 3 a hundred levels are plenty.
fn mills_ratio(x: f64) -> f64 {
    1.0 / (1..=100).rev().fold(x, |inner, level| x + f64::from(level) / inner)
}

/// Newton's method on ln Φ, which is concave: every step ends left of the root, and from there
/// the steps only grow.
fn lower_quantile(q: f64) -> f64 {
    let mut x = -(-2.0 * q.ln()).sqrt();
    for _ in 0..50 {
        let value = cdf(x);
        let step = (value / q).ln() * value / density(x);
        x -= step;
        if step.abs() <= 1e-15 * x.abs() {
            break;
        }
    }
    x
}
