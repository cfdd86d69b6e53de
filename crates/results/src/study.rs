//! What `study` says.

use serde::Serialize;

/// What came of a study.
#[derive(Serialize, Debug, Default)]
pub struct Study {
    /// `provoke/study/1`
    pub schema: &'static str,
    /// Which study.
    pub study: &'static str,
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

impl Study {
    /// The name of the schema.
    pub const SCHEMA: &'static str = "provoke/study/1";
}

/// A table of the literature.
#[derive(Serialize, Debug)]
pub struct TableResult {
    /// Its number there, empty for what is ours.
    pub number: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// The file in the folder.
    pub file: String,
    /// The heads of the columns.
    pub columns: Vec<String>,
    /// A cell for each column.
    pub rows: Vec<Vec<String>>,
}
