//! What `prove` says.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::Schema;
use crate::generate::{Generate, VerdictResult};
use crate::word::SolverWord;

/// What is known of every property of a model.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Prove {
    /// The name of the contract.
    pub schema: Schema<Prove>,
    /// The file's name.
    pub model: String,
    /// Which solver answered: `z3`, `yices` or `portfolio`.
    pub solver: SolverWord,
    /// What was assumed beside the model, in the user's words.
    pub assumptions: Vec<String>,
    /// What became of the properties.
    pub properties: PropertiesResult,
    /// How many counterexamples there are.
    pub tests: usize,
    /// How many steps they have in all.
    pub steps: usize,
    /// How long it took.
    pub seconds: f64,
    /// Whether the user ended it early.
    pub interrupted: bool,
    /// Where the counterexamples are written; empty if they are not.
    pub suite: String,
    /// What became of each property.
    pub verdicts: Vec<VerdictResult>,
}

/// How many properties there are of each kind.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Copy, Eq, Default)]
pub struct PropertiesResult {
    /// All.
    pub total: usize,
    /// Proven: true in every step of every run, for all values of what is undefined.
    pub holds: usize,
    /// False in a step of a run that was replayed.
    pub violated: usize,
    /// Neither.
    pub unknown: usize,
}

impl From<Generate> for Prove {
    /// The properties were obligations to break them.
    fn from(found: Generate) -> Prove {
        let totals = found.obligations;
        let properties = PropertiesResult {
            total: totals.total,
            holds: totals.infeasible,
            violated: totals.covered,
            unknown: totals.unknown,
        };
        Prove {
            schema: Schema::default(),
            model: found.model,
            solver: found.solver,
            assumptions: found.assumptions,
            properties,
            tests: found.tests,
            steps: found.steps,
            seconds: found.seconds,
            interrupted: found.interrupted,
            suite: found.suite,
            verdicts: found.verdicts,
        }
    }
}
