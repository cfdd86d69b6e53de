//! What a report is made of, and what `report` says of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::audit::Audit;
use crate::contract::Schema;
use crate::generation::Generation;
use crate::mine::Mine;
use crate::mutate::Mutate;
use crate::run::Run;
use crate::timed::TimedVerify;
use crate::timed_estimate::TimedEstimate;
use crate::timed_oracle::TimedRun;
use crate::word::{StateWord, TestVerdictWord};

/// All that a page shows.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Report {
    /// The name of the contract.
    pub schema: Schema<Report>,
    /// The version that made it.
    pub provoke: String,
    /// What it is about.
    pub title: String,
    /// What was found, one item for each run.
    pub evidence: Vec<Evidence>,
    /// What is required, with what speaks for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<Requirement>,
}

/// What one run found.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
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
        result: Mutate,
    },
    /// A suite on a target: the result of `run`, with its events.
    Run {
        /// Where it comes from.
        from: String,
        /// The result as it was written.
        result: Run,
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
        result: TimedVerify,
    },
    /// A mined program: the result of `mine`, with its machines.
    Mine {
        /// Where it comes from.
        from: String,
        /// The machines as pictures, by name.
        machines: Vec<(String, String)>,
        /// The result as it was written.
        result: Mine,
    },
    /// Verdicts under uncertain timing: the result of `timed run`.
    Judge {
        /// Where it comes from.
        from: String,
        /// The result as it was written.
        result: TimedRun,
    },
    /// Claims that another program has checked again: the result of `audit`.
    Audit {
        /// Where it comes from.
        from: String,
        /// The result as it was written.
        result: Audit,
    },
    /// Probabilities: the result of `timed estimate`.
    Estimate {
        /// Where it comes from.
        from: String,
        /// The result as it was written.
        result: TimedEstimate,
    },
}

/// Something that is required, and what speaks for it.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Eq)]
pub struct Requirement {
    /// Its name, such as `REQ-12`.
    pub id: String,
    /// What it says, if that is known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The obligations, variables or properties that stand for it, as they were given.
    pub about: Vec<String>,
    /// The positions of its obligations in the first generation.
    pub obligations: Vec<usize>,
    /// The verdicts of its properties, in all runs on the model of the first generation; the worst first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<RequirementProperty>,
    /// What each test says about it.
    pub tests: Vec<RequirementTest>,
}

/// What is known of a property that stands for a requirement.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Eq)]
pub struct RequirementProperty {
    /// The property.
    pub id: String,
    /// `violated`, `unknown`, `excluded` or `holds`.
    pub state: StateWord,
    /// The position of the generation that says so among all evidence.
    pub evidence: usize,
}

/// What a test says about a requirement.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Eq)]
pub struct RequirementTest {
    /// The test's position in the first generation.
    pub test: usize,
    /// How many of its obligations the test is a witness of.
    pub covers: usize,
    /// Whether the test itself says that it is for the requirement.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub linked: bool,
    /// What it says on a target, if it was run there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<TestVerdictWord>,
    /// The first step in which it fails: on the target, or on the model if it was not run on a target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_step: Option<usize>,
}

/// That a report was written.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct ReportWritten {
    /// The name of the contract.
    pub schema: Schema<ReportWritten>,
    /// Its file.
    pub report: String,
    /// How many runs it shows.
    pub evidence: usize,
    /// How many requirements.
    pub requirements: usize,
    /// How long the file is.
    pub bytes: usize,
}
