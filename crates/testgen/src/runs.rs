//! Whether the assumptions of a system leave it any run.

use provoke_model::System;
use provoke_solve::engine::{Backend, Budget, GoalVerdict, UndecidedReason, about, bmc};
use provoke_solve::{Encoder, Limit, Start, Terms, UnrollPolicy};

/// Whether some first step is inside the assumptions; `None` if the solver does not know. Where
/// there is none, every obligation would be infeasible, which says nothing about the model.
pub fn has_runs(system: &System, backend: &Backend, limit: Limit) -> Option<bool> {
    let mut terms = Terms::new();
    let mut encoder = Encoder::new(system, &mut terms);
    let anything = terms.bool(true);
    let question = about(&mut encoder, &mut terms, anything);
    let (solver, mut budget) = (Box::new(backend.solver()), Budget::new(limit));
    match bmc(&mut terms, &question, Start::Initial, UnrollPolicy::Inline, solver, 1, &mut budget) {
        GoalVerdict::Reached(_) => Some(true),
        GoalVerdict::Unknown { why: UndecidedReason::Depth, .. } => Some(false),
        GoalVerdict::Unknown { .. } | GoalVerdict::Unreachable(_) => None,
    }
}
