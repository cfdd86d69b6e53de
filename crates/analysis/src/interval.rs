//! Integers between two bounds, as a machine with 64 bits computes them: what does not fit wraps
//! around and may be anything.

use provoke_model::machine::MachineInt;
use provoke_model::operator::{BinaryOp, UnaryOp};

/// All integers from `low` to `high`; none if `low` is above `high`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// The smallest.
    pub low: i128,
    /// The largest.
    pub high: i128,
}

impl Interval {
    /// No number at all: what is never computed.
    pub const NONE: Interval = Interval { low: 0, high: -1 };
    /// Every integer of 64 bits.
    pub const ALL: Interval = Interval { low: i64::MIN as i128, high: i64::MAX as i128 };
    /// Every integer that a machine's type has.
    pub const ANY: Interval = Interval { low: i64::MIN as i128, high: u64::MAX as i128 };
    /// Every integer of 32 bits.
    pub const SMALL: Interval = Interval { low: i32::MIN as i128, high: i32::MAX as i128 };

    /// One number.
    pub fn only(value: i128) -> Interval {
        Interval { low: value, high: value }
    }

    /// Whether there is no number.
    pub fn is_none(self) -> bool {
        self.low > self.high
    }

    /// Whether all numbers of another interval are here.
    pub fn contains(self, other: Interval) -> bool {
        other.is_none() || (self.low <= other.low && other.high <= self.high)
    }

    /// The numbers of both.
    pub fn meet(self, other: Interval) -> Interval {
        Interval { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    /// The smallest interval with the numbers of either.
    pub fn join(self, other: Interval) -> Interval {
        match (self.is_none(), other.is_none()) {
            (true, _) => other,
            (_, true) => self,
            _ => Interval { low: self.low.min(other.low), high: self.high.max(other.high) },
        }
    }

    /// Itself, or everything if it does not fit 64 bits.
    pub(crate) fn wrapped(self) -> Interval {
        if Interval::ALL.contains(self) { self } else { Interval::ALL }
    }

    /// The opposites.
    pub fn negated(self) -> Interval {
        if self.is_none() {
            return self;
        }
        Interval { low: -self.high, high: -self.low }.wrapped()
    }

    /// All values of a machine's type.
    pub fn of(ty: MachineInt) -> Interval {
        Interval { low: ty.low(), high: ty.high() }
    }

    /// What an operator gives, of which integers come.
    pub fn apply_unary(op: UnaryOp, a: Interval) -> Interval {
        match op {
            _ if a.is_none() => a,
            UnaryOp::Neg => a.negated(),
            UnaryOp::Wrap(ty) if Interval::of(ty).contains(a) => a,
            UnaryOp::Wrap(ty) | UnaryOp::BitNot(ty) | UnaryOp::Clamp(ty) => Interval::of(ty),
            UnaryOp::Not | UnaryOp::ToReal | UnaryOp::Floor | UnaryOp::Round(_) => Interval::ALL,
        }
    }

    /// What an operator on integers gives; everything if it is none.
    pub fn apply(op: BinaryOp, a: Interval, b: Interval) -> Interval {
        if a.is_none() || b.is_none() {
            return Interval::NONE;
        }
        match op {
            BinaryOp::Add => Interval { low: a.low + b.low, high: a.high + b.high }.wrapped(),
            BinaryOp::Sub => Interval { low: a.low - b.high, high: a.high - b.low }.wrapped(),
            BinaryOp::Mul => corners(a, b, i128::saturating_mul).wrapped(),
            BinaryOp::IntDiv => quotients(a, b),
            BinaryOp::Mod => remainders(a, b),
            BinaryOp::Quotient => magnitudes(a).wrapped(),
            // The sign of the dividend, and no larger.
            BinaryOp::Remainder => a.join(Interval::only(0)),
            BinaryOp::BitAnd(ty) | BinaryOp::BitOr(ty) => Interval::of(ty),
            BinaryOp::ShiftLeft(ty) | BinaryOp::ShiftRight(ty) => Interval::of(ty),
            _ => Interval::ALL,
        }
    }
}

/// What a function that rises or falls in each of its arguments gives.
fn corners(a: Interval, b: Interval, f: fn(i128, i128) -> i128) -> Interval {
    let all = [(a.low, b.low), (a.low, b.high), (a.high, b.low), (a.high, b.high)];
    let values = all.map(|(x, y)| Interval::only(f(x, y)));
    values.into_iter().fold(Interval::NONE, Interval::join)
}

/// Euclidean; by zero: zero. Divisors of one sign rise or fall.
fn quotients(a: Interval, b: Interval) -> Interval {
    let negative = b.meet(Interval { low: b.low, high: -1 });
    let positive = b.meet(Interval { low: 1, high: b.high });
    let zero = b.meet(Interval::only(0));
    let mut found = zero;
    for divisors in [negative, positive] {
        if !divisors.is_none() {
            found = found.join(corners(a, divisors, i128::div_euclid));
        }
    }
    found.wrapped()
}

/// All that are no farther from zero.
fn magnitudes(a: Interval) -> Interval {
    let most = a.low.abs().max(a.high.abs());
    Interval { low: -most, high: most }
}

/// Never negative, below the divisor; by zero: zero.
fn remainders(a: Interval, b: Interval) -> Interval {
    let largest = b.low.abs().max(b.high.abs());
    let below = (largest - 1).max(0);
    // What is not negative does not grow.
    let high = if a.low >= 0 { a.high.min(below) } else { below };
    Interval { low: 0, high }
}

#[cfg(test)]
mod tests {
    use super::*;
    use provoke_model::fixed::{Arithmetic, FixedValue, IntWidth, RealWidth};

    #[test]
    fn every_result_of_a_machine_is_inside() {
        let machine = Arithmetic { int: IntWidth::Bits64, real: RealWidth::Double };
        let bounds = [i64::MIN, i64::MIN + 1, -7, -2, -1, 0, 1, 2, 3, 9, 1 << 40, i64::MAX];
        let intervals: Vec<(i64, i64)> = bounds
            .iter()
            .flat_map(|low| bounds.iter().map(move |high| (*low, *high)))
            .filter(|(low, high)| low <= high)
            .collect();
        let inside = |(low, high): (i64, i64)| {
            let mut some = vec![
                low,
                high,
                low.saturating_add(1).min(high),
                (low / 2 + high / 2).clamp(low, high),
            ];
            some.extend(bounds.iter().copied().filter(|bound| (low..=high).contains(bound)));
            some
        };
        let interval =
            |(low, high): (i64, i64)| Interval { low: i128::from(low), high: i128::from(high) };
        use BinaryOp::{Add, IntDiv, Mod, Mul, Quotient, Remainder, Sub};
        let bits = BinaryOp::on_bits(MachineInt::signed(8));
        let ops: Vec<BinaryOp> =
            [Add, Sub, Mul, IntDiv, Mod, Quotient, Remainder].into_iter().chain(bits).collect();
        for (a, b) in intervals.iter().flat_map(|a| intervals.iter().map(move |b| (*a, *b))) {
            for &op in &ops {
                let found = Interval::apply(op, interval(a), interval(b));
                for (x, y) in
                    inside(a).iter().flat_map(|x| inside(b).into_iter().map(move |y| (*x, y)))
                {
                    let (FixedValue::Int(result), _) =
                        machine.binary(op, FixedValue::Int(x.into()), FixedValue::Int(y.into()))
                    else {
                        unreachable!("integers")
                    };
                    assert!(
                        found.contains(Interval::only(result)),
                        "{x} {} {y} = {result}: {a:?} {b:?} {found:?}",
                        op.symbol()
                    );
                }
            }
        }
    }

    #[test]
    fn bounds_are_as_near_as_they_can_be() {
        let between = |low, high| Interval { low, high };
        let apply = |op, a, b| Interval::apply(op, a, b);
        assert_eq!(apply(BinaryOp::IntDiv, between(-7, 9), between(2, 3)), between(-4, 4));
        assert_eq!(apply(BinaryOp::Mod, between(-7, 9), between(-5, 3)), between(0, 4));
        assert_eq!(apply(BinaryOp::Mod, between(2, 3), between(5, 9)), between(0, 3));
        assert_eq!(apply(BinaryOp::Mul, between(-2, 3), between(-5, 4)), between(-15, 12));
        assert_eq!(apply(BinaryOp::Add, between(0, 1), Interval::ALL), Interval::ALL);
        assert_eq!(apply(BinaryOp::Add, Interval::NONE, Interval::ALL), Interval::NONE);
    }
}
