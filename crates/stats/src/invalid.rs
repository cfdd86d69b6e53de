//! Arguments that a function cannot be asked about.

use std::fmt;

/// An argument outside the domain of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct InvalidArgument {
    /// The argument's name.
    pub argument: &'static str,
    /// What was given.
    pub found: f64,
    /// What it has to be.
    pub expected: &'static str,
}

impl fmt::Display for InvalidArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}, expected {}", self.argument, self.found, self.expected)
    }
}

impl std::error::Error for InvalidArgument {}

/// Refuses `found` unless the condition holds.
pub(crate) fn require(
    holds: bool,
    argument: &'static str,
    found: f64,
    expected: &'static str,
) -> Result<(), InvalidArgument> {
    if holds { Ok(()) } else { Err(InvalidArgument { argument, found, expected }) }
}

/// A probability, 0 and 1 included.
pub(crate) fn probability(argument: &'static str, found: f64) -> Result<(), InvalidArgument> {
    require((0.0..=1.0).contains(&found), argument, found, "a number from 0 to 1")
}

/// A probability of error, or a width: neither 0 nor 1.
pub(crate) fn inside(argument: &'static str, found: f64) -> Result<(), InvalidArgument> {
    require(found > 0.0 && found < 1.0, argument, found, "a number between 0 and 1")
}

/// Successes among trials.
pub(crate) fn successes(k: u64, n: u64) -> Result<(), InvalidArgument> {
    require(k <= n, "k", k as f64, "at most n successes in n trials")
}

/// A sample: at least one value, all of them finite.
pub(crate) fn sample(argument: &'static str, values: &[f64]) -> Result<(), InvalidArgument> {
    require(!values.is_empty(), argument, 0.0, "at least one value")?;
    match values.iter().find(|value| !value.is_finite()) {
        Some(&found) => Err(InvalidArgument { argument, found, expected: "finite values" }),
        None => Ok(()),
    }
}
