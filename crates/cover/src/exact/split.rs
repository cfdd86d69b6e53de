//! Independent parts of a problem: no test covers items of two of them.

use super::problem::Problem;

/// The connected parts, the smallest first.
pub(super) fn split(problem: Problem) -> Vec<Problem> {
    let part_of = parts_of_items(&problem);
    let count = part_of.iter().max().map_or(0, |&last| last + 1);
    if count == 1 {
        return vec![problem];
    }
    let part = |part: usize| {
        let items: Vec<bool> = part_of.iter().map(|&of| of == part).collect();
        let tests: Vec<bool> =
            problem.tests.iter().map(|test| items[test.items[0] as usize]).collect();
        problem.restricted(&tests, &items)
    };
    let mut parts: Vec<Problem> = (0..count).map(part).collect();
    parts.sort_by_key(Problem::entries);
    parts
}

/// For each item the number of its part.
fn parts_of_items(problem: &Problem) -> Vec<usize> {
    let mut part_of = vec![None; problem.items.len()];
    let mut seen = vec![false; problem.tests.len()];
    let mut count = 0;
    for start in 0..part_of.len() {
        if part_of[start].is_none() {
            part_of[start] = Some(count);
            flood(problem, start as u32, &mut part_of, &mut seen);
            count += 1;
        }
    }
    part_of.into_iter().flatten().collect()
}

/// Gives the part of `start` to all that hang together with it.
fn flood(problem: &Problem, start: u32, part_of: &mut [Option<usize>], seen: &mut [bool]) {
    let part = part_of[start as usize];
    let mut open = vec![start];
    while let Some(item) = open.pop() {
        for test in problem.tests_of(item) {
            if std::mem::replace(&mut seen[test], true) {
                continue;
            }
            for &next in &problem.tests[test].items {
                if part_of[next as usize].is_none() {
                    part_of[next as usize] = part;
                    open.push(next);
                }
            }
        }
    }
}
