//! Operations on 64 runs at once: truth values as the bits of a word, integers side by side.

use provoke_model::{BinaryOp, UnaryOp};

use crate::program::{small, small_unary};

/// How many runs go side by side.
pub const LANES: usize = 64;

/// An integer for each run.
pub(crate) type Ints = [i64; LANES];

/// A register of words.
pub(crate) type BitReg = u32;
/// A register of integers.
pub(crate) type IntReg = u32;

/// One operation: the register of its result, which is later than those it reads, comes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    Not(BitReg, BitReg),
    And(BitReg, BitReg, BitReg),
    Or(BitReg, BitReg, BitReg),
    Xor(BitReg, BitReg, BitReg),
    /// Result, condition, then, otherwise.
    Choose(BitReg, BitReg, BitReg, BitReg),
    Neg(IntReg, IntReg),
    Add(IntReg, IntReg, IntReg),
    Sub(IntReg, IntReg, IntReg),
    Mul(IntReg, IntReg, IntReg),
    Div(IntReg, IntReg, IntReg),
    Mod(IntReg, IntReg, IntReg),
    /// Any other operator on one integer.
    Unary(IntReg, UnaryOp, IntReg),
    /// Any other operator on two.
    Binary(IntReg, BinaryOp, IntReg, IntReg),
    /// Result, condition, then, otherwise.
    Select(IntReg, BitReg, IntReg, IntReg),
    Equal(BitReg, IntReg, IntReg),
    Less(BitReg, IntReg, IntReg),
    LessEqual(BitReg, IntReg, IntReg),
}

/// Does the operations in order; the result has a bit for each run in which a number left 64
/// bits or a divisor was zero, so that its values are not to be used.
pub(crate) fn run(ops: &[Op], bits: &mut [u64], ints: &mut [Ints]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has just said that it knows these instructions.
        #[allow(unsafe_code, reason = "the same code, compiled for a newer processor")]
        return unsafe { run_avx2(ops, bits, ints) };
    }
    run_anywhere(ops, bits, ints)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2(ops: &[Op], bits: &mut [u64], ints: &mut [Ints]) -> u64 {
    run_anywhere(ops, bits, ints)
}

#[inline(always)]
fn run_anywhere(ops: &[Op], bits: &mut [u64], ints: &mut [Ints]) -> u64 {
    let mut trouble = Trouble::default();
    for op in ops {
        match *op {
            Op::Not(to, a) => bits[to as usize] = !bits[a as usize],
            Op::And(to, a, b) => bits[to as usize] = bits[a as usize] & bits[b as usize],
            Op::Or(to, a, b) => bits[to as usize] = bits[a as usize] | bits[b as usize],
            Op::Xor(to, a, b) => bits[to as usize] = bits[a as usize] ^ bits[b as usize],
            Op::Choose(to, c, a, b) => {
                let condition = bits[c as usize];
                bits[to as usize] =
                    (condition & bits[a as usize]) | (!condition & bits[b as usize]);
            }
            Op::Neg(to, a) => trouble.subtract(ints, to, None, a),
            Op::Add(to, a, b) => trouble.add(ints, to, a, b),
            Op::Sub(to, a, b) => trouble.subtract(ints, to, Some(a), b),
            Op::Mul(to, a, b) => trouble.multiply(ints, to, a, b),
            Op::Div(to, a, b) => trouble.each(ints, to, [a, b], i64::checked_div_euclid),
            Op::Mod(to, a, b) => trouble.each(ints, to, [a, b], i64::checked_rem_euclid),
            Op::Unary(to, op, a) => trouble.each(ints, to, [a, a], |a, _| small_unary(op, a)),
            Op::Binary(to, op, a, b) => trouble.each(ints, to, [a, b], |a, b| small(op, a, b)),
            Op::Select(to, c, a, b) => select(ints, to, bits[c as usize], a, b),
            Op::Equal(to, a, b) => {
                bits[to as usize] = compare(&ints[a as usize], &ints[b as usize], |a, b| a == b);
            }
            Op::Less(to, a, b) => {
                bits[to as usize] = compare(&ints[a as usize], &ints[b as usize], |a, b| a < b);
            }
            Op::LessEqual(to, a, b) => {
                bits[to as usize] = compare(&ints[a as usize], &ints[b as usize], |a, b| a <= b);
            }
        }
    }
    trouble.runs()
}

/// The runs in which two integers differ.
pub(crate) fn differ(a: &Ints, b: &Ints) -> u64 {
    compare(a, b, |a, b| a != b)
}

#[inline(always)]
fn compare(a: &Ints, b: &Ints, holds: impl Fn(i64, i64) -> bool) -> u64 {
    // Eight at a time: a byte of the result each, which compilers turn into vectors.
    let mut word = 0;
    for chunk in 0..LANES / 8 {
        let mut byte = 0_u64;
        for lane in 0..8 {
            byte |= u64::from(holds(a[chunk * 8 + lane], b[chunk * 8 + lane])) << lane;
        }
        word |= byte << (chunk * 8);
    }
    word
}

#[inline(always)]
fn select(ints: &mut [Ints], to: IntReg, condition: u64, a: IntReg, b: IntReg) {
    let (earlier, rest) = ints.split_at_mut(to as usize);
    let (a, b) = (&earlier[a as usize], &earlier[b as usize]);
    for lane in 0..LANES {
        let chosen = 0_i64.wrapping_sub((condition >> lane & 1) as i64);
        rest[0][lane] = (a[lane] & chosen) | (b[lane] & !chosen);
    }
}

/// Where numbers left 64 bits: in the sign of each element.
struct Trouble(Ints);

impl Default for Trouble {
    fn default() -> Trouble {
        Trouble([0; LANES])
    }
}

impl Trouble {
    fn runs(&self) -> u64 {
        compare(&self.0, &[0; LANES], |sign, zero| sign < zero)
    }

    #[inline(always)]
    fn add(&mut self, ints: &mut [Ints], to: IntReg, a: IntReg, b: IntReg) {
        let (earlier, rest) = ints.split_at_mut(to as usize);
        let (a, b) = (&earlier[a as usize], &earlier[b as usize]);
        for lane in 0..LANES {
            let sum = a[lane].wrapping_add(b[lane]);
            // Wrong when both operands have a sign that the sum has not.
            self.0[lane] |= (a[lane] ^ sum) & (b[lane] ^ sum);
            rest[0][lane] = sum;
        }
    }

    #[inline(always)]
    fn subtract(&mut self, ints: &mut [Ints], to: IntReg, a: Option<IntReg>, b: IntReg) {
        let (earlier, rest) = ints.split_at_mut(to as usize);
        let zero = [0; LANES];
        let a = a.map_or(&zero, |a| &earlier[a as usize]);
        let b = &earlier[b as usize];
        for lane in 0..LANES {
            let difference = a[lane].wrapping_sub(b[lane]);
            self.0[lane] |= (a[lane] ^ b[lane]) & (a[lane] ^ difference);
            rest[0][lane] = difference;
        }
    }

    #[inline(always)]
    fn multiply(&mut self, ints: &mut [Ints], to: IntReg, a: IntReg, b: IntReg) {
        let (earlier, rest) = ints.split_at_mut(to as usize);
        let (a, b) = (&earlier[a as usize], &earlier[b as usize]);
        let small = |numbers: &Ints| numbers.iter().all(|n| i64::from(*n as i32) == *n);
        if small(a) && small(b) {
            for lane in 0..LANES {
                rest[0][lane] = a[lane].wrapping_mul(b[lane]);
            }
            return;
        }
        for lane in 0..LANES {
            let (product, wrong) = a[lane].overflowing_mul(b[lane]);
            self.0[lane] |= -i64::from(wrong);
            rest[0][lane] = product;
        }
    }

    #[inline(always)]
    fn each(
        &mut self,
        ints: &mut [Ints],
        to: IntReg,
        [a, b]: [IntReg; 2],
        compute: impl Fn(i64, i64) -> Option<i64>,
    ) {
        let (earlier, rest) = ints.split_at_mut(to as usize);
        let (a, b) = (&earlier[a as usize], &earlier[b as usize]);
        for lane in 0..LANES {
            let result = compute(a[lane], b[lane]);
            self.0[lane] |= -i64::from(result.is_none());
            rest[0][lane] = result.unwrap_or(0);
        }
    }
}
