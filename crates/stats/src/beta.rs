//! The beta distribution: the regularised incomplete beta function and its inverse.

use std::f64::consts::TAU;

use crate::gamma::{deviance, stirling_error};
use crate::invalid::{InvalidArgument, probability, require};

/// Parameters up to here take at most some 10^5 terms.
const LARGEST: f64 = 1e10;

/// The probability that a beta(a, b) variable is at most `x`: I_x(a, b), for a, b up to 1e10.
///
/// The relative error is below 1e-12 while the result is not within 1e-3 of 1 (where that of
/// [`above`] is), for parameters of ½ and more.
pub fn at_most(a: f64, b: f64, x: f64) -> Result<f64, InvalidArgument> {
    parameters(a, b)?;
    probability("x", x)?;
    Ok(tails(a, b, x).0)
}

/// The probability that a beta(a, b) variable is above `x`: 1 - I_x(a, b), computed as such.
pub fn above(a: f64, b: f64, x: f64) -> Result<f64, InvalidArgument> {
    parameters(a, b)?;
    probability("x", x)?;
    Ok(tails(a, b, x).1)
}

/// The `x` with [`at_most`]`(a, b, x) = q`. The relative error is below 1e-12 for a >= 1.
pub fn quantile(a: f64, b: f64, q: f64) -> Result<f64, InvalidArgument> {
    parameters(a, b)?;
    probability("q", q)?;
    Ok(solve(a, b, q, Tail::Lower))
}

/// The `x` with [`above`]`(a, b, x) = q`. The relative error is below 1e-12 for a >= 1.
pub fn upper_quantile(a: f64, b: f64, q: f64) -> Result<f64, InvalidArgument> {
    parameters(a, b)?;
    probability("q", q)?;
    Ok(solve(a, b, q, Tail::Upper))
}

fn parameters(a: f64, b: f64) -> Result<(), InvalidArgument> {
    let positive = |value: f64| value > 0.0 && value <= LARGEST;
    require(positive(a), "a", a, "a positive number up to 1e10")?;
    require(positive(b), "b", b, "a positive number up to 1e10")
}

/// The probabilities at most `x` and above `x`. Whichever is computed as the other's
/// complement is not the small one.
pub(crate) fn tails(a: f64, b: f64, x: f64) -> (f64, f64) {
    if x <= 0.0 {
        return (0.0, 1.0);
    }
    if x >= 1.0 {
        return (1.0, 0.0);
    }
    if x < (a + 1.0) / (a + b + 2.0) {
        let lower = (kernel(a, b, x) / fraction(a, b, x, 1.0 - x)).min(1.0);
        (lower, 1.0 - lower)
    } else {
        let upper = (kernel(a, b, x) / fraction(b, a, 1.0 - x, x)).min(1.0);
        (1.0 - upper, upper)
    }
}

/// x^a (1-x)^b / B(a, b), after Loader: only small quantities are exponentiated.
fn kernel(a: f64, b: f64, x: f64) -> f64 {
    let both = a + b;
    let exponent = stirling_error(both)
        - stirling_error(a)
        - stirling_error(b)
        - deviance(a, both * x)
        - deviance(b, both * (1.0 - x));
    (a / TAU * (b / both)).sqrt() * exponent.exp()
}

/// The continued fraction of the incomplete beta function by Didonato and Morris ("Significant
/// digit computation of the incomplete beta function ratios", 1992), with y = 1 - x, by Lentz's
/// method. It takes about √max(a, b) terms and, unlike the classical one, stays accurate when
/// one parameter is far larger than the other.
fn fraction(a: f64, b: f64, x: f64, y: f64) -> f64 {
    // Never exactly 0, because it is divided by.
    let apart = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let denominator = |m: f64| {
        let first = if m == 0.0 { 0.0 } else { m * (b - m) * x / (a + 2.0 * m - 1.0) };
        let second = (a + m) * (a * y - b * x + 1.0 + m * (1.0 + y)) / (a + 2.0 * m + 1.0);
        m + first + second
    };
    let mut result = apart(denominator(0.0));
    let (mut c, mut d) = (result, 0.0);
    for index in 1..1_000_000 {
        let m = f64::from(index);
        let root = x / (a + 2.0 * m - 1.0);
        let numerator = (a + m - 1.0) * root * (a + b + m - 1.0) * m * (b - m) * root;
        d = 1.0 / apart(denominator(m) + numerator * d);
        c = apart(denominator(m) + numerator / c);
        result *= c * d;
        if (c * d - 1.0).abs() < 1e-15 {
            break;
        }
    }
    result
}

/// Which of the two tails is given.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Tail {
    /// At most.
    Lower,
    /// Above.
    Upper,
}

/// Newton's method on the logarithm of the tail as a function of t = ln x.
///
/// For b >= 1 the density of t is log-concave, hence so are both tails: each step after the
/// first approaches the root from one side. A bracket covers what is left.
pub(crate) fn solve(a: f64, b: f64, q: f64, tail: Tail) -> f64 {
    let sign = if tail == Tail::Lower { 1.0 } else { -1.0 };
    if q == 0.0 || q == 1.0 {
        return if (q == 0.0) == (tail == Tail::Lower) { 0.0 } else { 1.0 };
    }
    let (mut low, mut high) = (0.0, 1.0);
    let mut x = a / (a + b);
    for _ in 0..200 {
        let (lower, upper) = tails(a, b, x);
        let value = if tail == Tail::Lower { lower } else { upper };
        let beyond = sign * (value - q) > 0.0;
        if beyond {
            high = x
        } else {
            low = x
        }
        // The density of t at ln x, relative to the tail.
        let slope = kernel(a, b, x) / (1.0 - x) / value;
        let newton = x * (-sign * (value / q).ln() / slope).exp();
        if (newton - x).abs() <= 1e-15 * x {
            return newton.min(1.0);
        }
        x = if newton > low && newton < high { newton } else { middle(low, high) };
    }
    x
}

/// Between the two, by magnitude when they are of different ones.
fn middle(low: f64, high: f64) -> f64 {
    if low * 4.0 < high && high > 1e-300 {
        (low.max(high * 1e-20) * high).sqrt()
    } else {
        low + (high - low) / 2.0
    }
}
