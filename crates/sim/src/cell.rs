//! Values in the small: what the dense evaluator computes with.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use provoke_base::Int;
use provoke_model::{ExprId, Fault, Value};

/// A value that fits two words, so that truth values and 64-bit integers need no allocation.
///
/// `Wide` never holds what another form can hold, so equality is structural.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cell {
    /// Not known.
    Unknown,
    /// The computation had no value, for this reason, first at this expression.
    Fault(Fault, ExprId),
    /// A truth value.
    Bool(bool),
    /// An integer of 64 bits.
    Int(i64),
    /// The constant at this position of its enumeration.
    Enum(u32),
    /// Any other value.
    Wide(Arc<Value>),
}

impl Cell {
    /// Whether there is a value and it is known.
    pub fn is_known(&self) -> bool {
        !matches!(self, Cell::Unknown | Cell::Fault(..))
    }

    /// The truth value, if it is known and one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Cell::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Whether both are known and not the same: a difference for every completion of the
    /// unknowns.
    pub fn certainly_differs(&self, other: &Cell) -> bool {
        self.is_known() && other.is_known() && self != other
    }

    /// The value it stands for; a fault is unknown.
    pub fn to_value(&self) -> Value {
        match self {
            Cell::Unknown | Cell::Fault(..) => Value::Unknown,
            Cell::Bool(value) => Value::Bool(*value),
            Cell::Int(value) => Value::Int(Int::Small(*value)),
            Cell::Enum(ordinal) => Value::Enum(*ordinal),
            Cell::Wide(value) => (**value).clone(),
        }
    }
}

impl From<&Value> for Cell {
    fn from(value: &Value) -> Cell {
        match value {
            Value::Unknown => Cell::Unknown,
            Value::Bool(value) => Cell::Bool(*value),
            Value::Int(Int::Small(value)) => Cell::Int(*value),
            Value::Enum(ordinal) => Cell::Enum(*ordinal),
            wide => Cell::Wide(Arc::new(wide.clone())),
        }
    }
}

/// Cells are hashed as parts of remembered states, which hold no faults.
impl Hash for Cell {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Cell::Unknown | Cell::Fault(..) => 0_u8.hash(state),
            Cell::Bool(value) => (1_u8, value).hash(state),
            Cell::Int(value) => (2_u8, value).hash(state),
            Cell::Enum(value) => (3_u8, value).hash(state),
            Cell::Wide(value) => (4_u8, value).hash(state),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use provoke_base::Rational;

    #[test]
    fn cells_are_two_words_and_give_back_the_value_they_were_made_of() {
        assert_eq!(size_of::<Cell>(), 16);
        let real = Value::Real(Rational::parse("1/3").unwrap());
        let wide = Value::Int(Int::parse("99999999999999999999").unwrap());
        for value in [Value::Unknown, true.into(), 7.into(), Value::Enum(2), real, wide] {
            assert_eq!(Cell::from(&value).to_value(), value);
        }
    }

    #[test]
    fn only_known_values_differ_certainly() {
        assert!(Cell::Int(1).certainly_differs(&Cell::Int(2)));
        assert!(!Cell::Int(1).certainly_differs(&Cell::Int(1)));
        assert!(!Cell::Int(1).certainly_differs(&Cell::Unknown));
    }
}
