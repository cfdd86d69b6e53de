//! Which bytes of a program's memory tell states apart: those that change, clocks put into classes.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

/// A byte that takes more values than this counts, or measures.
const NARROW: u32 = 16;

/// What is known about each byte of the memory.
#[derive(Clone, Debug, Default)]
pub struct ByteClasses {
    seen: Vec<[u64; 4]>,
    /// Bytes that change, and whether they take many values.
    live: Vec<(u32, bool)>,
}

impl ByteClasses {
    /// Notes the values of a state; true if what tells states apart has changed.
    pub fn note(&mut self, bytes: &[u8]) -> bool {
        if self.seen.len() < bytes.len() {
            self.seen.resize(bytes.len(), [0; 4]);
        }
        let mut changed = false;
        for (seen, byte) in self.seen.iter_mut().zip(bytes) {
            let bit = 1 << (byte & 63);
            let word = &mut seen[usize::from(byte >> 6)];
            if *word & bit == 0 {
                *word |= bit;
                let count: u32 = seen.iter().map(|word| word.count_ones()).sum();
                changed |= count == 2 || count == NARROW + 1;
            }
        }
        if changed {
            self.live = Vec::new();
            for (place, seen) in self.seen.iter().enumerate() {
                let count: u32 = seen.iter().map(|word| word.count_ones()).sum();
                if count > 1 {
                    self.live.push((place as u32, count > NARROW));
                }
            }
        }
        changed
    }

    /// A number that is the same for states that are alike.
    pub fn key(&self, bytes: &[u8]) -> u64 {
        // The larger a clock, the less a tick matters.
        self.hash(bytes, |byte| 8 - byte.leading_zeros() as u8)
    }

    /// A number that is the same for states in the same mode: clocks and measurements aside.
    pub fn mode(&self, bytes: &[u8]) -> u64 {
        self.hash(bytes, |_| 0)
    }

    fn hash(&self, bytes: &[u8], class: impl Fn(u8) -> u8) -> u64 {
        let mut hasher = FxHasher::default();
        bytes.len().hash(&mut hasher);
        for &(place, wide) in &self.live {
            let byte = bytes.get(place as usize).copied().unwrap_or(0);
            let told = if wide { class(byte) } else { byte };
            told.hash(&mut hasher);
        }
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_have_classes_and_modes_have_values() {
        let mut classes = ByteClasses::default();
        for tick in 0..40u8 {
            classes.note(&[7, tick, tick % 3]);
        }
        let key = |bytes: &[u8]| classes.key(bytes);
        assert_eq!(key(&[7, 33, 1]), key(&[9, 39, 1]), "a byte that never changes says nothing");
        assert_ne!(key(&[7, 33, 1]), key(&[7, 33, 2]));
        assert_ne!(key(&[7, 3, 1]), key(&[7, 33, 1]));
        assert_eq!(classes.mode(&[7, 3, 1]), classes.mode(&[7, 33, 1]));
        assert_ne!(classes.mode(&[7, 3, 1]), classes.mode(&[7, 3, 2]));
    }
}
