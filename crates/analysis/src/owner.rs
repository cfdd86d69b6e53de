//! Which definition an expression stands in.

use provoke_model::{ExprId, System, VarId};

/// The variable whose definition an expression is part of.
pub fn owner(system: &System, expr: ExprId) -> Option<VarId> {
    let contains = |root: ExprId| {
        let mut open = vec![root];
        while let Some(at) = open.pop() {
            if at == expr {
                return true;
            }
            // Operands come before what they are part of.
            open.extend(system.exprs[at].kind.operands().filter(|operand| *operand >= expr));
        }
        false
    };
    system.equations.iter().find(|equation| contains(equation.expr)).map(|equation| equation.var)
}
