//! What `mutate` says.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::Schema;
use crate::expectations::{ExpectationDifference, ExpectationsResult};
use crate::numbers::NumbersResult;
use crate::word::{MutantWord, StageWord};

/// How many mutants of each kind a suite kills.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Mutate {
    /// The name of the contract.
    pub schema: Schema<Mutate>,
    /// The file's name.
    pub model: String,
    /// The main node.
    #[serde(default)]
    pub main: String,
    /// The SHA-256 of the model's text, which `audit` compares with the file beside it.
    #[serde(default)]
    pub model_sha256: String,
    /// What was assumed beside the model.
    #[serde(default)]
    pub assumptions: Vec<String>,
    /// The machine's numbers that were computed with; absent for exact ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<NumbersResult>,
    /// What keeps proofs of equivalence from holding for every run of that machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers_reason: Option<String>,
    /// What is monitored.
    pub oracle: String,
    /// The names of the monitored variables.
    #[serde(default)]
    pub monitored: Vec<String>,
    /// How many mutants the model has; more than `mutants` if a sample was taken.
    pub all: usize,
    /// How many mutants were looked at.
    pub mutants: usize,
    /// Of these: those that are no programs to be tested.
    pub invalid: usize,
    /// Those that a test kills.
    pub killed: usize,
    /// Those for which it is proven that no test can.
    pub equivalent: usize,
    /// The rest.
    pub survived: usize,
    /// Killed in per cent of those that are valid.
    pub percent: f64,
    /// Killed in per cent of those that are valid and not equivalent.
    pub percent_nonequivalent: f64,
    /// How many tests there are, those that were added included.
    pub tests: usize,
    /// How many steps they have in all.
    pub steps: usize,
    /// How many tests were added.
    pub added: usize,
    /// How long it took.
    pub seconds: f64,
    /// Where the suite was written; empty if it was not.
    pub suite: String,
    /// Whether the user ended it early.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// How many expected values of the tests were compared.
    #[serde(default, skip_serializing_if = "ExpectationsResult::is_empty")]
    pub expectations: ExpectationsResult,
    /// Where tests expect something else than the model computes.
    #[serde(default)]
    pub differences: Vec<ExpectationDifference>,
    /// The same numbers for each operator.
    pub operators: Vec<OperatorResult>,
    /// Each mutant.
    pub results: Vec<MutantResult>,
}

/// All mutants of a model.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Mutants {
    /// The name of the contract.
    pub schema: Schema<Mutants>,
    /// The file's name.
    pub model: String,
    /// How many mutants the model has; more than `mutants` if a sample was taken.
    pub all: usize,
    /// How many are listed.
    pub mutants: usize,
    /// How many of them are no programs to be tested.
    pub invalid: usize,
    /// The same numbers for each operator.
    pub operators: Vec<OperatorResult>,
    /// Each mutant.
    pub results: Vec<MutantResult>,
}

/// What becomes of the mutants of one operator.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Default, Eq)]
pub struct OperatorResult {
    /// The operator.
    pub operator: String,
    /// How many mutants there are.
    pub mutants: usize,
    /// Those that are no programs to be tested.
    pub invalid: usize,
    /// Those that a test kills.
    pub killed: usize,
    /// Those that no test can kill.
    pub equivalent: usize,
    /// The rest.
    pub survived: usize,
}

/// A piece of what a mutant's source reads.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
#[serde(untagged)]
pub enum PieceResult {
    /// What is new.
    New {
        /// The text.
        text: String,
    },
    /// What stays of the model's text.
    Written {
        /// The first byte.
        from: u32,
        /// The byte behind the last one.
        to: u32,
    },
}

/// One mutant.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct MutantResult {
    /// The stable id.
    pub id: String,
    /// The kind of fault.
    pub operator: String,
    /// The line it is on.
    pub line: usize,
    /// The column it starts at.
    pub column: usize,
    /// The line it ends on.
    pub end_line: usize,
    /// The column behind it.
    pub end_column: usize,
    /// The fault in a few words: `line 41: 'and' -> 'or'`.
    pub text: String,
    /// What the source reads at the place instead, all of it; left out if it comes in pieces.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub replacement: String,
    /// The same where the place is long: what is new, and what stays of the model's text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pieces: Vec<PieceResult>,
    /// `invalid`, `killed`, `equivalent` or `survived`; `listed` if nothing was run.
    pub status: MutantWord,
    /// Why it is invalid, what proves it equivalent, or why that is unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The test that kills it first, or that came nearest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// The step of that test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// How far it came if it survived: `not reached`, `reached`, `infected`, `propagated`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<StageWord>,
    /// All tests that kill it, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub killed_by: Option<Vec<String>>,
}
