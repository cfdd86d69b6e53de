//! How cheap a cover can be at best: a Lagrangian bound in exact arithmetic.
//!
//! Every item gets a price of at least 0. A test can at best save what its items are worth
//! beyond its cost, so the sum of all prices less all these savings is never above the cost of
//! a cover, whatever the prices are. Subgradient steps look for good prices (Beasley 1990);
//! since prices are integers, the bound holds exactly and is the same on every machine.

use super::cover::{Cover, cover_by};
use super::problem::Problem;

/// How many units of a price make one unit of cost.
const UNIT: i64 = 1 << 16;

/// How many units of a step length make the whole of it.
const WHOLE: i64 = 1 << 10;

/// How long and how boldly prices are improved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schedule {
    /// The first step length.
    first: i64,
    /// The end is reached when the step length falls below this.
    last: i64,
    /// After so many rounds without a better bound the step length is halved.
    patience: u32,
}

/// For a problem that has no prices yet.
pub(super) const FIRST: Schedule = Schedule { first: 2 * WHOLE, last: WHOLE / 256, patience: 15 };

/// For a problem that is part of one with good prices.
pub(super) const AGAIN: Schedule = Schedule { first: WHOLE, last: WHOLE / 64, patience: 6 };

/// What is known about a problem without deciding anything.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    /// No cover costs less.
    pub(super) lower: u64,
    /// A cover, not necessarily the best.
    pub(super) cover: Cover,
    /// The bound before it was rounded up, in units of a price.
    value: i64,
    /// How much each test costs more than its items are worth.
    reduced: Vec<i64>,
    /// In how many rounds each test was worth its cost.
    worth: Vec<u64>,
    /// How many rounds there were.
    pub(super) rounds: u64,
}

impl Bound {
    /// Whether every cover with this test costs at least `limit`.
    pub(super) fn forbids(&self, test: usize, limit: u64) -> bool {
        rounded_up(self.value + self.reduced[test].max(0)) >= limit
    }

    /// Whether every cover without this test costs at least `limit`.
    pub(super) fn demands(&self, test: usize, limit: u64) -> bool {
        rounded_up(self.value - self.reduced[test].min(0)) >= limit
    }

    /// How much the rounds disagreed about whether a test is worth its cost.
    pub(super) fn doubt(&self, test: usize) -> u64 {
        self.worth[test].min(self.rounds - self.worth[test])
    }
}

/// Bounds a problem and leaves good prices in it; stops as soon as it is clear that no cover
/// costs less than `limit`.
pub(super) fn bound(problem: &mut Problem, limit: u64, schedule: Schedule) -> Bound {
    let highest = highest_prices(problem);
    let mut prices = first_prices(problem);
    let mut reduced = reduced_costs(problem, &prices);
    let mut best = first_bound(problem, &prices, &reduced);
    let target = limit.min(best.cover.cost);
    let (mut length, mut idle) = (schedule.first, 0);
    while length >= schedule.last && best.lower < target {
        let gap = UNIT * target as i64 - value_of(&prices, &reduced);
        let Some(step) = step(problem, &prices, &reduced, gap, length) else { break };
        for ((price, step), &highest) in prices.iter_mut().zip(step).zip(&highest) {
            *price = (*price + step).clamp(0, highest);
        }
        reduced = reduced_costs(problem, &prices);
        if best.record(&prices, &reduced) {
            idle = 0;
            problem.items.iter_mut().zip(&prices).for_each(|(item, &price)| item.price = price);
        } else {
            idle += 1;
            if idle == schedule.patience {
                (length, idle) = (length / 2, 0);
            }
        }
    }
    best.cover.improve(cover_by(problem, &best.reduced));
    best
}

fn first_bound(problem: &Problem, prices: &[i64], reduced: &[i64]) -> Bound {
    let mut bound = Bound {
        lower: 0,
        cover: cover_by(problem, reduced),
        value: i64::MIN,
        reduced: Vec::new(),
        worth: vec![0; reduced.len()],
        rounds: 0,
    };
    bound.record(prices, reduced);
    bound
}

impl Bound {
    /// Notes one more round; true if it is the best so far.
    fn record(&mut self, prices: &[i64], reduced: &[i64]) -> bool {
        self.rounds += 1;
        self.worth.iter_mut().zip(reduced).for_each(|(worth, &cost)| *worth += u64::from(cost < 0));
        let value = value_of(prices, reduced);
        let is_better = value > self.value;
        if is_better {
            (self.value, self.lower) = (value, rounded_up(value));
            self.reduced = reduced.to_vec();
        }
        is_better
    }
}

fn rounded_up(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0).div_ceil(UNIT as u64)
}

/// The prices that the problem has or, if it has none, each item's share of the cheapest test
/// that covers it.
fn first_prices(problem: &Problem) -> Vec<i64> {
    if problem.items.iter().any(|item| item.price > 0) {
        return problem.items.iter().map(|item| item.price).collect();
    }
    let share = |test: usize| {
        UNIT * problem.tests[test].cost as i64 / problem.tests[test].items.len() as i64
    };
    let shares = |item| problem.tests_of(item).map(share);
    (0..problem.items.len() as u32).map(|item| shares(item).min().unwrap_or(0)).collect()
}

fn reduced_costs(problem: &Problem, prices: &[i64]) -> Vec<i64> {
    let worth = |items: &[u32]| items.iter().map(|&item| prices[item as usize]).sum::<i64>();
    problem.tests.iter().map(|test| UNIT * test.cost as i64 - worth(&test.items)).collect()
}

fn value_of(prices: &[i64], reduced: &[i64]) -> i64 {
    prices.iter().sum::<i64>() + reduced.iter().map(|&cost| cost.min(0)).sum::<i64>()
}

/// The cost of the cheapest test that covers each item: more is never worth paying for it.
fn highest_prices(problem: &Problem) -> Vec<i64> {
    let cost = |test: usize| UNIT * problem.tests[test].cost as i64;
    let costs = |item| problem.tests_of(item).map(cost);
    (0..problem.items.len() as u32).map(|item| costs(item).min().unwrap_or(0)).collect()
}

/// How each price moves along the subgradient; none if the prices are the best already.
fn step(
    problem: &Problem,
    prices: &[i64],
    reduced: &[i64],
    gap: i64,
    length: i64,
) -> Option<Vec<i64>> {
    let mut missing = vec![1_i64; prices.len()];
    for (test, _) in problem.tests.iter().zip(reduced).filter(|(_, cost)| **cost < 0) {
        test.items.iter().for_each(|&item| missing[item as usize] -= 1);
    }
    // A price of 0 cannot fall, so it does not count.
    let stuck =
        missing.iter_mut().zip(prices).filter(|(missing, price)| **missing < 0 && **price == 0);
    stuck.for_each(|(missing, _)| *missing = 0);
    let norm: i64 = missing.iter().map(|missing| missing * missing).sum();
    let factor = i128::from(gap) * i128::from(length) / i128::from(norm * WHOLE).max(1);
    let factor = (factor as i64).max(1);
    missing.iter_mut().for_each(|missing| *missing *= factor);
    (norm > 0).then_some(missing)
}
