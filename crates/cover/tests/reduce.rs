//! Reduction keeps what was covered; the exact method keeps no more than needed.

use std::num::NonZeroUsize;

use expect_test::expect;
use provoke_base::Random;
use provoke_cover::{Cost, Minimum, ReductionMatrix, Row, exact, greedy, hgs, random, repeat};

const COSTS: [Cost; 2] = [Cost::Tests, Cost::Steps];

/// Enough for every small matrix.
const EFFORT: u64 = 100;

/// A matrix from one line per test: its steps, then its items.
fn matrix(lines: &[&str]) -> ReductionMatrix {
    let row = |line: &&str| {
        let mut numbers = line.split_whitespace().map(|word| word.parse().unwrap());
        let steps = numbers.next().unwrap();
        Row::new(numbers.collect(), steps)
    };
    ReductionMatrix { tests: lines.iter().map(row).collect() }
}

/// Matrices of all shapes: sparse and dense, with equal and with different lengths, some in
/// clusters, some with copies of tests, some with tests of no steps or without items.
fn any_matrix(seed: u64, tests: usize, items: usize) -> ReductionMatrix {
    let mut random = Random::new(seed);
    let (tests, items) = (random.below(tests + 1), random.below(items + 1));
    let (density, longest) =
        (1 + random.below(60), *random.pick(&[1, 3, 50, u32::MAX as usize - 1]));
    let clusters = *random.pick(&[1, 1, 2, 4]);
    let mut rows: Vec<Row> = Vec::new();
    for _ in 0..tests {
        if !rows.is_empty() && random.chance(1, 10) {
            rows.push(random.pick(&rows).clone());
            continue;
        }
        let cluster = random.below(clusters);
        let in_cluster = |item: &usize| item % clusters == cluster;
        let covered = (0..items).filter(in_cluster).filter(|_| random.chance(density, 100));
        let covered = covered.map(|item| item as u32).collect();
        rows.push(Row::new(covered, random.below(longest + 1) as u32));
    }
    ReductionMatrix { tests: rows }
}

/// Tests that each cover `density` of 1000 of the items.
fn uniform(seed: u64, tests: usize, items: u32, density: usize) -> ReductionMatrix {
    let mut random = Random::new(seed);
    let mut row = || {
        let covered = (0..items).filter(|_| random.chance(density, 1000)).collect();
        Row::new(covered, 1 + random.below(50) as u32)
    };
    ReductionMatrix { tests: (0..tests).map(|_| row()).collect() }
}

fn cost_of(matrix: &ReductionMatrix, kept: &[usize], cost: Cost) -> u64 {
    kept.iter().map(|&test| cost.of(&matrix.tests[test])).sum()
}

/// The least cost, from trying all subsets.
fn brute_force(matrix: &ReductionMatrix, cost: Cost) -> u64 {
    let all = matrix.covered();
    let subset = |bits: u32| (0..matrix.tests.len()).filter(move |test| bits >> test & 1 != 0);
    (0..1_u32 << matrix.tests.len())
        .map(|bits| subset(bits).collect::<Vec<_>>())
        .filter(|kept| matrix.covered_by(kept) == all)
        .map(|kept| cost_of(matrix, &kept, cost))
        .min()
        .unwrap()
}

fn assert_valid(matrix: &ReductionMatrix, outcome: &Minimum, cost: Cost) {
    assert_eq!(matrix.covered_by(&outcome.kept), matrix.covered());
    assert!(outcome.kept.is_sorted());
    assert_eq!(outcome.cost, cost_of(matrix, &outcome.kept, cost));
    assert!(outcome.lower_bound <= outcome.cost);
    assert_eq!(outcome.optimal, outcome.lower_bound == outcome.cost);
}

#[test]
fn every_method_keeps_every_covered_item() {
    for seed in 0..3000 {
        let matrix = any_matrix(seed, 40, 40);
        let all = matrix.covered();
        for kept in [random(&matrix, seed), greedy(&matrix), hgs(&matrix)] {
            assert_eq!(matrix.covered_by(&kept), all, "seed {seed}");
            assert!(kept.is_sorted(), "seed {seed}");
        }
        for cost in COSTS {
            assert_valid(&matrix, &exact(&matrix, cost, 1), cost);
        }
    }
}

#[test]
fn the_exact_minimum_equals_brute_force_for_tests_and_for_steps() {
    for seed in 0..2000 {
        let matrix = any_matrix(seed, 11, 20);
        for cost in COSTS {
            let outcome = exact(&matrix, cost, EFFORT);
            assert!(outcome.optimal, "seed {seed}: {outcome:?}");
            assert_eq!(outcome.cost, brute_force(&matrix, cost), "seed {seed}: {cost:?}");
        }
    }
}

#[test]
fn the_exact_minimum_of_larger_matrices_equals_that_of_an_independent_solver() {
    // From HiGHS 1.12 (scipy.optimize.milp).
    let tests = [21, 22, 18, 15, 13, 14, 12, 11];
    let steps = [394, 485, 289, 235, 165, 234, 141, 142];
    for (seed, (tests, steps)) in tests.into_iter().zip(steps).enumerate() {
        let matrix = uniform(seed as u64, 100, 80, 40 + 10 * seed);
        let outcomes = COSTS.map(|cost| exact(&matrix, cost, EFFORT));
        assert!(outcomes.iter().all(|outcome| outcome.optimal), "seed {seed}");
        assert_eq!(outcomes.map(|outcome| outcome.cost), [tests, steps], "seed {seed}");
    }
}

#[test]
fn with_any_effort_exact_is_no_worse_than_the_heuristics() {
    let mut totals = [0; 4];
    for seed in 0..40 {
        let matrix = uniform(seed, 60, 50, 20 + 10 * seed as usize);
        let heuristics = [hgs(&matrix), greedy(&matrix), random(&matrix, seed)];
        for cost in COSTS {
            for effort in [0, 1, 5] {
                let outcome = exact(&matrix, cost, effort);
                assert_valid(&matrix, &outcome, cost);
                let others = heuristics.iter().map(|kept| cost_of(&matrix, kept, cost));
                assert!(others.min() >= Some(outcome.cost), "seed {seed}, effort {effort}");
            }
        }
        totals[0] += exact(&matrix, Cost::Tests, 5).kept.len();
        totals.iter_mut().skip(1).zip(&heuristics).for_each(|(total, kept)| *total += kept.len());
    }
    let [exact, hgs, greedy, random] = totals;
    assert!(exact < hgs.min(greedy) && hgs.max(greedy) < random, "{totals:?}");
}

#[test]
fn the_same_input_and_seed_give_the_same_result() {
    let matrix = uniform(1, 80, 60, 60);
    assert_eq!(random(&matrix, 7), random(&matrix, 7));
    assert_ne!(random(&matrix, 7), random(&matrix, 8));
    for cost in COSTS {
        assert_eq!(exact(&matrix, cost, 3), exact(&matrix, cost, 3));
    }
}

#[test]
fn the_result_of_a_seed_never_changes() {
    let matrix = uniform(1, 12, 10, 200);
    let exact = COSTS.map(|cost| exact(&matrix, cost, EFFORT).kept);
    let shown = format!(
        "random {:?}\ngreedy {:?}\nhgs    {:?}\ntests  {:?}\nsteps  {:?}\n",
        random(&matrix, 1),
        greedy(&matrix),
        hgs(&matrix),
        exact[0],
        exact[1]
    );
    expect![[r#"
        random [1, 2, 4, 5, 7, 9, 11]
        greedy [1, 5, 6, 8, 9, 11]
        hgs    [1, 4, 5, 9, 10]
        tests  [1, 4, 5, 9, 10]
        steps  [1, 2, 7, 8, 9, 11]
    "#]]
    .assert_eq(&shown);
}

#[test]
fn an_empty_matrix_needs_no_test() {
    for empty in [matrix(&[]), matrix(&["3"]), matrix(&["3", "0", "1"])] {
        assert_eq!(
            [random(&empty, 0), greedy(&empty), hgs(&empty)],
            [const { Vec::<usize>::new() }; 3]
        );
        for cost in COSTS {
            let nothing = Minimum { kept: vec![], optimal: true, lower_bound: 0, cost: 0 };
            assert_eq!(exact(&empty, cost, 0), nothing);
        }
    }
}

#[test]
fn items_that_no_test_covers_are_not_asked_for() {
    let matrix = matrix(&["1 100", "1 300 200", "1 200"]);
    assert_eq!(matrix.covered(), [100, 200, 300].into());
    for kept in [random(&matrix, 3), greedy(&matrix), hgs(&matrix)] {
        assert!(kept.starts_with(&[0, 1]));
    }
    for cost in COSTS {
        assert_eq!(exact(&matrix, cost, 0).kept, [0, 1]);
    }
}

#[test]
fn of_equal_tests_the_shortest_is_kept_and_of_these_the_first() {
    let matrix = matrix(&["4 1 2", "3 1 2", "3 1 2", "3 2 1"]);
    assert_eq!([greedy(&matrix), hgs(&matrix)], [[1], [1]]);
    for cost in COSTS {
        assert_eq!(exact(&matrix, cost, 0).kept, [1]);
    }
    assert_eq!(random(&matrix, 5).len(), 1);
}

#[test]
fn one_test_that_covers_all_is_enough_for_the_fewest_tests_but_not_for_the_fewest_steps() {
    let matrix = matrix(&["2 0 1", "9 0 1 2 3", "3 2 3", "1 1"]);
    assert_eq!([greedy(&matrix), hgs(&matrix)], [[1], [1]]);
    let outcome = |kept: &[usize], cost| Minimum {
        kept: kept.to_vec(),
        optimal: true,
        lower_bound: cost,
        cost,
    };
    assert_eq!(exact(&matrix, Cost::Tests, 0), outcome(&[1], 1));
    assert_eq!(exact(&matrix, Cost::Steps, 0), outcome(&[0, 2], 5));
}

#[test]
fn greedy_is_misled_by_a_large_test_where_exact_is_not() {
    let matrix = matrix(&["1 0 1 2 3", "1 0 1 4", "1 2 3 5"]);
    assert_eq!(greedy(&matrix), [0, 1, 2]);
    assert_eq!(hgs(&matrix), [1, 2]);
    assert_eq!(exact(&matrix, Cost::Tests, 0).kept, [1, 2]);
}

#[test]
fn tests_without_steps_cost_nothing_but_are_kept_only_when_needed() {
    let matrix = matrix(&["0 0", "0 1", "5 0 1", "0 1"]);
    assert_eq!(exact(&matrix, Cost::Steps, 0).kept, [0, 1]);
    assert_eq!(exact(&matrix, Cost::Tests, 0).kept, [2]);
}

/// Greedy as it is defined, without a heap.
fn plain_greedy(matrix: &ReductionMatrix) -> Vec<usize> {
    let mut kept = Vec::new();
    loop {
        let covered = matrix.covered_by(&kept);
        let gain = |test: usize| {
            let row = &matrix.tests[test];
            let gain = row.items().iter().filter(|item| !covered.contains(*item)).count();
            (gain, std::cmp::Reverse((row.steps(), test)))
        };
        match (0..matrix.tests.len()).map(gain).max() {
            Some((1.., std::cmp::Reverse((_, test)))) => kept.push(test),
            _ => break,
        }
    }
    kept.sort_unstable();
    kept
}

/// The algorithm as Harrold, Gupta and Soffa print it: by cardinality, with a recursive choice
/// between tests that cover equally many.
fn plain_hgs(matrix: &ReductionMatrix) -> Vec<usize> {
    let tests_of = |item: u32| {
        let covers = |test: &usize| matrix.tests[*test].items().contains(item);
        (0..matrix.tests.len()).filter(covers).collect::<Vec<_>>()
    };
    let sets: Vec<Vec<usize>> = matrix.covered().into_iter().map(tests_of).collect();
    let largest = sets.iter().map(Vec::len).max().unwrap_or(0);
    let mut kept: Vec<usize> = Vec::new();
    for size in 1..=largest {
        loop {
            let open: Vec<&Vec<usize>> =
                sets.iter().filter(|set| !set.iter().any(|test| kept.contains(test))).collect();
            let list: Vec<usize> =
                open.iter().filter(|set| set.len() == size).flat_map(|set| set.to_vec()).collect();
            if list.is_empty() {
                break;
            }
            kept.push(plain_choice(matrix, &open, size, list, largest));
        }
    }
    kept.sort_unstable();
    kept
}

fn plain_choice(
    matrix: &ReductionMatrix,
    open: &[&Vec<usize>],
    size: usize,
    list: Vec<usize>,
    largest: usize,
) -> usize {
    if size > largest {
        return *list.iter().min_by_key(|test| (matrix.tests[**test].steps(), **test)).unwrap();
    }
    let count =
        |test: &usize| open.iter().filter(|set| set.len() == size && set.contains(test)).count();
    let most = list.iter().map(count).max().unwrap();
    let best = list.into_iter().filter(|test| count(test) == most).collect();
    plain_choice(matrix, open, size + 1, best, largest)
}

#[test]
fn greedy_and_hgs_choose_what_their_definitions_choose() {
    for seed in 0..500 {
        let matrix = any_matrix(seed, 20, 25);
        assert_eq!(greedy(&matrix), plain_greedy(&matrix), "seed {seed}");
        assert_eq!(hgs(&matrix), plain_hgs(&matrix), "seed {seed}");
    }
}

#[test]
fn a_limit_of_effort_leaves_a_valid_gap() {
    let matrix = uniform(20, 500, 300, 20);
    let outcomes = [0, 20].map(|effort| exact(&matrix, Cost::Tests, effort));
    for outcome in &outcomes {
        assert_valid(&matrix, outcome, Cost::Tests);
        assert!(!outcome.optimal && outcome.lower_bound > 40, "{outcome:?}");
    }
    let [none, some] = outcomes;
    assert!(none.lower_bound <= some.lower_bound && some.cost < none.cost);
}

#[test]
fn large_matrices_of_loosely_connected_items_are_solved() {
    let mut random = Random::new(30);
    let mut row = || {
        let cluster = random.below(30) as u32;
        let covered = (0..10).filter(|_| random.chance(3, 10)).map(|item| 30 * item + cluster);
        let covered = covered.collect();
        Row::new(covered, 1 + random.below(50) as u32)
    };
    let matrix = ReductionMatrix { tests: (0..500).map(|_| row()).collect() };
    for cost in COSTS {
        let outcome = exact(&matrix, cost, EFFORT);
        assert!(outcome.optimal, "{outcome:?}");
    }
}

#[test]
fn tests_of_equal_length_cost_the_same_for_both_measures() {
    let lengths = |row: &Row| Row::new(row.items().clone(), 20);
    let matrix =
        ReductionMatrix { tests: uniform(3, 60, 40, 80).tests.iter().map(lengths).collect() };
    let [tests, steps] = COSTS.map(|cost| exact(&matrix, cost, EFFORT));
    assert!(tests.optimal && steps.optimal);
    assert_eq!((20 * tests.cost, tests.kept), (steps.cost, steps.kept));
}

#[test]
fn repeating_shows_the_distribution_of_sizes() {
    let matrix = uniform(2, 100, 80, 50);
    let runs = NonZeroUsize::new(50).unwrap();
    let distribution = repeat(&matrix, 4, runs);
    assert_eq!(distribution, repeat(&matrix, 4, runs));
    let mut sizes: Vec<usize> = (4..54).map(|seed| random(&matrix, seed).len()).collect();
    sizes.sort_unstable();
    assert_eq!(distribution.sizes, sizes);
    assert_eq!((distribution.min, distribution.max), (sizes[0], sizes[49]));
    assert_eq!(distribution.median, (sizes[24] + sizes[25]) as f64 / 2.0);
    assert_eq!(distribution.mean, sizes.iter().sum::<usize>() as f64 / 50.0);
    assert_eq!(distribution.best.len(), distribution.min);
    assert_eq!(matrix.covered_by(&distribution.best), matrix.covered());
    assert!(distribution.min < distribution.max);
}

#[test]
fn a_single_run_is_its_own_distribution() {
    let matrix = uniform(2, 30, 20, 100);
    let kept = random(&matrix, 9);
    let one = repeat(&matrix, 9, NonZeroUsize::MIN);
    assert_eq!((one.min, one.max, &one.best), (kept.len(), kept.len(), &kept));
    assert_eq!((one.median, one.mean), (kept.len() as f64, kept.len() as f64));
}
