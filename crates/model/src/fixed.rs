//! What operators do with the numbers of a machine: integers of 32 or 64 bits that wrap, and
//! floating point. The generated C computes this; exact values are in [`crate::operator`].
//!
//! Every operation has a result, so that code needs no traps: a division by zero gives zero for
//! integers, `floor` stops at the largest and smallest integer. Wherever the result is not the
//! exact one (up to the rounding of reals), [`ArithmeticFault`] says so.

use std::fmt;

use provoke_base::{Int, Rational};

use crate::machine::MachineInt;
use crate::operator::{BinaryOp, UnaryOp};
use crate::system::Type;
use crate::value::Value;

/// How wide integers are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum IntWidth {
    /// 32 bits.
    Bits32,
    /// 64 bits.
    Bits64,
    /// As the model says: what leaves the type is meant to wrap around.
    Machine(MachineInt),
}

impl IntWidth {
    /// The type of integers with this width.
    pub fn machine(self) -> MachineInt {
        match self {
            IntWidth::Bits32 => MachineInt::signed(32),
            IntWidth::Bits64 => MachineInt::signed(64),
            IntWidth::Machine(ty) => ty,
        }
    }

    /// The low bits of a number as a number of this width.
    pub fn wrap(self, wide: i128) -> i128 {
        self.machine().low_bits(wide)
    }

    /// The number, if it needs no more bits.
    pub fn fit(self, int: &Int) -> Option<i128> {
        int.to_i128().filter(|_| self.machine().contains(int))
    }
}

/// How reals are held.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RealWidth {
    /// 32 bits, `float`.
    Single,
    /// 64 bits, `double`.
    Double,
}

impl RealWidth {
    /// The nearest number of this width.
    pub fn round(self, exact: &Rational) -> f64 {
        match self {
            RealWidth::Single => f64::from(exact.to_f32()),
            RealWidth::Double => exact.to_f64(),
        }
    }

    /// The nearest number of this width as an exact one; `None` beyond the largest.
    pub fn nearest(self, exact: &Rational) -> Option<Rational> {
        Rational::from_f64(self.round(exact))
    }

    /// How many bits a number has behind its first one, and one more: integers up to so many bits are
    /// all exact.
    pub fn precision(self) -> u32 {
        match self {
            RealWidth::Single => f32::MANTISSA_DIGITS,
            RealWidth::Double => f64::MANTISSA_DIGITS,
        }
    }

    /// The word of C.
    pub fn word(self) -> &'static str {
        match self {
            RealWidth::Single => "float",
            RealWidth::Double => "double",
        }
    }
}

/// The numbers of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Arithmetic {
    /// How wide integers are.
    pub int: IntWidth,
    /// How reals are held.
    pub real: RealWidth,
}

/// A value as a machine holds it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum FixedValue {
    /// A truth value.
    Bool(bool),
    /// An integer of the chosen width.
    Int(i128),
    /// A floating-point number of the chosen width.
    Real(f64),
    /// The constant at this position of its enumeration.
    Enum(u32),
}

/// Why a machine's result is not the exact one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArithmeticFault {
    /// The number does not fit.
    Overflow,
    /// A division by zero.
    DivisionByZero,
}

impl fmt::Display for ArithmeticFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ArithmeticFault::Overflow => "overflow",
            ArithmeticFault::DivisionByZero => "division by zero",
        })
    }
}

/// A result, and whether something is wrong with it.
pub type Result = (FixedValue, Option<ArithmeticFault>);

impl FixedValue {
    /// What memory holds before the first step.
    pub fn zero(ty: Type) -> FixedValue {
        match ty {
            Type::Bool => FixedValue::Bool(false),
            Type::Int => FixedValue::Int(0),
            Type::Real => FixedValue::Real(0.0),
            Type::Enum(_) => FixedValue::Enum(0),
        }
    }

    /// The exact value; unknown for what is no number.
    pub fn to_value(self) -> Value {
        match self {
            FixedValue::Bool(value) => Value::Bool(value),
            FixedValue::Int(value) => Value::Int(Int::from_i128(value)),
            FixedValue::Real(value) => {
                Rational::from_f64(value).map_or(Value::Unknown, Value::Real)
            }
            FixedValue::Enum(ordinal) => Value::Enum(ordinal),
        }
    }
}

impl Arithmetic {
    /// The value as this machine holds it, reals rounded; `None` if it is unknown or does not fit.
    pub fn word(self, value: &Value) -> Option<FixedValue> {
        match value {
            Value::Unknown => None,
            Value::Bool(value) => Some(FixedValue::Bool(*value)),
            Value::Int(int) => self.int.fit(int).map(FixedValue::Int),
            Value::Real(real) => {
                let rounded = self.real.round(real);
                rounded.is_finite().then_some(FixedValue::Real(rounded))
            }
            Value::Enum(ordinal) => Some(FixedValue::Enum(*ordinal)),
        }
    }

    /// The result for a well-typed operand.
    pub fn unary(self, op: UnaryOp, operand: FixedValue) -> Result {
        match (op, operand) {
            (UnaryOp::Not, FixedValue::Bool(value)) => (FixedValue::Bool(!value), None),
            (UnaryOp::Neg, FixedValue::Int(value)) => self.int(-value),
            (UnaryOp::Neg, FixedValue::Real(value)) => (FixedValue::Real(-value), None),
            (UnaryOp::ToReal, FixedValue::Int(value)) => {
                (FixedValue::Real(self.real_of(value)), None)
            }
            (UnaryOp::Floor, FixedValue::Real(value)) => self.floor(value),
            // What a machine computes is rounded already.
            (UnaryOp::Round(_), FixedValue::Real(value)) => (FixedValue::Real(value), None),
            (UnaryOp::Wrap(ty), FixedValue::Int(value)) => {
                (FixedValue::Int(ty.low_bits(value)), None)
            }
            (UnaryOp::Clamp(ty), FixedValue::Int(value)) => {
                (FixedValue::Int(value.clamp(ty.low(), ty.high())), None)
            }
            (UnaryOp::BitNot(ty), FixedValue::Int(value)) => {
                (FixedValue::Int(ty.low_bits(!value)), None)
            }
            _ => panic!("ill-typed operation: {} {operand:?}", op.symbol()),
        }
    }

    /// The result for well-typed operands.
    pub fn binary(self, op: BinaryOp, left: FixedValue, right: FixedValue) -> Result {
        match (left, right) {
            (FixedValue::Bool(a), FixedValue::Bool(b)) => {
                (FixedValue::Bool(op.apply_bools(a, b)), None)
            }
            (FixedValue::Int(a), FixedValue::Int(b)) => self.ints(op, a, b),
            (FixedValue::Real(a), FixedValue::Real(b)) => self.reals(op, a, b),
            (FixedValue::Enum(a), FixedValue::Enum(b)) => {
                (FixedValue::Bool(op.compare(&a, &b)), None)
            }
            _ => panic!("ill-typed operation: {left:?} {} {right:?}", op.symbol()),
        }
    }

    /// What does not fit is trouble, except where the model asks for it.
    fn int(self, wide: i128) -> Result {
        let wrapped = self.int.wrap(wide);
        let meant = matches!(self.int, IntWidth::Machine(_));
        let trouble = (wrapped != wide && !meant).then_some(ArithmeticFault::Overflow);
        (FixedValue::Int(wrapped), trouble)
    }

    fn ints(self, op: BinaryOp, a: i128, b: i128) -> Result {
        if op.divides() && b == 0 {
            return (FixedValue::Int(0), Some(ArithmeticFault::DivisionByZero));
        }
        match op {
            BinaryOp::Add => self.int(a + b),
            BinaryOp::Sub => self.int(a - b),
            // Two numbers of 64 bits without a sign may have a product of 128: its low bits are right.
            BinaryOp::Mul => self.int(a.wrapping_mul(b)),
            BinaryOp::IntDiv => self.int(a.div_euclid(b)),
            BinaryOp::Mod => self.int(a.rem_euclid(b)),
            BinaryOp::Quotient => self.int(a / b),
            BinaryOp::Remainder => self.int(a % b),
            _ => match op.apply_words(a, b) {
                Some(word) => (FixedValue::Int(word), None),
                None => (FixedValue::Bool(op.compare(&a, &b)), None),
            },
        }
    }

    fn reals(self, op: BinaryOp, a: f64, b: f64) -> Result {
        let single = |f: fn(f32, f32) -> f32| f64::from(f(a as f32, b as f32));
        let result = match (op, self.real) {
            (BinaryOp::Add, RealWidth::Double) => a + b,
            (BinaryOp::Add, RealWidth::Single) => single(|a, b| a + b),
            (BinaryOp::Sub, RealWidth::Double) => a - b,
            (BinaryOp::Sub, RealWidth::Single) => single(|a, b| a - b),
            (BinaryOp::Mul, RealWidth::Double) => a * b,
            (BinaryOp::Mul, RealWidth::Single) => single(|a, b| a * b),
            (BinaryOp::Div, RealWidth::Double) => a / b,
            (BinaryOp::Div, RealWidth::Single) => single(|a, b| a / b),
            _ => return (FixedValue::Bool(op.compare(&a, &b)), None),
        };
        let trouble = match op {
            BinaryOp::Div if b == 0.0 => Some(ArithmeticFault::DivisionByZero),
            _ => (!result.is_finite()).then_some(ArithmeticFault::Overflow),
        };
        (FixedValue::Real(result), trouble)
    }

    fn real_of(self, int: i128) -> f64 {
        match self.real {
            RealWidth::Single => f64::from(int as f32),
            RealWidth::Double => int as f64,
        }
    }

    fn floor(self, real: f64) -> Result {
        let floor = real.floor();
        let ty = self.int.machine();
        // Casts stop at the bounds and turn what is no number into zero.
        let bounded = (floor as i128).clamp(ty.low(), ty.high());
        let fits = floor >= ty.low() as f64 && floor < (ty.high() + 1) as f64;
        (FixedValue::Int(bounded), (!fits).then_some(ArithmeticFault::Overflow))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Arithmetic = Arithmetic { int: IntWidth::Bits32, real: RealWidth::Single };
    const WIDE: Arithmetic = Arithmetic { int: IntWidth::Bits64, real: RealWidth::Double };

    #[test]
    fn without_trouble_integers_are_exact_and_with_it_they_are_not() {
        let samples = [0, 1, -1, 2, -7, 46_341, i64::from(i32::MAX), i64::from(i32::MIN)];
        let wide = samples.into_iter().chain([i64::MAX, i64::MIN, 1 << 40]);
        let wide: Vec<i64> = wide.collect();
        for (machine, samples) in [(SMALL, &samples[..]), (WIDE, &wide)] {
            for (&a, &b) in samples.iter().flat_map(|a| samples.iter().map(move |b| (a, b))) {
                use BinaryOp::{Add, Eq, Ge, IntDiv, Lt, Mod, Mul, Quotient, Remainder, Sub};
                for op in [Add, Sub, Mul, IntDiv, Mod, Quotient, Remainder, Eq, Lt, Ge] {
                    let exact = op.apply(&Value::from(a), &Value::from(b));
                    let (word, trouble) =
                        machine.binary(op, FixedValue::Int(a.into()), FixedValue::Int(b.into()));
                    let same = exact.is_ok_and(|exact| exact == word.to_value());
                    assert_eq!(same, trouble.is_none(), "{a} {} {b}: {word:?}", op.symbol());
                }
            }
        }
    }

    #[test]
    fn a_type_of_the_model_wraps_as_its_exact_operations_do() {
        for ty in [MachineInt::signed(8), MachineInt::unsigned(64), MachineInt::signed(64)] {
            let machine = Arithmetic { int: IntWidth::Machine(ty), ..WIDE };
            let samples = [ty.low(), ty.low() + 1, 0, 1, 2, 77, ty.high() - 1, ty.high()];
            for (a, b) in samples.iter().flat_map(|a| samples.iter().map(move |b| (*a, *b))) {
                use BinaryOp::{Add, Mul, Quotient, Remainder, Sub};
                let bits = BinaryOp::on_bits(ty);
                for op in [Add, Sub, Mul, Quotient, Remainder].into_iter().chain(bits) {
                    let (word, trouble) =
                        machine.binary(op, FixedValue::Int(a), FixedValue::Int(b));
                    let exact =
                        op.apply(&FixedValue::Int(a).to_value(), &FixedValue::Int(b).to_value());
                    let exact = exact.map(|exact| UnaryOp::Wrap(ty).apply(&exact));
                    assert_eq!(trouble.is_some(), exact.is_err(), "{a} {op:?} {b}");
                    assert_eq!(word.to_value(), exact.unwrap_or(0.into()), "{a} {op:?} {b}");
                }
            }
        }
    }

    #[test]
    fn reals_round_and_floor_stops_at_the_bounds() {
        let tenth = Rational::parse("0.1").unwrap();
        assert_eq!(SMALL.word(&Value::Real(tenth)), Some(FixedValue::Real(f64::from(0.1_f32))));
        let floor =
            |machine: Arithmetic, real| machine.unary(UnaryOp::Floor, FixedValue::Real(real));
        assert_eq!(floor(WIDE, -0.5), (FixedValue::Int(-1), None));
        assert_eq!(
            floor(SMALL, 3e9),
            (FixedValue::Int(i128::from(i32::MAX)), Some(ArithmeticFault::Overflow))
        );
        assert_eq!(floor(WIDE, f64::NAN), (FixedValue::Int(0), Some(ArithmeticFault::Overflow)));
        let sum =
            SMALL.binary(BinaryOp::Add, FixedValue::Real(16_777_216.0), FixedValue::Real(1.0));
        assert_eq!(sum, (FixedValue::Real(16_777_216.0), None));
        assert_eq!(SMALL.word(&Value::from(1 << 31)), None);
    }
}
