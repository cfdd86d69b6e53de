//! Files that commands keep for each other: timed tests, machines, and what a store is about.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::Schema;
use crate::word::SequenceWord;

/// Timed tests, completed or not.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct TimedSuiteFile {
    /// The name of the contract.
    pub schema: Schema<TimedSuiteFile>,
    /// The file of the network.
    pub model: String,
    /// The variables that can be observed; all that no guard reads if the list is empty.
    pub observe: Vec<String>,
    /// The tests.
    pub tests: Vec<TimedTestFile>,
}

/// One timed test.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct TimedTestFile {
    /// Its name.
    pub name: String,
    /// The location that it ends in.
    #[serde(rename = "final", skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Its steps.
    pub steps: Vec<TimedStepFile>,
    /// How probable its outputs are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<ProbabilityFile>,
    /// Sequences that tell where the system is after it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uio: Vec<SequenceFile>,
    /// A note for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
}

/// One step: an event, a time to wait, or a time since the last output, and what is to be observed then.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct TimedStepFile {
    /// The event that is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// How long to wait, in units of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<i64>,
    /// Until when to wait, from the last change that was observed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<i64>,
    /// The values that variables must have then: a truth value or an integer.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub out: IndexMap<String, serde_json::Value>,
}

/// A sequence that tells where the system is.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct SequenceFile {
    /// How it tells.
    pub kind: SequenceWord,
    /// Its steps.
    pub steps: Vec<TimedStepFile>,
    /// The locations that it excludes.
    pub excludes: Vec<String>,
    /// How probable the outputs of the test and of the sequence are together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joint: Option<ProbabilityFile>,
    /// How probable those of the sequence are where those of the test are as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conditional: Option<f64>,
}

/// A probability, counted in random runs and, where it could be, computed.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct ProbabilityFile {
    /// The lower end of its confidence interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The exact value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<f64>,
    /// How many runs there were.
    pub runs: u64,
    /// How many of them had these outputs.
    pub successes: u64,
}

/// The state machine of a program.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct MachineFile {
    /// The name of the contract.
    pub schema: Schema<MachineFile>,
    /// Whether it does what the program does for these inputs; else states with equal outputs are one.
    pub exact: bool,
    /// The outputs in each state; the first state is the initial one.
    pub states: Vec<Vec<i64>>,
    /// The inputs that were seen.
    pub vectors: Vec<Vec<i64>>,
    /// From which state to which, by which of the inputs.
    pub edges: Vec<(usize, usize, Vec<usize>)>,
}

/// What the results in a store belong to.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct StoreFile {
    /// The build of Provoke that found them: another one finds them again.
    pub build: String,
    /// What must be equal for results to belong together.
    pub run: serde_json::Value,
    /// The name of the contract.
    pub schema: Schema<StoreFile>,
    /// The members that may differ between equal results.
    pub volatile: Vec<String>,
}
