//! The order in which greedy methods take things.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Takes again and again the candidate of highest value, of several the first, until none has
/// a value. Taking one may lower the values of others, but never raise them: so a candidate
/// that is still worth what it was worth when it was last looked at is the best of all, and
/// few need to be looked at each time.
pub(super) fn take_best_first<S, V: Ord>(
    state: &mut S,
    count: usize,
    value: impl Fn(&S, usize) -> Option<V>,
    take: impl Fn(&mut S, usize),
) {
    let rank = |state: &S, index| Some((value(state, index)?, Reverse(index)));
    let mut heap: BinaryHeap<_> = (0..count).filter_map(|index| rank(state, index)).collect();
    while let Some((promised, Reverse(index))) = heap.pop() {
        if value(state, index).is_some_and(|value| value == promised) {
            take(state, index);
        }
        heap.extend(rank(state, index));
    }
}
