//! The values that flow through a system.

use provoke_base::{IndexVec, Int, Rational};

use crate::system::{EnumId, EnumType, Type};

/// One scalar value; its type is known from where it stands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// Not known: an input left open, or `pre` at the first step.
    Unknown,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(Int),
    /// A real, held exactly.
    Real(Rational),
    /// The constant at this position of its enumeration.
    Enum(u32),
}

impl Value {
    /// Whether it is known.
    pub fn is_known(&self) -> bool {
        *self != Value::Unknown
    }

    /// The truth value, if it is known and one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Some value of a type, a number if it has numbers: for what may be anything, such as an
    /// undefined value. A subrange does not restrict it: a variable may leave its own.
    pub fn some(ty: Type, number: i64) -> Value {
        match ty {
            Type::Bool => Value::Bool(false),
            Type::Int => Value::from(number),
            Type::Real => Value::Real(Rational::from(&Int::from(number))),
            Type::Enum(_) => Value::Enum(0),
        }
    }

    /// The value as people write it: enumeration constants by name, reals as `n/d`,
    /// an unknown as nothing.
    pub fn show(&self, ty: Type, enums: &IndexVec<EnumId, EnumType>) -> String {
        match (self, ty) {
            (Value::Unknown, _) => String::new(),
            (Value::Bool(value), _) => value.to_string(),
            (Value::Int(value), _) => value.to_string(),
            (Value::Real(value), _) => value.to_string(),
            (Value::Enum(ordinal), Type::Enum(id)) => {
                enums[id].constants[*ordinal as usize].clone()
            }
            (Value::Enum(ordinal), _) => ordinal.to_string(),
        }
    }

    /// Reads what [`Value::show`] writes, and also `0`/`1` for Booleans and decimals for
    /// reals; an empty text is unknown. `None` if the text is no value of the type.
    pub fn parse(text: &str, ty: Type, enums: &IndexVec<EnumId, EnumType>) -> Option<Value> {
        let text = text.trim();
        if text.is_empty() {
            return Some(Value::Unknown);
        }
        match ty {
            Type::Bool => match text {
                "true" | "1" | "True" | "TRUE" => Some(Value::Bool(true)),
                "false" | "0" | "False" | "FALSE" => Some(Value::Bool(false)),
                _ => None,
            },
            Type::Int => Int::parse(text).map(Value::Int),
            Type::Real => Rational::parse(text).map(Value::Real),
            Type::Enum(id) => {
                let position = enums[id].constants.iter().position(|name| name == text)?;
                Some(Value::Enum(position as u32))
            }
        }
    }

    /// Whether it is unknown or of type `ty`.
    pub fn fits(&self, ty: Type) -> bool {
        matches!(
            (self, ty),
            (Value::Unknown, _)
                | (Value::Bool(_), Type::Bool)
                | (Value::Int(_), Type::Int)
                | (Value::Real(_), Type::Real)
                | (Value::Enum(_), Type::Enum(_))
        )
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Int(Int::from(value))
    }
}
