//! A truth value in up to 64 steps of a run.

use provoke_model::BinaryOp;

/// Some steps of a run, a bit for each.
pub(crate) type Steps = u64;

/// In which steps a truth value is true, and in which it is known; where it is not known it is
/// not true.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Bits {
    pub(crate) value: Steps,
    pub(crate) known: Steps,
}

impl Bits {
    /// The same in all steps.
    pub(crate) fn always(value: bool) -> Bits {
        Bits { value: 0_u64.wrapping_sub(u64::from(value)), known: !0 }
    }

    /// The steps in which two differ, known or not.
    pub(crate) fn differ(self, other: Bits) -> Steps {
        (self.value ^ other.value) | (self.known ^ other.known)
    }

    pub(crate) fn not(self) -> Bits {
        Bits { value: !self.value & self.known, known: self.known }
    }

    /// An operator on truth values.
    pub(crate) fn join(op: BinaryOp, a: Bits, b: Bits) -> Bits {
        let (both, is) = (a.known & b.known, |value: Steps, known: Steps| value & known);
        match op {
            BinaryOp::And => {
                let (no_a, no_b) = (a.not().value, b.not().value);
                Bits { value: a.value & b.value, known: both | no_a | no_b }
            }
            BinaryOp::Or => Bits { value: a.value | b.value, known: both | a.value | b.value },
            BinaryOp::Implies => Bits::join(BinaryOp::Or, a.not(), b),
            BinaryOp::Xor | BinaryOp::Ne => {
                Bits { value: is(a.value ^ b.value, both), known: both }
            }
            BinaryOp::Eq => Bits { value: is(!(a.value ^ b.value), both), known: both },
            _ => unreachable!("`{}` does not join truth values", op.symbol()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use provoke_model::{UnaryOp, Value};

    const ALL: [Option<bool>; 3] = [None, Some(false), Some(true)];

    fn bits(value: Option<bool>) -> Bits {
        value.map(Bits::always).unwrap_or_default()
    }

    fn value(value: Option<bool>) -> Value {
        value.map_or(Value::Unknown, Value::Bool)
    }

    fn shown(bits: Bits) -> Value {
        match (bits.known >> 5 & 1, bits.value >> 5 & 1) {
            (0, _) => Value::Unknown,
            (_, value) => Value::Bool(value != 0),
        }
    }

    #[test]
    fn operators_do_what_they_do_with_values() {
        let ops = BinaryOp::ALL.into_iter().filter(|op| op.is_logical());
        for op in ops.chain([BinaryOp::Eq, BinaryOp::Ne]) {
            for (a, b) in ALL.into_iter().flat_map(|a| ALL.map(|b| (a, b))) {
                let expected = op.apply(&value(a), &value(b)).unwrap();
                assert_eq!(shown(Bits::join(op, bits(a), bits(b))), expected, "{a:?} {op:?} {b:?}");
            }
        }
        for a in ALL {
            assert_eq!(shown(bits(a).not()), UnaryOp::Not.apply(&value(a)));
        }
        assert_eq!(bits(None).differ(Bits::always(true)), !0);
        assert_eq!(bits(Some(true)).differ(Bits::always(true)), 0);
    }
}
