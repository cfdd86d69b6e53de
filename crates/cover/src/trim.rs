//! Shorter tests: what comes after the last step that is needed is cut off.

use super::best_first::take_best_first;

/// When a test covers an item.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Reach {
    /// The item.
    pub item: u32,
    /// The number of steps after which it is covered, which is the number of the step that
    /// first covers it if steps are counted from 1.
    pub steps: u32,
}

/// The number of steps to keep of each test, so that together they still cover every item.
/// A test of which 0 steps are kept is not needed.
///
/// Each item is left to one test that covers it, chosen greedily in two ways of which the
/// shorter result is taken: tests grow from nothing, always by the steps that cover most new
/// items for their number, or tests start at full length. Either way the longest tail without
/// which all is still covered is then cut off, again and again. This is not always the least
/// number of steps, but never more than before.
pub fn trim(tests: &[Vec<Reach>]) -> Vec<u32> {
    let tests: Vec<Vec<Reach>> = tests.iter().map(|test| in_order(test)).collect();
    let mut full = Lengths::zero(&tests);
    for (test, reaches) in tests.iter().enumerate() {
        full.set(test, reaches.last().map_or(0, |last| last.steps));
    }
    let mut grown = Lengths::zero(&tests);
    grown.grow();
    for lengths in [&mut full, &mut grown] {
        lengths.cut();
        assert!(lengths.cover_all(), "trimming lost a covered item");
    }
    let sum =
        |lengths: &Lengths<'_>| lengths.steps.iter().map(|&steps| u64::from(steps)).sum::<u64>();
    if sum(&grown) < sum(&full) { grown.steps } else { full.steps }
}

/// A test's items in the order in which it covers them, each once.
fn in_order(test: &[Reach]) -> Vec<Reach> {
    let mut reaches = test.to_vec();
    reaches.sort_unstable();
    reaches.dedup_by_key(|reach| reach.item);
    reaches.sort_by_key(|reach| reach.steps);
    reaches
}

/// How much is kept of each test.
struct Lengths<'a> {
    tests: &'a [Vec<Reach>],
    steps: Vec<u32>,
    /// For each item how many tests cover it in the steps that are kept.
    times: Vec<u32>,
}

impl<'a> Lengths<'a> {
    fn zero(tests: &'a [Vec<Reach>]) -> Lengths<'a> {
        let bound = tests.iter().flatten().map(|reach| reach.item as usize + 1).max();
        let mut times = vec![0; bound.unwrap_or(0)];
        let at_once = tests.iter().flatten().filter(|reach| reach.steps == 0);
        at_once.for_each(|reach| times[reach.item as usize] += 1);
        Lengths { tests, steps: vec![0; tests.len()], times }
    }

    /// What a test covers after `from` and up to `to` steps.
    fn between(&self, test: usize, from: u32, to: u32) -> &'a [Reach] {
        let after = |steps: u32| self.tests[test].partition_point(|reach| reach.steps <= steps);
        &self.tests[test][after(from)..after(to)]
    }

    fn set(&mut self, test: usize, steps: u32) {
        let old = std::mem::replace(&mut self.steps[test], steps);
        for reach in self.between(test, old, steps.max(old)) {
            self.times[reach.item as usize] += 1;
        }
        for reach in self.between(test, steps, old.max(steps)) {
            self.times[reach.item as usize] -= 1;
        }
    }

    fn cover_all(&self) -> bool {
        self.tests.iter().flatten().all(|reach| self.times[reach.item as usize] > 0)
    }

    fn grow(&mut self) {
        let rate = |state: &Self, test| state.extension(test).map(|(rate, _)| rate);
        take_best_first(self, self.tests.len(), rate, |state, test| {
            let extension = state.extension(test);
            extension.into_iter().for_each(|(_, steps)| state.set(test, steps));
        });
    }

    /// The length to which extending a test covers most new items for each step, with the
    /// number of these, in units of 2^-32.
    fn extension(&self, test: usize) -> Option<(u64, u32)> {
        let kept = self.steps[test];
        let mut gain = 0;
        let mut best = None;
        for reach in self.between(test, kept, u32::MAX) {
            if self.times[reach.item as usize] == 0 {
                gain += 1;
                let rate = (gain << 32) / u64::from(reach.steps - kept);
                best = best.max(Some((rate, reach.steps)));
            }
        }
        best
    }

    fn cut(&mut self) {
        let saved = |state: &Self, test: usize| {
            Some(state.steps[test] - state.needed(test)).filter(|&saved| saved > 0)
        };
        take_best_first(self, self.tests.len(), saved, |state, test| {
            state.set(test, state.needed(test));
        });
    }

    /// The last step of a test at which something is covered that no other test covers.
    fn needed(&self, test: usize) -> u32 {
        let kept = self.between(test, 0, self.steps[test]).iter().rev();
        let mut alone = kept.filter(|reach| self.times[reach.item as usize] == 1);
        alone.next().map_or(0, |reach| reach.steps)
    }
}
