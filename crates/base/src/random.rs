//! Repeatable randomness: the same seed gives the same numbers on every machine.

use crate::number::Int;

/// A small generator (SplitMix64) that is handed to whatever needs to choose.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator that starts from `seed`.
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// A generator for one named part of the work, independent of the other parts, so that
    /// the order in which parts are done does not matter.
    pub fn for_part(seed: u64, part: &str) -> Random {
        let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let hash = part.bytes().fold(0xcbf2_9ce4_8422_2325, fold);
        let mut random = Random::new(seed);
        random.state = random.next() ^ hash;
        random
    }

    /// The next 64 bits.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 up to, not including, `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        // The high half of the product is uniform up to a bias of bound / 2^64.
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// An integer from `low` to `high`, both included.
    pub fn between(&mut self, low: &Int, high: &Int) -> Int {
        let count = high.sub(low).add(&Int::from(1));
        if let Some(small) = count.to_i64() {
            return low.add(&Int::from(self.below(small as usize) as i64));
        }
        let limb = Int::from(1 << 32);
        let mut drawn = Int::ZERO;
        // 64 bits more than needed make the remainder as good as uniform.
        for _ in 0..(count.bits() + 64).div_ceil(32) {
            drawn = drawn.mul(&limb).add(&Int::from((self.next() >> 32) as i64));
        }
        drawn.rem_euclid(&count).map_or_else(|| low.clone(), |offset| low.add(&offset))
    }

    /// True in `part` of `whole` cases.
    pub fn chance(&mut self, part: usize, whole: usize) -> bool {
        self.below(whole) < part
    }

    /// One of the items, of which there is at least one.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_a_seed_never_change() {
        let mut random = Random::new(0);
        assert_eq!([random.next(), random.next()], [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
    }

    #[test]
    fn parts_are_independent_and_bounds_hold() {
        let mut a = Random::for_part(7, "a");
        let mut b = Random::for_part(7, "b");
        assert_ne!(a.next(), b.next());
        let mut seen = [0; 5];
        (0..1000).for_each(|_| seen[a.below(5)] += 1);
        assert!(seen.iter().all(|&count| count > 120), "{seen:?}");
    }
}
