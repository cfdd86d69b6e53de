//! The usual heuristic: take what adds most.

use std::cmp::Reverse;

use super::best_first::take_best_first;
use super::matrix::{Items, ReductionMatrix};

/// Takes again and again the test that covers the most items not yet covered; of several the
/// shortest, of these the first.
pub fn greedy(matrix: &ReductionMatrix) -> Vec<usize> {
    let mut state = State::default();
    let value = |state: &State, test: usize| {
        let gain = matrix.tests[test].items().difference_len(&state.covered);
        (gain > 0).then_some((gain, Reverse(matrix.tests[test].steps())))
    };
    take_best_first(&mut state, matrix.tests.len(), value, |state, test| {
        state.covered |= matrix.tests[test].items();
        state.kept.push(test);
    });
    matrix.checked(state.kept)
}

#[derive(Default)]
struct State {
    covered: Items,
    kept: Vec<usize>,
}
