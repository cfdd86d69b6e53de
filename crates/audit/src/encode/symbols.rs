//! How values, types and operators are written in SMT-LIB.

use provoke_base::Int;
use provoke_model::{BinaryOp, MachineInt, Type, UnaryOp, Value};

/// The sort of a type; enumerations are integers from zero.
pub(super) fn sort(ty: Type) -> &'static str {
    match ty {
        Type::Bool => "Bool",
        Type::Int | Type::Enum(_) => "Int",
        Type::Real => "Real",
    }
}

/// An operator applied to a term.
pub(super) fn unary_term(op: UnaryOp, a: &str) -> String {
    match op {
        UnaryOp::Not => format!("(not {a})"),
        UnaryOp::Neg => format!("(- {a})"),
        UnaryOp::ToReal => format!("(to_real {a})"),
        UnaryOp::Floor => format!("(to_int {a})"),
        UnaryOp::Wrap(ty) => low_bits(ty, a),
        UnaryOp::BitNot(ty) => low_bits(ty, &format!("(- (- 1) {a})")),
        UnaryOp::Clamp(_) | UnaryOp::Round(_) => panic!("a checked tree has exact numbers"),
    }
}

/// What is left of a number modulo all values; from half of them on the sign is set.
fn low_bits(ty: MachineInt, a: &str) -> String {
    let count = 1_i128 << ty.bits;
    match ty.signed {
        false => format!("(mod {a} {count})"),
        true => format!(
            "(let ((?low (mod {a} {count}))) (ite (>= ?low {}) (- ?low {count}) ?low))",
            count / 2
        ),
    }
}

/// An operator applied to two terms.
pub(super) fn binary_term(op: BinaryOp, a: &str, b: &str) -> String {
    let towards_zero = |what: &str| {
        format!("(let ((?a {a}) (?b {b})) (ite (< ?a 0) (- ({what} (- ?a) ?b)) ({what} ?a ?b)))")
    };
    match op {
        BinaryOp::Quotient => towards_zero("div"),
        BinaryOp::Remainder => towards_zero("mod"),
        BinaryOp::BitAnd(ty) => digits(ty, "and", a, b),
        BinaryOp::BitOr(ty) => digits(ty, "or", a, b),
        BinaryOp::ShiftLeft(ty) => {
            let moved = |amount: u8| format!("(* ?a {})", 1_i128 << amount);
            low_bits(ty, &shifted(ty, [a, b], moved, "0"))
        }
        BinaryOp::ShiftRight(ty) => {
            let moved = |amount: u8| format!("(div ?a {})", 1_i128 << amount);
            shifted(ty, [&low_bits(ty, a), b], moved, "(ite (< ?a 0) (- 1) 0)")
        }
        _ => format!("({} {a} {b})", binary_symbol(op)),
    }
}

/// The sum of all places whose digits are joined to true; that of the sign counts down.
fn digits(ty: MachineInt, join: &str, a: &str, b: &str) -> String {
    let digit = |name: &str, at: u8| format!("(= (mod (div {name} {}) 2) 1)", 1_i128 << at);
    let places = (0..ty.bits).map(|at| {
        let joined = format!("({join} {} {})", digit("?a", at), digit("?b", at));
        let place = 1_i128 << at;
        let counts = match ty.signed && at + 1 == ty.bits {
            true => format!("(- {place})"),
            false => place.to_string(),
        };
        format!("(ite {joined} {counts} 0)")
    });
    let places: Vec<String> = places.collect();
    format!("(let ((?a {a}) (?b {b})) (+ 0 {}))", places.join(" "))
}

/// A choice among all amounts that leave something.
fn shifted(ty: MachineInt, [a, b]: [&str; 2], moved: impl Fn(u8) -> String, out: &str) -> String {
    let choose =
        |rest: String, amount: u8| format!("(ite (= ?b {amount}) {} {rest})", moved(amount));
    let choices = (0..ty.bits).fold(out.to_string(), choose);
    format!("(let ((?a {a}) (?b {b})) {choices})")
}

/// `div` and `mod` of SMT-LIB are Euclidean, as those of Lustre are here.
fn binary_symbol(op: BinaryOp) -> &'static str {
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
