//! What `study` says.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::Schema;
use crate::mine::MinedCount;
use crate::word::{ClosureWord, MiningWord, ModeWord, StudyWord};

/// What came of a study.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Study {
    /// The name of the contract.
    pub schema: Schema<Study>,
    /// Which study.
    pub study: StudyWord,
    /// The models, by name.
    pub models: Vec<String>,
    /// How many suites each case has, or how many runs each method.
    pub suites: u32,
    /// How many mutants of each model are taken, if it has more.
    pub mutants: u32,
    /// How much is done for each obligation, unless a clock decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<u32>,
    /// How much time each case has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_seconds: Option<f64>,
    /// Where random numbers start.
    pub seed: u64,
    /// How many cases the study has.
    pub cases: usize,
    /// How many of them are done.
    pub done: usize,
    /// How many of these were done by an earlier run.
    pub resumed: usize,
    /// What was left out, and why.
    pub left_out: Vec<String>,
    /// How long it took.
    pub seconds: f64,
    /// Where the tables are.
    pub folder: String,
    /// Whether the user ended it early.
    pub interrupted: bool,
    /// The tables.
    pub tables: Vec<TableResult>,
}

/// A table of the literature.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct TableResult {
    /// Its number there, empty for what is ours.
    pub number: String,
    /// What it shows.
    pub title: String,
    /// The file in the folder.
    pub file: String,
    /// The heads of the columns.
    pub columns: Vec<String>,
    /// A cell for each column.
    pub rows: Vec<Vec<String>>,
}

/// The study of oracles under uncertain timing.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct StudyStochastic {
    /// The name of the contract.
    pub schema: Schema<StudyStochastic>,
    /// Which study.
    pub study: StudyWord,
    /// Where random numbers start.
    pub seed: u64,
    /// Whether it was the short one.
    pub quick: bool,
    /// Where the tables are.
    pub folder: String,
    /// How many cases were done by an earlier run.
    pub resumed: usize,
    /// How long it took.
    pub seconds: f64,
    /// The tables.
    pub tables: Vec<NamedTable>,
}

/// A table with a name of ours.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct NamedTable {
    /// Its file without the extension.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// The heads of the columns.
    pub columns: Vec<String>,
    /// A cell for each column.
    pub rows: Vec<Vec<String>>,
}

/// The study of delays.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct StudyPlatform {
    /// The name of the contract.
    pub schema: Schema<StudyPlatform>,
    /// The model's file.
    pub model: String,
    /// The suite's file.
    pub suite: String,
    /// How many tests it has.
    pub tests: usize,
    /// How many interactions they have in all.
    pub interactions: usize,
    /// How many platforms were drawn for each row.
    pub runs: u32,
    /// Where random numbers start.
    pub seed: u64,
    /// What was found.
    pub rows: Vec<PlatformRow>,
}

/// A suite behind platforms with delays of one kind.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct PlatformRow {
    /// `modes`, `changes` or `faults`.
    pub table: String,
    /// How many inputs change in a step, on average.
    pub changes_per_step: f64,
    /// The longest mean delay.
    pub max_mean_ms: u32,
    /// The standard deviation of delays.
    pub sd_ms: u32,
    /// When events were sent.
    pub mode: ModeWord,
    /// Interactions that passed.
    pub pass: usize,
    /// Interactions that failed.
    pub fail: usize,
    /// Interactions that delays may explain.
    pub inconclusive: usize,
    /// Faulty systems that fail without delays; absent where systems have no faults.
    pub failing: Option<usize>,
    /// Of these: those that pass with delays.
    pub false_negatives: Option<usize>,
}

/// The study of mining.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct StudyMining {
    /// The name of the contract.
    pub schema: Schema<StudyMining>,
    /// Millions of steps for each case.
    pub effort: u64,
    /// Where random numbers start.
    pub seed: u64,
    /// What was found.
    pub rows: Vec<MiningRow>,
    /// How many steps a second programs do.
    pub throughput: Vec<RateResult>,
    /// What was left out, and why.
    pub left_out: Vec<String>,
}

/// A program by a method.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct MiningRow {
    /// The program.
    pub program: String,
    /// How it was searched.
    pub method: MiningWord,
    /// `all`, or by which rule it was made smaller.
    pub suite: String,
    /// Outcomes of conditions.
    pub outcomes: MinedCount,
    /// Conditions shown to matter alone; only clang tells.
    pub mcdc: Option<MinedCount>,
    /// Tests of the suite.
    pub tests: usize,
    /// Vectors of inputs in them.
    pub vectors: usize,
    /// States that the search told apart.
    pub states: usize,
    /// Whether there may be more.
    pub closure: ClosureWord,
    /// How many findings there are.
    pub findings: usize,
    /// Steps of the program.
    pub steps: u64,
    /// How long it took.
    pub seconds: f64,
}

/// How quick a way to run programs is.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct RateResult {
    /// The way.
    pub way: String,
    /// Steps in a second.
    pub per_second: f64,
}
