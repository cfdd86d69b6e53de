//! Timed tests: what was generated, completed, run, and which faults were found.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::Schema;
use crate::word::{OracleWord, SequenceWord, TimedMutantWord, TimedVerdictWord};

/// Tests from automata.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct TimedGenerate {
    /// The name of the contract.
    pub schema: Schema<TimedGenerate>,
    /// The file's name.
    pub model: String,
    /// How tests were chosen.
    pub method: String,
    /// How many there are.
    pub tests: usize,
    /// Their inputs in all.
    pub steps: usize,
    /// What no test was found for.
    pub open: Vec<String>,
    /// Where they were written.
    pub suite: String,
}

/// Tests that were completed.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct TimedStochastic {
    /// The name of the contract.
    pub schema: Schema<TimedStochastic>,
    /// The file's name.
    pub model: String,
    /// One for each test.
    pub tests: Vec<CompletedResult>,
    /// Where the suite was written.
    pub suite: String,
}

/// A test that was completed.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct CompletedResult {
    /// Its name.
    pub test: String,
    /// How probable its outputs are.
    pub probability: ChanceResult,
    /// The sequences behind it.
    pub uio: Vec<SequenceResult>,
    /// What is to be said of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
}

/// A sequence behind a test.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct SequenceResult {
    /// What it is made of.
    pub kind: SequenceWord,
    /// How many steps it has.
    pub steps: usize,
    /// The locations it excludes.
    pub excludes: Vec<String>,
    /// How probable the outputs of test and sequence are.
    pub joint: ChanceResult,
}

/// A probability.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Copy)]
pub struct ChanceResult {
    /// Where the interval begins.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
    /// The probability, if it could be computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<f64>,
    /// Random runs behind the interval.
    pub runs: u64,
}

/// Verdicts on a system.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct TimedRun {
    /// The name of the contract.
    pub schema: Schema<TimedRun>,
    /// The suite's file.
    pub suite: String,
    /// What it was run on.
    pub on: String,
    /// The rule of the verdicts.
    pub oracle: OracleWord,
    /// What the rule promises and costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<OraclePlan>,
    /// One for each test and sequence.
    pub verdicts: Vec<TimedVerdict>,
    /// Tests that passed.
    pub passed: usize,
    /// Tests that failed.
    pub failed: usize,
    /// Tests without a verdict.
    pub error: usize,
    /// Runs in all.
    pub runs: u64,
}

/// What a rule of verdicts promises for a suite, and what that costs.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct OraclePlan {
    /// The probabilities that are compared.
    pub hypotheses: u64,
    /// How often a right system may fail any test; none is promised by the published rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suite_error: Option<f64>,
    /// Runs of the whole suite on a right system, about.
    pub usual_runs: u64,
    /// Runs at most.
    pub most_runs: u64,
    /// The least difference of one probability, where it is hardest to see, that is found in 95 of 100
    /// suites.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finds: Option<f64>,
    /// How many seconds the usual runs take on the target, about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// A verdict.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct TimedVerdict {
    /// The test.
    pub test: String,
    /// Which of its sequences was behind it, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uio: Option<usize>,
    /// The verdict itself.
    pub verdict: TimedVerdictWord,
    /// Runs that were done.
    pub runs: u64,
    /// Whether there were too few for the verdict to be relied on.
    pub unreliable: bool,
    /// The evidence about the outputs of the test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<EvidenceResult>,
    /// The evidence about the outputs of test and sequence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joint: Option<EvidenceResult>,
    /// The probability that independent runs cluster or alternate so, if it is small.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dependent: Option<f64>,
    /// Why, for `illegal` and `error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What was found about a probability.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Copy)]
pub struct EvidenceResult {
    /// That of the model.
    pub expected: [f64; 2],
    /// That of the system.
    pub observed: [f64; 2],
    /// How often the outputs were as expected.
    pub successes: u64,
    /// How often delays leave it open whether they were.
    #[serde(default)]
    pub unclear: u64,
    /// The runs that count: those of the second stage if there was one.
    #[serde(default)]
    pub runs: u64,
    /// Whether it looked wrong after the first stage.
    #[serde(default)]
    pub suspected: bool,
    /// Whether the two differ.
    pub differs: bool,
}

/// Faults of automata.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct TimedMutate {
    /// The name of the contract.
    pub schema: Schema<TimedMutate>,
    /// The file's name.
    pub model: String,
    /// How many mutants there are.
    pub mutants: usize,
    /// Those that are the same as another one.
    pub duplicate: usize,
    /// Those proven to show the same outputs as the model.
    pub equivalent: usize,
    /// Those that the suite finds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub killed: Option<usize>,
    /// Those that it does not find and that are not proven equivalent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub survived: Option<usize>,
    /// Killed ones of all that are no duplicates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent: Option<f64>,
    /// Killed ones of those that are not equivalent either.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent_nonequivalent: Option<f64>,
    /// All of them.
    pub list: Vec<TimedMutantResult>,
}

/// A fault.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct TimedMutantResult {
    /// Its number.
    pub id: usize,
    /// Its kind.
    pub operator: String,
    /// What is changed.
    pub text: String,
    /// What became of it.
    pub outcome: TimedMutantWord,
    /// The same with the mutant, reason or test: `open`, `duplicate of N`, `equivalent: WHY`,
    /// `killed by TEST` or `survived`.
    pub status: String,
}
