//! Whether a system and its changed copy can ever be told apart.

use provoke_base::Random;
use provoke_model::{System, Value, VarId};
use provoke_solve::certificate::{Certificate, OwnFacts, ProvenLemmas};
use provoke_solve::encode::{Encoder, value_of_type};
use provoke_solve::engine::{
    Backend, Budget, Engine, GoalVerdict, Induction, ProofPlan, UndecidedReason, decide,
};
use provoke_solve::{Effort, Reading, TermId, Terms, Transition, UnknownReason};

use crate::facts::{alike, learn_all};
use crate::miter::Miter;
use crate::random_inputs::RandomInputs;
use crate::score::TestInputs;

/// Asks solvers about a system and changed copies of it.
#[derive(Clone, Copy)]
pub struct MiterSearch<'a> {
    /// The original.
    pub system: &'a System,
    /// Runs of the original, from which lemmas are learnt.
    pub tests: &'a [TestInputs],
    /// Where solvers come from.
    pub backend: &'a Backend,
    /// Which engine decides.
    pub engine: Engine,
    /// Where random numbers start.
    pub seed: u64,
}

/// What is known of a changed copy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MiterVerdict {
    /// No run of any length tells it from the original.
    Alike {
        /// The engine that proved it.
        engine: String,
        /// The length of its window.
        k: usize,
        /// How many lemmas the proof stands on.
        lemmas: usize,
        /// What others need to check it, where that can be said.
        certificate: Option<Certificate>,
    },
    /// A test that tells them apart or makes the copy divide by zero, to be run before it is believed.
    Differ(TestInputs),
    /// Neither was found.
    Unknown {
        /// Why, in a few words.
        reason: String,
        /// In this many first steps there is no difference.
        depth: usize,
        /// Whether the clock or the user ended it, so that another try may do better.
        cut_short: bool,
    },
}

/// What part of an effort it may cost to find what is alike.
const ALIKE_PERCENT: u32 = 20;
/// And the shortest windows.
const SOON_PERCENT: u32 = 25;
/// What part of an effort lemmas about a copy may cost.
const LEARNING_PERCENT: u32 = 40;

impl MiterSearch<'_> {
    /// Decides with an effort; where it `learns`, lemmas about the copy are tried as well. The id
    /// is where random numbers start that the solver leaves open. Read as [`Reading::Possible`], they
    /// differ if some values of what is undefined make them differ, or the copy divides by zero; read
    /// as [`Reading::Known`], if they differ for certain. Only the first can be a proof.
    pub fn decide(
        &self,
        id: &str,
        miter: &Miter,
        facts: &ProvenLemmas,
        (effort, reading): (Effort, Reading),
        learns: bool,
    ) -> MiterVerdict {
        let mut terms = Terms::new();
        let (mut encoder, question) = miter.question(&mut terms, reading);
        let goal = question.goal;
        let mut budget = Budget::new(effort.limit);
        let backend = self.backend;
        let mut lemmas = facts.about(&mut terms, &question);
        // Where nothing can differ, a solver costs more than the answer.
        let alike = match terms.is_bool(goal, false) {
            true => Vec::new(),
            false => budget.with_part(ALIKE_PERCENT, |budget| {
                alike(miter, &encoder, &mut terms, &question, &lemmas, backend, budget)
            }),
        };
        lemmas.extend(&alike);
        let induction = Induction { max_k: effort.k, ..Induction::default() };
        let plan = ProofPlan { deep: effort.depth, induction, ..ProofPlan::default() };
        let mut verdict = self.soon(&mut terms, &question, &lemmas, plan, &mut budget);
        let mut learnt = Vec::new();
        if verdict.is_unknown() {
            if learns {
                let more = budget.with_part(LEARNING_PERCENT, |budget| {
                    learn_all(&mut encoder, &mut terms, self.tests, backend, budget)
                });
                lemmas.extend(more.inside(&mut terms, &question));
                learnt.push(more.facts(&mut terms));
            }
            verdict =
                decide(&mut terms, &question, &lemmas, self.engine, &plan, backend, &mut budget);
        }
        let own = OwnFacts { on_lemmas: &alike, alone: learnt };
        match verdict {
            GoalVerdict::Unreachable(proof) => {
                let certificate =
                    Certificate::new(&miter.names(), &terms, &proof, facts.shared(), own);
                let invariant = usize::from(proof.invariant.is_some());
                let lemmas = proof.lemmas.len() + proof.copies.len() + invariant;
                MiterVerdict::Alike {
                    engine: proof.engine.to_string(),
                    k: proof.k,
                    lemmas,
                    certificate,
                }
            }
            GoalVerdict::Unknown { why, depth } => {
                let (reason, cut_short) = (words(&why), is_cut_short(&why));
                MiterVerdict::Unknown { reason, depth, cut_short }
            }
            GoalVerdict::Reached(witness) => {
                let mut random = Random::for_part(self.seed, id);
                let drawer = RandomInputs::new(self.system);
                let row = |chosen: &Vec<(TermId, Value)>| {
                    inputs(self.system, &drawer, &mut encoder, &mut terms, chosen, &mut random)
                };
                MiterVerdict::Differ(witness.steps.iter().map(row).collect())
            }
        }
    }
}

impl MiterSearch<'_> {
    /// What the shortest windows say: simulation found what is easily seen, so most of what is asked is
    /// never seen, and most of that follows from a step.
    fn soon(
        &self,
        terms: &mut Terms,
        question: &Transition,
        lemmas: &[TermId],
        plan: ProofPlan,
        budget: &mut Budget,
    ) -> GoalVerdict {
        if self.engine != Engine::All {
            return GoalVerdict::Unknown { why: UndecidedReason::NotInductive, depth: 0 };
        }
        let induction = Induction { max_k: plan.induction.max_k.min(1), ..plan.induction };
        let (plan, engine) = (ProofPlan { induction, ..plan }, Engine::KInduction);
        budget.with_part(SOON_PERCENT, |budget| {
            decide(terms, question, lemmas, engine, &plan, self.backend, budget)
        })
    }
}

/// A row of inputs; what a solution leaves open is drawn at random, since defaults make weak
/// tests.
fn inputs(
    system: &System,
    drawer: &RandomInputs<'_>,
    encoder: &mut Encoder<'_>,
    terms: &mut Terms,
    chosen: &[(TermId, Value)],
    random: &mut Random,
) -> Vec<Value> {
    let mut value = |var: &VarId| {
        let symbol = encoder.input(terms, *var);
        let drawn = drawer.value(&system.vars[*var], random);
        let given = chosen.iter().find(|(input, _)| *input == symbol);
        given.map_or(drawn, |(_, value)| value_of_type(value.clone(), system.vars[*var].ty))
    };
    system.inputs.iter().map(&mut value).collect()
}

fn words(why: &UndecidedReason) -> String {
    match why {
        UndecidedReason::Depth => "searched as deep as allowed".to_string(),
        UndecidedReason::NotInductive => "not inductive".to_string(),
        UndecidedReason::Solver(UnknownReason::Budget) => "effort used up".to_string(),
        UndecidedReason::Solver(UnknownReason::Timeout) => "time used up".to_string(),
        UndecidedReason::Solver(UnknownReason::Interrupted) => "stopped".to_string(),
        UndecidedReason::Solver(UnknownReason::OutOfMemory) => "solver out of memory".to_string(),
        UndecidedReason::Solver(UnknownReason::Incomplete(words)) => {
            format!("solver gave up: {words}")
        }
        UndecidedReason::Solver(UnknownReason::Crashed(words)) => format!("solver failed: {words}"),
        UndecidedReason::NotEnumerable(what) => format!("cannot be enumerated: {what}"),
        UndecidedReason::Unconfirmed(what) => format!("not confirmed: {what}"),
    }
}

/// Whether the clock, the user or the solver's trouble ended it.
fn is_cut_short(why: &UndecidedReason) -> bool {
    use UnknownReason::{Crashed, Interrupted, OutOfMemory, Timeout};
    matches!(why, UndecidedReason::Solver(Interrupted | Timeout | OutOfMemory | Crashed(_)))
}
