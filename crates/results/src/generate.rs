//! What `generate` says.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::Schema;
use crate::design::DesignErrorsResult;
use crate::expectations::{ExpectationDifference, ExpectationsResult};
use crate::mutate::{MutantResult, Mutate};
use crate::numbers::NumbersResult;
use crate::prove::{PropertiesResult, PropertyResult};
use crate::word::{
    EffectWord, ExactWord, GradeWord, KindWord, MethodWord, MutantWord, NumbersWord, ReductionWord,
    RedundancyFormWord, RedundancyReasonWord, SolverWord, SourceWord, VerdictWord,
};

/// Tests for a criterion, and what is known of every obligation.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Generate {
    /// The name of the contract.
    pub schema: Schema<Generate>,
    /// The file's name.
    pub model: String,
    /// The criteria, separated by commas; `property` for the model's own properties in `prove`.
    pub criterion: String,
    /// How tests were searched for.
    pub method: MethodWord,
    /// Which effects count alone, `step` or `stuck`; absent if both do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<ExactWord>,
    /// Whether tags decided, as in the published work, and nothing was graded.
    pub as_published: bool,
    /// Which solver answered: `z3`, `yices`, `portfolio`, or `none`.
    pub solver: SolverWord,
    /// What was assumed beside the model, in the user's words.
    pub assumptions: Vec<String>,
    /// The machine's numbers that were computed with; absent for exact ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<NumbersResult>,
    /// What became of the obligations; properties are none.
    pub obligations: TotalsResult,
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
    pub verdicts: Vec<VerdictResult>,
}

/// What became of mutants that a suite has to kill.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Default)]
pub struct KilledMutants {
    /// How many the model has.
    pub all: usize,
    /// How many were taken.
    pub mutants: usize,
    /// How many of them are no programs.
    pub invalid: usize,
    /// How many the suite kills.
    pub killed: usize,
    /// How many are proven to do what the model does.
    pub equivalent: usize,
    /// How many are neither.
    pub survived: usize,
    /// How many tests were added to kill some.
    pub added: usize,
    /// The ids of those that are neither killed nor equivalent.
    pub open: Vec<String>,
    /// Those that are invalid: nothing is promised about them.
    #[serde(default)]
    pub not_promised: Vec<InvalidMutant>,
}

impl KilledMutants {
    /// How many are not proven to do what the model does.
    pub fn not_equivalent(&self) -> usize {
        self.mutants.saturating_sub(self.equivalent)
    }
}

/// A mutant that is no program or divides by zero in some run.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Eq)]
pub struct InvalidMutant {
    /// The mutant.
    pub id: String,
    /// Why it is invalid.
    pub reason: String,
}

/// How many obligations there are of each kind.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Copy, Eq, Default)]
pub struct TotalsResult {
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
    /// Covered: wrong in one step of a test, the condition changes an output.
    pub shown: usize,
    /// Covered: always wrong, the condition changes an output in a test.
    pub lasting: usize,
    /// Proven: the condition can be replaced by a constant.
    pub redundant: usize,
    /// A tag reaches an output, but no test fails when the condition is wrong.
    pub tag_only: usize,
}

impl TotalsResult {
    /// How many can be covered, as far as is known.
    pub fn feasible(&self) -> usize {
        self.total - self.infeasible - self.redundant - self.excluded
    }

    /// How many are neither covered nor proven nor left out.
    pub fn open(&self) -> usize {
        self.unknown + self.tag_only
    }
}

/// What a source of tests contributed.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Copy, Eq)]
pub struct SourceResult {
    /// `given`, `simulation`, `incremental`, `archive` or `search`.
    pub source: SourceWord,
    /// How many tests came from it.
    pub tests: usize,
    /// How many steps they have in all.
    pub steps: usize,
    /// How many obligations they were the first to cover.
    pub covered: usize,
}

/// What became of one obligation.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct VerdictResult {
    /// The obligation.
    pub id: String,
    /// What it is about: `condition`, `decision`, `branch` or `property`.
    pub kind: KindWord,
    /// `covered`, `infeasible`, `unknown` or `excluded`; for what has to be observed `redundant` or
    /// `tag-only` instead of infeasible; a property is `violated` instead of covered, and `holds`
    /// instead of being infeasible.
    pub verdict: VerdictWord,
    /// For what has to be observed: how far it is shown that the condition matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<GradeWord>,
    /// Whether it is seen when the condition is wrong in one step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<EffectResult>,
    /// Whether it is seen when the condition is always wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stuck: Option<EffectResult>,
    /// Why the condition can be replaced by a constant, where it can: this one alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redundant: Option<RedundantResult>,
    /// The first test and step in which a tag reaches what is monitored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<TagResult>,
    /// The test that covers it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// What is undefined and has to have these values for the test to break the property;
    /// absent if it breaks it whatever they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undefined: Vec<UndefinedResult>,
    /// The engine that proved that no test can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The depth of that induction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k: Option<usize>,
    /// How many lemmas it stands on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lemmas: Option<usize>,
    /// Why neither is known, or why it is excluded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// In this many first steps it cannot be covered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
    /// What else there is to say.
    #[serde(skip_serializing_if = "Option::is_none")]
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

impl Generate {
    /// Takes over what became of mutants, and the tests that were added for them.
    pub fn note_mutants(&mut self, found: &Mutate) {
        let of = |word| move |one: &&MutantResult| one.status == word;
        let open = found.results.iter().filter(of(MutantWord::Survived));
        let open = open.map(|one| one.id.clone()).collect();
        let invalid_one =
            |one: &MutantResult| InvalidMutant { id: one.id.clone(), reason: one.reason.clone() };
        let not_promised = found.results.iter().filter(of(MutantWord::Invalid));
        let not_promised = not_promised.map(invalid_one).collect();
        let Mutate { all, mutants, invalid, killed, equivalent, survived, added, .. } = *found;
        (self.tests, self.steps) = (found.tests, found.steps);
        self.interrupted |= found.interrupted;
        self.mutants = Some(KilledMutants {
            all,
            mutants,
            invalid,
            killed,
            equivalent,
            survived,
            added,
            open,
            not_promised,
        });
    }
}

impl VerdictResult {
    /// The effect that its grade rests on.
    pub fn best_effect(&self) -> Option<&EffectResult> {
        match self.grade? {
            GradeWord::Shown => self.step.as_ref(),
            GradeWord::Lasting => self.stuck.as_ref(),
            _ => None,
        }
    }
}

/// Whether a wrong value is seen, and where. Steps are counted from 1.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct EffectResult {
    /// `shown`, `impossible`, `unknown` or `not-sought`.
    pub verdict: EffectWord,
    /// The value at which the condition is held, where it is always wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<bool>,
    /// The test that shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// The first step in which the condition is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_at: Option<usize>,
    /// The step in which an output differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen_at: Option<usize>,
    /// The output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Its value in the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Its value when the condition is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_value: Option<String>,
    /// The step in which the changed run breaks an assumption of the model, if it does by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaks: Option<usize>,
    /// Why it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// In this many first steps there is nothing to be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
}

/// A condition that can be replaced by a constant without any monitored variable ever changing:
/// shown for this condition alone.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct RedundantResult {
    /// The constant.
    pub constant: bool,
    /// `free` if it may be wrong in any of the steps, `constant` if it has to be the constant in all.
    pub form: RedundancyFormWord,
    /// `never`, `masked` or `unseen`.
    pub because: RedundancyReasonWord,
    /// The engine that proved it.
    pub engine: String,
    /// The depth of that induction.
    pub k: usize,
    /// How many lemmas it stands on.
    pub lemmas: usize,
}

/// A tag that reached what is monitored.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct TagResult {
    /// The test.
    pub test: String,
    /// The step in which it arrived, counted from 1.
    pub step: usize,
}

/// A `pre` that has no value in the first step, and one that it may have.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Eq)]
pub struct UndefinedResult {
    /// The text of the expression.
    pub expression: String,
    /// The variable whose definition it is part of, with the path of its instance.
    pub variable: String,
    /// Where it is written.
    pub line: usize,
    /// Where in the line.
    pub column: usize,
    /// The value.
    pub value: String,
}

/// What became of the obligations or properties of a folder: its file `verdicts.json`.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Verdicts {
    /// The name of the contract.
    pub schema: Schema<Verdicts>,
    /// The main node.
    pub model: String,
    /// The criteria, separated by commas; `property` for the model's own properties in `prove`.
    pub criterion: String,
    /// What was assumed beside the model, in the user's words.
    pub assumptions: Vec<String>,
    /// What became of each.
    pub verdicts: Vec<VerdictResult>,
    /// What became of the design errors; absent if they were not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors: Option<DesignErrorsResult>,
    /// Which effects count alone; absent if both do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<ExactWord>,
}
