//! A set-cover problem: items that must be covered by tests that cost.

use crate::matrix::{ReductionMatrix, Row};

/// The sum of each test's cost for each of its items is below this, so that the arithmetic of
/// the bound cannot overflow; no suite that fits into memory comes near.
const MAX_COST: u128 = 1 << 43;

/// A test that may be chosen.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Its position in the suite.
    pub(super) origin: usize,
    /// What choosing it costs.
    pub(super) cost: u64,
    /// The items it covers, ascending; at least one.
    pub(super) items: Vec<u32>,
}

/// An item that must be covered.
#[derive(Clone, Debug, Default)]
pub(super) struct Item {
    /// The tests that cover it, ascending.
    pub(super) tests: Vec<u32>,
    /// Its multiplier in the bound, kept so that a smaller problem starts from a good one.
    pub(super) price: i64,
}

/// What is still to be decided; of two tests that are equally good the first is preferred.
#[derive(Clone, Debug, Default)]
pub(super) struct Problem {
    /// What may be chosen.
    pub(super) tests: Vec<Candidate>,
    /// What must be covered.
    pub(super) items: Vec<Item>,
}

impl Problem {
    /// The problem of covering what the whole matrix covers; shorter tests come first.
    pub(super) fn of(matrix: &ReductionMatrix, cost: impl Fn(&Row) -> u64) -> Problem {
        let costs = |row: &Row| u128::from(cost(row)) * u128::from(row.items().len());
        let total: u128 = matrix.tests.iter().map(costs).sum();
        assert!(total < MAX_COST, "tests with so many steps cannot be compared");
        let covered = matrix.covered();
        let mut number = vec![0; matrix.item_bound()];
        covered.iter().zip(0..).for_each(|(item, new)| number[item as usize] = new);
        let mut order: Vec<usize> = (0..matrix.tests.len()).collect();
        order.sort_by_key(|&test| matrix.tests[test].steps());
        let candidate = |origin: usize| {
            let row = &matrix.tests[origin];
            let items = row.items().iter().map(|item| number[item as usize]).collect();
            Candidate { origin, cost: cost(row), items }
        };
        Problem::new(order.into_iter().map(candidate).collect(), vec![0; covered.len() as usize])
    }

    fn new(mut tests: Vec<Candidate>, prices: Vec<i64>) -> Problem {
        tests.retain(|test| !test.items.is_empty());
        let item = |price| Item { tests: Vec::new(), price };
        let mut items: Vec<Item> = prices.into_iter().map(item).collect();
        for (index, test) in tests.iter().enumerate() {
            test.items.iter().for_each(|&item| items[item as usize].tests.push(index as u32));
        }
        Problem { tests, items }
    }

    /// The part with only these tests and these items.
    pub(super) fn restricted(&self, tests: &[bool], items: &[bool]) -> Problem {
        let mut number = vec![None; items.len()];
        let kept = (0..items.len()).filter(|&item| items[item]);
        kept.clone().zip(0..).for_each(|(item, new)| number[item] = Some(new));
        let candidate = |(test, _): (&Candidate, _)| Candidate {
            items: test.items.iter().filter_map(|&item| number[item as usize]).collect(),
            ..*test
        };
        let chosen = self.tests.iter().zip(tests).filter(|(_, kept)| **kept);
        let prices = kept.map(|item| self.items[item].price).collect();
        Problem::new(chosen.map(candidate).collect(), prices)
    }

    /// What remains when a test is chosen.
    pub(super) fn with(&self, test: usize) -> Problem {
        let mut items = vec![true; self.items.len()];
        self.tests[test].items.iter().for_each(|&item| items[item as usize] = false);
        self.restricted(&vec![true; self.tests.len()], &items)
    }

    /// What remains when a test is not chosen.
    pub(super) fn without(&self, test: usize) -> Problem {
        let mut tests = vec![true; self.tests.len()];
        tests[test] = false;
        self.restricted(&tests, &vec![true; self.items.len()])
    }

    /// How many pairs of a test and an item that it covers there are.
    pub(super) fn entries(&self) -> u64 {
        self.tests.iter().map(|test| test.items.len() as u64).sum()
    }

    /// Whether every item can be covered.
    pub(super) fn is_feasible(&self) -> bool {
        self.items.iter().all(|item| !item.tests.is_empty())
    }

    /// The tests that cover an item.
    pub(super) fn tests_of(&self, item: u32) -> impl Iterator<Item = usize> + Clone {
        self.items[item as usize].tests.iter().map(|&test| test as usize)
    }
}
