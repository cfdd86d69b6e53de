//! Which tests cover which items.

/// One test: what it covers and how long it is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Row {
    items: Vec<u32>,
    steps: u32,
}

impl Row {
    /// A test of `steps` steps that covers `items`, in any order.
    pub fn new(mut items: Vec<u32>, steps: u32) -> Row {
        items.sort_unstable();
        items.dedup();
        Row { items, steps }
    }

    /// The items it covers, ascending.
    pub fn items(&self) -> &[u32] {
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
pub struct Matrix {
    /// One row per test, in the order of the suite.
    pub tests: Vec<Row>,
}

impl Matrix {
    /// The items that the given tests cover together, ascending.
    pub fn covered_by(&self, tests: &[usize]) -> Vec<u32> {
        let mut items: Vec<u32> =
            tests.iter().flat_map(|&test| &self.tests[test].items).copied().collect();
        items.sort_unstable();
        items.dedup();
        items
    }

    /// The items that some test covers, ascending.
    pub fn covered(&self) -> Vec<u32> {
        let all: Vec<usize> = (0..self.tests.len()).collect();
        self.covered_by(&all)
    }

    /// How many steps the given tests have together.
    pub fn steps_of(&self, tests: &[usize]) -> u64 {
        tests.iter().map(|&test| u64::from(self.tests[test].steps)).sum()
    }

    /// One more than the largest item.
    pub(super) fn item_bound(&self) -> usize {
        let largest = self.tests.iter().filter_map(|row| row.items.last());
        largest.max().map_or(0, |&item| item as usize + 1)
    }

    /// The tests in ascending order, after checking that they cover what the whole covers.
    pub(super) fn checked(&self, mut kept: Vec<usize>) -> Vec<usize> {
        kept.sort_unstable();
        assert_eq!(self.covered_by(&kept), self.covered(), "reduction lost a covered item");
        kept
    }
}
