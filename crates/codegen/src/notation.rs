//! Types and literals of C.

use provoke_model::{FixedValue, IntWidth, MachineInt, RealWidth, Type};

use crate::CodeOptions;
use crate::names::Names;

/// The C type of a model type, of which integers have this width.
pub(crate) fn type_name(ty: Type, width: IntWidth, names: &Names, options: &CodeOptions) -> String {
    match ty {
        Type::Bool => "bool".to_string(),
        Type::Int => int_type(width).to_string(),
        Type::Real => real_type(options.arithmetic.real).to_string(),
        Type::Enum(id) => names.enums[id].clone(),
    }
}

/// The C type of integers.
pub(crate) fn int_type(width: IntWidth) -> &'static str {
    match width {
        IntWidth::Bits32 => "int32_t",
        IntWidth::Bits64 => "int64_t",
        IntWidth::Machine(ty) => machine_type(ty),
    }
}

/// The smallest C type that has all values of a machine's type.
fn machine_type(ty: MachineInt) -> &'static str {
    match (ty.bits, ty.signed) {
        (..=8, true) => "int8_t",
        (..=8, false) => "uint8_t",
        (..=16, true) => "int16_t",
        (..=16, false) => "uint16_t",
        (..=32, true) => "int32_t",
        (..=32, false) => "uint32_t",
        (_, true) => "int64_t",
        (_, false) => "uint64_t",
    }
}

/// The C type of reals.
pub(crate) fn real_type(width: RealWidth) -> &'static str {
    match width {
        RealWidth::Single => "float",
        RealWidth::Double => "double",
    }
}

/// A value as C writes it, negative ones in parentheses.
pub(crate) fn literal(word: FixedValue, ty: Type, names: &Names, options: &CodeOptions) -> String {
    match (word, ty) {
        (FixedValue::Bool(value), _) => value.to_string(),
        (FixedValue::Int(value), _) => int_literal(value, options.arithmetic.int),
        (FixedValue::Real(value), _) => real_literal(value, options.arithmetic.real),
        (FixedValue::Enum(ordinal), Type::Enum(id)) => {
            names.constants[id][ordinal as usize].clone()
        }
        (FixedValue::Enum(ordinal), _) => ordinal.to_string(),
    }
}

fn int_literal(value: i128, width: IntWidth) -> String {
    // C has no negative literals: the smallest number cannot be written as one.
    let smallest = [width.machine().low(), i128::from(i64::MIN)];
    match value {
        _ if smallest.contains(&value) => format!("(-{} - 1)", -(value + 1)),
        _ if value < 0 => format!("({value})"),
        _ if value > i128::from(i64::MAX) => format!("{value}U"),
        _ => value.to_string(),
    }
}

/// The shortest decimal number that reads back the same.
fn real_literal(value: f64, width: RealWidth) -> String {
    let text = match width {
        RealWidth::Single => format!("{:?}F", value as f32),
        RealWidth::Double => format!("{value:?}"),
    };
    if text.starts_with('-') { format!("({text})") } else { text }
}
