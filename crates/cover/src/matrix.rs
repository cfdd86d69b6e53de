//! Which tests cover which items.

use roaring::RoaringBitmap;

/// A set of items: a bit for each where there are many, a number for each where there are few. A
/// long chain of decisions has more pairs of tests and what they cover than fit as numbers.
pub type Items = RoaringBitmap;

/// One test: what it covers and how long it is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Row {
    items: Items,
    steps: u32,
}

impl Row {
    /// A test of `steps` steps that covers `items`.
    pub fn new(items: Items, steps: u32) -> Row {
        Row { items, steps }
    }

    /// The items it covers.
    pub fn items(&self) -> &Items {
        &self.items
    }

    /// How many steps it has.
    pub fn steps(&self) -> u32 {
        self.steps
    }
}

/// A coverage matrix; items are numbered from 0 without large gaps, and some may be covered
/// by no test.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReductionMatrix {
    /// One row per test, in the order of the suite.
    pub tests: Vec<Row>,
}

impl ReductionMatrix {
    /// The items that the given tests cover together.
    pub fn covered_by(&self, tests: &[usize]) -> Items {
        let mut items = Items::new();
        tests.iter().for_each(|&test| items |= &self.tests[test].items);
        items
    }

    /// The items that some test covers.
    pub fn covered(&self) -> Items {
        let all: Vec<usize> = (0..self.tests.len()).collect();
        self.covered_by(&all)
    }

    /// How many steps the given tests have together.
    pub fn steps_of(&self, tests: &[usize]) -> u64 {
        tests.iter().map(|&test| u64::from(self.tests[test].steps)).sum()
    }

    /// One more than the largest item.
    pub(super) fn item_bound(&self) -> usize {
        let largest = self.tests.iter().filter_map(|row| row.items.max());
        largest.max().map_or(0, |item| item as usize + 1)
    }

    /// The tests in ascending order, after checking that they cover what the whole covers.
    pub(super) fn checked(&self, mut kept: Vec<usize>) -> Vec<usize> {
        kept.sort_unstable();
        assert_eq!(self.covered_by(&kept), self.covered(), "reduction lost a covered item");
        kept
    }
}
