//! What `run` and `calibrate` say.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::Schema;
use crate::word::{ModeWord, SideWord, TestVerdictWord};

/// A suite on a target.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Run {
    /// The name of the contract.
    pub schema: Schema<Run>,
    /// The suite's file.
    pub suite: String,
    /// The target's file.
    pub target: String,
    /// When events were sent.
    pub mode: ModeWord,
    /// How many interactions the tests have in all.
    pub interactions: usize,
    /// Of these: those that passed.
    pub passed: usize,
    /// Those that failed.
    pub failed: usize,
    /// Those that may have failed because of delays.
    pub inconclusive: usize,
    /// Those that could not be tested.
    pub error: usize,
    /// Each test.
    pub tests: Vec<TestResult>,
}

/// One test on a target.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct TestResult {
    /// Its name.
    pub name: String,
    /// The worst verdict of its interactions.
    pub verdict: TestVerdictWord,
    /// How often it was run.
    pub runs: u64,
    /// Each interaction: an expected output with the inputs that cause it.
    pub interactions: Vec<InteractionResult>,
}

impl TestResult {
    /// The first interaction that has the verdict of the test, counted from 1, with its reason.
    pub fn reason(&self) -> Option<(usize, &str)> {
        let mut interactions = self.interactions.iter().enumerate();
        let (at, first) = interactions.find(|(_, one)| one.verdict == self.verdict)?;
        Some((at + 1, &first.reason))
    }
}

/// One interaction.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct InteractionResult {
    /// Its verdict.
    pub verdict: TestVerdictWord,
    /// Why.
    pub reason: String,
    /// Whether the target read the inputs that the test wants; absent if nobody knows.
    pub exercised: Option<bool>,
}

/// The delays of a target.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Calibrate {
    /// The name of the contract.
    pub schema: Schema<Calibrate>,
    /// The target's file.
    pub target: String,
    /// How long a step takes on average, if that could be measured.
    pub step_ms: Option<f64>,
    /// Each signal.
    pub signals: Vec<DelayResult>,
}

/// The delay of a signal; numbers are absent where there are too few samples.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct DelayResult {
    /// The signal's name.
    pub signal: String,
    /// The side that it is on.
    pub side: SideWord,
    /// How many delays were measured.
    pub samples: usize,
    /// Their mean.
    pub mean_ms: Option<f64>,
    /// Their standard deviation.
    pub sd_ms: Option<f64>,
    /// How much a delay has to do with the one before it, from -1 to 1.
    pub correlation: Option<f64>,
}
