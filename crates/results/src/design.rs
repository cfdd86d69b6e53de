//! What is known of design errors.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::word::{DesignErrorWord, DesignVerdictWord, MachineIntWord, MachineRealWord};

/// What became of the operations of a model that may go wrong in a machine's numbers.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Eq, Debug)]
pub struct DesignErrorsResult {
    /// How many bits integers have.
    pub int: MachineIntWord,
    /// How reals are held.
    pub real: MachineRealWord,
    /// How many operations may go wrong.
    pub total: usize,
    /// How many do, in a run that was replayed.
    pub reached: usize,
    /// How many never do: proven.
    pub absent: usize,
    /// Neither.
    pub unknown: usize,
    /// Inputs without a range on which errors depend that were reached: a declared range may be all that
    /// is missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unlimited_inputs: Vec<String>,
    /// Where the runs are written; empty if they are not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suite: String,
    /// What became of each.
    pub list: Vec<DesignErrorResult>,
}

/// What became of an operation that may go wrong.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Eq, Debug)]
pub struct DesignErrorResult {
    /// A name that is unique in the model, such as `overflow:a + b`.
    pub id: String,
    /// How it goes wrong.
    pub kind: DesignErrorWord,
    /// What is computed.
    pub expression: String,
    /// The line it starts on.
    pub line: usize,
    /// The column it starts at.
    pub column: usize,
    /// The path of the node instance, empty for the main node.
    pub instance: String,
    /// What is known.
    pub verdict: DesignVerdictWord,
    /// The test in whose last step it occurs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// The step in which it occurs, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// The inputs of that test.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<DesignErrorInput>,
    /// The prover that showed that it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The depth of the induction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k: Option<usize>,
    /// How many lemmas the proof stands on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lemmas: Option<usize>,
    /// Why nothing is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// In this many first steps it does not occur.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
}

/// An operation that may go wrong.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Eq, Debug)]
pub struct ListedDesignError {
    /// A name that is unique in the model, such as `overflow:a + b`.
    pub id: String,
    /// How it goes wrong.
    pub kind: DesignErrorWord,
    /// What is computed.
    pub expression: String,
    /// The line it starts on.
    pub line: usize,
    /// The column it starts at.
    pub column: usize,
    /// The path of the node instance, empty for the main node.
    pub instance: String,
}

/// An input in the steps that lead to a design error.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Eq, Debug)]
pub struct DesignErrorInput {
    /// Its name.
    pub name: String,
    /// Its values, one for each step.
    pub values: Vec<String>,
}

impl DesignErrorsResult {
    /// Counts what became of design errors.
    pub fn new(
        int: MachineIntWord,
        real: MachineRealWord,
        list: Vec<DesignErrorResult>,
    ) -> DesignErrorsResult {
        let count = |word| list.iter().filter(|error| error.verdict == word).count();
        DesignErrorsResult {
            int,
            real,
            total: list.len(),
            reached: count(DesignVerdictWord::Reached),
            absent: count(DesignVerdictWord::Absent),
            unknown: count(DesignVerdictWord::Unknown),
            unlimited_inputs: Vec::new(),
            suite: String::new(),
            list,
        }
    }
}
