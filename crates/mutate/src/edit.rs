//! A copy of a system in which some expressions are others.

use provoke_analysis::schedule;
use provoke_base::IndexVec;
use provoke_model::{Assumption, Equation, ExprId, Property, System};

/// Copies a system. `edit` is given the new system, which holds the copy of an expression
/// already, and tells what takes its place; it may add what it needs.
///
/// The equations are put in order again, since an edit may use other variables. It must not
/// close a cycle. The second result tells what took the place of each expression.
pub(crate) fn edited(
    system: &System,
    mut edit: impl FnMut(&mut System, ExprId, ExprId) -> ExprId,
) -> (System, IndexVec<ExprId, ExprId>) {
    let mut new = System { exprs: IndexVec::new(), ..system.clone() };
    let mut places: IndexVec<ExprId, ExprId> = IndexVec::new();
    for (id, expr) in system.exprs.entries() {
        let kind = expr.kind.map(|operand| places[operand]);
        let copy = new.add_expr(kind, expr.ty, expr.span);
        places.push(edit(&mut new, id, copy));
    }
    let at = |expr: ExprId| places[expr];
    new.equations =
        system.equations.iter().map(|e| Equation { var: e.var, expr: at(e.expr) }).collect();
    new.assumptions =
        system.assumptions.iter().map(|a| Assumption { expr: at(a.expr), ..a.clone() }).collect();
    new.properties =
        system.properties.iter().map(|p| Property { expr: at(p.expr), ..p.clone() }).collect();
    new.equations = schedule::order(&new).expect("an edit closes no cycle");
    (new, places)
}
