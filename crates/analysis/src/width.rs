//! How wide each integer of a system is on a machine.

use provoke_base::IndexVec;
use provoke_model::fixed::IntWidth;
use provoke_model::machine::MachineInt;
use provoke_model::system::{Expr, ExprId, ExprKind, System, Type, Var, VarId};
use provoke_model::value::Value;

use crate::interval::Interval;
use crate::machine::{machine_types, operation_type};
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
    /// All integers alike, but those of a machine's type as the model says.
    pub fn uniform(system: &System, width: IntWidth) -> Widths {
        let types = machine_types(system);
        let of = |ty: Option<MachineInt>| ty.map_or(width, IntWidth::Machine);
        let exprs: IndexVec<ExprId, IntWidth> = types.iter().map(|ty| of(*ty)).collect();
        Widths {
            vars: system.vars.iter().map(|var| of(var.machine)).collect(),
            operations: operations(system, &types, |_| width),
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
        for (var, input) in system.vars.entries().filter(|(_, var)| is_unbounded(var)) {
            let fits = |value| IntWidth::Bits32.fit(value).is_some();
            if input.range.as_ref().is_none_or(|range| !fits(&range.low) || !fits(&range.high)) {
                widths.vars[var] = IntWidth::Bits64;
            }
        }
        for equation in &system.equations {
            if is_unbounded(&system.vars[equation.var]) {
                widths.vars[equation.var] = of(ranges[equation.expr]);
            }
        }
        let types = machine_types(system);
        for (id, expr) in system.exprs.entries().filter(|(_, expr)| expr.ty == Type::Int) {
            if types[id].is_some() {
                continue;
            }
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
        widths.operations = operations(system, &types, |id| match types[id] {
            Some(ty) => of(Interval::of(ty)),
            None => widths.exprs[id],
        });
        widths
    }
}

fn is_unbounded(var: &Var) -> bool {
    var.ty == Type::Int && var.machine.is_none()
}

/// The type of a machine that each expression is computed in, or else the widest of it and its operands.
/// `as_int` tells how wide an operand is beside unbounded integers.
fn operations(
    system: &System,
    types: &IndexVec<ExprId, Option<MachineInt>>,
    as_int: impl Fn(ExprId) -> IntWidth,
) -> IndexVec<ExprId, IntWidth> {
    let operation = |(id, expr): (ExprId, &Expr)| match operation_type(system, types, id) {
        Some(ty) => IntWidth::Machine(ty),
        None => {
            let ints = expr.kind.operands().filter(|part| system.exprs[*part].ty == Type::Int);
            ints.map(&as_int).fold(as_int(id), IntWidth::max)
        }
    };
    system.exprs.entries().map(operation).collect()
}
