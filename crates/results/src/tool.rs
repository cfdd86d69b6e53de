//! What commands say that transform, convert or set up.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::Schema;
use crate::generation::ObligationEvidence;
use crate::word::LackWord;

/// An equivalent model.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Transform {
    /// The name of the contract.
    pub schema: Schema<Transform>,
    /// The file's name.
    pub model: String,
    /// How many equations it has.
    pub equations: usize,
    /// Its text.
    pub text: String,
}

/// C code of a model.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Codegen {
    /// The name of the contract.
    pub schema: Schema<Codegen>,
    /// The file's name.
    pub model: String,
    /// What functions and files are called after.
    pub name: String,
    /// How wide integers are.
    pub int: IntResult,
    /// `double` or `float`.
    pub real: String,
    /// The files that were written.
    pub files: Vec<String>,
    /// What the suite covers of the code, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<ReplayedCode>,
}

/// What a suite covers of generated C.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct ReplayedCode {
    /// Who measured.
    pub tool: String,
    /// Whether the code did what the suite expects.
    pub passed: bool,
    /// What the program that replayed it said.
    pub said: String,
    /// Outcomes of conditions, two for each.
    pub branches: CodeShare,
    /// Conditions that were shown to matter alone in their decisions.
    pub mcdc: CodeShare,
    /// What is not covered.
    pub gaps: Vec<CodeGap>,
}

/// So many of so many.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, PartialEq, Debug)]
pub struct CodeShare {
    /// What there is.
    pub total: usize,
    /// What is covered.
    pub covered: usize,
    /// The same in per cent.
    pub percent: f64,
}

/// A condition of generated C that lacks something.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct CodeGap {
    /// The line in the C file.
    pub line: usize,
    /// The function.
    pub function: String,
    /// The line of the model that is computed there; none in functions for numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_line: Option<usize>,
    /// The condition.
    pub condition: String,
    /// What it lacks.
    pub lack: LackWord,
    /// Why the code has it although the model does not, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// How wide integers are.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
#[serde(untagged)]
pub enum IntResult {
    /// All have so many bits.
    Bits(u32),
    /// `auto`: each is as wide as its proven range.
    Proven(String),
}

/// A suite in another format.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Convert {
    /// The name of the contract.
    pub schema: Schema<Convert>,
    /// How many tests it has.
    pub tests: usize,
    /// How many steps they have in all.
    pub steps: usize,
    /// What names no variable.
    pub ignored: Vec<String>,
    /// The files that were written.
    pub files: Vec<String>,
}

/// Obligations in sentences.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Explain {
    /// The name of the contract.
    pub schema: Schema<Explain>,
    /// The model's file.
    pub model: String,
    /// Those that were asked about.
    pub obligations: Vec<ObligationEvidence>,
}

/// Results of shards or interrupted runs in one folder.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Merge {
    /// The name of the contract.
    pub schema: Schema<Merge>,
    /// How many records there are then.
    pub records: usize,
    /// What each folder had.
    pub stores: Vec<StoreResult>,
    /// The shards that none of them is: `2/4`.
    pub missing: Vec<String>,
    /// How many files were damaged.
    pub damaged: usize,
}

/// One folder that was merged.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct StoreResult {
    /// Its path.
    pub folder: String,
    /// Its shard, if it is one: `2/4`.
    pub shard: Option<String>,
    /// How many records it has.
    pub records: usize,
    /// How many of them those before it did not have.
    pub new: usize,
}

/// A target file proposed for a C source.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct MineInit {
    /// The name of the contract.
    pub schema: Schema<MineInit>,
    /// Its text.
    pub proposal: String,
}

/// What a project asked for.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Project {
    /// The name of the contract.
    pub schema: Schema<Project>,
    /// The project's file.
    pub project: String,
    /// The commands, in their order.
    pub steps: Vec<ProjectStep>,
}

/// One command of a project.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct ProjectStep {
    /// Its words.
    pub command: Vec<String>,
    /// Its exit code.
    pub exit: u8,
}

/// What the demonstration showed.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Demo {
    /// The name of the contract.
    pub schema: Schema<Demo>,
    /// The report's file.
    pub report: String,
    /// The mutation score of tests for MC/DC.
    pub mcdc_percent: f64,
    /// The mutation score of tests for observable MC/DC.
    pub omcdc_percent: f64,
    /// A fault that only the second ones find.
    pub missed_by_mcdc: Option<String>,
}

/// Manual pages.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Man {
    /// The name of the contract.
    pub schema: Schema<Man>,
    /// Where they were written.
    pub folder: String,
    /// How many there are.
    pub pages: usize,
}

/// What is installed.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Doctor {
    /// The name of the contract.
    pub schema: Schema<Doctor>,
    /// The version of Provoke.
    pub version: String,
    /// What some part of it can use.
    pub tools: Vec<ToolResult>,
}

/// Something that can be installed.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct ToolResult {
    /// Its name.
    pub name: String,
    /// Whether it is there.
    pub found: bool,
    /// Its version.
    pub version: Option<String>,
    /// What it is for.
    pub needed_for: String,
    /// How to get it.
    pub install: String,
    /// Without it a part of the answers is missing, no command.
    pub optional: bool,
}
