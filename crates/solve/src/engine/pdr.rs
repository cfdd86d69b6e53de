//! Property-directed reachability: Spacer looks for an invariant or a run, and neither is
//! believed before plain checks confirm it.

use provoke_model::Value;
use rustc_hash::FxHashMap;

use super::backend::Backend;
use super::bmc::Bmc;
use super::budget::Budget;
use super::later::{LaterCheck, later, settled};
use super::path::follow;
use super::verdict::{GoalVerdict, ProofResult, RestsOn, UndecidedReason};
use crate::horn::{Atom, Fact, Horn, HornAnswer, HornRule, RelationId};
use crate::solver::{SolverAnswer, UnknownReason};
use crate::term::{TermId, Terms};
use crate::transition::Transition;
use crate::unroll::{Start, UnrollPolicy, Unrolling};

/// Z3 does not tell steps that it sees by itself.
const UNTOLD_STEPS: usize = 3;

/// Lets Spacer decide. The lemmas hold in every later state and are over symbols of the
/// transition.
pub fn pdr(
    terms: &mut Terms,
    transition: &Transition,
    lemmas: &[TermId],
    backend: &Backend,
    budget: &mut Budget,
) -> GoalVerdict {
    let solver = Box::new(backend.solver());
    let mut base = Bmc::new(transition, Start::Initial, UnrollPolicy::Inline, solver);
    pdr_after(terms, transition, lemmas, backend, &mut base, budget)
}

/// Spacer on top of a search from the initial state that may have begun.
pub(super) fn pdr_after(
    terms: &mut Terms,
    transition: &Transition,
    lemmas: &[TermId],
    backend: &Backend,
    base: &mut Bmc,
    budget: &mut Budget,
) -> GoalVerdict {
    // The rules are about later steps; the first is left to the base.
    match base.search(terms, 1, budget) {
        GoalVerdict::Unknown { why: UndecidedReason::Depth, .. } => {}
        decided => return decided,
    }
    let rules = Rules::new(terms, transition, lemmas);
    let Some(mut spacer) = backend.spacer() else {
        return base.unknown(UndecidedReason::Solver(UnknownReason::Incomplete(
            "only Z3 has PDR".to_owned(),
        )));
    };
    let answer = spacer.query(&rules.horn, terms, rules.bad, budget.left());
    budget.spend(spacer.spent());
    match answer {
        HornAnswer::Unknown(reason) => base.unknown(UndecidedReason::Solver(reason)),
        HornAnswer::Unreachable(invariants) => {
            let invariant = terms.substitute(invariants[rules.reached], &rules.back);
            let check = |terms: &mut Terms, invariant, budget: &mut Budget| {
                confirm(terms, transition, invariant, lemmas, backend, budget)
                    .map(|()| GoalVerdict::Unreachable(proof(invariant, lemmas)))
            };
            // Z3 tells no invariant when it sees by itself that there is no second step.
            let nothing = terms.bool(false);
            check(terms, invariant, budget)
                .or_else(|why| check(terms, nothing, budget).map_err(|_| why))
                .unwrap_or_else(|why| base.unknown(why))
        }
        HornAnswer::Reachable(facts) => {
            let states = rules.states(facts);
            let depth = states.len() + UNTOLD_STEPS;
            match follow(terms, transition, &rules.symbols, &states, backend, budget) {
                Some(witness) => GoalVerdict::Reached(witness),
                None => match base.search(terms, depth, budget) {
                    GoalVerdict::Unknown { .. } => {
                        base.unknown(UndecidedReason::Unconfirmed("a run of Spacer's"))
                    }
                    decided => decided,
                },
            }
        }
    }
}

fn proof(invariant: TermId, lemmas: &[TermId]) -> ProofResult {
    let (invariant, lemmas) = (Some(invariant), lemmas.to_vec());
    ProofResult {
        engine: "pdr",
        k: 0,
        invariant,
        lemmas,
        copies: Vec::new(),
        rests_on: RestsOn::Nothing,
    }
}

/// Checks by plain queries that `invariant` holds after the first step, that later steps keep
/// it, and that it excludes the goal there. The first step itself is not looked at.
pub fn confirm(
    terms: &mut Terms,
    transition: &Transition,
    invariant: TermId,
    lemmas: &[TermId],
    backend: &Backend,
    budget: &mut Budget,
) -> Result<(), UndecidedReason> {
    let mut check = LaterCheck::new(terms, transition, backend);
    let broken = terms.not(invariant);
    let before = [lemmas, &[invariant]].concat();
    let with_goal = [&before[..], &[transition.goal]].concat();
    let answers = [
        check.after_first(terms, broken, budget),
        check.after_later(terms, &before, broken, budget),
        check.in_later(terms, &with_goal, budget),
    ];
    for answer in answers {
        match answer {
            SolverAnswer::Unsat => {}
            SolverAnswer::Sat => {
                return Err(UndecidedReason::Unconfirmed("an invariant of Spacer's"));
            }
            SolverAnswer::Unknown(reason) => return Err(UndecidedReason::Solver(reason)),
        }
    }
    Ok(())
}

/// A transition as rules about its later states.
struct Rules {
    horn: Horn,
    reached: RelationId,
    bad: RelationId,
    /// The state variables that are parameters of `reached`: all that are not settled.
    symbols: Vec<TermId>,
    /// From the parameters to the state variables.
    back: FxHashMap<TermId, TermId>,
}

impl Rules {
    fn new(terms: &mut Terms, transition: &Transition, lemmas: &[TermId]) -> Rules {
        let settled = settled(terms, transition);
        let mut symbols: Vec<_> = transition.state.iter().map(|var| var.symbol).collect();
        symbols.retain(|symbol| settled.iter().all(|(other, _)| other != symbol));
        let mut first = Unrolling::new(transition, Start::Initial, UnrollPolicy::Inline, "");
        let mut later = later(terms, transition, UnrollPolicy::Inline);
        let parameters = state(terms, &mut later, &symbols, 0);
        let mut horn = Horn::new();
        let reached = horn.relation(parameters.clone());
        let bad = horn.relation(Vec::new());
        let at = |arguments| Atom { relation: reached, arguments };
        let mut holds: Vec<_> = lemmas.iter().map(|lemma| later.at(terms, *lemma, 0)).collect();
        holds.push(later.constraint(terms, 0));
        let moves = terms.all(&holds);
        holds.push(later.goal(terms, 0));
        let meets_goal = terms.all(&holds);
        let begins = first.constraint(terms, 0);
        let second = state(terms, &mut first, &symbols, 1);
        let next = state(terms, &mut later, &symbols, 1);
        let here = || vec![at(parameters.clone())];
        let goal = Atom { relation: bad, arguments: Vec::new() };
        horn.rules = vec![
            HornRule { premises: vec![], condition: begins, conclusion: at(second) },
            HornRule { premises: here(), condition: moves, conclusion: at(next) },
            HornRule { premises: here(), condition: meets_goal, conclusion: goal },
        ];
        let back = parameters.into_iter().zip(symbols.iter().copied()).collect();
        Rules { horn, reached, bad, symbols, back }
    }

    /// The states before each later step of a derivation.
    fn states(&self, facts: Vec<Fact>) -> Vec<Vec<Value>> {
        let of_state = |fact: Fact| (fact.relation == self.reached).then_some(fact.values);
        facts.into_iter().filter_map(of_state).collect()
    }
}

fn state(
    terms: &mut Terms,
    unrolling: &mut Unrolling,
    symbols: &[TermId],
    step: usize,
) -> Vec<TermId> {
    symbols.iter().map(|symbol| unrolling.at(terms, *symbol, step)).collect()
}
