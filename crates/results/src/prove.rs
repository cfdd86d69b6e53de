//! What `prove` says.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::Schema;
use crate::design::DesignErrorsResult;
use crate::generate::{Generate, VerdictResult};
use crate::numbers::NumbersResult;
use crate::word::{KindWord, RoleWord, SolverWord, VerdictWord};

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
    /// The machine's numbers that were computed with; absent for exact ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<NumbersResult>,
    /// What became of the properties.
    pub properties: PropertiesResult,
    /// What became of the design errors; absent if they were not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors: Option<DesignErrorsResult>,
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
    /// Proven: true in every step of every run, for all values of what is undefined; or reached by a run
    /// that was replayed, if that is asked.
    pub holds: usize,
    /// False in a step of a run that was replayed; or proven unreachable, if it was to be reached.
    pub violated: usize,
    /// Neither.
    pub unknown: usize,
    /// Left out, for a reason that the user gave.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub excluded: usize,
}

fn is_false(value: &bool) -> bool {
    !value
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl PropertiesResult {
    /// Counts the properties among some verdicts; `None` if there are none.
    pub fn among(verdicts: &[VerdictResult]) -> Option<PropertiesResult> {
        let mut counts = PropertiesResult::default();
        for verdict in verdicts.iter().filter(|verdict| verdict.kind == KindWord::Property) {
            counts.total += 1;
            let to_reach = verdict.property.as_ref().is_some_and(|property| property.reachable);
            *match verdict.verdict {
                VerdictWord::Covered if to_reach => &mut counts.holds,
                VerdictWord::Infeasible if to_reach => &mut counts.violated,
                VerdictWord::Violated | VerdictWord::Covered => &mut counts.violated,
                VerdictWord::Holds | VerdictWord::Infeasible => &mut counts.holds,
                // Only obligations are graded.
                VerdictWord::Unknown | VerdictWord::Redundant | VerdictWord::TagOnly => {
                    &mut counts.unknown
                }
                VerdictWord::Excluded => &mut counts.excluded,
            } += 1;
        }
        (counts.total > 0).then_some(counts)
    }
}

/// What a property says and, if it is violated, where.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Eq)]
pub struct PropertyResult {
    /// The expression as it is written.
    pub formula: String,
    /// The equation of the variable that the formula consists of; absent if it is an expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// Where the formula is written.
    pub line: usize,
    /// Where in the line.
    pub column: usize,
    /// The step of the test in which it is false, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// Whether it is to be reached, not to hold always: then a test shows it, and what is violated is its
    /// opposite.
    #[serde(default, skip_serializing_if = "is_false")]
    pub reachable: bool,
    /// What the test does until then; absent in `verdicts.json`, which has the test beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<CounterexampleResult>,
}

/// The steps that lead to a violation, the violation in the last one.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Eq)]
pub struct CounterexampleResult {
    /// The step that the values begin with: later than 1 only if the run is very long.
    pub first_step: usize,
    /// What the formula is in each step.
    pub formula: Vec<String>,
    /// The inputs, the monitored variables, and what else the formula reads.
    pub signals: Vec<CounterexampleSignal>,
}

/// A variable in the steps that lead to a violation.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Eq)]
pub struct CounterexampleSignal {
    /// Its name.
    pub name: String,
    /// What it is to a tester.
    pub role: RoleWord,
    /// Whether the formula reads it.
    pub read: bool,
    /// Its values, one for each step; `?` where it is undefined.
    pub values: Vec<String>,
}

impl From<Generate> for Prove {
    fn from(found: Generate) -> Prove {
        Prove {
            schema: Schema::default(),
            model: found.model,
            solver: found.solver,
            assumptions: found.assumptions,
            numbers: found.numbers,
            properties: found.properties.unwrap_or_default(),
            errors: found.errors,
            tests: found.tests,
            steps: found.steps,
            seconds: found.seconds,
            interrupted: found.interrupted,
            suite: found.suite,
            verdicts: found.verdicts,
        }
    }
}
