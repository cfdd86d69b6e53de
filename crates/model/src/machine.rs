//! Integers of a machine: so many bits, with or without a sign. A system holds them as exact
//! integers; what leaves the type comes back to it by [`MachineInt::wrap`].

use std::fmt;

use provoke_base::Int;

/// A type of integers that wrap around.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MachineInt {
    /// How many bits, from 1 to [`MachineInt::MAX_BITS`].
    pub bits: u8,
    /// Whether the highest bit is a sign (two's complement).
    pub signed: bool,
}

impl MachineInt {
    /// The widest type.
    pub const MAX_BITS: u8 = 64;

    /// The types that have a word of their own.
    pub const NAMED: [(&'static str, MachineInt); 8] = [
        ("int8", MachineInt::signed(8)),
        ("int16", MachineInt::signed(16)),
        ("int32", MachineInt::signed(32)),
        ("int64", MachineInt::signed(64)),
        ("uint8", MachineInt::unsigned(8)),
        ("uint16", MachineInt::unsigned(16)),
        ("uint32", MachineInt::unsigned(32)),
        ("uint64", MachineInt::unsigned(64)),
    ];

    /// So many bits, the highest of them a sign.
    pub const fn signed(bits: u8) -> MachineInt {
        MachineInt { bits, signed: true }
    }

    /// So many bits without a sign.
    pub const fn unsigned(bits: u8) -> MachineInt {
        MachineInt { bits, signed: false }
    }

    /// The type of this name, if it has a word of its own.
    pub fn named(name: &str) -> Option<MachineInt> {
        MachineInt::NAMED.into_iter().find(|(word, _)| *word == name).map(|(_, ty)| ty)
    }

    /// The word it is written with; types without one share one.
    pub fn word(self) -> &'static str {
        let own = MachineInt::NAMED.into_iter().find(|(_, ty)| *ty == self);
        own.map_or(if self.signed { "sint" } else { "uint" }, |(word, _)| word)
    }

    /// How many values it has.
    pub fn count(self) -> i128 {
        1 << self.bits
    }

    /// The smallest value.
    pub fn low(self) -> i128 {
        if self.signed { -(self.count() / 2) } else { 0 }
    }

    /// The largest value.
    pub fn high(self) -> i128 {
        self.low() + self.count() - 1
    }

    /// Whether it has this value.
    pub fn contains(self, int: &Int) -> bool {
        Int::from_i128(self.low()) <= *int && *int <= Int::from_i128(self.high())
    }

    /// The value that is nearest to a number.
    pub fn clamp(self, int: &Int) -> Int {
        let (low, high) = (Int::from_i128(self.low()), Int::from_i128(self.high()));
        int.clone().max(low).min(high)
    }

    /// The low bits of a number as a value of this type.
    pub fn wrap(self, int: &Int) -> Int {
        match int.to_i64() {
            Some(small) => Int::from_i128(self.low_bits(i128::from(small))),
            None => {
                let (low, count) = (Int::from_i128(self.low()), Int::from_i128(self.count()));
                let above = int.sub(&low).rem_euclid(&count).expect("a type has values");
                above.add(&low)
            }
        }
    }

    /// The low bits of a number of 128 bits as a value of this type.
    pub fn low_bits(self, wide: i128) -> i128 {
        let unused = 128 - u32::from(self.bits);
        match self.signed {
            true => wide << unused >> unused,
            false => ((wide as u128) << unused >> unused) as i128,
        }
    }

    /// The number shifted up by so many bits: none of its bits stay beyond the width.
    pub fn shift_left(self, value: i128, amount: i128) -> i128 {
        match u32::try_from(amount) {
            Ok(amount) if amount < u32::from(self.bits) => self.low_bits(value << amount),
            _ => 0,
        }
    }

    /// The number shifted down by so many bits, the sign filled in; only signs beyond the width.
    pub fn shift_right(self, value: i128, amount: i128) -> i128 {
        let most = u32::from(self.bits);
        let amount = u32::try_from(amount).map_or(most, |amount| amount.min(most));
        self.low_bits(value) >> amount
    }
}

/// As it is written: `int8`, `sint<5>`.
impl fmt::Display for MachineInt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())?;
        match MachineInt::named(self.word()) {
            Some(_) => Ok(()),
            None => write!(f, "<{}>", self.bits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT8: MachineInt = MachineInt::signed(8);
    const UINT8: MachineInt = MachineInt::unsigned(8);

    #[test]
    fn numbers_come_back_into_their_type() {
        let wrap = |ty: MachineInt, value: i64| ty.wrap(&Int::from(value)).to_i64().unwrap();
        assert_eq!([127, 128, 255, -129].map(|n| wrap(INT8, n)), [127, -128, -1, 127]);
        assert_eq!([255, 256, -1].map(|n| wrap(UINT8, n)), [255, 0, 255]);
        let huge = Int::from_i128(1 << 64).add(&Int::from(5));
        assert_eq!(MachineInt::unsigned(64).wrap(&huge), Int::from(5));
        assert_eq!(MachineInt::signed(64).wrap(&huge.neg()), Int::from(-5));
        assert_eq!(
            MachineInt::unsigned(64).wrap(&Int::from(-1)).to_string(),
            "18446744073709551615"
        );
    }

    #[test]
    fn shifts_lose_what_leaves_the_width() {
        assert_eq!([1, 7, 8, -1].map(|by| UINT8.shift_left(255, by)), [254, 128, 0, 0]);
        assert_eq!([1, 7, 8, 200].map(|by| INT8.shift_right(-128, by)), [-64, -1, -1, -1]);
        assert_eq!([1, 8].map(|by| UINT8.shift_right(255, by)), [127, 0]);
        assert_eq!(MachineInt::unsigned(64).shift_left(1, 63), 1 << 63);
    }

    #[test]
    fn types_are_written_as_they_are_read() {
        for (name, ty) in MachineInt::NAMED {
            assert_eq!((ty.to_string(), MachineInt::named(name)), (name.to_string(), Some(ty)));
        }
        assert_eq!(MachineInt::signed(5).to_string(), "sint<5>");
    }
}
