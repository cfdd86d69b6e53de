//! What ends the runs of a system: assumptions, and divisions by zero. Whether any run is left.

use provoke_model::{ExprId, ExprKind, System, Value};
use provoke_solve::engine::{Backend, Budget, GoalVerdict, UndecidedReason, about, bmc};
use provoke_solve::{Encoder, Limit, Start, Terms, UnrollPolicy};

/// The expressions that divide by something else than a constant that is not zero.
pub fn divisions(system: &System) -> Vec<ExprId> {
    let is_zero = |value: &Value| match value {
        Value::Int(int) => int.is_zero(),
        Value::Real(real) => real.is_zero(),
        _ => true,
    };
    let divides = |expr: &ExprId| match system.exprs[*expr].kind {
        ExprKind::Binary(op, _, divisor) if op.divides() => {
            !matches!(&system.exprs[divisor].kind, ExprKind::Const(value) if !is_zero(value))
        }
        _ => false,
    };
    system.exprs.ids().filter(divides).collect()
}

/// Whether some first step is inside the assumptions and divides by nothing that is zero; `None` if the solver does not know. Where
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
