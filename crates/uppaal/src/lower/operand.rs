//! What expressions come to, and how these are combined.

use provoke_base::{Diagnostic, Span};

use super::{Lowered, error};
use crate::ast::Binary;
use crate::machine;
use crate::network::{
    CellKind, ClockBound, ClockRef, Comparison, Condition, Expr, IntOp, Number, Place,
};
use crate::types::Type;

/// What an expression comes to.
pub(super) enum Operand {
    Int(Expr),
    Number(Number),
    /// The sum of some clocks, less some others, and an integer.
    Linear(Vec<ClockRef>, Vec<ClockRef>, Expr),
    Condition(Condition),
    Block(Place, Type),
    Void(Expr),
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
    (x, s): (&Place, &Type),
    (y, t): (&Place, &Type),
    span: Span,
) -> Lowered<Operand> {
    if !s.same_shape(t) || !matches!(operator, Binary::Eq | Binary::Ne) {
        let message = format!("`{}` and `{}` cannot be combined so", s.show(), t.show());
        return Err(error("type", span, message));
    }
    let same = Expr::SameWords(Box::new((x.clone(), y.clone())), s.size() as u32);
    Ok(Operand::Int(if operator == Binary::Eq { same } else { not(same) }))
}

/// Computes what is known.
pub(super) fn folded(operator: IntOp, a: Expr, b: Expr, span: Span) -> Lowered<Expr> {
    match (&a, &b) {
        (Expr::Int(x), Expr::Int(y)) => machine::binary(operator, *x, *y, span)
            .map(Expr::Int)
            .map_err(|fault| super::fault(*fault)),
        (_, Expr::Int(0)) if matches!(operator, IntOp::Add | IntOp::Sub) => Ok(a),
        (Expr::Int(0), _) if operator == IntOp::Add => Ok(b),
        (Expr::Int(0), _) if operator == IntOp::Sub => Ok(Expr::Minus(Box::new(b))),
        _ => Ok(Expr::Binary(operator, Box::new((a, b)), span)),
    }
}

pub(super) fn not(expr: Expr) -> Expr {
    match expr {
        Expr::Int(value) => Expr::Int(i64::from(value == 0)),
        Expr::Not(inside) => truth_value(*inside),
        // Fewer steps, and what is behind stays unlooked at in the same cases.
        Expr::And(parts) => Expr::Or(parts.into_iter().map(not).collect()),
        Expr::Or(parts) => Expr::And(parts.into_iter().map(not).collect()),
        other => Expr::Not(Box::new(other)),
    }
}

/// 0 or 1 for false or true.
pub(super) fn truth_value(expr: Expr) -> Expr {
    match &expr {
        Expr::Int(value) => Expr::Int(i64::from(*value != 0)),
        Expr::Load(place) if place.kind == CellKind::Bool => expr,
        Expr::Load(_) | Expr::Call(..) | Expr::Choice(_) | Expr::Minus(_) | Expr::Truncate(_) => {
            Expr::Not(Box::new(Expr::Not(Box::new(expr))))
        }
        Expr::Binary(operator, ..)
            if !matches!(operator, IntOp::Eq | IntOp::Ne | IntOp::Lt | IntOp::Le) =>
        {
            Expr::Not(Box::new(Expr::Not(Box::new(expr))))
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
        Condition::Clock(bound) if bound.comparison == Comparison::Eq => {
            let side = |comparison| {
                Condition::Clock(Box::new(ClockBound { comparison, ..(*bound).clone() }))
            };
            Condition::Or(vec![side(Comparison::Lt), side(Comparison::Gt)])
        }
        Condition::Clock(mut bound) => {
            bound.comparison = flipped(bound.comparison);
            Condition::Clock(bound)
        }
    }
}

fn flipped(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Lt => Comparison::Ge,
        Comparison::Le => Comparison::Gt,
        Comparison::Eq => Comparison::Ne,
        Comparison::Ne => Comparison::Eq,
        Comparison::Ge => Comparison::Lt,
        Comparison::Gt => Comparison::Le,
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
            Operand::Int(Expr::Int(0)) => return Operand::Int(Expr::Int(0)),
            Operand::Int(Expr::Int(_)) => {}
            Operand::Int(Expr::And(more)) => ints.extend(more),
            Operand::Int(expr) => ints.push(expr),
            other => match as_condition(other) {
                Condition::And(more) => others.extend(more),
                condition => others.push(condition),
            },
        }
    }
    if others.is_empty() {
        return Operand::Int(match ints.len() {
            0 => Expr::Int(1),
            1 => truth_value(ints.remove(0)),
            _ => Expr::And(ints),
        });
    }
    if !ints.is_empty() {
        others.insert(0, Condition::Int(Expr::And(ints)));
    }
    Operand::Condition(Condition::And(others))
}

/// One holds.
pub(super) fn any(parts: Vec<Operand>) -> Operand {
    let mut ints = Vec::new();
    let mut others = Vec::new();
    for part in parts {
        match part {
            Operand::Int(Expr::Int(0)) => {}
            Operand::Int(Expr::Int(_)) => return Operand::Int(Expr::Int(1)),
            Operand::Int(Expr::Or(more)) => ints.extend(more),
            Operand::Int(expr) => ints.push(expr),
            other => match as_condition(other) {
                Condition::Or(more) => others.extend(more),
                condition => others.push(condition),
            },
        }
    }
    if others.is_empty() {
        return Operand::Int(match ints.len() {
            0 => Expr::Int(0),
            1 => truth_value(ints.remove(0)),
            _ => Expr::Or(ints),
        });
    }
    if !ints.is_empty() {
        others.insert(0, Condition::Int(Expr::Or(ints)));
    }
    Operand::Condition(Condition::Or(others))
}

/// A floating-point number that is an integer counts as one.
pub(super) fn whole(operand: Operand) -> Operand {
    match operand {
        Operand::Number(Number::Value(value))
            if value.fract() == 0.0 && value.abs() < f64::from(i32::MAX) =>
        {
            Operand::Int(Expr::Int(value as i64))
        }
        other => other,
    }
}

pub(super) fn as_number(operand: Operand) -> Number {
    match operand {
        Operand::Int(Expr::Int(value)) => Number::Value(value as f64),
        Operand::Int(expr) => Number::Int(Box::new(expr)),
        Operand::Number(number) => number,
        Operand::Condition(condition) => Number::Int(Box::new(Expr::Holds(Box::new(condition)))),
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
                Expr::Int(0) => sum,
                rest => {
                    let rest = as_number(Operand::Int(rest));
                    Number::Binary(IntOp::Add, Box::new((sum, rest)))
                }
            }
        }
        Operand::Void(_) | Operand::Block(..) => Number::Value(0.0),
    }
}

fn parts(operand: Operand) -> (Vec<ClockRef>, Vec<ClockRef>, Expr) {
    match operand {
        Operand::Linear(plus, minus, rest) => (plus, minus, rest),
        Operand::Int(expr) => (Vec::new(), Vec::new(), expr),
        _ => (Vec::new(), Vec::new(), Expr::Int(0)),
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
    comparison: Comparison,
    bound: Expr,
    span: Span,
) -> Condition {
    let (left, right) = (plus.pop(), minus.pop());
    let make = |comparison| {
        let (left, right, bound) = (left.clone(), right.clone(), bound.clone());
        Condition::Clock(Box::new(ClockBound { left, right, comparison, bound, span }))
    };
    match comparison {
        Comparison::Ne => Condition::Or(vec![make(Comparison::Lt), make(Comparison::Gt)]),
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
