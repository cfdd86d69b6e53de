//! What the code remembers between two steps.

use std::collections::BTreeMap;

use provoke_model::{ExprId, ExprKind, System, Type, VarId};

use crate::names::Names;
use crate::needed::Needed;

/// One remembered value.
pub(crate) struct Slot {
    /// The field of the state.
    pub(crate) field: String,
    /// Its type.
    pub(crate) ty: Type,
    /// What is remembered.
    pub(crate) operand: ExprId,
}

/// The remembered values, in an order in which they can be replaced one after the other: the
/// operand of each uses only memory that is replaced later.
pub(crate) struct Memory {
    /// The values.
    pub(crate) slots: Vec<Slot>,
    /// The slot of each `pre`.
    pub(crate) slot_of: BTreeMap<ExprId, usize>,
}

impl Memory {
    /// Delays of the same variable share a slot, at the end. Operands have smaller ids than what
    /// they are part of, so the others come with their ids descending.
    pub(crate) fn new(system: &System, needed: &Needed, names: &mut Names) -> Memory {
        let mut memory = Memory { slots: Vec::new(), slot_of: BTreeMap::new() };
        let mut of_variables: Vec<(ExprId, ExprId, VarId)> = Vec::new();
        for (id, expr) in system.exprs.entries().rev().filter(|(id, _)| needed.uses[*id] > 0) {
            let ExprKind::Pre(operand) = expr.kind else { continue };
            match system.exprs[operand].kind {
                ExprKind::Var(var) => of_variables.push((id, operand, var)),
                _ => memory.add(id, operand, expr.ty, names.unused("pre_value")),
            }
        }
        let mut shared: BTreeMap<VarId, usize> = BTreeMap::new();
        for (id, operand, var) in of_variables {
            if let Some(&slot) = shared.get(&var) {
                memory.slot_of.insert(id, slot);
                continue;
            }
            shared.insert(var, memory.slots.len());
            let field = names.unused(&format!("pre_{}", names.vars[var]));
            memory.add(id, operand, system.exprs[id].ty, field);
        }
        memory
    }

    fn add(&mut self, delay: ExprId, operand: ExprId, ty: Type, field: String) {
        self.slot_of.insert(delay, self.slots.len());
        self.slots.push(Slot { field, ty, operand });
    }
}
