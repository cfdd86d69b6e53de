//! What `study` says.

use serde::Serialize;

/// What came of a study.
#[derive(Serialize, Debug)]
pub struct Study {
    /// `provoke/study/1`
    pub schema: &'static str,
    /// Which study.
    pub study: &'static str,
    /// The models, by name.
    pub models: Vec<String>,
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
