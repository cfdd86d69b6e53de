//! The papers' method: go through the tests in random order and keep what adds something.

use provoke_base::Random;

use super::matrix::{Items, ReductionMatrix};

/// Keeps, in the random order that belongs to `seed`, each test that covers an item that no
/// test before it covers (seed 004, section 4.4).
pub fn random(matrix: &ReductionMatrix, seed: u64) -> Vec<usize> {
    let order = shuffled(matrix.tests.len(), &mut Random::new(seed));
    let mut covered = Items::new();
    let mut kept = Vec::new();
    for test in order {
        let items = matrix.tests[test].items();
        if !items.is_subset(&covered) {
            covered |= items;
            kept.push(test);
        }
    }
    matrix.checked(kept)
}

/// The numbers below `count` in random order (Fisher and Yates).
fn shuffled(count: usize, random: &mut Random) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        order.swap(last, random.below(last + 1));
    }
    order
}
