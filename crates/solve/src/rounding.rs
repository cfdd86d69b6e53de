//! Rounding of reals, expressed by exact ones: some number that is no farther from the exact result than
//! the nearest real of a machine can be. What is proven of every such number is true of the nearest; what
//! is found for one is a guess until it is replayed.

use provoke_base::index::Id;
use provoke_base::{Int, Rational};
use provoke_model::{BinaryOp, RealWidth, Value};

use crate::term::{Sort, TermId, Terms};

/// The error of small numbers is at most 2^-128: more than that of any machine's real, and shorter to write
/// than the smallest `double`.
const TINY_BITS: u32 = 128;

impl Terms {
    /// A machine's real near `exact`: the same one for the same number.
    ///
    /// With unit roundoff u the nearest number r of t has |r - t| <= u |t| + eta (the standard model of
    /// rounding to the nearest), and the sign of t.
    pub fn near(&mut self, width: RealWidth, exact: TermId) -> TermId {
        if let Some(Value::Real(value)) = self.value(exact)
            && let Some(nearest) = width.nearest(value)
        {
            return self.constant(Value::Real(nearest));
        }
        let free = self.symbol(&format!("{}:{}", width.word(), exact.index()), Sort::Real);
        let allowed = self.is_near(width, free, exact);
        // Total, so that no step is lost: where the free number is too far off, the exact one is near.
        self.ite(allowed, free, exact)
    }

    fn is_near(&mut self, width: RealWidth, free: TermId, exact: TermId) -> TermId {
        let zero = self.constant(Value::Real(Rational::from(&Int::ZERO)));
        let below = self.lt(exact, zero);
        let negative = self.neg(exact);
        let size = self.ite(below, negative, exact);
        let (unit, tiny) = (self.power_of_half(width.precision()), self.power_of_half(TINY_BITS));
        let relative = self.binary(BinaryOp::Mul, size, unit);
        let error = self.add(relative, tiny);
        let (least, most) = (self.sub(exact, error), self.add(exact, error));
        let close = [self.le(least, free), self.le(free, most)];
        let (up, down) = (self.le(zero, exact), self.le(exact, zero));
        let (free_up, free_down) = (self.le(zero, free), self.le(free, zero));
        let signs = [self.implies(up, free_up), self.implies(down, free_down)];
        self.all(&[close[0], close[1], signs[0], signs[1]])
    }

    fn power_of_half(&mut self, bits: u32) -> TermId {
        let power = Int::from_i128(1 << bits.min(126));
        let rest = Int::from_i128(1 << bits.saturating_sub(126));
        let power = Rational::from(&power.mul(&rest));
        let one = Rational::from(&Int::from(1));
        let half = one.div(&power).expect("a power is not zero");
        self.constant(Value::Real(half))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_number_is_near_and_one_that_is_farther_is_not() {
        let texts =
            ["0", "1", "0.1", "-0.1", "1/3", "-7/9", "16777217", "1e30", "1e-300", "-3e-320"];
        for width in [RealWidth::Single, RealWidth::Double] {
            for text in texts {
                let exact = Rational::parse(text).expect("a number");
                let nearest = width.nearest(&exact).expect("it is not too large");
                let mut terms = Terms::default();
                let [t, r] =
                    [&exact, &nearest].map(|real| terms.constant(Value::Real(real.clone())));
                let near = terms.is_near(width, r, t);
                assert_eq!(terms.value(near), Some(&Value::Bool(true)), "{text}");
                let more = Rational::parse("1.0000003").expect("a number");
                let farther = terms.constant(Value::Real(exact.mul(&more)));
                let near = terms.is_near(width, farther, t);
                let is_tiny = text.contains("e-") || text == "0";
                assert_eq!(terms.value(near), Some(&Value::Bool(is_tiny)), "{text}");
            }
        }
    }

    #[test]
    fn one_number_has_one_nearest() {
        let mut terms = Terms::default();
        let x = terms.symbol("x", Sort::Real);
        let once = terms.near(RealWidth::Double, x);
        assert_eq!(terms.near(RealWidth::Double, x), once);
        assert_ne!(terms.near(RealWidth::Single, x), once);
    }
}
