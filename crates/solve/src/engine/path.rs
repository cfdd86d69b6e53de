//! From the states of a run to its inputs.

use provoke_model::Value;

use super::backend::Backend;
use super::bmc::bmc;
use super::budget::Budget;
use super::later::settled;
use super::verdict::{GoalVerdict, GoalWitness};
use crate::encode::literal;
use crate::term::{TermId, Terms};
use crate::transition::Transition;
use crate::unroll::{Start, UnrollPolicy};

/// Finds inputs that lead from the initial state through `states`, the values of `symbols`
/// before each later step, to the goal in the step after the last; one step at a time, which
/// is easy however long the run is. `None` if there are none.
pub(super) fn follow(
    terms: &mut Terms,
    transition: &Transition,
    symbols: &[TermId],
    states: &[Vec<Value>],
    backend: &Backend,
    budget: &mut Budget,
) -> Option<GoalWitness> {
    let settled = settled(terms, transition);
    let mut witness = GoalWitness::default();
    let mut start = Start::Initial;
    for target in states.iter().map(Some).chain([None]) {
        let goal = match target {
            Some(state) => arrival(terms, transition, symbols, state)?,
            None => transition.goal,
        };
        let step = Transition { goal, ..transition.clone() };
        let solver = Box::new(backend.solver());
        let found = bmc(terms, &step, start, UnrollPolicy::Inline, solver, 1, budget);
        let GoalVerdict::Reached(found) = found else { return None };
        if witness.steps.is_empty() {
            witness.start = found.start;
        }
        witness.steps.extend(found.steps);
        let state = target.cloned().unwrap_or_default();
        let moved = symbols.iter().copied().zip(state);
        start = Start::At(moved.chain(settled.iter().cloned()).collect());
    }
    Some(witness)
}

/// The step ends in `state`.
fn arrival(
    terms: &mut Terms,
    transition: &Transition,
    symbols: &[TermId],
    state: &[Value],
) -> Option<TermId> {
    let mut all = Vec::with_capacity(symbols.len());
    for (symbol, value) in symbols.iter().zip(state) {
        let var = transition.state.iter().find(|var| var.symbol == *symbol)?;
        let value = literal(terms, value)?;
        all.push(terms.eq(var.next, value));
    }
    Some(terms.all(&all))
}
