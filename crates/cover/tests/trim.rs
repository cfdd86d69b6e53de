//! Trimming cuts what no item needs.

use provoke_base::Random;
use provoke_cover::{Reach, trim};

/// A test from pairs of an item and the step that first covers it.
fn test(reaches: &[(u32, u32)]) -> Vec<Reach> {
    reaches.iter().map(|&(item, steps)| Reach { item, steps }).collect()
}

/// The items covered when the tests have these lengths, ascending.
fn covered(tests: &[Vec<Reach>], lengths: &[u32]) -> Vec<u32> {
    let kept = tests.iter().zip(lengths);
    let reached = kept.flat_map(|(test, length)| test.iter().filter(|r| r.steps <= *length));
    let mut items: Vec<u32> = reached.map(|reach| reach.item).collect();
    items.sort_unstable();
    items.dedup();
    items
}

fn full(tests: &[Vec<Reach>]) -> Vec<u32> {
    tests.iter().map(|test| test.iter().map(|reach| reach.steps).max().unwrap_or(0)).collect()
}

/// The least number of steps, from trying all lengths that end at a reach.
fn brute_force(tests: &[Vec<Reach>]) -> u32 {
    let all = covered(tests, &full(tests));
    let mut choices = vec![vec![]];
    for test in tests {
        let ends = || test.iter().map(|reach| reach.steps).chain([0]);
        let with = |chosen: &Vec<u32>| -> Vec<Vec<u32>> {
            ends().map(|end| [chosen.clone(), vec![end]].concat()).collect()
        };
        choices = choices.iter().flat_map(with).collect();
    }
    let enough = choices.iter().filter(|lengths| covered(tests, lengths) == all);
    enough.map(|lengths| lengths.iter().sum()).min().unwrap()
}

fn any_tests(seed: u64, tests: usize, items: u32) -> Vec<Vec<Reach>> {
    let mut random = Random::new(seed);
    let density = 10 + random.below(80);
    let mut one = || {
        let mut reaches = Vec::new();
        for item in (0..items).rev() {
            if random.chance(density, 100) {
                reaches.push(Reach { item, steps: random.below(20) as u32 });
            }
        }
        reaches
    };
    (0..tests).map(|_| one()).collect()
}

#[test]
fn steps_after_the_last_item_that_is_needed_are_cut() {
    let tests = [test(&[(0, 2), (1, 30)]), test(&[(1, 4), (2, 5)])];
    assert_eq!(trim(&tests), [2, 5]);
}

#[test]
fn an_item_goes_to_the_test_that_covers_it_with_fewer_further_steps() {
    let tests = [test(&[(0, 3), (9, 5)]), test(&[(1, 3), (9, 20)])];
    assert_eq!(trim(&tests), [5, 3]);
}

#[test]
fn a_test_that_is_not_needed_keeps_no_step() {
    let tests = [test(&[(0, 3), (1, 4)]), test(&[(1, 2), (0, 9)]), test(&[])];
    assert_eq!(trim(&tests), [4, 0, 0]);
    assert_eq!(trim(&[]), [0; 0]);
}

#[test]
fn items_covered_before_the_first_step_need_no_step() {
    assert_eq!(trim(&[test(&[(0, 0)]), test(&[(0, 7)])]), [0, 0]);
}

#[test]
fn of_several_mentions_of_an_item_the_earliest_counts() {
    assert_eq!(trim(&[test(&[(0, 9), (0, 2), (0, 5)])]), [2]);
}

#[test]
fn trimming_keeps_every_item_and_never_adds_a_step() {
    for seed in 0..3000 {
        let tests = any_tests(seed, 1 + seed as usize % 12, 30);
        let lengths = trim(&tests);
        let full = full(&tests);
        assert_eq!(covered(&tests, &lengths), covered(&tests, &full), "seed {seed}");
        assert!(lengths.iter().zip(&full).all(|(new, old)| new <= old), "seed {seed}");
        assert_eq!(lengths, trim(&tests), "seed {seed}");
    }
}

#[test]
fn trimming_comes_near_to_the_fewest_steps() {
    let (mut trimmed, mut least) = (0, 0);
    for seed in 0..300 {
        let tests = any_tests(seed, 4, 7);
        let steps = trim(&tests).iter().sum::<u32>();
        assert!(steps >= brute_force(&tests), "seed {seed}");
        trimmed += steps;
        least += brute_force(&tests);
    }
    assert!(100 * trimmed <= 103 * least, "{trimmed} steps where {least} are enough");
}
