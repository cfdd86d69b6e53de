//! Who uses what: where a value, and so a change of it, can come to.

use provoke_base::IndexVec;
use provoke_model::{ExprId, ExprKind, System, VarId};

/// The uses of every expression and variable of a system.
pub(crate) struct ReadSites {
    /// The expressions that an expression is an operand of, with its position there.
    pub(crate) users: IndexVec<ExprId, Vec<(ExprId, u8)>>,
    /// The expressions that a variable is used by.
    pub(crate) occurrences: IndexVec<VarId, Vec<ExprId>>,
    /// The variables that an expression defines.
    pub(crate) defines: IndexVec<ExprId, Vec<VarId>>,
}

impl ReadSites {
    pub(crate) fn new(system: &System) -> ReadSites {
        let mut users = IndexVec::repeat(Vec::new(), system.exprs.len());
        let mut occurrences = IndexVec::repeat(Vec::new(), system.vars.len());
        let mut defines = IndexVec::repeat(Vec::new(), system.exprs.len());
        for (id, expr) in system.exprs.entries() {
            for (position, operand) in expr.kind.operands().enumerate() {
                users[operand].push((id, position as u8));
            }
            if let ExprKind::Var(var) = expr.kind {
                occurrences[var].push(id);
            }
        }
        for equation in &system.equations {
            defines[equation.expr].push(equation.var);
        }
        ReadSites { users, occurrences, defines }
    }

    /// The expressions that `origin` can change, in any number of steps, other than through
    /// the delays in `without`.
    pub(crate) fn cone(
        &self,
        origin: ExprId,
        without: &IndexVec<ExprId, bool>,
    ) -> IndexVec<ExprId, bool> {
        let mut cone = IndexVec::repeat(false, self.users.len());
        let mut open = vec![origin];
        while let Some(expr) = open.pop() {
            if std::mem::replace(&mut cone[expr], true) {
                continue;
            }
            let users = self.users[expr].iter().map(|(user, _)| *user);
            open.extend(users.filter(|user| !without[*user]));
            for var in &self.defines[expr] {
                open.extend(&self.occurrences[*var]);
            }
        }
        cone
    }
}
