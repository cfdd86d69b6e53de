//! Decisions that need no search: tests that must be chosen, and tests and items that never
//! matter.

use super::cover::Cover;
use super::problem::Problem;

/// A problem after all decisions that need no search.
#[derive(Debug)]
pub(super) struct Simplified {
    /// The tests that must be chosen.
    pub(super) chosen: Cover,
    /// What is left to decide.
    pub(super) rest: Problem,
}

/// Chooses essential tests and drops dominated items and tests until nothing changes; every
/// item of the problem can be covered.
pub(super) fn simplify(mut problem: Problem) -> Simplified {
    let mut chosen = Cover::default();
    loop {
        let essential = essential_tests(&problem);
        essential.iter().for_each(|&test| chosen.push(&problem.tests[test]));
        let items = needed_items(&problem, &essential);
        let tests = useful_tests(&problem, &items);
        if items.iter().chain(&tests).all(|&kept| kept) {
            return Simplified { chosen, rest: problem };
        }
        problem = problem.restricted(&tests, &items);
    }
}

/// The tests that alone cover some item, ascending.
fn essential_tests(problem: &Problem) -> Vec<usize> {
    let alone = problem.items.iter().filter(|item| item.tests.len() == 1);
    let mut tests: Vec<usize> = alone.map(|item| item.tests[0] as usize).collect();
    tests.sort_unstable();
    tests.dedup();
    tests
}

/// Which items remain after the essential tests, without those that are covered whenever
/// another one is.
fn needed_items(problem: &Problem, essential: &[usize]) -> Vec<bool> {
    let mut needed = vec![true; problem.items.len()];
    for &test in essential {
        problem.tests[test].items.iter().for_each(|&item| needed[item as usize] = false);
    }
    let mut order: Vec<u32> = (0..needed.len() as u32).collect();
    // The rarest first: they are the ones that imply others.
    order.sort_by_key(|&item| problem.items[item as usize].tests.len());
    for item in order {
        if needed[item as usize] {
            let lists = problem.tests_of(item).map(|test| problem.tests[test].items.as_slice());
            let implied = common(lists, |other| other != item && needed[other as usize]);
            implied.into_iter().for_each(|other| needed[other as usize] = false);
        }
    }
    needed
}

/// Which tests cover a needed item, without those for which another one does it as cheaply.
fn useful_tests(problem: &Problem, needed: &[bool]) -> Vec<bool> {
    let is_needed = |item: &u32| needed[*item as usize];
    let items_of = |test: usize| problem.tests[test].items.iter().copied().filter(is_needed);
    let sizes: Vec<usize> = (0..problem.tests.len()).map(|test| items_of(test).count()).collect();
    let does_as_well = |other: usize, test: usize| {
        let [other_cost, cost] = [other, test].map(|test| problem.tests[test].cost);
        let is_equal = other_cost == cost && sizes[other] == sizes[test];
        // Of two that are equal in all, the first stays.
        if is_equal { other < test } else { other_cost <= cost }
    };
    let mut useful: Vec<bool> = sizes.iter().map(|&size| size > 0).collect();
    for test in 0..problem.tests.len() {
        if useful[test] {
            let lists = items_of(test).map(|item| problem.items[item as usize].tests.as_slice());
            let is_rival =
                |other: u32| useful[other as usize] && does_as_well(other as usize, test);
            useful[test] = common(lists, is_rival).is_empty();
        }
    }
    useful
}

/// The numbers that are wanted and in all of the ascending lists, of which there is at least
/// one.
fn common<'a>(
    lists: impl Iterator<Item = &'a [u32]> + Clone,
    is_wanted: impl Fn(u32) -> bool,
) -> Vec<u32> {
    let shortest = lists.clone().min_by_key(|list| list.len()).expect("a list");
    let mut found: Vec<u32> = shortest.iter().copied().filter(|&n| is_wanted(n)).collect();
    for list in lists {
        if found.is_empty() {
            break;
        }
        found.retain(|number| list.binary_search(number).is_ok());
    }
    found
}
