//! A cheaper cover by local search: take tests out, put others in for what is then uncovered,
//! and let items that are hard to cover weigh more (row weighting, Gao and others 2015).

use std::cmp::Ordering;

use provoke_base::Random;

use super::cover::Cover;
use super::problem::Problem;

/// Improves a cover until it costs no more than `enough` or `work` entries were read.
pub(super) fn improved(problem: &Problem, start: Cover, enough: u64, work: u64) -> Cover {
    let mut walk = Walk::new(problem, &start);
    let mut best = start;
    // Where the walk goes is arbitrary, so it may as well always be the same.
    let mut random = Random::new(0);
    while best.cost > enough && walk.work < work {
        while walk.open.is_empty() {
            best.improve(walk.cover());
            walk.remove_least();
        }
        walk.remove_least();
        while walk.cost >= best.cost {
            walk.remove_least();
        }
        let item = *random.pick(&walk.open);
        walk.last = walk.best_for(item, best.cost - walk.cost);
        walk.last.into_iter().for_each(|test| walk.add(test));
        walk.weigh_open();
    }
    best
}

/// A set of tests on its way from cover to cover.
struct Walk<'a> {
    problem: &'a Problem,
    /// The tests taken, and what they cost.
    taken: Vec<usize>,
    cost: u64,
    /// For each test whether it is taken, when it was last moved, and whether anything near
    /// it has changed since it was taken out: if not, it would only come back.
    is_taken: Vec<bool>,
    moved: Vec<u64>,
    is_fresh: Vec<bool>,
    /// For each test the weight that it alone covers, or would cover if it were taken.
    score: Vec<u64>,
    /// For each item how many taken tests cover it, and its weight.
    times: Vec<u32>,
    weight: Vec<u64>,
    /// The items that are not covered.
    open: Vec<u32>,
    /// The test put in last, which is not taken out at once.
    last: Option<usize>,
    now: u64,
    work: u64,
}

impl<'a> Walk<'a> {
    fn new(problem: &'a Problem, start: &Cover) -> Walk<'a> {
        let tests = problem.tests.len();
        let mut walk = Walk {
            problem,
            taken: Vec::new(),
            cost: 0,
            is_taken: vec![false; tests],
            moved: vec![0; tests],
            is_fresh: vec![true; tests],
            score: problem.tests.iter().map(|test| test.items.len() as u64).collect(),
            times: vec![0; problem.items.len()],
            weight: vec![1; problem.items.len()],
            open: (0..problem.items.len() as u32).collect(),
            last: None,
            now: 0,
            work: 0,
        };
        let is_start = |test: &usize| start.origins.contains(&problem.tests[*test].origin);
        (0..tests).filter(is_start).for_each(|test| walk.add(test));
        walk
    }

    fn cover(&self) -> Cover {
        let mut cover = Cover::default();
        self.taken.iter().for_each(|&test| cover.push(&self.problem.tests[test]));
        cover
    }

    fn add(&mut self, test: usize) {
        let problem = self.problem;
        self.taken.push(test);
        self.cost += problem.tests[test].cost;
        for &item in &problem.tests[test].items {
            match self.times[item as usize] {
                0 => {
                    self.open.retain(|&open| open != item);
                    self.change_scores(item, test, |score, weight| score - weight);
                }
                1 => self.change_score_of_taken(item, |score, weight| score - weight),
                _ => {}
            }
            self.times[item as usize] += 1;
        }
        self.moved_to(test, true);
    }

    fn remove(&mut self, test: usize) {
        let problem = self.problem;
        self.taken.retain(|&taken| taken != test);
        self.cost -= problem.tests[test].cost;
        self.moved_to(test, false);
        for &item in &problem.tests[test].items {
            self.times[item as usize] -= 1;
            match self.times[item as usize] {
                0 => {
                    self.open.push(item);
                    self.change_scores(item, test, |score, weight| score + weight);
                }
                1 => self.change_score_of_taken(item, |score, weight| score + weight),
                _ => {}
            }
        }
    }

    /// What the test alone covers does not change when it is moved, so its score stays.
    fn moved_to(&mut self, test: usize, is_taken: bool) {
        self.now += 1;
        self.moved[test] = self.now;
        self.is_taken[test] = is_taken;
        self.is_fresh[test] = is_taken;
    }

    /// Changes the scores of all tests that cover an item but one.
    fn change_scores(&mut self, item: u32, but: usize, change: impl Fn(u64, u64) -> u64) {
        for test in self.problem.tests_of(item).filter(|&test| test != but) {
            self.score[test] = change(self.score[test], self.weight[item as usize]);
            self.is_fresh[test] = true;
        }
        self.work += self.problem.items[item as usize].tests.len() as u64;
    }

    /// Changes the score of the one taken test that covers an item.
    fn change_score_of_taken(&mut self, item: u32, change: impl Fn(u64, u64) -> u64) {
        let test = self.problem.tests_of(item).find(|&test| self.is_taken[test]);
        let test = test.expect("a taken test");
        self.score[test] = change(self.score[test], self.weight[item as usize]);
        self.work += self.problem.items[item as usize].tests.len() as u64;
    }

    /// Takes out the test that is missed least for its cost, but not the one put in last.
    fn remove_least(&mut self) {
        let candidates = self.taken.iter().copied().filter(|&test| Some(test) != self.last);
        let oldest = |a: usize, b: usize| self.moved[a].cmp(&self.moved[b]);
        let least = candidates.min_by(|&a, &b| self.compare(a, b).then(oldest(a, b)));
        self.work += self.taken.len() as u64;
        least.or(self.taken.first().copied()).into_iter().for_each(|test| self.remove(test));
    }

    /// The test that covers an item and most else for its cost, if one costs less than `room`.
    fn best_for(&self, item: u32, room: u64) -> Option<usize> {
        let affordable =
            |&test: &usize| self.is_fresh[test] && self.problem.tests[test].cost < room;
        let candidates = self.problem.tests_of(item).filter(affordable);
        candidates.max_by(|&a, &b| self.compare(a, b).then(self.moved[b].cmp(&self.moved[a])))
    }

    /// Compares scores for the same cost.
    fn compare(&self, a: usize, b: usize) -> Ordering {
        let cost = |test: usize| u128::from(self.problem.tests[test].cost);
        let score = |test: usize| u128::from(self.score[test]);
        (score(a) * cost(b)).cmp(&(score(b) * cost(a)))
    }

    fn weigh_open(&mut self) {
        for &item in &self.open {
            self.weight[item as usize] += 1;
            self.problem.tests_of(item).for_each(|test| self.score[test] += 1);
            self.work += self.problem.items[item as usize].tests.len() as u64;
        }
    }
}
