//! The usual heuristic: take what adds most.

use std::cmp::Reverse;

use super::best_first::take_best_first;
use super::matrix::Matrix;

/// Takes again and again the test that covers the most items not yet covered; of several the
/// shortest, of these the first.
pub fn greedy(matrix: &Matrix) -> Vec<usize> {
    let mut state = State { covered: vec![false; matrix.item_bound()], kept: Vec::new() };
    let value = |state: &State, test: usize| {
        let items = matrix.tests[test].items().iter();
        let gain = items.filter(|&&item| !state.covered[item as usize]).count();
        (gain > 0).then_some((gain, Reverse(matrix.tests[test].steps())))
    };
    take_best_first(&mut state, matrix.tests.len(), value, |state, test| {
        matrix.tests[test].items().iter().for_each(|&item| state.covered[item as usize] = true);
        state.kept.push(test);
    });
    matrix.checked(state.kept)
}

struct State {
    covered: Vec<bool>,
    kept: Vec<usize>,
}
