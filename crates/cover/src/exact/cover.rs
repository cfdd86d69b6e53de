//! Tests that were chosen, and what they cost.

use super::problem::{Candidate, Problem};

/// Tests, usually enough of them to cover every item of a problem.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Cover {
    /// The tests' positions in the suite.
    pub(super) origins: Vec<usize>,
    /// The sum of their costs.
    pub(super) cost: u64,
}

impl Cover {
    /// Adds a test.
    pub(super) fn push(&mut self, test: &Candidate) {
        self.origins.push(test.origin);
        self.cost += test.cost;
    }

    /// Adds all tests of another one.
    pub(super) fn extend(&mut self, other: &Cover) {
        self.origins.extend(&other.origins);
        self.cost += other.cost;
    }

    /// Takes the other one if it is cheaper.
    pub(super) fn improve(&mut self, other: Cover) {
        if other.cost < self.cost {
            *self = other;
        }
    }
}

/// Makes a cover from the bound's view: the tests whose reduced cost says that they are worth
/// it, then for each further item the one that comes nearest, less what is not needed.
pub(super) fn cover_by(problem: &Problem, reduced: &[i64]) -> Cover {
    let mut times = vec![0_u32; problem.items.len()];
    let mut taken: Vec<usize> = (0..reduced.len()).filter(|&test| reduced[test] <= 0).collect();
    taken.iter().for_each(|&test| count(problem, test, &mut times));
    for item in 0..problem.items.len() {
        if times[item] == 0 {
            let is_open = |other: &&u32| times[**other as usize] == 0;
            let gain = |test: usize| problem.tests[test].items.iter().filter(is_open).count();
            let nearest = problem.tests_of(item as u32);
            let nearest = nearest.min_by_key(|&test| reduced[test] / gain(test) as i64);
            let test = nearest.expect("a test for each item");
            count(problem, test, &mut times);
            taken.push(test);
        }
    }
    without_unneeded(problem, reduced, taken, times)
}

fn count(problem: &Problem, test: usize, times: &mut [u32]) {
    problem.tests[test].items.iter().for_each(|&item| times[item as usize] += 1);
}

/// Drops what is not needed, the dearest first.
fn without_unneeded(
    problem: &Problem,
    reduced: &[i64],
    mut taken: Vec<usize>,
    mut times: Vec<u32>,
) -> Cover {
    taken.sort_by_key(|&test| std::cmp::Reverse((reduced[test], test)));
    let mut cover = Cover::default();
    for test in taken {
        let items = &problem.tests[test].items;
        if items.iter().all(|&item| times[item as usize] > 1) {
            items.iter().for_each(|&item| times[item as usize] -= 1);
        } else {
            cover.push(&problem.tests[test]);
        }
    }
    cover
}
