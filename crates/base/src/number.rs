//! Exact numbers: integers that widen when they must, and rationals.

use std::cmp::Ordering;
use std::fmt;

use dashu_base::{BitTest, DivRemEuclid, Sign, Signed};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

/// An unbounded integer with a fast path for 64 bits.
///
/// `Big` never holds a value that fits `Small`, so equality is structural.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Int {
    /// A value that fits 64 bits.
    Small(i64),
    /// A value that does not.
    Big(Box<IBig>),
}

impl Int {
    /// Zero.
    pub const ZERO: Int = Int::Small(0);

    /// The longest literal that is read, in digits.
    pub const MAX_DIGITS: usize = 10_000;

    fn from_big(big: IBig) -> Int {
        match i64::try_from(&big) {
            Ok(small) => Int::Small(small),
            Err(_) => Int::Big(Box::new(big)),
        }
    }

    fn to_big(&self) -> IBig {
        match self {
            Int::Small(small) => IBig::from(*small),
            Int::Big(big) => (**big).clone(),
        }
    }

    /// The value if it fits 64 bits.
    pub fn to_i64(&self) -> Option<i64> {
        match self {
            Int::Small(small) => Some(*small),
            Int::Big(_) => None,
        }
    }

    /// A number of 128 bits.
    pub fn from_i128(wide: i128) -> Int {
        match i64::try_from(wide) {
            Ok(small) => Int::Small(small),
            Err(_) => Int::Big(Box::new(IBig::from(wide))),
        }
    }

    /// The value if it fits 128 bits.
    pub fn to_i128(&self) -> Option<i128> {
        match self {
            Int::Small(small) => Some(i128::from(*small)),
            Int::Big(big) => i128::try_from(&**big).ok(),
        }
    }

    /// Reads decimal digits with an optional sign; `None` for anything else.
    pub fn parse(text: &str) -> Option<Int> {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        if digits.is_empty() || digits.len() > Int::MAX_DIGITS || !plain {
            return None;
        }
        match text.parse::<i64>() {
            Ok(small) => Some(Int::Small(small)),
            Err(_) => IBig::from_str_radix(text, 10).ok().map(Int::from_big),
        }
    }

    /// The sum.
    pub fn add(&self, other: &Int) -> Int {
        self.combine(other, i64::checked_add, |a, b| a + b)
    }

    /// The difference.
    pub fn sub(&self, other: &Int) -> Int {
        self.combine(other, i64::checked_sub, |a, b| a - b)
    }

    /// The product.
    pub fn mul(&self, other: &Int) -> Int {
        self.combine(other, i64::checked_mul, |a, b| a * b)
    }

    /// The Euclidean quotient (the remainder is never negative); `None` if `other` is zero.
    pub fn div_euclid(&self, other: &Int) -> Option<Int> {
        (!other.is_zero())
            .then(|| self.combine(other, i64::checked_div_euclid, |a, b| a.div_rem_euclid(b).0))
    }

    /// The Euclidean remainder; `None` if `other` is zero.
    pub fn rem_euclid(&self, other: &Int) -> Option<Int> {
        (!other.is_zero()).then(|| {
            self.combine(other, i64::checked_rem_euclid, |a, b| a.div_rem_euclid(b).1.into())
        })
    }

    /// The quotient without its fraction; `None` if `other` is zero.
    pub fn quotient(&self, other: &Int) -> Option<Int> {
        match *self < Int::ZERO {
            true => self.neg().div_euclid(other).map(|quotient| quotient.neg()),
            false => self.div_euclid(other),
        }
    }

    /// What [`Int::quotient`] leaves, with the sign of the dividend; `None` if `other` is zero.
    pub fn remainder(&self, other: &Int) -> Option<Int> {
        self.quotient(other).map(|quotient| self.sub(&quotient.mul(other)))
    }

    /// The opposite.
    pub fn neg(&self) -> Int {
        Int::ZERO.sub(self)
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        *self == Int::ZERO
    }

    /// How many bits its magnitude takes.
    pub fn bits(&self) -> usize {
        match self {
            Int::Small(small) => 64 - small.unsigned_abs().leading_zeros() as usize,
            Int::Big(big) => big.bit_len(),
        }
    }

    fn combine(
        &self,
        other: &Int,
        small: impl Fn(i64, i64) -> Option<i64>,
        big: impl Fn(IBig, IBig) -> IBig,
    ) -> Int {
        if let (Int::Small(a), Int::Small(b)) = (self, other)
            && let Some(result) = small(*a, *b)
        {
            return Int::Small(result);
        }
        Int::from_big(big(self.to_big(), other.to_big()))
    }
}

impl From<i64> for Int {
    fn from(small: i64) -> Int {
        Int::Small(small)
    }
}

impl PartialOrd for Int {
    fn partial_cmp(&self, other: &Int) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Int {
    fn cmp(&self, other: &Int) -> Ordering {
        match (self, other) {
            (Int::Small(a), Int::Small(b)) => a.cmp(b),
            _ => self.to_big().cmp(&other.to_big()),
        }
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Int::Small(small) => small.fmt(f),
            Int::Big(big) => big.fmt(f),
        }
    }
}

impl fmt::Debug for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An exact rational number in lowest terms.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rational(RBig);

impl Rational {
    /// The largest decimal exponent that is read.
    pub const MAX_EXPONENT: i64 = 10_000;

    /// The fraction `numerator / denominator`; `None` if the denominator is zero.
    pub fn new(numerator: &Int, denominator: &Int) -> Option<Rational> {
        if denominator.is_zero() {
            return None;
        }
        let (sign, magnitude) = denominator.to_big().into_parts();
        let signed = if sign == Sign::Negative { -numerator.to_big() } else { numerator.to_big() };
        Some(Rational(RBig::from_parts(signed, magnitude)))
    }

    /// Reads `3`, `-1.5`, `1.`, `2.5e-3` or `7/3`; `None` for anything else.
    pub fn parse(text: &str) -> Option<Rational> {
        if let Some((numerator, denominator)) = text.split_once('/') {
            return Rational::new(&Int::parse(numerator)?, &Int::parse(denominator)?);
        }
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if exponent.abs() > Rational::MAX_EXPONENT || fraction.starts_with(['+', '-']) {
            return None;
        }
        let digits = Int::parse(&format!("{whole}{fraction}"))?;
        let shift = exponent - fraction.len() as i64;
        let scale = Int::from_big(IBig::from(10).pow(shift.unsigned_abs() as usize));
        if shift >= 0 {
            Some(Rational::from(&digits.mul(&scale)))
        } else {
            Rational::new(&digits, &scale)
        }
    }

    /// The sum.
    pub fn add(&self, other: &Rational) -> Rational {
        Rational(&self.0 + &other.0)
    }

    /// The difference.
    pub fn sub(&self, other: &Rational) -> Rational {
        Rational(&self.0 - &other.0)
    }

    /// The product.
    pub fn mul(&self, other: &Rational) -> Rational {
        Rational(&self.0 * &other.0)
    }

    /// The quotient; `None` if `other` is zero.
    pub fn div(&self, other: &Rational) -> Option<Rational> {
        (!other.is_zero()).then(|| Rational(&self.0 / &other.0))
    }

    /// The opposite.
    pub fn neg(&self) -> Rational {
        Rational(-self.0.clone())
    }

    /// The largest integer that is not larger.
    pub fn floor(&self) -> Int {
        Int::from_big(self.0.floor())
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// Whether it is below zero.
    pub fn is_negative(&self) -> bool {
        self.0.is_negative()
    }

    /// Numerator and (positive) denominator in lowest terms.
    pub fn parts(&self) -> (Int, Int) {
        let denominator: UBig = self.0.denominator().clone();
        (Int::from_big(self.0.numerator().clone()), Int::from_big(denominator.into()))
    }

    /// The nearest number of 64 bits, ties to even; infinite beyond the largest.
    pub fn to_f64(&self) -> f64 {
        self.0.to_f64().value()
    }

    /// The nearest number of 32 bits, ties to even; infinite beyond the largest.
    pub fn to_f32(&self) -> f32 {
        self.0.to_f32().value()
    }

    /// The exact value of a finite number; `None` for the others.
    pub fn from_f64(number: f64) -> Option<Rational> {
        RBig::try_from(number).ok().map(Rational)
    }

    /// How many bits numerator and denominator take together.
    pub fn bits(&self) -> usize {
        self.0.numerator().bit_len() + self.0.denominator().bit_len()
    }
}

impl From<&Int> for Rational {
    fn from(int: &Int) -> Rational {
        Rational(RBig::from(int.to_big()))
    }
}

/// `n/d`, the denominator left out when it is 1.
impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (numerator, denominator) = self.parts();
        if denominator == Int::Small(1) {
            write!(f, "{numerator}")
        } else {
            write!(f, "{numerator}/{denominator}")
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(text: &str) -> Int {
        Int::parse(text).unwrap()
    }

    #[test]
    fn division_is_euclidean() {
        let cases = [(-7, 3, -3, 2), (7, -2, -3, 1), (-7, -2, 4, 1), (6, 3, 2, 0)];
        for (a, b, quotient, remainder) in cases {
            let (a, b) = (Int::from(a), Int::from(b));
            assert_eq!(a.div_euclid(&b), Some(Int::from(quotient)));
            assert_eq!(a.rem_euclid(&b), Some(Int::from(remainder)));
            let huge = a.mul(&int("100000000000000000000"));
            let scaled = b.mul(&int("100000000000000000000"));
            assert_eq!(huge.div_euclid(&scaled), Some(Int::from(quotient)));
        }
        assert_eq!(int("5").div_euclid(&Int::ZERO), None);
        assert_eq!(int("5").rem_euclid(&Int::ZERO), None);
    }

    #[test]
    fn quotients_without_fraction_have_remainders_of_the_dividend() {
        let cases = [(-7, 3, -2, -1), (7, -2, -3, 1), (-7, -2, 3, -1), (7, 2, 3, 1), (6, 3, 2, 0)];
        for (a, b, quotient, remainder) in cases {
            let (a, b) = (Int::from(a), Int::from(b));
            assert_eq!(a.quotient(&b), Some(Int::from(quotient)));
            assert_eq!(a.remainder(&b), Some(Int::from(remainder)));
        }
        assert_eq!(Int::from(5).quotient(&Int::ZERO), None);
        assert_eq!(Int::from(i64::MIN).quotient(&Int::from(-1)), Some(Int::from_i128(1 << 63)));
    }

    #[test]
    fn integers_widen_and_come_back() {
        let max = Int::from(i64::MAX);
        let wide = max.add(&Int::from(1));
        assert_eq!(wide.to_string(), "9223372036854775808");
        assert_eq!(wide.sub(&Int::from(1)), max);
        assert_eq!(Int::from(i64::MIN).neg(), wide);
        assert_eq!(Int::from(i64::MIN).div_euclid(&Int::from(-1)), Some(wide.clone()));
        assert!(wide > max && wide.neg() < Int::ZERO);
        assert_eq!(wide.mul(&Int::ZERO), Int::ZERO);
    }

    #[test]
    fn rationals_are_exact() {
        let read = |text| Rational::parse(text).unwrap();
        assert_eq!(read("0.1").add(&read("0.2")), read("3/10"));
        assert_eq!(read("1."), read("1"));
        assert_eq!(read("-2.5e-1").to_string(), "-1/4");
        assert_eq!(read("1e2").to_string(), "100");
        assert_eq!(read("-7/2").floor(), Int::from(-4));
        assert_eq!(read("3/-6").to_string(), "-1/2");
        assert_eq!((read("1/3").to_f64(), read("1/3").to_f32()), (1.0 / 3.0, 1.0 / 3.0));
        assert_eq!(Rational::from_f64(-0.375), Some(read("-3/8")));
        assert_eq!(Rational::from_f64(0.1).map(|tenth| tenth.to_f64()), Some(0.1));
        assert_eq!((Rational::from_f64(f64::NAN), read("1e400").to_f64()), (None, f64::INFINITY));
        for wrong in ["", ".", "1/0", "a", "1.-5", "1e99999", "1.2.3", "--1", "-"] {
            assert_eq!(Rational::parse(wrong), None, "{wrong}");
        }
    }
}
