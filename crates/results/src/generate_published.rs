//! What `generate` says where tags decide, as in the published work: nothing is graded.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::Schema;
use crate::design::DesignErrorsResult;
use crate::expectations::{ExpectationDifference, ExpectationsResult};
use crate::generate::{Generate, KilledMutants, SourceResult, UndefinedResult, VerdictResult};
use crate::numbers::NumbersResult;
use crate::prove::{PropertiesResult, PropertyResult};
use crate::word::{KindWord, MethodWord, NumbersWord, ReductionWord, SolverWord, VerdictWord};

/// Tests for a criterion by the published semantics, and what is known of every obligation.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct GeneratePublished {
    /// The name of the contract.
    pub schema: Schema<GeneratePublished>,
    /// The file's name.
    pub model: String,
    /// The criteria, separated by commas.
    pub criterion: String,
    /// How tests were searched for.
    pub method: MethodWord,
    /// Which solver answered: `z3`, `yices`, `portfolio`, or `none`.
    pub solver: SolverWord,
    /// What was assumed beside the model, in the user's words.
    pub assumptions: Vec<String>,
    /// The machine's numbers that were computed with; absent for exact ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<NumbersResult>,
    /// What became of the obligations; properties are none.
    pub obligations: PublishedTotals,
    /// What became of the properties; absent if they were not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub properties: Option<PropertiesResult>,
    /// What became of the design errors; absent if they were not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors: Option<DesignErrorsResult>,
    /// How many tests there are.
    pub tests: usize,
    /// How many there were before the suite was made smaller without loss.
    pub tests_before_reduction: usize,
    /// How it was made smaller: `none`, `random`, `greedy`, `hgs` or `exact`.
    pub reduction: ReductionWord,
    /// How many steps they have in all.
    pub steps: usize,
    /// What each source of tests contributed; those that gave none are left out.
    pub sources: Vec<SourceResult>,
    /// What became of mutants, if they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutants: Option<KilledMutants>,
    /// How long it took.
    pub seconds: f64,
    /// Whether the user ended it early.
    pub interrupted: bool,
    /// Where the suite is written; empty if it is not.
    pub suite: String,
    /// How many expected values of given tests were compared.
    #[serde(default, skip_serializing_if = "ExpectationsResult::is_empty")]
    pub expectations: ExpectationsResult,
    /// Where given tests expect something else than the model computes.
    #[serde(default)]
    pub differences: Vec<ExpectationDifference>,
    /// What became of each obligation.
    pub verdicts: Vec<PublishedVerdict>,
}

/// How many obligations there are of each kind, where tags decide.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Copy, Eq, Default)]
pub struct PublishedTotals {
    /// All.
    pub total: usize,
    /// Covered by a test that was replayed and measured.
    pub covered: usize,
    /// Proven: no test of any length can cover them.
    pub infeasible: usize,
    /// Neither.
    pub unknown: usize,
    /// Left out, for a reason that the user gave.
    pub excluded: usize,
}

/// What became of one obligation, where tags decide.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct PublishedVerdict {
    /// The obligation.
    pub id: String,
    /// What it is about: `condition`, `decision`, `branch` or `property`.
    pub kind: KindWord,
    /// `covered`, `infeasible`, `unknown` or `excluded`; a property is `violated` or `holds`.
    pub verdict: VerdictWord,
    /// The test that covers it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// What is undefined and has to have these values for the test to break the property;
    /// absent if it breaks it whatever they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undefined: Vec<UndefinedResult>,
    /// The engine that proved that no test can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The depth of that induction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k: Option<usize>,
    /// How many lemmas it stands on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lemmas: Option<usize>,
    /// Why neither is known, or why it is excluded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// In this many first steps it cannot be covered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
    /// What else there is to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The numbers that a verdict holds for; absent where nothing is decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<NumbersWord>,
    /// What keeps it from holding for every run of the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers_reason: Option<String>,
    /// What a property says, and where it is violated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<PropertyResult>,
}

impl From<&Generate> for GeneratePublished {
    fn from(result: &Generate) -> GeneratePublished {
        let result = result.clone();
        let totals = result.obligations;
        GeneratePublished {
            schema: Schema::default(),
            model: result.model,
            criterion: result.criterion,
            method: result.method,
            solver: result.solver,
            assumptions: result.assumptions,
            numbers: result.numbers,
            obligations: PublishedTotals {
                total: totals.total,
                covered: totals.covered,
                infeasible: totals.infeasible,
                unknown: totals.unknown,
                excluded: totals.excluded,
            },
            properties: result.properties,
            errors: result.errors,
            tests: result.tests,
            tests_before_reduction: result.tests_before_reduction,
            reduction: result.reduction,
            steps: result.steps,
            sources: result.sources,
            mutants: result.mutants,
            seconds: result.seconds,
            interrupted: result.interrupted,
            suite: result.suite,
            expectations: result.expectations,
            differences: result.differences,
            verdicts: result.verdicts.into_iter().map(PublishedVerdict::from).collect(),
        }
    }
}

impl From<VerdictResult> for PublishedVerdict {
    fn from(verdict: VerdictResult) -> PublishedVerdict {
        PublishedVerdict {
            id: verdict.id,
            kind: verdict.kind,
            verdict: verdict.verdict,
            test: verdict.test,
            undefined: verdict.undefined,
            engine: verdict.engine,
            k: verdict.k,
            lemmas: verdict.lemmas,
            reason: verdict.reason,
            depth: verdict.depth,
            note: verdict.note,
            numbers: verdict.numbers,
            numbers_reason: verdict.numbers_reason,
            property: verdict.property,
        }
    }
}
