//! The heuristic of Harrold, Gupta and Soffa (TOSEM 1993): what few tests cover comes first.

use std::cmp::Ordering;

use super::matrix::ReductionMatrix;

/// Takes, for the rarest items that are not yet covered, the test that covers most of them;
/// of several the one that covers most of the next rarest, and so on, then the shortest, then
/// the first.
pub fn hgs(matrix: &ReductionMatrix) -> Vec<usize> {
    let mut by_rarity = ByRarity::new(matrix);
    let mut kept = Vec::new();
    while let Some(test) = by_rarity.next() {
        by_rarity.cover(test);
        kept.push(test);
    }
    matrix.checked(kept)
}

/// The matrix with its covered items renumbered, the rarest first.
struct ByRarity<'a> {
    matrix: &'a ReductionMatrix,
    /// For each test its items.
    items: Vec<Vec<u32>>,
    /// For each item the tests that cover it.
    tests: Vec<Vec<usize>>,
    covered: Vec<bool>,
    /// All items before this one are covered.
    first: usize,
}

impl<'a> ByRarity<'a> {
    fn new(matrix: &'a ReductionMatrix) -> ByRarity<'a> {
        let mut tests = vec![Vec::new(); matrix.item_bound()];
        for (test, row) in matrix.tests.iter().enumerate() {
            row.items().iter().for_each(|item| tests[item as usize].push(test));
        }
        tests.retain(|tests| !tests.is_empty());
        tests.sort_by_key(Vec::len);
        let mut items = vec![Vec::new(); matrix.tests.len()];
        for (item, tests) in tests.iter().enumerate() {
            tests.iter().for_each(|&test| items[test].push(item as u32));
        }
        ByRarity { matrix, items, covered: vec![false; tests.len()], tests, first: 0 }
    }

    fn cover(&mut self, test: usize) {
        self.items[test].iter().for_each(|&item| self.covered[item as usize] = true);
        let next = self.covered[self.first..].iter().position(|covered| !covered);
        self.first = next.map_or(self.covered.len(), |ahead| self.first + ahead);
    }

    /// The best of the tests that cover a rarest item that is not yet covered.
    fn next(&self) -> Option<usize> {
        let rarity = self.tests.get(self.first)?.len();
        (self.first..self.tests.len())
            .take_while(|&item| self.tests[item].len() == rarity)
            .filter(|&item| !self.covered[item])
            .flat_map(|item| self.tests[item].iter().copied())
            .min_by(|&a, &b| self.compare(a, b))
    }

    /// The better test is less.
    fn compare(&self, a: usize, b: usize) -> Ordering {
        let steps = |test: usize| self.matrix.tests[test].steps();
        let by_rarity = self.rarities(a).cmp(self.rarities(b));
        by_rarity.then_with(|| (steps(a), a).cmp(&(steps(b), b)))
    }

    /// How many tests cover each of a test's open items, ascending. Where two such sequences
    /// first differ, the lower number is one more item of that rarity; the end counts as the
    /// highest number, since having a further item is better than having none.
    fn rarities(&self, test: usize) -> impl Iterator<Item = usize> {
        let open = self.items[test].iter().filter(|&&item| !self.covered[item as usize]);
        open.map(|&item| self.tests[item as usize].len()).chain([usize::MAX])
    }
}
