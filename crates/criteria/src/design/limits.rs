//! The numbers that a machine has.

use provoke_base::{Int, Rational};
use provoke_model::{Range, RealWidth, Value};

/// The numbers that integers and reals must not leave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NumberLimits {
    /// The bits of an integer, with its sign: 32 or 64, and fewer where all runs are to be tried.
    pub int_bits: u32,
    /// How reals are held.
    pub real: RealWidth,
}

impl NumberLimits {
    /// The smallest and the largest integer.
    pub fn ints(&self) -> Range {
        let beyond = power_of_two(self.int_bits - 1);
        Range { low: beyond.neg(), high: beyond.sub(&Int::from(1)) }
    }

    /// From here on, rounding makes reals infinite.
    pub fn infinity(&self) -> Rational {
        // The largest finite number and half of its last digit.
        let (exponent, digits) = match self.real {
            RealWidth::Single => (128, 24),
            RealWidth::Double => (1024, 53),
        };
        let (beyond, half) = (power_of_two(exponent), power_of_two(exponent - digits - 1));
        Rational::from(&beyond.sub(&half))
    }

    /// Up to here, a real holds every integer.
    pub fn exact_ints(&self) -> Int {
        power_of_two(self.digits())
    }

    /// How close to each other reals are taken to be equal by rounding, in parts of their size.
    pub fn closeness(&self) -> Rational {
        let parts = power_of_two(self.digits() - 1);
        Rational::new(&Int::from(1), &parts).expect("not divided by zero")
    }

    /// Whether every one of these integers is a real of the machine.
    pub fn are_exact(&self, ints: &Range) -> bool {
        let most = self.exact_ints();
        most.neg() <= ints.low && ints.high <= most
    }

    /// Whether a number fits.
    pub fn holds(&self, value: &Value) -> bool {
        match value {
            Value::Real(real) => {
                let limit = self.infinity();
                *real < limit && limit.neg() < *real
            }
            value => self.ints().contains(value),
        }
    }

    fn digits(&self) -> u32 {
        match self.real {
            RealWidth::Single => 24,
            RealWidth::Double => 53,
        }
    }
}

fn power_of_two(exponent: u32) -> Int {
    let mut power = Int::from(1);
    for _ in 0..exponent {
        power = power.add(&power);
    }
    power
}
