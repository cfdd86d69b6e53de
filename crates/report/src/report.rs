//! What a report is made of.

use serde::Serialize;
use serde_json::Value;

use crate::generation::Generation;

/// All that a page shows.
#[derive(Serialize, Debug)]
pub struct Report {
    /// `provoke/report/1`
    pub schema: &'static str,
    /// The version that made it.
    pub provoke: String,
    /// What it is about.
    pub title: String,
    /// What was found, one item for each run.
    pub evidence: Vec<Evidence>,
    /// What is required, with what speaks for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<Requirement>,
}

impl Report {
    /// The name of the schema.
    pub const SCHEMA: &'static str = "provoke/report/1";
}

/// What one run found.
#[derive(Serialize, Debug)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Evidence {
    /// Tests and proofs for obligations.
    Generate(Box<Generation>),
    /// Mutants of a model: the result of `mutate`, with the text of the model.
    Mutate {
        /// Where it comes from.
        from: String,
        /// The text of the model; empty if it is not known.
        source: String,
        /// The result as it was written.
        result: Value,
    },
    /// A suite on a target: the result of `run`, with its events.
    Run {
        /// Where it comes from.
        from: String,
        /// The result as it was written.
        result: Value,
        /// The events: test, time in ms, what (`sent`, `due`, `came`), signal, value, step, and
        /// from when to when it may come.
        events: Vec<Vec<String>>,
    },
    /// Answers about timed automata: the result of `timed verify`.
    Verify {
        /// Where it comes from.
        from: String,
        /// The automata as pictures; empty if the model is not known.
        picture: String,
        /// Which template each process is made from.
        templates: Vec<(String, String)>,
        /// The result as it was written.
        result: Value,
    },
    /// A mined program: the result of `mine`, with its machines.
    Mine {
        /// Where it comes from.
        from: String,
        /// The machines as pictures, by name.
        machines: Vec<(String, String)>,
        /// The result as it was written.
        result: Value,
    },
    /// Verdicts under uncertain timing: the result of `timed run`.
    Judge {
        /// Where it comes from.
        from: String,
        /// The result as it was written.
        result: Value,
    },
    /// Claims that another program has checked again: the result of `audit`.
    Audit {
        /// Where it comes from.
        from: String,
        /// The result as it was written.
        result: Value,
    },
    /// Probabilities: the result of `timed estimate`.
    Estimate {
        /// Where it comes from.
        from: String,
        /// The result as it was written.
        result: Value,
    },
}

/// Something that is required, and what speaks for it.
#[derive(Serialize, Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// Its name, such as `REQ-12`.
    pub id: String,
    /// What it says, if that is known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The obligations, variables or properties that stand for it, as they were given.
    pub about: Vec<String>,
    /// The positions of its obligations in the first generation.
    pub obligations: Vec<usize>,
    /// What each test says about it.
    pub tests: Vec<Judged>,
}

/// What a test says about a requirement.
#[derive(Serialize, Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The test's position in the first generation.
    pub test: usize,
    /// How many of its obligations the test is a witness of.
    pub covers: usize,
    /// `pass`, `fail`, `inconclusive` or `error` if the test ran on a target, else empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub verdict: String,
}
