//! Mutants for the viewer of mutation-testing-elements, in its schema, version 2.

use std::collections::BTreeMap;

use serde::Serialize;

/// A whole report.
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct Stryker {
    /// The version of the schema: `2`.
    pub schema_version: &'static str,
    /// Where colours change, in per cent.
    pub thresholds: Thresholds,
    /// What made it.
    pub framework: Framework,
    /// The models by name.
    pub files: BTreeMap<String, FileMutants>,
    /// The suites by name.
    pub test_files: BTreeMap<String, TestFile>,
}

/// Where colours change, in per cent.
#[derive(Serialize, Debug)]
pub struct Thresholds {
    /// From here on a score is good.
    pub high: u8,
    /// Below it is bad.
    pub low: u8,
}

/// What made a report.
#[derive(Serialize, Debug)]
pub struct Framework {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: String,
}

/// The mutants of a file.
#[derive(Serialize, Debug)]
pub struct FileMutants {
    /// The language.
    pub language: &'static str,
    /// The text.
    pub source: String,
    /// The mutants.
    pub mutants: Vec<FileMutant>,
}

/// One mutant.
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct FileMutant {
    /// The stable id.
    pub id: String,
    /// The operator.
    pub mutator_name: &'static str,
    /// The fault in a few words.
    pub description: String,
    /// What stands at the location instead.
    pub replacement: String,
    /// Where.
    pub location: SourceRange,
    /// `Killed`, `Survived`, `Ignored`, `RuntimeError`, `CompileError`.
    pub status: &'static str,
    /// Why.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub status_reason: String,
    /// The ids of tests that kill it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub killed_by: Vec<String>,
}

/// A part of a text; the end is not included.
#[derive(Serialize, Debug)]
pub struct SourceRange {
    /// Where it starts.
    pub start: Position,
    /// Behind its last character.
    pub end: Position,
}

/// A place in a text; both count from 1.
#[derive(Serialize, Debug)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// The tests of a suite.
#[derive(Serialize, Debug)]
pub struct TestFile {
    /// The tests.
    pub tests: Vec<TestName>,
}

/// A test.
#[derive(Serialize, Debug)]
pub struct TestName {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
}
