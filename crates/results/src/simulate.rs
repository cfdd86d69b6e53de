//! What `simulate` found.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::Schema;
use crate::suite::SuiteResult;
use crate::word::BreachWord;

/// The runs of a model.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Simulate {
    /// The name of the contract.
    pub schema: Schema<Simulate>,
    /// The file's name.
    pub model: String,
    /// How many steps were done in all.
    pub steps: usize,
    /// The runs, one for each test.
    pub tests: Vec<TestRun>,
    /// How many values were compared with expected ones.
    pub compared: usize,
    /// How many of those were undefined, which matches anything.
    pub undefined: usize,
    /// Where values differ from the expected ones.
    pub differences: Vec<Difference>,
    /// Columns that name no variable.
    pub ignored: Vec<String>,
    /// The inputs and the shown variables, as a suite.
    pub suite: SuiteResult,
}

/// One run from the initial state.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct TestRun {
    /// The test's name.
    pub name: String,
    /// Promises that did not hold.
    pub breaches: Vec<BreachResult>,
    /// Why the run ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<FaultResult>,
}

/// A promise that did not hold at a step.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct BreachResult {
    /// The step, counted from 1.
    pub step: usize,
    /// What was promised.
    pub kind: BreachWord,
    /// The text of the assumption, or the variable.
    pub what: String,
    /// Where it is written.
    pub line: usize,
}

/// A computation without a value.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct FaultResult {
    /// The step, counted from 1.
    pub step: usize,
    /// What went wrong.
    pub message: String,
    /// The expression.
    pub expression: String,
    /// The line it is on.
    pub line: usize,
    /// The column it starts at.
    pub column: usize,
}

/// A value that is not the expected one.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Difference {
    /// The test's name.
    pub test: String,
    /// The step, counted from 1.
    pub step: usize,
    /// The variable's name.
    pub variable: String,
    /// What was expected.
    pub expected: String,
    /// What the model gives.
    pub found: String,
}
