//! Steps that are not the first of a run.

use provoke_model::Value;
use rustc_hash::FxHashSet;

use super::backend::Backend;
use super::budget::Budget;
use super::solver_pair::SolverPair;
use crate::solver::{Solver, SolverAnswer};
use crate::term::{TermId, Terms};
use crate::transition::Transition;
use crate::unroll::{Start, UnrollPolicy, Unrolling};

/// A row of steps from any state, reachable or not, that is not the initial one: what the
/// first step sets once and for all, `first` above all, has its value.
pub(super) fn later<'t>(
    terms: &Terms,
    transition: &'t Transition,
    policy: UnrollPolicy,
) -> Unrolling<'t> {
    Unrolling::new(transition, Start::At(settled(terms, transition)), policy, "~later")
}

/// The state variables whose value is a literal in every later state.
pub(super) fn settled(terms: &Terms, transition: &Transition) -> Vec<(TermId, Value)> {
    let literal =
        |var: &crate::StateVar| terms.value(var.next).map(|value| (var.symbol, value.clone()));
    transition.state.iter().filter_map(literal).collect()
}

/// Plain checks of what holds in later states.
pub(super) struct LaterCheck<'t> {
    first: Unrolling<'t>,
    later: Unrolling<'t>,
    /// Two solvers, because what one learns about the first step is of no use to the other.
    first_solver: SolverPair,
    later_solver: SolverPair,
}

impl<'t> LaterCheck<'t> {
    pub(super) fn new(terms: &mut Terms, transition: &'t Transition, backend: &Backend) -> Self {
        let mut first = Unrolling::new(transition, Start::Initial, UnrollPolicy::Inline, "");
        let mut later = later(terms, transition, UnrollPolicy::Inline);
        let (mut first_solver, mut later_solver) = (backend.solver(), backend.solver());
        let constraint = first.constraint(terms, 0);
        first_solver.assert(terms, constraint);
        let constraint = later.constraint(terms, 0);
        later_solver.assert(terms, constraint);
        LaterCheck { first, later, first_solver, later_solver }
    }

    /// Whether the second step can start in a state in which `term` holds.
    pub(super) fn after_first(
        &mut self,
        terms: &mut Terms,
        term: TermId,
        budget: &mut Budget,
    ) -> SolverAnswer {
        let after = self.first.at(terms, term, 1);
        budget.check(&mut self.first_solver, terms, &[after])
    }

    /// Whether a later step can lead from a state in which all of `before` hold to one in
    /// which `term` does.
    pub(super) fn after_later(
        &mut self,
        terms: &mut Terms,
        before: &[TermId],
        term: TermId,
        budget: &mut Budget,
    ) -> SolverAnswer {
        let mut assumptions: Vec<_> =
            before.iter().map(|term| self.later.at(terms, *term, 0)).collect();
        assumptions.push(self.later.at(terms, term, 1));
        budget.check(&mut self.later_solver, terms, &assumptions)
    }

    /// Those of `before` that the last [`LaterCheck::after_later`] needed to exclude its term.
    pub(super) fn core_of_later(&mut self, terms: &mut Terms, before: &[TermId]) -> Vec<TermId> {
        let core: FxHashSet<TermId> = self.later_solver.core().into_iter().collect();
        let mut needed = before.to_vec();
        needed.retain(|term| core.contains(&self.later.at(terms, *term, 0)));
        needed
    }

    /// Whether all of `together`, also over inputs, can hold in a later step.
    pub(super) fn in_later(
        &mut self,
        terms: &mut Terms,
        together: &[TermId],
        budget: &mut Budget,
    ) -> SolverAnswer {
        let assumptions: Vec<_> =
            together.iter().map(|term| self.later.at(terms, *term, 0)).collect();
        budget.check(&mut self.later_solver, terms, &assumptions)
    }

    /// The value of `term` after the step that the last call found; `first` says which.
    pub(super) fn value_after(
        &mut self,
        terms: &mut Terms,
        term: TermId,
        first: bool,
    ) -> Option<Value> {
        let (unrolling, solver) = if first {
            (&mut self.first, &mut self.first_solver)
        } else {
            (&mut self.later, &mut self.later_solver)
        };
        let after = unrolling.at(terms, term, 1);
        solver.value(terms, after)
    }
}
