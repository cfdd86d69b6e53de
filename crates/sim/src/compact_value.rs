//! Values in the small: what the dense evaluator computes with.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use provoke_base::Int;
use provoke_model::{ExprId, Fault, Value};

/// A value that fits two words, so that truth values and 64-bit integers need no allocation.
///
/// `Wide` never holds what another form can hold, so equality is structural.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CompactValue {
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

impl CompactValue {
    /// Whether there is a value and it is known.
    pub fn is_known(&self) -> bool {
        !matches!(self, CompactValue::Unknown | CompactValue::Fault(..))
    }

    /// The truth value, if it is known and one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            CompactValue::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Whether both are known and not the same: a difference for every completion of the
    /// unknowns.
    pub fn certainly_differs(&self, other: &CompactValue) -> bool {
        self.is_known() && other.is_known() && self != other
    }

    /// The value it stands for; a fault is unknown.
    pub fn to_value(&self) -> Value {
        match self {
            CompactValue::Unknown | CompactValue::Fault(..) => Value::Unknown,
            CompactValue::Bool(value) => Value::Bool(*value),
            CompactValue::Int(value) => Value::Int(Int::Small(*value)),
            CompactValue::Enum(ordinal) => Value::Enum(*ordinal),
            CompactValue::Wide(value) => (**value).clone(),
        }
    }
}

impl From<&Value> for CompactValue {
    fn from(value: &Value) -> CompactValue {
        match value {
            Value::Unknown => CompactValue::Unknown,
            Value::Bool(value) => CompactValue::Bool(*value),
            Value::Int(Int::Small(value)) => CompactValue::Int(*value),
            Value::Enum(ordinal) => CompactValue::Enum(*ordinal),
            wide => CompactValue::Wide(Arc::new(wide.clone())),
        }
    }
}

/// Cells are hashed as parts of remembered states, which hold no faults.
impl Hash for CompactValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            CompactValue::Unknown | CompactValue::Fault(..) => 0_u8.hash(state),
            CompactValue::Bool(value) => (1_u8, value).hash(state),
            CompactValue::Int(value) => (2_u8, value).hash(state),
            CompactValue::Enum(value) => (3_u8, value).hash(state),
            CompactValue::Wide(value) => (4_u8, value).hash(state),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use provoke_base::Rational;

    #[test]
    fn cells_are_two_words_and_give_back_the_value_they_were_made_of() {
        assert_eq!(size_of::<CompactValue>(), 16);
        let real = Value::Real(Rational::parse("1/3").unwrap());
        let wide = Value::Int(Int::parse("99999999999999999999").unwrap());
        for value in [Value::Unknown, true.into(), 7.into(), Value::Enum(2), real, wide] {
            assert_eq!(CompactValue::from(&value).to_value(), value);
        }
    }

    #[test]
    fn only_known_values_differ_certainly() {
        assert!(CompactValue::Int(1).certainly_differs(&CompactValue::Int(2)));
        assert!(!CompactValue::Int(1).certainly_differs(&CompactValue::Int(1)));
        assert!(!CompactValue::Int(1).certainly_differs(&CompactValue::Unknown));
    }
}
