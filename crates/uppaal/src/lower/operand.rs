//! What expressions come to, and how these are combined.

use provoke_base::{Diagnostic, Span};

use super::{Lowered, error};
use crate::ast::Binary;
use crate::machine;
use crate::network::{
    Address, CellKind, ClockBound, ClockComparison, ClockRef, Condition, IntOp, NetworkExpr, Number,
};
use crate::types::Type;

/// What an expression comes to.
pub(super) enum Operand {
    Int(NetworkExpr),
    Number(Number),
    /// The sum of some clocks, less some others, and an integer.
    Linear(Vec<ClockRef>, Vec<ClockRef>, NetworkExpr),
    Condition(Condition),
    Block(Address, Type),
    Void(NetworkExpr),
}

pub(super) fn unexpected(span: Span, operand: &Operand, wanted: &str) -> Diagnostic {
    let found = match operand {
        Operand::Int(_) => "an integer or a truth value".to_string(),
        Operand::Number(_) => "a floating-point number".to_string(),
        Operand::Linear(..) => "a clock".to_string(),
        Operand::Condition(_) => "a condition on clocks".to_string(),
        Operand::Block(_, ty) => format!("a value of type `{}`", ty.show()),
        Operand::Void(_) => "a function without a result".to_string(),
    };
    let diagnostic = error("type", span, format!("found {found}, expected {wanted}"));
    match operand {
        Operand::Number(_) => diagnostic.help("fint(..) makes an integer of it"),
        _ => diagnostic,
    }
}

pub(super) fn int_op(operator: Binary) -> IntOp {
    match operator {
        Binary::Sub => IntOp::Sub,
        Binary::Mul => IntOp::Mul,
        Binary::Div => IntOp::Div,
        Binary::Mod => IntOp::Mod,
        Binary::Min => IntOp::Min,
        Binary::Max => IntOp::Max,
        Binary::BitAnd => IntOp::BitAnd,
        Binary::BitOr => IntOp::BitOr,
        Binary::BitXor => IntOp::BitXor,
        Binary::ShiftLeft => IntOp::ShiftLeft,
        Binary::ShiftRight => IntOp::ShiftRight,
        Binary::Pow => IntOp::Pow,
        _ => IntOp::Add,
    }
}

pub(super) fn same_words(
    operator: Binary,
    (x, s): (&Address, &Type),
    (y, t): (&Address, &Type),
    span: Span,
) -> Lowered<Operand> {
    if !s.same_shape(t) || !matches!(operator, Binary::Eq | Binary::Ne) {
        let message = format!("`{}` and `{}` cannot be combined so", s.show(), t.show());
        return Err(error("type", span, message));
    }
    let same = NetworkExpr::SameWords(Box::new((x.clone(), y.clone())), s.size() as u32);
    Ok(Operand::Int(if operator == Binary::Eq { same } else { not(same) }))
}

/// Computes what is known.
pub(super) fn folded(
    operator: IntOp,
    a: NetworkExpr,
    b: NetworkExpr,
    span: Span,
) -> Lowered<NetworkExpr> {
    match (&a, &b) {
        (NetworkExpr::Int(x), NetworkExpr::Int(y)) => machine::binary(operator, *x, *y, span)
            .map(NetworkExpr::Int)
            .map_err(|fault| super::fault(*fault)),
        (_, NetworkExpr::Int(0)) if matches!(operator, IntOp::Add | IntOp::Sub) => Ok(a),
        (NetworkExpr::Int(0), _) if operator == IntOp::Add => Ok(b),
        (NetworkExpr::Int(0), _) if operator == IntOp::Sub => Ok(NetworkExpr::Minus(Box::new(b))),
        _ => Ok(NetworkExpr::Binary(operator, Box::new((a, b)), span)),
    }
}

pub(super) fn not(expr: NetworkExpr) -> NetworkExpr {
    match expr {
        NetworkExpr::Int(value) => NetworkExpr::Int(i64::from(value == 0)),
        NetworkExpr::Not(inside) => truth_value(*inside),
        // Fewer steps, and what is behind stays unlooked at in the same cases.
        NetworkExpr::And(parts) => NetworkExpr::Or(parts.into_iter().map(not).collect()),
        NetworkExpr::Or(parts) => NetworkExpr::And(parts.into_iter().map(not).collect()),
        other => NetworkExpr::Not(Box::new(other)),
    }
}

/// 0 or 1 for false or true.
pub(super) fn truth_value(expr: NetworkExpr) -> NetworkExpr {
    match &expr {
        NetworkExpr::Int(value) => NetworkExpr::Int(i64::from(*value != 0)),
        NetworkExpr::Load(place) if place.kind == CellKind::Bool => expr,
        NetworkExpr::Load(_)
        | NetworkExpr::Call(..)
        | NetworkExpr::Choice(_)
        | NetworkExpr::Minus(_)
        | NetworkExpr::Truncate(_) => NetworkExpr::Not(Box::new(NetworkExpr::Not(Box::new(expr)))),
        NetworkExpr::Binary(operator, ..)
            if !matches!(operator, IntOp::Eq | IntOp::Ne | IntOp::Lt | IntOp::Le) =>
        {
            NetworkExpr::Not(Box::new(NetworkExpr::Not(Box::new(expr))))
        }
        _ => expr,
    }
}

pub(super) fn opposite(operand: Operand) -> Operand {
    match operand {
        Operand::Int(expr) => Operand::Int(not(expr)),
        Operand::Condition(condition) => Operand::Condition(negated(condition)),
        other => other,
    }
}

/// The opposite of a condition, again without negations in front of clocks.
pub fn negated(condition: Condition) -> Condition {
    match condition {
        Condition::Int(expr) => Condition::Int(not(expr)),
        Condition::Deadlock(is) => Condition::Deadlock(!is),
        Condition::And(parts) => Condition::Or(parts.into_iter().map(negated).collect()),
        Condition::Or(parts) => Condition::And(parts.into_iter().map(negated).collect()),
        Condition::Number(comparison, sides) => Condition::Number(flipped(comparison), sides),
        Condition::Clock(bound) if bound.comparison == ClockComparison::Eq => {
            let side = |comparison| {
                Condition::Clock(Box::new(ClockBound { comparison, ..(*bound).clone() }))
            };
            Condition::Or(vec![side(ClockComparison::Lt), side(ClockComparison::Gt)])
        }
        Condition::Clock(mut bound) => {
            bound.comparison = flipped(bound.comparison);
            Condition::Clock(bound)
        }
    }
}

fn flipped(comparison: ClockComparison) -> ClockComparison {
    match comparison {
        ClockComparison::Lt => ClockComparison::Ge,
        ClockComparison::Le => ClockComparison::Gt,
        ClockComparison::Eq => ClockComparison::Ne,
        ClockComparison::Ne => ClockComparison::Eq,
        ClockComparison::Ge => ClockComparison::Lt,
        ClockComparison::Gt => ClockComparison::Le,
    }
}

pub(super) fn as_condition(operand: Operand) -> Condition {
    match operand {
        Operand::Condition(condition) => condition,
        Operand::Int(expr) => Condition::Int(expr),
        // Callers have checked the kind.
        _ => Condition::truth(),
    }
}

/// All hold. Integers stay together and in front: they are cheap to look at.
pub(super) fn all(parts: Vec<Operand>) -> Operand {
    let mut ints = Vec::new();
    let mut others = Vec::new();
    for part in parts {
        match part {
            Operand::Int(NetworkExpr::Int(0)) => return Operand::Int(NetworkExpr::Int(0)),
            Operand::Int(NetworkExpr::Int(_)) => {}
            Operand::Int(NetworkExpr::And(more)) => ints.extend(more),
            Operand::Int(expr) => ints.push(expr),
            other => match as_condition(other) {
                Condition::And(more) => others.extend(more),
                condition => others.push(condition),
            },
        }
    }
    if others.is_empty() {
        return Operand::Int(match ints.len() {
            0 => NetworkExpr::Int(1),
            1 => truth_value(ints.remove(0)),
            _ => NetworkExpr::And(ints),
        });
    }
    if !ints.is_empty() {
        others.insert(0, Condition::Int(NetworkExpr::And(ints)));
    }
    Operand::Condition(Condition::And(others))
}

/// One holds.
pub(super) fn any(parts: Vec<Operand>) -> Operand {
    let mut ints = Vec::new();
    let mut others = Vec::new();
    for part in parts {
        match part {
            Operand::Int(NetworkExpr::Int(0)) => {}
            Operand::Int(NetworkExpr::Int(_)) => return Operand::Int(NetworkExpr::Int(1)),
            Operand::Int(NetworkExpr::Or(more)) => ints.extend(more),
            Operand::Int(expr) => ints.push(expr),
            other => match as_condition(other) {
                Condition::Or(more) => others.extend(more),
                condition => others.push(condition),
            },
        }
    }
    if others.is_empty() {
        return Operand::Int(match ints.len() {
            0 => NetworkExpr::Int(0),
            1 => truth_value(ints.remove(0)),
            _ => NetworkExpr::Or(ints),
        });
    }
    if !ints.is_empty() {
        others.insert(0, Condition::Int(NetworkExpr::Or(ints)));
    }
    Operand::Condition(Condition::Or(others))
}

/// A floating-point number that is an integer counts as one.
pub(super) fn whole(operand: Operand) -> Operand {
    match operand {
        Operand::Number(Number::Value(value))
            if value.fract() == 0.0 && value.abs() < f64::from(i32::MAX) =>
        {
            Operand::Int(NetworkExpr::Int(value as i64))
        }
        other => other,
    }
}

pub(super) fn as_number(operand: Operand) -> Number {
    match operand {
        Operand::Int(NetworkExpr::Int(value)) => Number::Value(value as f64),
        Operand::Int(expr) => Number::Int(Box::new(expr)),
        Operand::Number(number) => number,
        Operand::Condition(condition) => {
            Number::Int(Box::new(NetworkExpr::Holds(Box::new(condition))))
        }
        Operand::Linear(plus, minus, rest) => {
            let mut sum: Option<Number> = None;
            for clock in plus {
                let clock = Number::Clock(Box::new(clock));
                sum = Some(match sum {
                    Some(sum) => Number::Binary(IntOp::Add, Box::new((sum, clock))),
                    None => clock,
                });
            }
            let mut sum = sum.unwrap_or(Number::Value(0.0));
            for clock in minus {
                let clock = Number::Clock(Box::new(clock));
                sum = Number::Binary(IntOp::Sub, Box::new((sum, clock)));
            }
            match rest {
                NetworkExpr::Int(0) => sum,
                rest => {
                    let rest = as_number(Operand::Int(rest));
                    Number::Binary(IntOp::Add, Box::new((sum, rest)))
                }
            }
        }
        Operand::Void(_) | Operand::Block(..) => Number::Value(0.0),
    }
}

fn parts(operand: Operand) -> (Vec<ClockRef>, Vec<ClockRef>, NetworkExpr) {
    match operand {
        Operand::Linear(plus, minus, rest) => (plus, minus, rest),
        Operand::Int(expr) => (Vec::new(), Vec::new(), expr),
        _ => (Vec::new(), Vec::new(), NetworkExpr::Int(0)),
    }
}

pub(super) fn add(a: Operand, b: Operand, span: Span) -> Lowered<Operand> {
    let (mut plus, mut minus, rest) = parts(a);
    let (more, less, other) = parts(b);
    plus.extend(more);
    minus.extend(less);
    Ok(Operand::Linear(plus, minus, folded(IntOp::Add, rest, other, span)?))
}

pub(super) fn subtract(a: Operand, b: Operand, span: Span) -> Lowered<Operand> {
    let (mut plus, mut minus, rest) = parts(a);
    let (more, less, other) = parts(b);
    plus.extend(less);
    minus.extend(more);
    Ok(Operand::Linear(plus, minus, folded(IntOp::Sub, rest, other, span)?))
}

pub(super) fn clock_bound(
    mut plus: Vec<ClockRef>,
    mut minus: Vec<ClockRef>,
    comparison: ClockComparison,
    bound: NetworkExpr,
    span: Span,
) -> Condition {
    let (left, right) = (plus.pop(), minus.pop());
    let make = |comparison| {
        let (left, right, bound) = (left.clone(), right.clone(), bound.clone());
        Condition::Clock(Box::new(ClockBound { left, right, comparison, bound, span }))
    };
    match comparison {
        ClockComparison::Ne => {
            Condition::Or(vec![make(ClockComparison::Lt), make(ClockComparison::Gt)])
        }
        other => make(other),
    }
}

/// Whether a number changes while time passes.
pub(crate) fn reads_clock(number: &Number) -> bool {
    match number {
        Number::Clock(_) => true,
        Number::Binary(_, operands) => reads_clock(&operands.0) || reads_clock(&operands.1),
        Number::Choice(parts) => reads_clock(&parts.1) || reads_clock(&parts.2),
        Number::Math(_, arguments) | Number::Random(_, arguments) => {
            arguments.iter().any(reads_clock)
        }
        Number::Store(_, value) => reads_clock(value),
        Number::Value(_) | Number::Int(_) | Number::Load(_) | Number::Call(..) => false,
    }
}
