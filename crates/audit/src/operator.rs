//! What operators mean, written from the book and from nothing else.
//!
//! An operand may be unknown. A result is known when it is the same for every value that the
//! unknown operand may have.

use std::fmt;

use provoke_base::{Int, Rational};
use provoke_model::{BinaryOp, MachineInt, UnaryOp, Value};

/// Why a computation has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A division by zero.
    DivisionByZero,
    /// A number longer than 65,536 bits.
    NumberTooLarge,
    /// A variable that needs itself in the same step.
    Cycle,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::DivisionByZero => "division by zero",
            Fault::NumberTooLarge => "number longer than 65536 bits",
            Fault::Cycle => "a variable depends on itself",
        })
    }
}

const LONGEST_BITS: usize = 65_536;

/// The result of an operator with one operand.
pub fn unary(op: UnaryOp, operand: &Value) -> Value {
    match operand {
        Value::Bool(value) if op == UnaryOp::Not => Value::Bool(!*value),
        Value::Int(value) if op == UnaryOp::Neg => Value::Int(Int::ZERO.sub(value)),
        Value::Real(value) if op == UnaryOp::Neg => {
            Value::Real(Rational::from(&Int::ZERO).sub(value))
        }
        Value::Int(value) if op == UnaryOp::ToReal => Value::Real(Rational::from(value)),
        Value::Real(value) if op == UnaryOp::Floor => Value::Int(value.floor()),
        Value::Int(value) => match op {
            UnaryOp::Wrap(ty) => Value::Int(low_bits(ty, value)),
            UnaryOp::BitNot(ty) => {
                Value::Int(number(ty, &digits(ty, value).map(|digit| !digit).collect::<Vec<_>>()))
            }
            _ => Value::Unknown,
        },
        _ => Value::Unknown,
    }
}

/// The binary digits of an integer that a type has room for, the lowest first.
fn digits(ty: MachineInt, value: &Int) -> impl Iterator<Item = bool> {
    let two = Int::from(2);
    let mut rest = value.clone();
    (0..ty.bits).map(move |_| {
        let digit = rest.rem_euclid(&two) == Some(Int::from(1));
        rest = rest.div_euclid(&two).unwrap_or(Int::ZERO);
        digit
    })
}

/// The number with these digits; the highest counts as negative where there is a sign.
fn number(ty: MachineInt, digits: &[bool]) -> Int {
    let mut sum = Int::ZERO;
    let mut place = Int::from(1);
    for (at, digit) in digits.iter().enumerate() {
        let is_sign = ty.signed && at + 1 == usize::from(ty.bits);
        if *digit {
            sum = if is_sign { sum.sub(&place) } else { sum.add(&place) };
        }
        place = place.add(&place);
    }
    sum
}

/// What a type keeps of an integer.
pub(crate) fn low_bits(ty: MachineInt, value: &Int) -> Int {
    number(ty, &digits(ty, value).collect::<Vec<_>>())
}

/// Digits moved by so many places; what comes in is zero from below and the sign from above.
fn shifted(ty: MachineInt, value: &Int, amount: &Int, up: bool) -> Int {
    let digits: Vec<bool> = digits(ty, value).collect();
    let width = digits.len();
    let amount = amount.to_i64().and_then(|amount| usize::try_from(amount).ok());
    let amount = amount.unwrap_or(width).min(width);
    let sign = ty.signed && digits.last() == Some(&true);
    let moved = |at: usize| match up {
        true => at >= amount && digits[at - amount],
        false => digits.get(at + amount).copied().unwrap_or(sign),
    };
    number(ty, &(0..width).map(moved).collect::<Vec<_>>())
}

/// Digits of two integers joined one by one.
fn joined(ty: MachineInt, a: &Int, b: &Int, join: impl Fn(bool, bool) -> bool) -> Int {
    let pairs = digits(ty, a).zip(digits(ty, b));
    number(ty, &pairs.map(|(a, b)| join(a, b)).collect::<Vec<_>>())
}

/// How often a divisor goes into a dividend, and what is left with the dividend's sign.
fn towards_zero(a: &Int, b: &Int) -> Option<(Int, Int)> {
    let size = |int: &Int| if *int < Int::ZERO { int.neg() } else { int.clone() };
    let times = size(a).div_euclid(&size(b))?;
    let times = if (*a < Int::ZERO) == (*b < Int::ZERO) { times } else { times.neg() };
    let left = a.sub(&times.mul(b));
    Some((times, left))
}

/// Whether an operator has no value for a second operand of zero.
pub(crate) fn divides(op: BinaryOp) -> bool {
    match op {
        BinaryOp::Div | BinaryOp::IntDiv | BinaryOp::Mod => true,
        _ => matches!(op, BinaryOp::Quotient | BinaryOp::Remainder),
    }
}

/// The result, if the left operand alone decides it; the right one is not looked at then.
pub fn decided(op: BinaryOp, left: &Value) -> Option<Value> {
    let &Value::Bool(left) = left else { return None };
    match (op, left) {
        (BinaryOp::And, false) => Some(Value::Bool(false)),
        (BinaryOp::Or, true) | (BinaryOp::Implies, false) => Some(Value::Bool(true)),
        _ => None,
    }
}

/// The result of an operator with two operands.
pub fn binary(op: BinaryOp, left: &Value, right: &Value) -> Result<Value, Fault> {
    if let Some(value) = decided(op, left) {
        return Ok(value);
    }
    match (left, right) {
        (Value::Bool(a), Value::Bool(b)) => Ok(Value::Bool(logical(op, *a, *b))),
        (Value::Int(a), Value::Int(b)) => integers(op, a, b),
        (Value::Real(a), Value::Real(b)) => reals(op, a, b),
        (Value::Enum(a), Value::Enum(b)) => Ok(Value::Bool((a == b) == (op == BinaryOp::Eq))),
        _ => half_known(op, left, right),
    }
}

fn logical(op: BinaryOp, a: bool, b: bool) -> bool {
    match op {
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Implies => !a | b,
        BinaryOp::Eq => a == b,
        _ => a != b,
    }
}

/// Exactly one operand is known, or none.
fn half_known(op: BinaryOp, left: &Value, right: &Value) -> Result<Value, Fault> {
    let is_zero = |value: &Value| match value {
        Value::Int(int) => int.is_zero(),
        Value::Real(real) => *real == Rational::from(&Int::ZERO),
        _ => false,
    };
    let is_unit = |value: &Value| match value {
        Value::Int(int) => [1, -1].contains(&int.to_i64().unwrap_or(0)),
        _ => false,
    };
    match op {
        BinaryOp::And if *right == Value::Bool(false) => Ok(Value::Bool(false)),
        BinaryOp::Or | BinaryOp::Implies if *right == Value::Bool(true) => Ok(Value::Bool(true)),
        BinaryOp::Mul if is_zero(left) => Ok(left.clone()),
        BinaryOp::Mul if is_zero(right) => Ok(right.clone()),
        // Whatever is divided by one or minus one leaves nothing.
        BinaryOp::Mod if is_unit(right) => Ok(Value::Int(Int::ZERO)),
        _ if divides(op) && is_zero(right) => Err(Fault::DivisionByZero),
        _ => Ok(Value::Unknown),
    }
}

fn integers(op: BinaryOp, a: &Int, b: &Int) -> Result<Value, Fault> {
    if let Some(truth) = compare(op, a, b) {
        return Ok(Value::Bool(truth));
    }
    let result = match op {
        BinaryOp::Add => a.add(b),
        BinaryOp::Sub => a.sub(b),
        BinaryOp::Mul => a.mul(b),
        BinaryOp::IntDiv => a.div_euclid(b).ok_or(Fault::DivisionByZero)?,
        BinaryOp::Quotient => towards_zero(a, b).ok_or(Fault::DivisionByZero)?.0,
        BinaryOp::Remainder => towards_zero(a, b).ok_or(Fault::DivisionByZero)?.1,
        BinaryOp::BitAnd(ty) => joined(ty, a, b, |a, b| a && b),
        BinaryOp::BitOr(ty) => joined(ty, a, b, |a, b| a || b),
        BinaryOp::ShiftLeft(ty) => shifted(ty, a, b, true),
        BinaryOp::ShiftRight(ty) => shifted(ty, a, b, false),
        _ => a.rem_euclid(b).ok_or(Fault::DivisionByZero)?,
    };
    if result.bits() > LONGEST_BITS { Err(Fault::NumberTooLarge) } else { Ok(Value::Int(result)) }
}

fn reals(op: BinaryOp, a: &Rational, b: &Rational) -> Result<Value, Fault> {
    if let Some(truth) = compare(op, a, b) {
        return Ok(Value::Bool(truth));
    }
    let result = match op {
        BinaryOp::Add => a.add(b),
        BinaryOp::Sub => a.sub(b),
        BinaryOp::Mul => a.mul(b),
        _ => a.div(b).ok_or(Fault::DivisionByZero)?,
    };
    if result.bits() > LONGEST_BITS { Err(Fault::NumberTooLarge) } else { Ok(Value::Real(result)) }
}

fn compare<T: Ord>(op: BinaryOp, a: &T, b: &T) -> Option<bool> {
    let order = a.cmp(b);
    match op {
        BinaryOp::Eq => Some(order.is_eq()),
        BinaryOp::Ne => Some(order.is_ne()),
        BinaryOp::Lt => Some(order.is_lt()),
        BinaryOp::Le => Some(order.is_le()),
        BinaryOp::Gt => Some(order.is_gt()),
        BinaryOp::Ge => Some(order.is_ge()),
        _ => None,
    }
}
