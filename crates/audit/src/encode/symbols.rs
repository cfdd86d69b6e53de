//! How values, types and operators are written in SMT-LIB.

use provoke_base::Int;
use provoke_model::{BinaryOp, Type, UnaryOp, Value};

/// The sort of a type; enumerations are integers from zero.
pub(super) fn sort(ty: Type) -> &'static str {
    match ty {
        Type::Bool => "Bool",
        Type::Int | Type::Enum(_) => "Int",
        Type::Real => "Real",
    }
}

pub(super) fn unary_symbol(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Not => "not",
        UnaryOp::Neg => "-",
        UnaryOp::ToReal => "to_real",
        UnaryOp::Floor => "to_int",
    }
}

/// `div` and `mod` of SMT-LIB are Euclidean, as those of Lustre are here.
pub(super) fn binary_symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Implies => "=>",
        BinaryOp::Ne => "distinct",
        BinaryOp::IntDiv => "div",
        other => other.symbol(),
    }
}

/// A name as a symbol of SMT-LIB.
pub(super) fn quoted(name: &str) -> String {
    format!("|{}|", name.replace(['|', '\\'], "_"))
}

/// A value as a term.
pub fn literal(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(int) => integer(int, ""),
        Value::Enum(ordinal) => ordinal.to_string(),
        Value::Real(real) => {
            let (numerator, denominator) = real.parts();
            if denominator == Int::from(1) {
                return integer(&numerator, ".0");
            }
            format!("(/ {} {denominator}.0)", integer(&numerator, ".0"))
        }
        Value::Unknown => unreachable!("only known values are written"),
    }
}

fn integer(int: &Int, behind: &str) -> String {
    if *int < Int::ZERO { format!("(- {}{behind})", int.neg()) } else { format!("{int}{behind}") }
}
