//! A question about a system: can a state be reached in which a goal holds?

use provoke_model::Value;
use rustc_hash::FxHashSet;

use crate::term::{TermId, Terms};

/// Something remembered from step to step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateVar {
    /// The symbol of its value in a step.
    pub symbol: TermId,
    /// Its value in the first step; `None` if it may be any.
    pub initial: Option<Value>,
    /// Its value in the step after, over the symbols of this step.
    pub next: TermId,
}

/// Steps over state variables and inputs, and a goal. Only what the goal and the constraint
/// depend on is part of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    /// What is remembered, in the order of the symbols.
    pub state: Vec<StateVar>,
    /// The symbols that are chosen anew in each step.
    pub inputs: Vec<TermId>,
    /// What holds in every step.
    pub constraint: TermId,
    /// What may hold in some step.
    pub goal: TermId,
}

impl Transition {
    /// The slice that `goal` and `constraint` depend on. `state_var` tells which symbols are
    /// remembered and how; all others are inputs.
    pub fn slice(
        terms: &mut Terms,
        goal: TermId,
        constraint: TermId,
        state_var: impl FnMut(&mut Terms, TermId) -> Option<StateVar>,
    ) -> Transition {
        Transition::over(terms, &[goal, constraint], goal, constraint, state_var)
    }

    /// The same over all that `roots` depend on.
    pub fn over(
        terms: &mut Terms,
        roots: &[TermId],
        goal: TermId,
        constraint: TermId,
        mut state_var: impl FnMut(&mut Terms, TermId) -> Option<StateVar>,
    ) -> Transition {
        let mut seen = FxHashSet::default();
        let mut visited = FxHashSet::default();
        let (mut state, mut inputs) = (Vec::new(), Vec::new());
        let mut roots = roots.to_vec();
        while !roots.is_empty() {
            let found = terms.reachable(&roots, |id| visited.contains(&id));
            roots.clear();
            for id in found {
                visited.insert(id);
                let is_symbol = matches!(terms.get(id), crate::term::Term::Symbol(_));
                if !is_symbol || !seen.insert(id) {
                    continue;
                }
                match state_var(terms, id) {
                    Some(var) => {
                        roots.push(var.next);
                        state.push(var);
                    }
                    None => inputs.push(id),
                }
            }
        }
        state.sort_by_key(|var| var.symbol);
        inputs.sort_unstable();
        Transition { state, inputs, constraint, goal }
    }
}
