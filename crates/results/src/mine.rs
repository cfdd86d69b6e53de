//! What `mine` says.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::Schema;
use crate::word::{ClosureWord, FindingWord, IsolationWord, MachineWord, MiningWord};

/// What was mined.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Mine {
    /// The name of the contract.
    pub schema: Schema<Mine>,
    /// The target file.
    pub target: String,
    /// How it was searched.
    pub method: MiningWord,
    /// How the program ran: library, fork, spawn.
    pub isolation: IsolationWord,
    /// Tests of the suite.
    pub tests: usize,
    /// Vectors of inputs in them.
    pub vectors: usize,
    /// The suite before it was made smaller.
    pub before: MinedSize,
    /// States that the search told apart.
    pub states: usize,
    /// Transitions between states of the machine by outputs.
    pub transitions: usize,
    /// Whether it is proven that nothing more is reachable.
    pub closed: bool,
    /// `open`, `values` (nothing more with the values that were tried) or `proven`.
    pub closure: ClosureWord,
    /// The machines.
    pub machines: Vec<MinedMachine>,
    /// What the suite covers of the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<MinedCoverage>,
    /// What is wrong with the program.
    pub findings: Vec<MinedFinding>,
    /// Findings like those that are listed.
    pub more_findings: usize,
    /// What the program does otherwise than an earlier one, if it was compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differences: Option<MinedDifferences>,
    /// What one should know.
    pub notes: Vec<String>,
    /// Steps of the program.
    pub steps: u64,
    /// Where random numbers started.
    pub seed: u64,
    /// How long it took.
    pub seconds: f64,
    /// Where files were written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

/// The size of a suite.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Copy, Eq)]
pub struct MinedSize {
    /// Tests.
    pub tests: usize,
    /// Vectors in them.
    pub vectors: usize,
}

/// A machine.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct MinedMachine {
    /// `outputs`, or `exact`.
    pub kind: MachineWord,
    /// Its states.
    pub states: usize,
    /// Pairs of states that an edge connects.
    pub edges: usize,
}

/// So many of so many.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Copy, Eq)]
pub struct MinedCount {
    /// What there is.
    pub total: usize,
    /// What is covered.
    pub covered: usize,
}

/// What tests cover of C.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct MinedCoverage {
    /// Who measured.
    pub tool: String,
    /// Outcomes of conditions.
    pub outcomes: MinedCount,
    /// Conditions shown to matter alone; only clang tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcdc: Option<MinedCount>,
    /// What is not covered.
    pub missing: Vec<String>,
}

/// Something that is wrong.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct MinedFinding {
    /// `crash`, `abort`, `hang`, `exit`, `processes`, `sanitizer`, `silent`.
    pub kind: FindingWord,
    /// What happens.
    pub text: String,
    /// The test in findings.json.
    pub test: String,
    /// Its steps.
    pub steps: usize,
}

/// What differs from an earlier program.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct MinedDifferences {
    /// How many behaviours differ.
    pub count: usize,
    /// The first ones.
    pub listed: Vec<String>,
}
