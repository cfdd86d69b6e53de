//! What the assertions of a model do to its runs: none is left, some end early, or nothing
//! changes.

use provoke_base::Random;
use provoke_model::{System, Value};
use provoke_solve::engine::{
    Backend, Bmc, Budget, Engine, GoalVerdict, Induction, ProofPlan, about, constrain_types, decide,
};
use provoke_solve::{
    Encoder, Limit, Reading, SolverAnswer, Sort, Start, TermId, Terms, Transition, UnrollPolicy,
};
use rustc_hash::FxHashMap;

use crate::attempt::chosen_inputs;
use crate::generate::InputFill;
use crate::runs::has_runs;

/// How deep dead ends are searched for.
const DEPTH: usize = 12;
/// How long the window of an induction may be.
const MAX_K: usize = 2;
/// How many inputs are tried out as ways to go on.
const MAX_EXITS: usize = 32;

/// What is known of the assertions of a system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AssumptionAnalysis {
    /// Whether some first step is inside all of them; `None` if the solver does not know.
    pub has_runs: Option<bool>,
    /// Where runs end that no input continues.
    pub dead_end: DeadEnd,
    /// The positions of those that are always true, whatever the inputs are.
    pub restricting_nothing: Vec<usize>,
}

/// Whether assertions end runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DeadEnd {
    /// After these steps no input is inside the assertions.
    After(Vec<Vec<Value>>),
    /// No run of at most so many steps comes to such an end; longer ones may. With zero, nothing
    /// is known.
    NotWithin(usize),
    /// No run does.
    Never,
}

/// The positions of the assertions that may be undefined in the first step, because of an
/// unguarded `pre`; they restrict nothing there. That is seen without a solver.
pub fn undefined_assumptions(system: &System) -> Vec<usize> {
    let encoder = Encoder::new(system, &mut Terms::new());
    let doubtful = |at: &usize| encoder.may_be_unknown(system.assumptions[*at].expr)[0];
    (0..system.assumptions.len()).filter(doubtful).collect()
}

/// Looks at the assertions of a system, with so much work for each question.
pub fn analyse_assumptions(system: &System, backend: &Backend, limit: Limit) -> AssumptionAnalysis {
    let has_runs = has_runs(system, backend, limit);
    let is_useless =
        |at: &usize| has_runs != Some(false) && is_useless(system, *at, backend, limit);
    AssumptionAnalysis {
        has_runs,
        dead_end: match has_runs {
            Some(false) => DeadEnd::NotWithin(0),
            _ => find_dead_end(system, backend, limit),
        },
        restricting_nothing: (0..system.assumptions.len()).filter(is_useless).collect(),
    }
}

/// Whether an assertion is proven to hold in every run of the system without assertions.
fn is_useless(system: &System, at: usize, backend: &Backend, limit: Limit) -> bool {
    let free = System { assumptions: Vec::new(), ..system.clone() };
    let expr = system.assumptions[at].expr;
    let mut terms = Terms::new();
    let mut encoder = Encoder::new(&free, &mut terms);
    let (known, holds) =
        (encoder.known(&mut terms, expr, Reading::Known), encoder.value(&mut terms, expr));
    let fails = terms.not(holds);
    let fails = terms.all(&[known, fails]);
    let faults = encoder.faults(&mut terms, expr, Reading::Possible);
    let restricts = terms.any(&[fails, faults]);
    let question = about(&mut encoder, &mut terms, restricts);
    let mut budget = Budget::new(limit);
    let verdict = decide(&mut terms, &question, &[], Engine::All, &plan(), backend, &mut budget);
    matches!(verdict, GoalVerdict::Unreachable(_))
}

fn plan() -> ProofPlan {
    let induction = Induction { max_k: MAX_K, ..Induction::default() };
    ProofPlan { deep: DEPTH, induction, ..ProofPlan::default() }
}

/// Looks for a state that no input leaves. A state is a candidate if none of the inputs that
/// are known to lead on from others does so from it; each candidate that is none gives one more.
pub fn find_dead_end(system: &System, backend: &Backend, limit: Limit) -> DeadEnd {
    let mut terms = Terms::new();
    let mut encoder = Encoder::new(system, &mut terms);
    let anything = terms.bool(true);
    let going_on = about(&mut encoder, &mut terms, anything);
    let mut budget = Budget::new(limit);
    let mut blocked = Vec::new();
    for _ in 0..MAX_EXITS {
        let stuck = terms.all(&blocked);
        let question = after_step(&mut encoder, &mut terms, &going_on, stuck);
        let found = decide(&mut terms, &question, &[], Engine::All, &plan(), backend, &mut budget);
        let run = match found {
            GoalVerdict::Unreachable(_) => return DeadEnd::Never,
            GoalVerdict::Unknown { depth, .. } => return DeadEnd::NotWithin(depth),
            GoalVerdict::Reached(witness) => witness.steps,
        };
        let solver = Box::new(backend.solver());
        let mut search = Bmc::new(&going_on, Start::Initial, UnrollPolicy::Inline, solver)
            .with_inputs(run.clone());
        match search.check(&mut terms, anything, run.len(), &mut budget) {
            SolverAnswer::Unsat => {
                let random = Random::new(0);
                let steps = chosen_inputs(
                    system,
                    &mut encoder,
                    &mut terms,
                    &run,
                    random,
                    InputFill::Random,
                );
                return DeadEnd::After(steps);
            }
            SolverAnswer::Unknown(_) => break,
            SolverAnswer::Sat => {}
        }
        let Some(onward) = search.witness(&mut terms, anything, run.len()) else { break };
        let exit = &onward.steps[run.len()];
        let leaves = with_inputs(&mut terms, &going_on, exit);
        blocked.push(terms.not(leaves));
    }
    DeadEnd::NotWithin(0)
}

/// The question whether a step leads to a state in which something holds.
fn after_step(
    encoder: &mut Encoder<'_>,
    terms: &mut Terms,
    going_on: &Transition,
    state: TermId,
) -> Transition {
    let next: FxHashMap<_, _> = going_on.state.iter().map(|var| (var.symbol, var.next)).collect();
    let goal = terms.substitute(state, &next);
    let constraint = encoder.constraint(terms, Reading::Possible);
    let mut question = Transition::slice(terms, goal, constraint, |terms, symbol| {
        encoder.state_var(terms, symbol)
    });
    constrain_types(encoder, terms, &mut question);
    question
}

/// What holds in a step with these inputs; those that do not matter have some value.
fn with_inputs(terms: &mut Terms, step: &Transition, chosen: &[(TermId, Value)]) -> TermId {
    let mut values = FxHashMap::default();
    for &input in &step.inputs {
        let value = chosen.iter().find(|(symbol, _)| *symbol == input);
        let value = match value {
            Some((_, value)) => terms.constant(value.clone()),
            None => match terms.sort(input) {
                Sort::Bool => terms.bool(false),
                Sort::Int => terms.int(0),
                Sort::Real => {
                    let zero = terms.int(0);
                    terms.to_real(zero)
                }
            },
        };
        values.insert(input, value);
    }
    terms.substitute(step.constraint, &values)
}
