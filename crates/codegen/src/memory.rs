//! What a function remembers between two steps.

use std::collections::{BTreeMap, BTreeSet};

use provoke_model::{ExprId, ExprKind, System, Type, VarId};

use crate::names::Taken;

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
    /// Whether it is asked which step is the first.
    pub(crate) first: bool,
    /// The values.
    pub(crate) slots: Vec<Slot>,
    /// The slot of each `pre`.
    pub(crate) slot_of: BTreeMap<ExprId, usize>,
}

impl Memory {
    /// The memory of some definitions, each with the name of the variable that it defines. Delays of the
    /// same variable share a slot, at the end. Operands have smaller ids than what they are part of, so the
    /// others come with their ids descending.
    pub(crate) fn new(
        system: &System,
        definitions: &[(String, ExprId)],
        name_of: impl Fn(VarId) -> String,
        fields: &mut Taken,
    ) -> Memory {
        let mut memory = Memory { first: false, slots: Vec::new(), slot_of: BTreeMap::new() };
        let mut delays: BTreeMap<ExprId, &str> = BTreeMap::new();
        let mut met = BTreeSet::new();
        for (name, root) in definitions {
            let mut open = vec![*root];
            while let Some(id) = open.pop() {
                if !met.insert(id) {
                    continue;
                }
                let kind = &system.exprs[id].kind;
                memory.first |= matches!(kind, ExprKind::Arrow(..));
                if matches!(kind, ExprKind::Pre(_)) {
                    delays.entry(id).or_insert(name);
                }
                open.extend(kind.operands());
            }
        }
        let mut of_variables: Vec<(ExprId, ExprId, VarId)> = Vec::new();
        for (id, name) in delays.into_iter().rev() {
            let ExprKind::Pre(operand) = system.exprs[id].kind else { continue };
            match system.exprs[operand].kind {
                ExprKind::Var(var) => of_variables.push((id, operand, var)),
                _ => {
                    let field = fields.unused(&format!("pre_in_{name}"));
                    memory.add(id, operand, system.exprs[id].ty, field);
                }
            }
        }
        let mut shared: BTreeMap<VarId, usize> = BTreeMap::new();
        for (id, operand, var) in of_variables {
            if let Some(&slot) = shared.get(&var) {
                memory.slot_of.insert(id, slot);
                continue;
            }
            shared.insert(var, memory.slots.len());
            let field = fields.unused(&format!("pre_{}", name_of(var)));
            memory.add(id, operand, system.exprs[id].ty, field);
        }
        memory
    }

    fn add(&mut self, delay: ExprId, operand: ExprId, ty: Type, field: String) {
        self.slot_of.insert(delay, self.slots.len());
        self.slots.push(Slot { field, ty, operand });
    }
}
