//! How wide each integer of a system is on a machine.

use provoke_base::IndexVec;
use provoke_model::fixed::IntWidth;
use provoke_model::system::{ExprId, ExprKind, System, Type, VarId};
use provoke_model::value::Value;

use crate::interval::Interval;
use crate::ranges::ranges;

/// The widths of all integers. A variable is as wide as its definition, a `pre` as its operand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Widths {
    /// Of variables.
    pub vars: IndexVec<VarId, IntWidth>,
    /// Of the values of expressions.
    pub exprs: IndexVec<ExprId, IntWidth>,
    /// Of what is computed to get them: the widest of an expression and its operands.
    pub operations: IndexVec<ExprId, IntWidth>,
}

impl Widths {
    /// All integers alike.
    pub fn uniform(system: &System, width: IntWidth) -> Widths {
        let exprs = IndexVec::repeat(width, system.exprs.len());
        Widths {
            vars: IndexVec::repeat(width, system.vars.len()),
            operations: exprs.clone(),
            exprs,
        }
    }

    /// 32 bits for what is proven to fit, 64 for the rest.
    pub fn proven(system: &System) -> Widths {
        let ranges = ranges(system);
        let of = |range: Interval| match Interval::SMALL.contains(range) {
            true => IntWidth::Bits32,
            false => IntWidth::Bits64,
        };
        let mut widths = Widths::uniform(system, IntWidth::Bits32);
        for (var, input) in system.vars.entries().filter(|(_, var)| var.ty == Type::Int) {
            let fits = |value| IntWidth::Bits32.fit(value).is_some();
            if input.range.as_ref().is_none_or(|range| !fits(&range.low) || !fits(&range.high)) {
                widths.vars[var] = IntWidth::Bits64;
            }
        }
        for equation in &system.equations {
            widths.vars[equation.var] = of(ranges[equation.expr]);
        }
        for (id, expr) in system.exprs.entries().filter(|(_, expr)| expr.ty == Type::Int) {
            widths.exprs[id] = match &expr.kind {
                ExprKind::Var(var) => widths.vars[*var],
                ExprKind::Pre(operand) => widths.exprs[*operand],
                ExprKind::Const(Value::Int(int)) if IntWidth::Bits32.fit(int).is_none() => {
                    IntWidth::Bits64
                }
                ExprKind::Const(_) => IntWidth::Bits32,
                _ => of(ranges[id]),
            };
        }
        for (id, expr) in system.exprs.entries() {
            let operands = expr.kind.operands().map(|operand| widths.exprs[operand]);
            widths.operations[id] = operands.fold(widths.exprs[id], IntWidth::max);
        }
        widths
    }
}
