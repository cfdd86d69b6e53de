//! What is still to be computed.

/// A set of indices from which the smallest is taken.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    words: Vec<u64>,
    /// A bit for each word that holds something.
    filled: Vec<u64>,
}

impl Pending {
    /// An empty set of indices below `len`.
    pub(crate) fn new(len: usize) -> Pending {
        let words = len.div_ceil(64);
        Pending { words: vec![0; words], filled: vec![0; words.div_ceil(64)] }
    }

    pub(crate) fn insert(&mut self, index: usize) {
        let word = index / 64;
        self.words[word] |= 1 << (index % 64);
        self.filled[word / 64] |= 1 << (word % 64);
    }

    pub(crate) fn pop(&mut self) -> Option<usize> {
        let (at, filled) = self.filled.iter_mut().enumerate().find(|(_, filled)| **filled != 0)?;
        let word = at * 64 + filled.trailing_zeros() as usize;
        let bits = &mut self.words[word];
        let index = word * 64 + bits.trailing_zeros() as usize;
        *bits &= *bits - 1;
        if *bits == 0 {
            *filled &= *filled - 1;
        }
        Some(index)
    }

    /// Takes all out.
    pub(crate) fn clear(&mut self) {
        while self.pop().is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_comes_first_and_once() {
        let mut pending = Pending::new(10_000);
        [9_999, 3, 4_096, 3, 64].into_iter().for_each(|index| pending.insert(index));
        assert_eq!(pending.pop(), Some(3));
        pending.insert(1);
        let rest: Vec<usize> = std::iter::from_fn(|| pending.pop()).collect();
        assert_eq!(rest, [1, 64, 4_096, 9_999]);
        pending.insert(70);
        pending.clear();
        assert_eq!(pending.pop(), None);
    }
}
