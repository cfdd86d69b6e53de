//! Operators on a machine's integers, expressed by the arithmetic of unbounded ones: solvers,
//! certificates and everything else that reads terms need not know them.

use provoke_base::Int;
use provoke_model::{BinaryOp, MachineInt, Range, Value};

use crate::term::{TermId, Terms};

impl Terms {
    fn wide(&mut self, value: i128) -> TermId {
        self.constant(Value::Int(Int::from_i128(value)))
    }

    /// The low bits of `a` as a number of type `ty`. `bounds` are those of `a`, if it has some: where
    /// they are near, a choice replaces the remainder, which solvers are slow with.
    pub fn wrap(&mut self, ty: MachineInt, a: TermId, bounds: Option<&Range>) -> TermId {
        if let Some(Value::Int(value)) = self.value(a) {
            let wrapped = ty.wrap(value);
            return self.constant(Value::Int(wrapped));
        }
        let (low, high, count) =
            (Int::from_i128(ty.low()), Int::from_i128(ty.high()), Int::from_i128(ty.count()));
        let Some(bounds) = bounds else { return self.wrap_any(ty, a) };
        if bounds.low < low.sub(&count) || bounds.high > high.add(&count) {
            return self.wrap_any(ty, a);
        }
        let count = self.constant(Value::Int(count));
        let mut wrapped = a;
        if bounds.high > high {
            let (high, less) = (self.wide(ty.high()), self.sub(a, count));
            let above = self.lt(high, a);
            wrapped = self.ite(above, less, wrapped);
        }
        if bounds.low < low {
            let (low, more) = (self.wide(ty.low()), self.add(a, count));
            let below = self.lt(a, low);
            wrapped = self.ite(below, more, wrapped);
        }
        wrapped
    }

    /// The number of type `ty` that is nearest to `a`.
    pub(crate) fn clamp(&mut self, ty: MachineInt, a: TermId) -> TermId {
        let (low, high) = (self.wide(ty.low()), self.wide(ty.high()));
        let (below, above) = (self.lt(a, low), self.lt(high, a));
        let bounded = self.ite(above, high, a);
        self.ite(below, low, bounded)
    }

    fn wrap_any(&mut self, ty: MachineInt, a: TermId) -> TermId {
        let (low, count) = (self.wide(ty.low()), self.wide(ty.count()));
        let above = self.sub(a, low);
        let above = self.modulo(above, count);
        self.add(above, low)
    }

    /// Every bit of a number of the type changed.
    pub(crate) fn bit_not(&mut self, ty: MachineInt, a: TermId) -> TermId {
        let most = self.wide(ty.high() + ty.low());
        self.sub(most, a)
    }

    /// What an operator on bits gives for numbers of its type.
    pub(crate) fn on_bits(&mut self, op: BinaryOp, a: TermId, b: TermId) -> TermId {
        match op {
            BinaryOp::BitAnd(ty) => self.bit_and(ty, a, b),
            BinaryOp::BitOr(ty) => self.bit_or(a, b, ty),
            BinaryOp::ShiftLeft(ty) => self.shift_left(ty, a, b),
            BinaryOp::ShiftRight(ty) => self.shift_right(ty, a, b),
            _ => panic!("`{}` does not look at bits", op.symbol()),
        }
    }

    /// The quotient without its fraction.
    pub(crate) fn quotient(&mut self, a: TermId, b: TermId) -> TermId {
        let zero = self.int(0);
        let negative = self.lt(a, zero);
        let (up, opposite) = (self.int_div(a, b), self.neg(a));
        let down = self.int_div(opposite, b);
        let down = self.neg(down);
        self.ite(negative, down, up)
    }

    /// What the quotient leaves.
    pub(crate) fn remainder(&mut self, a: TermId, b: TermId) -> TermId {
        let zero = self.int(0);
        let negative = self.lt(a, zero);
        let (up, opposite) = (self.modulo(a, b), self.neg(a));
        let down = self.modulo(opposite, b);
        let down = self.neg(down);
        self.ite(negative, down, up)
    }

    /// The bits that both have.
    fn bit_and(&mut self, ty: MachineInt, a: TermId, b: TermId) -> TermId {
        let unsigned = MachineInt::unsigned(ty.bits);
        let mask = |terms: &Terms, id| match terms.value(id) {
            Some(Value::Int(int)) => unsigned.wrap(int).to_i128(),
            _ => None,
        };
        let both = match (mask(self, a), mask(self, b)) {
            (Some(mask), _) => self.masked(b, mask),
            (_, Some(mask)) => self.masked(a, mask),
            _ => self.common_bits(ty.bits, a, b),
        };
        self.wrap(ty, both, Some(&Range::from(unsigned)))
    }

    /// The bits of `a` that a constant has: a few runs of neighbours.
    fn masked(&mut self, a: TermId, mask: i128) -> TermId {
        let mut sum = self.int(0);
        let mut at = 0;
        while mask >> at != 0 {
            at += (mask >> at).trailing_zeros();
            let length = (mask >> at).trailing_ones();
            let (place, count) = (self.wide(1 << at), self.wide(1 << length));
            let shifted = self.int_div(a, place);
            let run = self.modulo(shifted, count);
            let run = self.mul(run, place);
            sum = self.add(sum, run);
            at += length;
        }
        sum
    }

    /// The bits that two unknowns have in common, one by one.
    fn common_bits(&mut self, bits: u8, a: TermId, b: TermId) -> TermId {
        let (zero, one, two) = (self.int(0), self.int(1), self.int(2));
        let mut sum = zero;
        for at in 0..bits {
            let place = self.wide(1 << at);
            let [in_a, in_b] = [a, b].map(|number| {
                let shifted = self.int_div(number, place);
                let bit = self.modulo(shifted, two);
                self.eq(bit, one)
            });
            let both = self.and(in_a, in_b);
            let bit = self.ite(both, place, zero);
            sum = self.add(sum, bit);
        }
        sum
    }

    /// The bits that one of them has: those of both counted once.
    fn bit_or(&mut self, a: TermId, b: TermId, ty: MachineInt) -> TermId {
        let both = self.bit_and(ty, a, b);
        let sum = self.add(a, b);
        self.sub(sum, both)
    }

    /// Bits moved up.
    fn shift_left(&mut self, ty: MachineInt, a: TermId, by: TermId) -> TermId {
        let none = self.int(0);
        self.by_amount(ty, by, none, |terms, amount| {
            let factor = terms.wide(1 << amount);
            let product = terms.mul(a, factor);
            terms.wrap(ty, product, Some(&stretched(ty, amount)))
        })
    }

    /// Bits moved down.
    fn shift_right(&mut self, ty: MachineInt, a: TermId, by: TermId) -> TermId {
        let (zero, minus_one) = (self.int(0), self.int(-1));
        let negative = self.lt(a, zero);
        let signs = self.ite(negative, minus_one, zero);
        self.by_amount(ty, by, signs, |terms, amount| {
            let divisor = terms.wide(1 << amount);
            terms.int_div(a, divisor)
        })
    }

    /// What each amount below the width gives, and `beyond` for all others.
    fn by_amount(
        &mut self,
        ty: MachineInt,
        by: TermId,
        beyond: TermId,
        shifted: impl Fn(&mut Terms, u8) -> TermId,
    ) -> TermId {
        let mut result = beyond;
        for amount in 0..ty.bits {
            let here = self.int(i64::from(amount));
            let here = self.eq(by, here);
            let value = shifted(self, amount);
            result = self.ite(here, value, result);
        }
        result
    }
}

/// The bounds of numbers of a type, moved up.
fn stretched(ty: MachineInt, amount: u8) -> Range {
    Range { low: Int::from_i128(ty.low() << amount), high: Int::from_i128(ty.high() << amount) }
}
