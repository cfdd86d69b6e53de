//! Branch and bound over what simplification leaves.

use super::bound::{AGAIN, Bound, bound};
use super::cover::Cover;
use super::problem::Problem;
use super::simplify::simplify;
use super::split::split;

/// About how often simplification reads each entry.
const READS_TO_SIMPLIFY: u64 = 16;

/// What a search found out about a problem.
#[derive(Debug)]
pub(super) struct Answer {
    /// No cover costs less; if this is the limit, none costs less than the limit.
    pub(super) lower: u64,
    /// The cheapest cover met below the limit.
    pub(super) cover: Option<Cover>,
}

/// A search that ends after a deterministic amount of work.
#[derive(Debug)]
pub(super) struct Search {
    /// How many entries of problems may still be read.
    pub(super) left: u64,
}

/// What is known on the way from a problem to all of its decisions.
#[derive(Debug)]
struct Branch {
    /// Only covers that cost less than this are of interest.
    limit: u64,
    /// The cheapest of them so far.
    best: Option<Cover>,
    /// The tests chosen on this way.
    chosen: Cover,
    /// The lowest bound of the ways that were left aside.
    aside: u64,
}

/// What comes next on the way.
enum Next {
    /// Nothing: a cover on this way costs at least this.
    Closed(u64),
    /// The same again, with less to decide.
    Smaller(Problem),
    /// One test, chosen or not.
    Decide(Problem, usize),
}

impl Search {
    /// Looks for the cheapest of the covers that cost less than `limit`.
    pub(super) fn solve(&mut self, problem: Problem, limit: u64) -> Answer {
        let mut branch = Branch { limit, best: None, chosen: Cover::default(), aside: limit };
        let mut open = problem;
        let lower = loop {
            open = match self.next(open, &mut branch) {
                Next::Closed(lower) => break lower,
                Next::Smaller(rest) => rest,
                // Without the test the loop goes on, so the depth is that of chosen tests.
                Next::Decide(part, test) => {
                    self.solve_with(&part, test, &mut branch);
                    part.without(test)
                }
            };
        };
        Answer { lower: lower.min(branch.aside).min(branch.limit), cover: branch.best }
    }

    fn next(&mut self, open: Problem, branch: &mut Branch) -> Next {
        if !open.is_feasible() {
            return Next::Closed(branch.limit);
        }
        self.spend(READS_TO_SIMPLIFY * open.entries());
        let simplified = simplify(open);
        branch.chosen.extend(&simplified.chosen);
        if branch.room() == 0 {
            return Next::Closed(branch.limit);
        }
        let mut parts = split(simplified.rest);
        if parts.len() == 1 {
            return self.next_of_part(parts.remove(0), branch);
        }
        let answer = self.solve_parts(parts, branch.room());
        let lower = branch.chosen.cost + answer.lower;
        answer.cover.into_iter().for_each(|cover| branch.offer(&cover));
        Next::Closed(lower)
    }

    fn next_of_part(&mut self, mut part: Problem, branch: &mut Branch) -> Next {
        let bound = self.bound(&mut part, branch.room());
        branch.offer(&bound.cover);
        let lower = branch.chosen.cost + bound.lower;
        if lower >= branch.limit || self.left == 0 {
            return Next::Closed(lower);
        }
        match fixed(&part, &bound, branch) {
            Some(smaller) => Next::Smaller(smaller),
            None => {
                let test = most_telling(&part, &bound);
                Next::Decide(part, test)
            }
        }
    }

    fn bound(&mut self, part: &mut Problem, limit: u64) -> Bound {
        let bound = bound(part, limit, AGAIN);
        self.spend(bound.rounds * part.entries());
        bound
    }

    fn spend(&mut self, entries: u64) {
        self.left = self.left.saturating_sub(entries);
    }

    /// Leaves aside the way on which the test is chosen, after following it to its end.
    fn solve_with(&mut self, part: &Problem, test: usize, branch: &mut Branch) {
        let mut first = Cover::default();
        first.push(&part.tests[test]);
        let Some(room) = branch.room().checked_sub(first.cost) else { return };
        let answer = self.solve(part.with(test), room);
        branch.aside = branch.aside.min(branch.chosen.cost + first.cost + answer.lower);
        if let Some(cover) = answer.cover {
            first.extend(&cover);
            branch.offer(&first);
        }
    }

    /// Solves independent parts one after the other; what the others cost at least is not
    /// there for any of them to spend.
    fn solve_parts(&mut self, mut parts: Vec<Problem>, limit: u64) -> Answer {
        let lowers = parts.iter_mut().map(|part| self.bound(part, limit).lower);
        let lowers: Vec<u64> = lowers.collect();
        let mut lower: u64 = lowers.iter().sum();
        let mut whole = Some(Cover::default());
        for (part, bound) in parts.into_iter().zip(lowers) {
            if lower >= limit {
                return Answer { lower: limit, cover: None };
            }
            let answer = self.solve(part, limit - lower + bound);
            lower += answer.lower.saturating_sub(bound);
            whole = whole.zip(answer.cover).map(|(mut whole, cover)| {
                whole.extend(&cover);
                whole
            });
        }
        Answer { lower, cover: whole.filter(|cover| cover.cost < limit) }
    }
}

impl Branch {
    /// What further tests must cost less than.
    fn room(&self) -> u64 {
        self.limit.saturating_sub(self.chosen.cost)
    }

    /// Notes a cover of what the chosen tests leave.
    fn offer(&mut self, rest: &Cover) {
        if rest.cost < self.room() {
            let mut cover = self.chosen.clone();
            cover.extend(rest);
            self.limit = cover.cost;
            self.best = Some(cover);
        }
    }
}

/// Drops the tests that no cover below the limit has and chooses those that all of them have;
/// none if there are no such tests.
fn fixed(part: &Problem, bound: &Bound, branch: &mut Branch) -> Option<Problem> {
    let room = branch.room();
    let mut tests = vec![true; part.tests.len()];
    let mut items = vec![true; part.items.len()];
    for (test, candidate) in part.tests.iter().enumerate() {
        let is_demanded = bound.demands(test, room);
        tests[test] = !is_demanded && !bound.forbids(test, room);
        if is_demanded {
            candidate.items.iter().for_each(|&item| items[item as usize] = false);
            branch.chosen.push(candidate);
        }
    }
    tests.contains(&false).then(|| part.restricted(&tests, &items))
}

/// The test whose choice decides most: the bound is in doubt about it, and its items have few
/// others. This needed fewer nodes than going by price, by size or by doubt alone.
fn most_telling(part: &Problem, bound: &Bound) -> usize {
    let rarity = |&item: &u32| 1000 / part.items[item as usize].tests.len() as u64;
    let weight = |test: usize| part.tests[test].items.iter().map(rarity).sum::<u64>();
    let tests = (0..part.tests.len()).rev();
    tests.max_by_key(|&test| bound.doubt(test) * weight(test)).expect("a test")
}
