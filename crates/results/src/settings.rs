//! What a run of `generate`, `prove` or `measure` was asked to do, kept beside what it found.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::Schema;
use crate::numbers::NumbersResult;
use crate::word::{
    CountingWord, ExactWord, MaskingWord, MethodWord, ProverWord, ReductionWord, SolverWord,
};

/// What is needed to do a run again, and how long it took.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Settings {
    /// The name of the contract.
    pub schema: Schema<Settings>,
    /// The version of Provoke.
    pub version: String,
    /// The model's file, as the user named it.
    pub model: String,
    /// The main node.
    pub main: String,
    /// The criteria, separated by commas; `property` for the model's own properties in `prove`.
    pub criterion: String,
    /// The SHA-256 of the model's text, which `audit` compares with the file beside it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model_sha256: String,
    /// What counts as one obligation.
    pub counting: CountingWord,
    /// How tests were searched for.
    pub method: MethodWord,
    /// How masking is read.
    pub masking: MaskingWord,
    /// The variables that are monitored.
    pub monitored: Vec<String>,
    /// What was changed to see whether it matters; absent if tags decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<ExactWord>,
    /// Whether tags decided, as in the published work.
    #[serde(default)]
    pub as_published: bool,
    /// Which engine decided.
    pub engine: ProverWord,
    /// Which solver answered.
    pub solver: SolverWord,
    /// Where random numbers started.
    pub seed: u64,
    /// The effort for each obligation; absent if there was a budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<u32>,
    /// The wall-clock time in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_seconds: Option<f64>,
    /// How the suite was made smaller.
    pub reduction: ReductionWord,
    /// What was assumed beside the model.
    pub assumptions: Vec<String>,
    /// The machine's numbers that were computed with; absent for exact ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<NumbersResult>,
    /// The part of the obligations that was solved here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// How many tests there were before the suite was made smaller.
    pub tests_before_reduction: usize,
    /// How long it took.
    pub seconds: f64,
    /// Whether the user ended it early.
    pub interrupted: bool,
}

impl Settings {
    /// Whether a suite was measured: nothing was searched for.
    pub fn is_measured(&self) -> bool {
        self.method == MethodWord::Measured
    }

    /// Each with a name for people, in the order in which they are told.
    pub fn told(&self) -> Vec<(String, String)> {
        let searched = |value: String| (!self.is_measured()).then_some(value);
        let effort = self.effort.map(|effort| effort.to_string());
        let budget = self.budget_seconds.map(|seconds| format!("{seconds} s"));
        let rows = [
            ("version", Some(format!("provoke {}", self.version))),
            ("model", Some(self.model.clone())),
            ("main node", Some(self.main.clone())),
            ("criterion", Some(self.criterion.clone())),
            ("counting", Some(self.counting.to_string())),
            ("method", Some(self.method.to_string())),
            ("masking", Some(self.masking.to_string())),
            ("exact", self.exact.map(|exact| exact.to_string())),
            ("monitored", Some(self.monitored.join(", "))),
            ("engine", searched(self.engine.to_string())),
            ("solver", searched(self.solver.to_string())),
            ("seed", searched(self.seed.to_string())),
            ("effort", effort),
            ("budget", budget),
            ("reduction", searched(self.reduction.to_string())),
            ("tests before reduction", searched(self.tests_before_reduction.to_string())),
            (
                "numbers",
                self.numbers.map(|numbers| format!("C, int {}, {}", numbers.int, numbers.real)),
            ),
            ("shard", self.shard.clone()),
            ("assumed", Some(self.assumptions.join("; ")).filter(|text| !text.is_empty())),
            ("time", Some(format!("{} s", self.seconds))),
            ("interrupted", self.interrupted.then(|| "yes".to_string())),
        ];
        rows.into_iter().filter_map(|(name, value)| Some((name.to_string(), value?))).collect()
    }
}
