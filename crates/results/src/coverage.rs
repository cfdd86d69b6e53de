//! What `obligations`, `measure` and `reduce` say.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::Schema;
use crate::design::DesignErrorsResult;
use crate::design::ListedDesignError;
use crate::expectations::{ExpectationDifference, ExpectationsResult};
use crate::generate::VerdictResult;
use crate::word::{CoveredByWord, ExactWord, KindWord, MaskingWord, ReductionWord, WhyNotWord};

/// What must be exercised.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Obligations {
    /// The name of the contract.
    pub schema: Schema<Obligations>,
    /// The file's name.
    pub model: String,
    /// The criteria, separated by commas.
    pub criterion: String,
    /// How many there are.
    pub count: usize,
    /// Each of them.
    pub obligations: Vec<ObligationResult>,
    /// The operations that may go wrong, where design errors are asked for; they count as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ListedDesignError>,
}

/// One thing to be exercised.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct ObligationResult {
    /// The stable id.
    pub id: String,
    /// `condition`, `decision` or `branch`.
    pub kind: KindWord,
    /// The value to be seen.
    pub outcome: bool,
    /// The variable whose equation holds the expression.
    pub variable: String,
    /// The expression as text.
    pub expression: String,
    /// The node it is written in.
    pub node: String,
    /// The path of the node instance, empty for the main node.
    pub instance: String,
    /// The line it starts on.
    pub line: usize,
    /// The column it starts at.
    pub column: usize,
}

/// What a suite exercises and makes visible.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Measure {
    /// The name of the contract.
    pub schema: Schema<Measure>,
    /// The file's name.
    pub model: String,
    /// The criteria, separated by commas.
    pub criterion: String,
    /// How masking is read.
    pub masking: MaskingWord,
    /// What is monitored.
    pub oracle: String,
    /// How many tests were run.
    pub tests: usize,
    /// How many steps they have in all.
    pub steps: usize,
    /// How many obligations there are; properties are none.
    pub total: usize,
    /// How many are covered.
    pub covered: usize,
    /// Covered in per cent of the total; 100 if there are none.
    pub percent: f64,
    /// The ids of those that are not.
    pub uncovered: Vec<String>,
    /// What the suite says of the properties; absent if they were not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub properties: Option<MeasuredProperties>,
    /// The design errors that tests reach; absent if they were not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors: Option<DesignErrorsResult>,
    /// The same by changing values, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<ExactResult>,
    /// How many expected values of the tests were compared.
    #[serde(default, skip_serializing_if = "ExpectationsResult::is_empty")]
    pub expectations: ExpectationsResult,
    /// Where tests expect something else than the model computes.
    #[serde(default)]
    pub differences: Vec<ExpectationDifference>,
    /// Totals for each criterion and node, worst first.
    pub parts: Vec<PartResult>,
    /// How each covered obligation became visible.
    pub witnesses: Vec<WitnessResult>,
    /// Why each of the others did not.
    pub reasons: Vec<WhyNotResult>,
    /// Variables that would show more if they were monitored, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<SuggestionResult>,
    /// Where the suite is written, with the other files of the folder; empty if it is not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suite: String,
    /// What is known of each obligation, with the grade of what has to be observed.
    pub verdicts: Vec<VerdictResult>,
}

/// The properties that tests violate: that the others hold, tests cannot show.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct MeasuredProperties {
    /// How many properties there are.
    pub total: usize,
    /// Those that a test violates.
    pub violated: Vec<MeasuredViolation>,
}

/// A test that violates a property.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct MeasuredViolation {
    /// The property.
    pub id: String,
    /// The first test that violates it.
    pub test: String,
    /// The first step in which it does, counted from 1.
    pub step: usize,
}

/// Coverage in per cent, to two decimals; of nothing everything is covered.
pub fn percent(covered: usize, total: usize) -> f64 {
    if total == 0 { 100.0 } else { (covered as f64 * 10_000.0 / total as f64).floor() / 100.0 }
}

/// What changing the values shows.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct ExactResult {
    /// `step` or `stuck`.
    pub mode: ExactWord,
    /// How many are covered.
    pub covered: usize,
    /// Covered by tags, but changing the value changes nothing that is monitored.
    pub only_tagged: Vec<String>,
    /// The reverse.
    pub only_exact: Vec<String>,
    /// Why, for each of them.
    pub disagreements: Vec<DisagreementResult>,
}

/// An obligation on which tags and exact measurement disagree.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct DisagreementResult {
    /// The obligation.
    pub id: String,
    /// `tagged` or `exact`: who says it is covered.
    pub covered_by: CoveredByWord,
    /// The kind of reason, in a few words.
    pub reason: String,
    /// The line of the expression at which they part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The test that covers it.
    pub test: String,
    /// At this step, counted from 1.
    pub step: usize,
}

/// Coverage of one criterion in one node.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct PartResult {
    /// The criterion.
    pub criterion: String,
    /// The node.
    pub node: String,
    /// How many obligations there are.
    pub total: usize,
    /// How many are covered.
    pub covered: usize,
    /// Covered in per cent of the total.
    pub percent: f64,
}

/// How an obligation was covered.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct WitnessResult {
    /// The obligation.
    pub id: String,
    /// The test's name.
    pub test: String,
    /// The step at which it was exercised, counted from 1.
    pub exercised: usize,
    /// The step at which it became visible.
    pub visible: usize,
    /// The variables on the way, the monitored one last; empty where nothing has to be seen.
    pub path: Vec<VisitResult>,
}

/// A variable at a step.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct VisitResult {
    /// The variable's name.
    pub variable: String,
    /// The step, counted from 1.
    pub step: usize,
}

/// Why an obligation is not covered.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct WhyNotResult {
    /// The obligation.
    pub id: String,
    /// `never reached`, `masked` or `too late`.
    pub reason: WhyNotWord,
    /// The same as a sentence.
    pub explanation: String,
    /// The test that came nearest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// The step of that test at which it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// The line at which it was masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

/// A variable worth monitoring.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct SuggestionResult {
    /// The variable's name.
    pub variable: String,
    /// How many obligations it would make visible that those before it do not.
    pub gain: usize,
    /// Which ones.
    pub obligations: Vec<String>,
}

/// A smaller suite.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Reduce {
    /// The name of the contract.
    pub schema: Schema<Reduce>,
    /// The file's name.
    pub model: String,
    /// The criteria, separated by commas.
    pub criterion: String,
    /// How tests were chosen.
    pub method: ReductionWord,
    /// The suite that was given.
    pub before: SizeResult,
    /// The suite that is left.
    pub after: SizeResult,
    /// How many obligations both cover.
    pub covered: usize,
    /// How many expected values of the tests were compared.
    #[serde(default, skip_serializing_if = "ExpectationsResult::is_empty")]
    pub expectations: ExpectationsResult,
    /// Where tests expect something else than the model computes.
    #[serde(default)]
    pub differences: Vec<ExpectationDifference>,
    /// Whether no smaller suite exists; only the exact method knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optimal: Option<bool>,
    /// What every suite needs at least, in the unit that was minimised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower_bound: Option<u64>,
    /// Numbers of tests over repeated random reductions, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<usize>,
}

/// The size of a suite.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Copy, Eq)]
pub struct SizeResult {
    /// How many tests.
    pub tests: usize,
    /// How many steps in all.
    pub steps: usize,
}
