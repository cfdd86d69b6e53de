//! One attempt at one obligation, with terms and solvers of its own.

use provoke_base::{Int, Random, Rational};
use provoke_criteria::{Measurement, Obligation, ObligationKind};
use provoke_model::{ExprId, System, Type, Value, VarId};
use provoke_sim::interpreter::delays;
use provoke_solve::certificate::CertificateNames;
use provoke_solve::encode::value_of_type;
use provoke_solve::engine::{
    Backend, Budget, Engine, GoalVerdict, GoalWitness, Induction, ProofPlan, ProofResult,
    UndecidedReason, decide, k_induction, strengthen,
};
use provoke_solve::{Effort, Encoder, Reading, TermId, Terms, Transition, UnknownReason};
use rustc_hash::FxHashMap;

use crate::candidate_values::CandidateValues;
use crate::effects::attempt_at_fault;
use crate::generate::{GenerationMethod, InputFill, ProofSummary, StrategyOptions};
use crate::goal::Goals;
use crate::incremental::{Incremental, incremental};
use crate::quest::Quest;
use crate::system_lemmas::SystemLemmas;

/// What the incremental part may use of an effort; the rest is for the search that follows.
const INCREMENTAL_PERCENT: u32 = 50;

/// Why there is neither a test nor a proof where tests would have to rest on what is undefined.
const ONLY_UNDEFINED: &str = "only an undefined value can do that";
/// Why there is none where more effort may still prove that undefined values cannot do it either.
const NOT_FOR_CERTAIN: &str = "no test does that for certain; an undefined value may";

/// What made a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TestSource {
    /// It was there before.
    Given,
    /// Simulation.
    Simulation,
    /// Single steps that lead a tag on.
    Incremental,
    /// A short search from a state that simulation reached.
    Archive,
    /// A search from the initial state.
    Search,
}

provoke_base::words!(TestSource {
    Given = "given",
    Simulation = "simulation",
    Incremental = "incremental",
    Archive = "archive",
    Search = "search",
});

/// What an attempt at an obligation found. It depends on the system, the obligation, the
/// options and the effort, and on nothing else, so it can be kept and used again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Attempt {
    /// A test, to be measured before it is believed; all inputs are known.
    Test {
        /// The inputs of each step.
        steps: Vec<Vec<Value>>,
        /// What found it.
        source: TestSource,
        /// Values of what is undefined with which it breaks a property: what each `pre` is
        /// worth in the first step.
        undefined: Vec<(ExprId, Value)>,
    },
    /// No test can cover it.
    Proof(ProofSummary),
    /// Neither.
    Nothing {
        /// Why, in a few words.
        reason: String,
        /// In this many first steps it cannot be covered.
        depth: usize,
        /// Whether the clock or the user ended it, so that another try may do better.
        cut_short: bool,
        /// Whether no effort can change that: neither a test nor a proof exists.
        settled: bool,
    },
}

impl Attempt {
    /// Tries to find a test or a proof.
    pub(crate) fn new(
        system: &System,
        quest: &Quest,
        options: &StrategyOptions,
        backend: &Backend,
        facts: &SystemLemmas,
        effort: Effort,
    ) -> Attempt {
        if let Some(form) = quest.form {
            return attempt_at_fault(system, quest, form, options, backend, facts, effort);
        }
        let mut terms = Terms::new();
        let (StrategyOptions { masking, oracle, .. }, obligation) = (options, &quest.obligation);
        let mut goals = Goals::new(system, *masking, oracle, &mut terms);
        goals.end_tags_outside(&facts.observable);
        let ask = |goals: &mut Goals<'_>, terms: &mut Terms, reading| {
            goals.read(reading);
            goals.question(terms, obligation)
        };
        let question = ask(&mut goals, &mut terms, Reading::Known);
        let doubted = goals.doubted() || obligation.kind == ObligationKind::Property;
        let possible = doubted.then(|| ask(&mut goals, &mut terms, Reading::Possible));
        let for_proofs = possible.filter(|possible| *possible != question);
        goals.read(Reading::Possible);
        let budget = Budget::new(effort.limit);
        let mut asked = GoalQuestion {
            system,
            obligation,
            options,
            backend,
            effort,
            terms,
            goals,
            question,
            for_proofs,
            budget,
        };
        asked
            .tag_dies(facts)
            .or_else(|| asked.step_by_step())
            .unwrap_or_else(|| asked.search(facts))
    }

    fn nothing(why: &UndecidedReason, depth: usize) -> Attempt {
        use UnknownReason::{Crashed, Interrupted, OutOfMemory, Timeout};
        let cut_short = matches!(
            why,
            UndecidedReason::Solver(Interrupted | Timeout | OutOfMemory | Crashed(_))
        );
        Attempt::Nothing { reason: words(why), depth, cut_short, settled: false }
    }

    /// A test that rests on nothing undefined.
    pub(crate) fn test(steps: Vec<Vec<Value>>, source: TestSource) -> Attempt {
        Attempt::Test { steps, source, undefined: Vec::new() }
    }

    /// An attempt that is made elsewhere.
    pub(crate) fn elsewhere() -> Attempt {
        let reason = "left to another shard".to_string();
        Attempt::Nothing { reason, depth: 0, cut_short: true, settled: false }
    }

    /// An attempt that was not made.
    pub(crate) fn stopped() -> Attempt {
        Attempt::nothing(&UndecidedReason::Solver(UnknownReason::Interrupted), 0)
    }
}

/// What part of the effort goes into showing that the tag dies where it starts.
const TAG_DIES_PERCENT: u32 = 25;
/// And into facts about where it waits.
const CLAIMS_PERCENT: u32 = 25;
/// And into what values of what is undefined could do, where these matter.
const POSSIBLE_PERCENT: u32 = 50;
/// From this effort on, claims may be many.
const PATIENT_K: usize = 8;

/// A question that is being asked.
struct GoalQuestion<'a> {
    system: &'a System,
    obligation: &'a Obligation,
    options: &'a StrategyOptions,
    backend: &'a Backend,
    effort: Effort,
    terms: Terms,
    goals: Goals<'a>,
    /// What a test has to do for certain.
    question: Transition,
    /// What a proof has to exclude, where that is more: all that some values of what is
    /// undefined do.
    for_proofs: Option<Transition>,
    budget: Budget,
}

impl GoalQuestion<'_> {
    /// A proof that the tag never leaves the step it starts in: about the system alone, without
    /// tags that wait, and so the cheapest. `None` if there is none.
    fn tag_dies(&mut self, facts: &SystemLemmas) -> Option<Attempt> {
        if self.options.engine != Engine::All {
            return None;
        }
        let GoalQuestion { terms, goals, obligation, effort, backend, .. } = self;
        let question = goals.gets_out(terms, obligation)?;
        let lemmas = facts.about(terms, &question);
        let induction = Induction { max_k: effort.k, ..Induction::default() };
        let verdict = self.budget.with_part(TAG_DIES_PERCENT, |budget| {
            k_induction(terms, &question, &lemmas, induction, backend, budget)
        });
        match verdict {
            GoalVerdict::Unreachable(proof) => Some(Attempt::Proof(facts.summary(&proof))),
            _ => None,
        }
    }

    /// The incremental method, if it is wanted and there is something to lead on; `None` if it
    /// found nothing that a search might not find.
    fn step_by_step(&mut self) -> Option<Attempt> {
        let leads = self.obligation.tagged().is_some();
        if self.options.method != GenerationMethod::Incremental || !leads {
            return None;
        }
        // Where the search would be for tests only, there is nothing to save for it: it begins
        // with what the incremental method has to find as well.
        let only_tests = self.options.engine == Engine::Bmc;
        let part = if only_tests { 100 } else { INCREMENTAL_PERCENT };
        let GoalQuestion { terms, goals, question, effort, backend, .. } = self;
        let found = self.budget.with_part(part, |budget| {
            incremental(terms, goals, question, effort.depth, backend, budget)
        });
        match found {
            Incremental::Test(steps) => {
                let steps = self.filled(&steps);
                let confirmed = self.covers(&steps);
                let unconfirmed = (!self.options.fallback).then(|| Attempt::Nothing {
                    reason: "the steps do not cover it".to_string(),
                    depth: 0,
                    cut_short: false,
                    settled: false,
                });
                match confirmed {
                    true => Some(Attempt::test(steps, TestSource::Incremental)),
                    false => unconfirmed,
                }
            }
            Incremental::NoBegin { clear, why } => {
                only_tests.then(|| Attempt::nothing(&why, clear))
            }
            Incremental::Stuck if self.options.fallback => None,
            Incremental::Stuck => {
                let reason = "no single step leads on, and nothing else is tried".to_string();
                Some(Attempt::Nothing { reason, depth: 0, cut_short: false, settled: false })
            }
        }
    }

    /// A search from the initial state, and proofs, as the engine goes.
    fn search(&mut self, facts: &SystemLemmas) -> Attempt {
        let Some(possible) = self.for_proofs.take() else {
            let question = self.question.clone();
            return match self.decide(&question, facts, 100) {
                GoalVerdict::Reached(witness) => self.test(&witness),
                GoalVerdict::Unreachable(proof) => self.proven(&proof, facts),
                GoalVerdict::Unknown { why, depth } => Attempt::nothing(&why, depth),
            };
        };
        let is_possible = match self.decide(&possible, facts, POSSIBLE_PERCENT) {
            GoalVerdict::Unreachable(proof) => return self.proven(&proof, facts),
            GoalVerdict::Reached(witness) => {
                let steps = self.filled(&witness.steps);
                if self.covers(&steps) {
                    return Attempt::test(steps, TestSource::Search);
                }
                true
            }
            GoalVerdict::Unknown { .. } => false,
        };
        let question = self.question.clone();
        match self.decide(&question, facts, 100) {
            GoalVerdict::Reached(witness) => self.test(&witness),
            GoalVerdict::Unreachable(_) => {
                let reason = if is_possible { ONLY_UNDEFINED } else { NOT_FOR_CERTAIN }.to_string();
                Attempt::Nothing { reason, depth: 0, cut_short: false, settled: is_possible }
            }
            GoalVerdict::Unknown { why, depth } => Attempt::nothing(&why, depth),
        }
    }

    /// What the engine says about a question, with a part of what is left.
    fn decide(&mut self, question: &Transition, facts: &SystemLemmas, percent: u32) -> GoalVerdict {
        let GoalQuestion { terms, effort, backend, .. } = self;
        let induction = Induction { max_k: effort.k, ..Induction::default() };
        let plan = ProofPlan { deep: effort.depth, induction, ..ProofPlan::default() };
        let mut lemmas = facts.about(terms, question);
        let claims = if self.options.engine == Engine::All && self.obligation.tagged().is_some() {
            // What lemmas say under guards makes many claims: worth trying when others failed.
            let guarded: &[_] = if effort.k < PATIENT_K { &[] } else { &lemmas };
            self.goals.about_tags(terms, question, guarded)
        } else {
            Vec::new()
        };
        self.budget.with_part(percent, |budget| {
            lemmas.extend(budget.with_part(CLAIMS_PERCENT, |budget| {
                strengthen(terms, question, &lemmas, claims, backend, budget)
            }));
            decide(terms, question, &lemmas, self.options.engine, &plan, backend, budget)
        })
    }

    /// A proof; with what others need to check it if it is about the system alone.
    fn proven(&self, proof: &ProofResult, facts: &SystemLemmas) -> Attempt {
        let mut summary = ProofSummary::new(proof);
        if self.obligation.tagged().is_none() {
            let names = CertificateNames::new(self.system);
            summary.certificate = facts.certificate(&names, &self.terms, proof);
        }
        Attempt::Proof(summary)
    }

    fn test(&mut self, witness: &GoalWitness) -> Attempt {
        let undefined = match self.obligation.kind {
            ObligationKind::Property => self.undefined(&witness.start),
            _ => Vec::new(),
        };
        Attempt::Test { steps: self.filled(&witness.steps), source: TestSource::Search, undefined }
    }

    /// The values that were chosen for what is undefined.
    fn undefined(&mut self, start: &[(TermId, Value)]) -> Vec<(ExprId, Value)> {
        let mut values = Vec::new();
        for pre in delays(self.system) {
            let symbol = self.goals.encoder().memory(&mut self.terms, pre);
            if let Some((_, value)) = start.iter().find(|(other, _)| *other == symbol) {
                let value = value_of_type(value.clone(), self.system.exprs[pre].ty);
                values.push((pre, value));
            }
        }
        values
    }

    fn filled(&mut self, solution: &[Vec<(TermId, Value)>]) -> Vec<Vec<Value>> {
        let random = Random::for_part(self.options.seed, &self.obligation.id);
        let fill = self.options.fill;
        inputs(self.system, &mut self.goals, &mut self.terms, solution, (random, fill))
    }

    /// Whether measurement confirms a test.
    fn covers(&self, steps: &[Vec<Value>]) -> bool {
        let StrategyOptions { masking, oracle, .. } = self.options;
        let one = std::slice::from_ref(self.obligation);
        let mut measurement = Measurement::new(self.system, one, *masking, oracle);
        !measurement.run_test(steps).covered.is_empty()
    }
}

/// The inputs of a solution; what does not matter is usually drawn at random, since defaults make
/// weak tests.
pub(crate) fn inputs(
    system: &System,
    goals: &mut Goals<'_>,
    terms: &mut Terms,
    solution: &[Vec<(TermId, Value)>],
    (random, fill): (Random, InputFill),
) -> Vec<Vec<Value>> {
    chosen_inputs(system, goals.encoder(), terms, solution, random, fill)
}

/// false, 0, the first constant, or the lower bound of a subrange for each input.
fn default_row(system: &System) -> Vec<Value> {
    let value = |var: &VarId| {
        let var = &system.vars[*var];
        match (&var.range, var.ty) {
            (Some(range), _) if var.machine.is_none() || !range.contains(&Value::from(0)) => {
                Value::Int(range.low.clone())
            }
            (_, Type::Bool) => Value::Bool(false),
            (_, Type::Int) => Value::from(0),
            (_, Type::Real) => Value::Real(Rational::from(&Int::from(0))),
            (_, Type::Enum(_)) => Value::Enum(0),
        }
    };
    system.inputs.iter().map(value).collect()
}

/// The same with the encoder alone.
pub(crate) fn chosen_inputs(
    system: &System,
    encoder: &mut Encoder<'_>,
    terms: &mut Terms,
    solution: &[Vec<(TermId, Value)>],
    mut random: Random,
    fill: InputFill,
) -> Vec<Vec<Value>> {
    let pool = CandidateValues::new(system);
    let mut steps = Vec::new();
    for chosen in solution {
        let chosen: FxHashMap<TermId, &Value> =
            chosen.iter().map(|(input, value)| (*input, value)).collect();
        let mut row = match fill {
            InputFill::Random => pool.row(&mut random),
            InputFill::Default => default_row(system),
        };
        for (position, &var) in system.inputs.iter().enumerate() {
            let symbol = encoder.input(terms, var);
            if let Some(value) = chosen.get(&symbol).copied() {
                row[position] = value_of_type(value.clone(), system.vars[var].ty);
            }
        }
        steps.push(row);
    }
    steps
}

fn words(why: &UndecidedReason) -> String {
    match why {
        UndecidedReason::Depth => "searched as deep as allowed".to_string(),
        UndecidedReason::NotInductive => "not inductive".to_string(),
        UndecidedReason::Solver(reason) => match reason {
            UnknownReason::Budget => "effort used up".to_string(),
            UnknownReason::Timeout => "time used up".to_string(),
            UnknownReason::Interrupted => "stopped".to_string(),
            UnknownReason::OutOfMemory => "solver out of memory".to_string(),
            UnknownReason::Incomplete(words) => format!("solver gave up: {words}"),
            UnknownReason::Crashed(words) => format!("solver failed: {words}"),
        },
        UndecidedReason::NotEnumerable(what) => format!("cannot be enumerated: {what}"),
        UndecidedReason::Unconfirmed(what) => format!("not confirmed: {what}"),
    }
}
