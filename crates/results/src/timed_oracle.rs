//! Timed tests: what was generated, completed, run, and which faults were found.

use serde::{Deserialize, Serialize};

/// Tests from automata.
#[derive(Serialize, Debug)]
pub struct TimedGenerate {
    /// `provoke/timed-generate/1`
    pub schema: &'static str,
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
#[derive(Serialize, Debug)]
pub struct TimedStochastic {
    /// `provoke/timed-stochastic/1`
    pub schema: &'static str,
    /// The file's name.
    pub model: String,
    /// One for each test.
    pub tests: Vec<CompletedResult>,
    /// Where the suite was written.
    pub suite: String,
}

/// A test that was completed.
#[derive(Serialize, Debug)]
pub struct CompletedResult {
    /// Its name.
    pub test: String,
    /// How probable its outputs are.
    pub probability: ChanceResult,
    /// `single`, `composed` or `separating`; one for each sequence.
    pub uio: Vec<SequenceResult>,
    /// What is to be said of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
}

/// A sequence behind a test.
#[derive(Serialize, Debug)]
pub struct SequenceResult {
    /// `single`, `composed` or `separating`.
    pub kind: &'static str,
    /// How many steps it has.
    pub steps: usize,
    /// The locations it excludes.
    pub excludes: Vec<String>,
    /// How probable the outputs of test and sequence are.
    pub joint: ChanceResult,
}

/// A probability.
#[derive(Serialize, Debug, Clone, Copy)]
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
#[derive(Serialize, Debug)]
pub struct TimedRun {
    /// `provoke/timed-run/1`
    pub schema: &'static str,
    /// The suite's file.
    pub suite: String,
    /// What it was run on.
    pub on: String,
    /// `overlap` or `sequential`.
    pub oracle: &'static str,
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

/// A verdict.
#[derive(Serialize, Deserialize, Debug)]
pub struct TimedVerdict {
    /// The test.
    pub test: String,
    /// Which of its sequences was behind it, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uio: Option<usize>,
    /// `pass`, `fail`, `illegal` or `error`.
    pub verdict: String,
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
#[derive(Serialize, Deserialize, Debug, Clone, Copy)]
pub struct EvidenceResult {
    /// That of the model.
    pub expected: [f64; 2],
    /// That of the system.
    pub observed: [f64; 2],
    /// How often the outputs were as expected.
    pub successes: u64,
    /// Whether the two differ.
    pub differs: bool,
}

/// Faults of automata.
#[derive(Serialize, Debug)]
pub struct TimedMutate {
    /// `provoke/timed-mutate/1`
    pub schema: &'static str,
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
#[derive(Serialize, Debug)]
pub struct TimedMutantResult {
    /// Its number.
    pub id: usize,
    /// Its kind.
    pub operator: &'static str,
    /// What is changed.
    pub text: String,
    /// `open`, `duplicate of N`, `equivalent: WHY`, `killed by TEST` or `survived`.
    pub status: String,
}

/// The schemas of these results.
pub const TIMED_GENERATE: &str = "provoke/timed-generate/1";
/// See [`TimedStochastic`].
pub const TIMED_STOCHASTIC: &str = "provoke/timed-stochastic/1";
/// See [`TimedRun`].
pub const TIMED_RUN: &str = "provoke/timed-run/1";
/// See [`TimedMutate`].
pub const TIMED_MUTATE: &str = "provoke/timed-mutate/1";
