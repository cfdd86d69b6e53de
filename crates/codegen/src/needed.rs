//! What the outputs depend on, now or later. The rest is not written.

use provoke_base::IndexVec;
use provoke_model::{ExprId, ExprKind, System, VarId};

/// What has to be computed.
pub(crate) struct Needed {
    /// The variables.
    pub(crate) vars: IndexVec<VarId, bool>,
    /// How many expressions, equations and outputs use each expression.
    pub(crate) uses: IndexVec<ExprId, u32>,
}

impl Needed {
    pub(crate) fn new(system: &System) -> Needed {
        let mut definition = IndexVec::repeat(None, system.vars.len());
        for equation in &system.equations {
            definition[equation.var] = Some(equation.expr);
        }
        let mut vars: IndexVec<VarId, bool> = IndexVec::repeat(false, system.vars.len());
        let mut uses: IndexVec<ExprId, u32> = IndexVec::repeat(0, system.exprs.len());
        let mut open_vars = system.outputs.clone();
        while let Some(var) = open_vars.pop() {
            if std::mem::replace(&mut vars[var], true) {
                continue;
            }
            let mut open: Vec<ExprId> = definition[var].into_iter().collect();
            while let Some(expr) = open.pop() {
                uses[expr] += 1;
                if uses[expr] > 1 {
                    continue;
                }
                match &system.exprs[expr].kind {
                    ExprKind::Var(used) => open_vars.push(*used),
                    kind => open.extend(kind.operands()),
                }
            }
        }
        Needed { vars, uses }
    }
}
