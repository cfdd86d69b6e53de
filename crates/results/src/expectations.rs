//! What became of the expected values that users write into their tests.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many expected values were compared with what the model computes.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Copy, Eq, Default)]
pub struct ExpectationsResult {
    /// Those that the model has a value for.
    pub compared: usize,
    /// Those that the model leaves undefined: any value would be right.
    pub undefined: usize,
    /// Those of steps that are in no run, because the test has left the assumptions.
    pub outside: usize,
}

impl ExpectationsResult {
    /// Whether the tests expect nothing.
    pub fn is_empty(&self) -> bool {
        *self == ExpectationsResult::default()
    }
}

/// An expected value that is not the one that the model computes.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Eq)]
pub struct ExpectationDifference {
    /// The test's name.
    pub test: String,
    /// The step, counted from 1.
    pub step: usize,
    /// The variable's name.
    pub variable: String,
    /// What the test expects.
    pub expected: String,
    /// What the model computes.
    pub computed: String,
}
