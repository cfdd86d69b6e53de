//! The numbers that each operation of a model may give: those of its machine's type, or else of the
//! machine's integers.

use provoke_analysis::{machine_types, operation_type};
use provoke_base::IndexVec;
use provoke_model::{
    BinaryOp, Equation, ExprId, ExprKind, MachineInt, Range, System, Type, UnaryOp, Value,
};

use super::{NumberLimits, constant};

/// The types of a model's integers.
pub(super) struct IntTypes {
    /// The machine's type of each expression; none for what is an `int`.
    types: IndexVec<ExprId, Option<MachineInt>>,
    /// Those that each is computed in.
    operations: IndexVec<ExprId, Option<MachineInt>>,
    /// Whether an expression of a machine's type is the definition of an `int`.
    becomes_int: IndexVec<ExprId, bool>,
    ints: Range,
}

impl IntTypes {
    pub(super) fn new(system: &System, limits: &NumberLimits) -> IntTypes {
        let types = machine_types(system);
        let operation = |id| operation_type(system, &types, id);
        let operations = system.exprs.ids().map(operation).collect();
        let mut becomes_int = IndexVec::repeat(false, system.exprs.len());
        for Equation { var, expr } in &system.equations {
            becomes_int[*expr] |= system.vars[*var].machine.is_none();
        }
        IntTypes { types, operations, becomes_int, ints: limits.ints() }
    }

    /// Whether an operation is one on a machine's integers, which wrap around.
    pub(super) fn is_of_machine(&self, id: ExprId) -> bool {
        self.operations[id].is_some()
    }

    /// The operands that an operation on `int` takes from a wider type: not all of their values are an
    /// `int` of the machine.
    pub(super) fn wide_operands(&self, system: &System, id: ExprId) -> Vec<ExprId> {
        let takes_ints = match system.exprs[id].kind {
            ExprKind::Unary(UnaryOp::Wrap(_) | UnaryOp::BitNot(_), _) => false,
            ExprKind::Unary(..) | ExprKind::Binary(..) => !self.is_of_machine(id),
            _ => false,
        };
        let operands = system.exprs[id].kind.operands().filter(|_| takes_ints);
        operands.filter(|operand| self.is_wide(*operand)).collect()
    }

    /// Whether an expression takes a value of a wider type where it is an `int`: a choice between
    /// several types, or the definition of an `int`.
    pub(super) fn narrows(&self, system: &System, id: ExprId) -> bool {
        match system.exprs[id].kind {
            _ if self.becomes_int[id] && self.is_wide(id) => true,
            ExprKind::If(..) | ExprKind::Arrow(..) if self.types[id].is_none() => {
                system.exprs[id].kind.operands().any(|operand| self.is_wide(operand))
            }
            _ => false,
        }
    }

    /// Whether a conversion, or an operation that wraps around, may lose bits by what it is made of.
    pub(super) fn may_wrap(&self, system: &System, ty: MachineInt, operand: ExprId) -> bool {
        if let Some(Value::Int(int)) = constant(system, operand) {
            return !ty.contains(&int);
        }
        let is_operation = self.operations[operand] == Some(ty);
        match system.exprs[operand].kind {
            ExprKind::Binary(BinaryOp::Remainder, ..) if is_operation => false,
            ExprKind::Binary(BinaryOp::Quotient, _, by) if is_operation => {
                let by = constant(system, by);
                ty.signed && by.is_none_or(|by| by == Value::from(-1))
            }
            ExprKind::Binary(..) | ExprKind::Unary(UnaryOp::Neg, _) if is_operation => true,
            _ => self.types[operand].is_none_or(|from| !holds(&Range::from(ty), from)),
        }
    }

    fn is_wide(&self, id: ExprId) -> bool {
        self.types[id].is_some_and(|ty| !holds(&self.ints, ty))
    }

    /// What an integer is before anything is known of it.
    pub(super) fn values(&self, system: &System, id: ExprId) -> Option<Range> {
        let is_int = system.exprs[id].ty == Type::Int;
        is_int.then(|| self.types[id].map_or_else(|| self.ints.clone(), Range::from))
    }
}

/// Whether a range has all values of a type.
fn holds(range: &Range, ty: MachineInt) -> bool {
    let all = Range::from(ty);
    range.low <= all.low && all.high <= range.high
}
