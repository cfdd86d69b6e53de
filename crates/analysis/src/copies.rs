//! Copies of one written `pre`.
//!
//! An `if` over structs falls apart into one `if` for each scalar, each with a copy of the condition;
//! an array update into one comparison of the index for each element. A `pre` in there was written
//! once, so its copies have the same undefined value in the first step.

use std::collections::HashMap;

use provoke_base::{IndexVec, Span};
use provoke_model::operator::{BinaryOp, UnaryOp};
use provoke_model::system::{ExprId, ExprKind, InstanceId, System, VarId};
use provoke_model::value::Value;

/// For each `pre` the first one that stands for the same occurrence of the text; every other
/// expression stands for itself.
pub fn first_copies(system: &System) -> IndexVec<ExprId, ExprId> {
    let owners = owners(system);
    let mut numbers: HashMap<Meaning, usize> = HashMap::default();
    let mut classes: IndexVec<ExprId, usize> = IndexVec::repeat(0, system.exprs.len());
    let mut firsts: HashMap<usize, ExprId> = HashMap::default();
    let mut copies: IndexVec<ExprId, ExprId> = system.exprs.ids().collect();
    for (id, expr) in system.exprs.entries() {
        let of = |operand: ExprId| classes[operand];
        let meaning = match &expr.kind {
            ExprKind::Const(value) => Meaning::Const(value.clone()),
            ExprKind::Var(var) => Meaning::Var(*var),
            ExprKind::Unary(op, a) => Meaning::Unary(*op, of(*a)),
            ExprKind::Binary(op, a, b) => Meaning::Binary(*op, of(*a), of(*b)),
            ExprKind::If(a, b, c) => Meaning::If(of(*a), of(*b), of(*c)),
            ExprKind::Arrow(a, b) => Meaning::Arrow(of(*a), of(*b)),
            ExprKind::Pre(a) => match (owners[id], expr.span) {
                // What no text has written is nobody's copy.
                (None, _) => Meaning::Alone(id),
                (_, span) if span == Span::default() => Meaning::Alone(id),
                (Some(owner), span) => Meaning::Pre(owner, span, of(*a)),
            },
        };
        let next = numbers.len();
        classes[id] = *numbers.entry(meaning).or_insert(next);
        if matches!(expr.kind, ExprKind::Pre(_)) {
            copies[id] = *firsts.entry(classes[id]).or_insert(id);
        }
    }
    copies
}

/// What an expression is, up to where it stands.
#[derive(PartialEq, Eq, Hash)]
enum Meaning {
    Const(Value),
    Var(VarId),
    Unary(UnaryOp, usize),
    Binary(BinaryOp, usize, usize),
    If(usize, usize, usize),
    Arrow(usize, usize),
    Pre(Owner, Span, usize),
    Alone(ExprId),
}

/// Whose text an expression belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Owner {
    Instance(InstanceId),
    Assumption(usize),
    Property(usize),
}

fn owners(system: &System) -> IndexVec<ExprId, Option<Owner>> {
    let mut owners = IndexVec::repeat(None, system.exprs.len());
    for equation in &system.equations {
        owners[equation.expr] = Some(Owner::Instance(system.vars[equation.var].instance));
    }
    for (position, assumption) in system.assumptions.iter().enumerate() {
        owners[assumption.expr].get_or_insert(Owner::Assumption(position));
    }
    for (position, property) in system.properties.iter().enumerate() {
        owners[property.expr].get_or_insert(Owner::Property(position));
    }
    // Operands have smaller ids than what they are part of.
    let ids: Vec<ExprId> = system.exprs.ids().collect();
    for id in ids.into_iter().rev() {
        if let Some(owner) = owners[id] {
            for operand in system.exprs[id].kind.operands() {
                owners[operand] = Some(owner);
            }
        }
    }
    owners
}
