//! Whether the assumptions of a system leave it any run.

use provoke_model::System;
use provoke_solve::engine::{Backend, Budget, Verdict, Why, about, bmc};
use provoke_solve::{Encoder, Limit, Policy, Start, Terms};

/// Whether some first step is inside the assumptions; `None` if the solver does not know. Where
/// there is none, every obligation would be infeasible, which says nothing about the model.
pub fn has_runs(system: &System, backend: &Backend, limit: Limit) -> Option<bool> {
    let mut terms = Terms::new();
    let mut encoder = Encoder::new(system, &mut terms);
    let anything = terms.bool(true);
    let question = about(&mut encoder, &mut terms, anything);
    let (solver, mut budget) = (Box::new(backend.solver()), Budget::new(limit));
    match bmc(&mut terms, &question, Start::Initial, Policy::Inline, solver, 1, &mut budget) {
        Verdict::Reached(_) => Some(true),
        Verdict::Unknown { why: Why::Depth, .. } => Some(false),
        Verdict::Unknown { .. } | Verdict::Unreachable(_) => None,
    }
}
