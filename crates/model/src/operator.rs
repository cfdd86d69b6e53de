//! The operators and what they mean: the one definition of their results, also for unknown
//! operands (a result is known when every completion of the unknowns gives it).

use std::fmt;

use provoke_base::{Int, Rational};

use crate::fixed::RealWidth;
use crate::machine::MachineInt;
use crate::system::Type;
use crate::value::Value;

/// An operator with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `not`
    Not,
    /// Unary minus.
    Neg,
    /// `real(int)`
    ToReal,
    /// `floor(real)`
    Floor,
    /// The low bits of an integer as a number of a machine's type.
    Wrap(MachineInt),
    /// Every bit of a machine's integer changed.
    BitNot(MachineInt),
    /// The nearest number of a machine's type: its end for what is beyond it.
    Clamp(MachineInt),
    /// The nearest of a machine's reals; unknown beyond the largest, where a machine has no number.
    Round(RealWidth),
}

/// An operator with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// `and`
    And,
    /// `or`
    Or,
    /// `xor`
    Xor,
    /// `=>`
    Implies,
    /// `=`
    Eq,
    /// `<>`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/` on reals.
    Div,
    /// `div`, Euclidean, on integers.
    IntDiv,
    /// `mod`, Euclidean, on integers.
    Mod,
    /// The quotient of integers without its fraction: `div` of a machine.
    Quotient,
    /// What the quotient leaves, with the sign of the dividend: `mod` of a machine.
    Remainder,
    /// The bits that both have, as a machine's integer.
    BitAnd(MachineInt),
    /// The bits that one of them has, as a machine's integer.
    BitOr(MachineInt),
    /// The bits moved up by so many places, zeros below; zero where that leaves none.
    ShiftLeft(MachineInt),
    /// The bits moved down by so many places, signs above.
    ShiftRight(MachineInt),
}

/// Why an operation has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A division by zero.
    DivisionByZero,
    /// A number outgrew [`MAX_BITS`].
    NumberTooLarge,
}

/// The largest number that is computed with, in bits. Repeated squaring doubles the length
/// of a number at each step, so without a limit sixty steps would fill any memory.
pub const MAX_BITS: usize = 1 << 16;

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::DivisionByZero => write!(f, "division by zero"),
            Fault::NumberTooLarge => write!(f, "number longer than {MAX_BITS} bits"),
        }
    }
}

impl UnaryOp {
    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Not => "not",
            UnaryOp::Neg => "-",
            UnaryOp::ToReal => "real",
            UnaryOp::Floor => "floor",
            UnaryOp::Wrap(ty) | UnaryOp::Clamp(ty) => ty.word(),
            UnaryOp::BitNot(_) => "!",
            UnaryOp::Round(width) => width.word(),
        }
    }

    /// The type of the result for an operand of type `operand`.
    pub fn result_type(self, operand: Type) -> Type {
        match self {
            UnaryOp::Not => Type::Bool,
            UnaryOp::Neg => operand,
            UnaryOp::ToReal | UnaryOp::Round(_) => Type::Real,
            UnaryOp::Floor | UnaryOp::Wrap(_) | UnaryOp::BitNot(_) | UnaryOp::Clamp(_) => Type::Int,
        }
    }

    /// The result for a well-typed operand.
    pub fn apply(self, operand: &Value) -> Value {
        match (self, operand) {
            (_, Value::Unknown) => Value::Unknown,
            (UnaryOp::Not, Value::Bool(value)) => Value::Bool(!value),
            (UnaryOp::Neg, Value::Int(value)) => Value::Int(value.neg()),
            (UnaryOp::Neg, Value::Real(value)) => Value::Real(value.neg()),
            (UnaryOp::ToReal, Value::Int(value)) => Value::Real(Rational::from(value)),
            (UnaryOp::Floor, Value::Real(value)) => Value::Int(value.floor()),
            (UnaryOp::Wrap(ty), Value::Int(value)) => Value::Int(ty.wrap(value)),
            (UnaryOp::Clamp(ty), Value::Int(value)) => Value::Int(ty.clamp(value)),
            (UnaryOp::BitNot(ty), Value::Int(value)) => {
                Value::Int(ty.wrap(&Int::from(-1).sub(value)))
            }
            (UnaryOp::Round(width), Value::Real(value)) => {
                width.nearest(value).map_or(Value::Unknown, Value::Real)
            }
            _ => panic!("ill-typed operation: {} {operand:?}", self.symbol()),
        }
    }
}

impl BinaryOp {
    /// All that have no parameter, for tests and for replacing one by another.
    pub const ALL: [BinaryOp; 18] = [
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
        BinaryOp::Implies,
        BinaryOp::Eq,
        BinaryOp::Ne,
        BinaryOp::Lt,
        BinaryOp::Le,
        BinaryOp::Gt,
        BinaryOp::Ge,
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::IntDiv,
        BinaryOp::Mod,
        BinaryOp::Quotient,
        BinaryOp::Remainder,
    ];

    /// Those that look at the bits of a machine's integers.
    pub fn on_bits(ty: MachineInt) -> [BinaryOp; 4] {
        use BinaryOp::{BitAnd, BitOr, ShiftLeft, ShiftRight};
        [BitAnd(ty), BitOr(ty), ShiftLeft(ty), ShiftRight(ty)]
    }

    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::And => "and",
            BinaryOp::Or => "or",
            BinaryOp::Xor => "xor",
            BinaryOp::Implies => "=>",
            BinaryOp::Eq => "=",
            BinaryOp::Ne => "<>",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::IntDiv | BinaryOp::Quotient => "div",
            BinaryOp::Mod | BinaryOp::Remainder => "mod",
            BinaryOp::BitAnd(_) => "&&",
            BinaryOp::BitOr(_) => "||",
            BinaryOp::ShiftLeft(_) => "lsh",
            BinaryOp::ShiftRight(_) => "rsh",
        }
    }

    /// Whether it has no value for a second operand of zero.
    pub fn divides(self) -> bool {
        use BinaryOp::{Div, IntDiv, Mod, Quotient, Remainder};
        matches!(self, Div | IntDiv | Mod | Quotient | Remainder)
    }

    /// Whether its operands are Boolean and nothing else.
    pub fn is_logical(self) -> bool {
        matches!(self, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Implies)
    }

    /// Whether it compares its operands.
    pub fn is_relation(self) -> bool {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }

    /// Whether its operands are integers and nothing else.
    pub fn is_integral(self) -> bool {
        use BinaryOp::{BitAnd, BitOr, IntDiv, Mod, Quotient, Remainder, ShiftLeft, ShiftRight};
        matches!(
            self,
            IntDiv
                | Mod
                | Quotient
                | Remainder
                | BitAnd(_)
                | BitOr(_)
                | ShiftLeft(_)
                | ShiftRight(_)
        )
    }

    /// The type of the result for operands of type `operand`.
    pub fn result_type(self, operand: Type) -> Type {
        if self.is_logical() || self.is_relation() { Type::Bool } else { operand }
    }

    /// The result of a left operand alone, when the right one cannot change it.
    pub fn decided_by_left(self, left: &Value) -> Option<Value> {
        match (self, left) {
            (BinaryOp::And, Value::Bool(false)) => Some(Value::Bool(false)),
            (BinaryOp::Or, Value::Bool(true)) => Some(Value::Bool(true)),
            (BinaryOp::Implies, Value::Bool(false)) => Some(Value::Bool(true)),
            _ => None,
        }
    }

    /// The result for well-typed operands.
    pub fn apply(self, left: &Value, right: &Value) -> Result<Value, Fault> {
        if let Some(decided) = self.decided_by_left(left) {
            return Ok(decided);
        }
        match (left, right) {
            (Value::Unknown, _) | (_, Value::Unknown) => self.apply_partly_known(left, right),
            (Value::Bool(a), Value::Bool(b)) => Ok(Value::Bool(self.apply_bools(*a, *b))),
            (Value::Int(a), Value::Int(b)) => self.apply_ints(a, b),
            (Value::Real(a), Value::Real(b)) => self.apply_reals(a, b),
            (Value::Enum(a), Value::Enum(b)) => Ok(Value::Bool(self.compare(a, b))),
            _ => panic!("ill-typed operation: {left:?} {} {right:?}", self.symbol()),
        }
    }

    /// Whether an unknown operand decides whether there is a result in a machine's numbers: it may be an
    /// infinity, and zero times infinity is no number.
    pub fn is_open_to_infinity(self, left: &Value, right: &Value) -> bool {
        let product = self == BinaryOp::Mul;
        let partly = matches!(
            (left, right),
            (Value::Real(_), Value::Unknown) | (Value::Unknown, Value::Real(_))
        );
        product && partly
    }

    fn apply_partly_known(self, left: &Value, right: &Value) -> Result<Value, Fault> {
        let zero = |value: &Value| match value {
            Value::Int(int) => int.is_zero(),
            Value::Real(real) => real.is_zero(),
            _ => false,
        };
        match (self, right) {
            (BinaryOp::And, Value::Bool(false)) => Ok(Value::Bool(false)),
            (BinaryOp::Or | BinaryOp::Implies, Value::Bool(true)) => Ok(Value::Bool(true)),
            (BinaryOp::Mul, _) if zero(left) => Ok(left.clone()),
            (BinaryOp::Mul, _) if zero(right) => Ok(right.clone()),
            (BinaryOp::Mod, Value::Int(one)) if one.to_i64().map(i64::unsigned_abs) == Some(1) => {
                Ok(Value::Int(Int::ZERO))
            }
            _ if self.divides() && zero(right) => Err(Fault::DivisionByZero),
            _ => Ok(Value::Unknown),
        }
    }

    fn apply_ints(self, a: &Int, b: &Int) -> Result<Value, Fault> {
        let result = match self {
            BinaryOp::Add => a.add(b),
            BinaryOp::Sub => a.sub(b),
            BinaryOp::Mul => a.mul(b),
            BinaryOp::IntDiv => a.div_euclid(b).ok_or(Fault::DivisionByZero)?,
            BinaryOp::Mod => a.rem_euclid(b).ok_or(Fault::DivisionByZero)?,
            BinaryOp::Quotient => a.quotient(b).ok_or(Fault::DivisionByZero)?,
            BinaryOp::Remainder => a.remainder(b).ok_or(Fault::DivisionByZero)?,
            _ => match self.on_words(a, b) {
                Some(word) => Int::from_i128(word),
                None => return Ok(Value::Bool(self.compare(a, b))),
            },
        };
        if result.bits() > MAX_BITS {
            return Err(Fault::NumberTooLarge);
        }
        Ok(Value::Int(result))
    }

    /// The result of an operator on bits.
    fn on_words(self, a: &Int, b: &Int) -> Option<i128> {
        let (BinaryOp::BitAnd(ty)
        | BinaryOp::BitOr(ty)
        | BinaryOp::ShiftLeft(ty)
        | BinaryOp::ShiftRight(ty)) = self
        else {
            return None;
        };
        let word = |int: &Int| ty.wrap(int).to_i128().expect("words have at most 64 bits");
        // What does not fit 128 bits is beyond any width.
        let amount = b.to_i128().unwrap_or(i128::MAX);
        self.apply_words(word(a), if self.shifts() { amount } else { word(b) })
    }

    fn shifts(self) -> bool {
        matches!(self, BinaryOp::ShiftLeft(_) | BinaryOp::ShiftRight(_))
    }

    /// What an operator on bits gives for integers of its type; `None` if it is no such operator.
    #[inline]
    pub fn apply_words(self, a: i128, b: i128) -> Option<i128> {
        match self {
            BinaryOp::BitAnd(ty) => Some(ty.low_bits(a & b)),
            BinaryOp::BitOr(ty) => Some(ty.low_bits(a | b)),
            BinaryOp::ShiftLeft(ty) => Some(ty.shift_left(a, b)),
            BinaryOp::ShiftRight(ty) => Some(ty.shift_right(a, b)),
            _ => None,
        }
    }

    fn apply_reals(self, a: &Rational, b: &Rational) -> Result<Value, Fault> {
        let result = match self {
            BinaryOp::Add => a.add(b),
            BinaryOp::Sub => a.sub(b),
            BinaryOp::Mul => a.mul(b),
            BinaryOp::Div => a.div(b).ok_or(Fault::DivisionByZero)?,
            _ => return Ok(Value::Bool(self.compare(a, b))),
        };
        if result.bits() > MAX_BITS {
            return Err(Fault::NumberTooLarge);
        }
        Ok(Value::Real(result))
    }

    /// What a relation says of two values.
    #[inline]
    pub fn compare<T: PartialOrd>(self, a: &T, b: &T) -> bool {
        match self {
            BinaryOp::Eq => a == b,
            BinaryOp::Ne => a != b,
            BinaryOp::Lt => a < b,
            BinaryOp::Le => a <= b,
            BinaryOp::Gt => a > b,
            BinaryOp::Ge => a >= b,
            _ => panic!("`{}` does not compare", self.symbol()),
        }
    }

    /// What a connective or a relation says of two truth values.
    #[inline]
    pub fn apply_bools(self, a: bool, b: bool) -> bool {
        match self {
            BinaryOp::And => a && b,
            BinaryOp::Or => a || b,
            BinaryOp::Xor => a != b,
            BinaryOp::Implies => !a || b,
            _ => self.compare(&a, &b),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sample values of each type, zeros and signs included.
    fn samples() -> Vec<Vec<Value>> {
        let ints = (-3..=3).map(Value::from).collect();
        let real = |text| Value::Real(Rational::parse(text).unwrap());
        let reals = ["-2", "-1/2", "0", "1/3", "1"].map(real).to_vec();
        vec![vec![Value::Bool(false), Value::Bool(true)], ints, reals]
    }

    fn allowed(op: BinaryOp, sample: &Value) -> bool {
        match sample {
            Value::Bool(_) => op.is_logical() || matches!(op, BinaryOp::Eq | BinaryOp::Ne),
            Value::Int(_) => !op.is_logical() && op != BinaryOp::Div,
            _ => {
                use BinaryOp::{Add, Div, Mul, Sub};
                op.is_relation() || matches!(op, Add | Sub | Mul | Div)
            }
        }
    }

    /// The value all outcomes share; faults leave it open.
    fn agreed(outcomes: &[Result<Value, Fault>]) -> Option<Value> {
        let first = outcomes[0].clone().ok()?;
        outcomes.iter().all(|outcome| outcome.as_ref() == Ok(&first)).then_some(first)
    }

    #[test]
    fn a_known_result_is_the_result_of_every_completion() {
        let mut decided = 0;
        let bits = BinaryOp::on_bits(MachineInt::signed(3));
        let all = BinaryOp::ALL.into_iter().chain(bits);
        for (op, values) in all.flat_map(|op| samples().into_iter().map(move |v| (op, v))) {
            for known in values.iter().filter(|value| allowed(op, value)) {
                let right: Vec<_> = values.iter().map(|other| op.apply(known, other)).collect();
                let left: Vec<_> = values.iter().map(|other| op.apply(other, known)).collect();
                for (partial, completions) in [
                    (op.apply(known, &Value::Unknown), right),
                    (op.apply(&Value::Unknown, known), left),
                ] {
                    match partial {
                        Ok(Value::Unknown) => {}
                        Ok(value) => {
                            decided += 1;
                            assert_eq!(agreed(&completions), Some(value), "{op:?} {known:?}");
                        }
                        Err(fault) => assert!(completions.iter().all(|c| *c == Err(fault))),
                    }
                }
            }
        }
        assert!(decided >= 10, "only {decided} partly known results were known");
    }

    #[test]
    fn operators_on_bits_see_their_operands_in_their_type() {
        let (int8, uint8) = (MachineInt::signed(8), MachineInt::unsigned(8));
        let of = |op: BinaryOp, a: i64, b: i64| op.apply(&a.into(), &b.into()).unwrap();
        assert_eq!(of(BinaryOp::BitAnd(int8), 11, -1), 11.into());
        assert_eq!(of(BinaryOp::BitOr(int8), 23, -128), (-105).into());
        assert_eq!(of(BinaryOp::BitOr(uint8), 256 + 1, 2), 3.into());
        assert_eq!(of(BinaryOp::ShiftLeft(int8), 64, 1), (-128).into());
        assert_eq!(of(BinaryOp::ShiftRight(int8), -128, 9), (-1).into());
        assert_eq!(UnaryOp::BitNot(uint8).apply(&5.into()), 250.into());
        assert_eq!(UnaryOp::BitNot(int8).apply(&5.into()), (-6).into());
        assert_eq!(UnaryOp::Wrap(uint8).apply(&(-1).into()), 255.into());
        assert_eq!(of(BinaryOp::Quotient, -7, 2), (-3).into());
        assert_eq!(of(BinaryOp::Remainder, -7, 2), (-1).into());
    }

    #[test]
    fn the_tables_of_and_and_or_are_the_thesis_ones() {
        let (t, f, u) = (Value::Bool(true), Value::Bool(false), Value::Unknown);
        let table = |op: BinaryOp| -> Vec<Value> {
            let all = [&t, &f, &u];
            all.iter().flat_map(|a| all.map(|b| op.apply(a, b).unwrap())).collect()
        };
        let and = [&t, &f, &u, &f, &f, &f, &u, &f, &u].map(Clone::clone);
        let or = [&t, &t, &t, &t, &f, &u, &t, &u, &u].map(Clone::clone);
        assert_eq!(table(BinaryOp::And), and);
        assert_eq!(table(BinaryOp::Or), or);
    }

    #[test]
    fn numbers_that_explode_are_a_fault() {
        let mut value = Value::from(3);
        let fault = loop {
            match BinaryOp::Mul.apply(&value, &value) {
                Ok(next) => value = next,
                Err(fault) => break fault,
            }
        };
        assert_eq!(fault, Fault::NumberTooLarge);
    }
}
