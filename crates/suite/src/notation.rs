//! Numbers in the notations that other tools read.

use provoke_base::{Int, Rational};

/// The longest run of decimal places that is written out.
const MAX_PLACES: usize = 400;

/// Integers up to this are exact in the doubles that JSON readers and spreadsheets use.
const MAX_EXACT: u64 = 1 << 53;

/// The value if a double holds it exactly.
pub(crate) fn small_integer(int: &Int) -> Option<i64> {
    int.to_i64().filter(|value| value.unsigned_abs() <= MAX_EXACT)
}

/// The value if a double holds it exactly and it is whole.
pub(crate) fn small_whole(value: &Rational) -> Option<i64> {
    let (numerator, denominator) = value.parts();
    if denominator == Int::from(1) { small_integer(&numerator) } else { None }
}

/// The decimal that equals a rational, with at least one place (`0.25`, `3.0`); `None` for
/// fractions such as 1/3.
pub(crate) fn decimal(value: &Rational) -> Option<String> {
    let (_, denominator) = value.parts();
    let places = decimal_places(&denominator)?;
    let scaled = value.mul(&power_of_ten(places as i64)?).floor();
    let negative = scaled < Int::ZERO;
    let digits = if negative { scaled.neg() } else { scaled }.to_string();
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let sign = if negative { "-" } else { "" };
    Some(format!("{sign}{whole}.{}", if fraction.is_empty() { "0" } else { fraction }))
}

/// The smallest power of ten that the denominator divides.
fn decimal_places(denominator: &Int) -> Option<usize> {
    let mut rest = denominator.clone();
    let mut factors = [0, 0];
    for (factor, count) in [2, 5].into_iter().zip(&mut factors) {
        let factor = Int::from(factor);
        while rest.rem_euclid(&factor)?.is_zero() && *count <= MAX_PLACES {
            rest = rest.div_euclid(&factor)?;
            *count += 1;
        }
    }
    let places = factors[0].max(factors[1]);
    (rest == Int::from(1) && places <= MAX_PLACES).then_some(places)
}

fn power_of_ten(exponent: i64) -> Option<Rational> {
    Rational::parse(&format!("1e{exponent}"))
}

/// The double that stands for exactly this rational, in the sense that its shortest decimal
/// notation, which people see, equals it.
pub(crate) fn exact_double(value: &Rational) -> Option<f64> {
    let double: f64 = decimal(value)?.parse().ok()?;
    let shown = Rational::parse(&format!("{double:e}"))?;
    (shown == *value).then_some(double)
}

/// The double nearest to a rational; beyond the range of doubles the largest one.
pub(crate) fn nearest_double(value: &Rational) -> f64 {
    // Thirty digits are far more than a double's seventeen, so reading them rounds well.
    const DIGITS: i64 = 30;
    let (numerator, denominator) = value.parts();
    let magnitude = (numerator.bits() as i64 - denominator.bits() as i64) * 3 / 10;
    if magnitude.abs() > 400 {
        let limit = if magnitude > 0 { f64::MAX } else { 0.0 };
        return if value.is_negative() { -limit } else { limit };
    }
    let exponent = DIGITS - magnitude;
    let scaled = power_of_ten(exponent).map(|power| value.mul(&power).floor());
    let double = scaled.and_then(|digits| format!("{digits}e{}", -exponent).parse::<f64>().ok());
    double.unwrap_or(f64::NAN).clamp(f64::MIN, f64::MAX)
}

/// The text of a spreadsheet's number: whole numbers that are exact look whole.
pub(crate) fn double_text(double: f64) -> String {
    if double.fract() == 0.0 && double.abs() <= MAX_EXACT as f64 {
        format!("{}", double as i64)
    } else {
        // With an exponent, so that a large whole number whose last digits are lost is not
        // taken for an integer.
        format!("{double:e}")
    }
}

/// How many bits two's complement takes, at least 64 and a multiple of 32.
pub(crate) fn width(int: &Int) -> usize {
    (int.bits() + 1).next_multiple_of(32).max(64)
}

/// Two's complement in `width` bits, a multiple of 32, without leading zeros.
pub(crate) fn binary(int: &Int, width: usize) -> String {
    let limb = Int::from(1 << 32);
    let mut rest = int.clone();
    let mut limbs = Vec::new();
    for _ in 0..width / 32 {
        let low = rest.rem_euclid(&limb).and_then(|low| low.to_i64()).unwrap_or(0);
        limbs.push(format!("{low:032b}"));
        rest = rest.div_euclid(&limb).unwrap_or(Int::ZERO);
    }
    limbs.reverse();
    let bits = limbs.concat();
    let short = bits.trim_start_matches('0');
    if short.is_empty() { "0".into() } else { short.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(text: &str) -> Rational {
        Rational::parse(text).unwrap()
    }

    #[test]
    fn decimals_are_exact_or_none() {
        let cases = [("1/4", "0.25"), ("-1/4", "-0.25"), ("3", "3.0"), ("-7/2", "-3.5")];
        for (fraction, expected) in cases {
            assert_eq!(decimal(&rational(fraction)).unwrap(), expected);
        }
        assert_eq!(decimal(&rational("1/1000")).unwrap(), "0.001");
        assert_eq!(decimal(&rational("1/3")), None);
        assert_eq!(decimal(&rational("1e-401")), None);
    }

    #[test]
    fn doubles_stand_for_the_decimals_people_see() {
        assert_eq!(exact_double(&rational("1/10")), Some(0.1));
        assert_eq!(exact_double(&rational("1e300")), Some(1e300));
        assert_eq!(exact_double(&rational("0.1234567890123456789")), None);
        assert_eq!(exact_double(&rational("1/3")), None);
    }

    #[test]
    fn the_nearest_double_is_found_for_every_rational() {
        let cases = [("1/3", 1.0 / 3.0), ("-2/3", -2.0 / 3.0), ("0", 0.0), ("1e-300", 1e-300)];
        for (fraction, expected) in cases {
            assert_eq!(nearest_double(&rational(fraction)), expected);
        }
        assert_eq!(nearest_double(&rational("-1e9999")), f64::MIN);
        assert_eq!(nearest_double(&rational("1e-9999")), 0.0);
    }

    #[test]
    fn binary_is_twos_complement() {
        assert_eq!(binary(&Int::from(0), 64), "0");
        assert_eq!(binary(&Int::from(10), 64), "1010");
        assert_eq!(binary(&Int::from(-1), 64), "1".repeat(64));
        let wide = Int::parse("-18446744073709551616").unwrap();
        assert_eq!(width(&wide), 96);
        assert_eq!(binary(&wide, 96), "1".repeat(32) + &"0".repeat(64));
    }

    #[test]
    fn whole_doubles_look_whole_only_where_they_are_exact() {
        assert_eq!(double_text(3.0), "3");
        assert_eq!(double_text(-0.5), "-5e-1");
        assert_eq!(double_text(1e20), "1e20");
    }
}
