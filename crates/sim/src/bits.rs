//! A truth value in up to 64 steps of a run.

use provoke_model::BinaryOp;

use crate::word::Word;

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

    pub(crate) fn set(&mut self, step: usize, word: Word) {
        let bit = 1 << step;
        let known = word != Word::UNKNOWN;
        self.value = self.value & !bit | u64::from(word == Word::TRUE) << step;
        self.known = self.known & !bit | u64::from(known) << step;
    }

    pub(crate) fn get(self, step: usize) -> Word {
        match (self.known >> step & 1, self.value >> step & 1) {
            (0, _) => Word::UNKNOWN,
            (_, value) => Word::from(value != 0),
        }
    }

    /// The steps in which two differ, known or not.
    pub(crate) fn differ(self, other: Bits) -> Steps {
        (self.value ^ other.value) | (self.known ^ other.known)
    }

    /// The steps in which two are known and differ.
    pub(crate) fn certainly_differ(self, other: Bits) -> Steps {
        (self.value ^ other.value) & self.known & other.known
    }

    /// One step later, with the first step of `first`.
    pub(crate) fn shifted(self, first: Word) -> Bits {
        let mut shifted = Bits { value: self.value << 1, known: self.known << 1 };
        shifted.set(0, first);
        shifted
    }

    pub(crate) fn not(self) -> Bits {
        Bits { value: !self.value & self.known, known: self.known }
    }

    /// The first in these steps, the second in others.
    pub(crate) fn pick(steps: Steps, a: Bits, b: Bits) -> Bits {
        let pick = |a: Steps, b: Steps| (a & steps) | (b & !steps);
        Bits { value: pick(a.value, b.value), known: pick(a.known, b.known) }
    }

    /// `if self then a else b`; where it is not known which, both must be the same.
    pub(crate) fn choose(self, a: Bits, b: Bits) -> Bits {
        let chosen = Bits::pick(self.value, a, b);
        let agreed = a.known & b.known & !(a.value ^ b.value);
        let known = (self.known & chosen.known) | (!self.known & agreed);
        // Where nothing is known of the condition, `b` was picked.
        Bits { value: chosen.value & known, known }
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

/// The steps of a set, in order.
pub(crate) fn each(mut steps: Steps) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let step = steps.trailing_zeros() as usize;
        (steps != 0).then(|| {
            steps &= steps - 1;
            step
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use provoke_model::{UnaryOp, Value};

    const ALL: [Option<bool>; 3] = [None, Some(false), Some(true)];

    fn bits(value: Option<bool>) -> Bits {
        let mut bits = Bits::always(true);
        bits.set(5, value.map_or(Word::UNKNOWN, Word::from));
        bits
    }

    fn value(value: Option<bool>) -> Value {
        value.map_or(Value::Unknown, Value::Bool)
    }

    fn shown(bits: Bits) -> Value {
        match bits.get(5) {
            Word::UNKNOWN => Value::Unknown,
            word => Value::Bool(word == Word::TRUE),
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
            for (b, c) in ALL.into_iter().flat_map(|b| ALL.map(|c| (b, c))) {
                let expected = match a {
                    Some(true) => value(b),
                    Some(false) => value(c),
                    None if b == c => value(b),
                    None => Value::Unknown,
                };
                assert_eq!(shown(bits(a).choose(bits(b), bits(c))), expected);
            }
        }
    }

    #[test]
    fn what_is_shifted_comes_a_step_later() {
        let shifted = bits(None).shifted(Word::FALSE);
        assert_eq!(
            [0, 1, 5, 6].map(|step| shifted.get(step)),
            [Word::FALSE, Word::TRUE, Word::TRUE, Word::UNKNOWN,]
        );
        assert_eq!(each(0b1010_0001).collect::<Vec<_>>(), [0, 5, 7]);
        assert_eq!(bits(None).certainly_differ(Bits::always(false)), !(1 << 5));
        assert_eq!(bits(None).differ(Bits::always(true)), 1 << 5);
    }
}
