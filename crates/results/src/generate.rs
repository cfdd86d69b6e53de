//! What `generate` says.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::Schema;
use crate::prove::{PropertiesResult, PropertyResult};
use crate::word::{
    ExactWord, KindWord, MethodWord, ReductionWord, SolverWord, SourceWord, VerdictWord,
};

/// Tests for a criterion, and what is known of every obligation.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Generate {
    /// The name of the contract.
    pub schema: Schema<Generate>,
    /// The file's name.
    pub model: String,
    /// The criteria, separated by commas; `property` for the model's own properties in `prove`.
    pub criterion: String,
    /// How tests were searched for.
    pub method: MethodWord,
    /// What was changed to see whether it matters, `step` or `stuck`; absent if tags decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<ExactWord>,
    /// Which solver answered: `z3`, `yices`, `portfolio`, or `none`.
    pub solver: SolverWord,
    /// What was assumed beside the model, in the user's words.
    pub assumptions: Vec<String>,
    /// What became of the obligations; properties are none.
    pub obligations: TotalsResult,
    /// What became of the properties; absent if they were not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub properties: Option<PropertiesResult>,
    /// How many tests there are.
    pub tests: usize,
    /// How many there were before the suite was made smaller without loss.
    pub tests_before_reduction: usize,
    /// How it was made smaller: `none`, `random`, `greedy`, `hgs` or `exact`.
    pub reduction: ReductionWord,
    /// How many steps they have in all.
    pub steps: usize,
    /// What each source of tests contributed; those that gave none are left out.
    pub sources: Vec<SourceResult>,
    /// How long it took.
    pub seconds: f64,
    /// Whether the user ended it early.
    pub interrupted: bool,
    /// Where the suite is written; empty if it is not.
    pub suite: String,
    /// What became of each obligation.
    pub verdicts: Vec<VerdictResult>,
}

/// How many obligations there are of each kind.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Copy, Eq, Default)]
pub struct TotalsResult {
    /// All.
    pub total: usize,
    /// Covered by a test that was replayed and measured.
    pub covered: usize,
    /// Proven: no test of any length can cover them.
    pub infeasible: usize,
    /// Neither.
    pub unknown: usize,
    /// Left out, for a reason that the user gave.
    pub excluded: usize,
}

/// What a source of tests contributed.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Copy, Eq)]
pub struct SourceResult {
    /// `given`, `simulation`, `incremental`, `archive` or `search`.
    pub source: SourceWord,
    /// How many tests came from it.
    pub tests: usize,
    /// How many steps they have in all.
    pub steps: usize,
    /// How many obligations they were the first to cover.
    pub covered: usize,
}

/// What became of one obligation.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct VerdictResult {
    /// The obligation.
    pub id: String,
    /// What it is about: `condition`, `decision`, `branch` or `property`.
    pub kind: KindWord,
    /// `covered`, `infeasible`, `unknown` or `excluded`; a property is `violated` instead of
    /// covered, and `holds` instead of being infeasible.
    pub verdict: VerdictWord,
    /// The test that covers it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// What is undefined and has to have these values for the test to break the property;
    /// absent if it breaks it whatever they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undefined: Vec<UndefinedResult>,
    /// The engine that proved that no test can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The depth of that induction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k: Option<usize>,
    /// How many lemmas it stands on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lemmas: Option<usize>,
    /// Why neither is known, or why it is excluded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// In this many first steps it cannot be covered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
    /// What else there is to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What a property says, and where it is violated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<PropertyResult>,
}

/// A `pre` that has no value in the first step, and one that it may have.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Eq)]
pub struct UndefinedResult {
    /// The text of the expression.
    pub expression: String,
    /// The variable whose definition it is part of, with the path of its instance.
    pub variable: String,
    /// Where it is written.
    pub line: usize,
    /// Where in the line.
    pub column: usize,
    /// The value.
    pub value: String,
}

/// What became of the obligations or properties of a folder: its file `verdicts.json`.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Verdicts {
    /// The name of the contract.
    pub schema: Schema<Verdicts>,
    /// The main node.
    pub model: String,
    /// The criteria, separated by commas; `property` for the model's own properties in `prove`.
    pub criterion: String,
    /// What was assumed beside the model, in the user's words.
    pub assumptions: Vec<String>,
    /// What became of each.
    pub verdicts: Vec<VerdictResult>,
    /// What was changed to see whether it matters; absent if tags decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<ExactWord>,
}
