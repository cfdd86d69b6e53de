//! Measurement by tags: a tag starts where the base of an obligation holds, travels along
//! unmasked uses, waits one step in each `pre`, and is visible in a monitored variable
//! (thesis 3.1.1, seed 004 3.3).

use provoke_model::{System, Value};
use provoke_sim::{Breach, Dense, Risks, RuntimeError, SimState};

use crate::base::Base;
use crate::coverage::{CoverageMatrix, SuiteCoverage, TestCoverage, TestMoment};
use crate::masking::Masking;
use crate::net::{Net, Sight, fact};
use crate::obligation::Obligation;
use crate::oracle::Oracle;
use crate::tags::{Tags, ones};

/// A run in the middle of a test, to go on from later.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checkpoint {
    /// The state of the system.
    pub state: SimState,
    /// For each delay in which tags wait, the positions of their obligations.
    tags: Vec<(usize, Vec<usize>)>,
}

impl Checkpoint {
    /// The delays in which the tags of obligations wait, each with the positions of those
    /// obligations; delays in the order of [`provoke_sim::interpreter::delays`].
    pub fn waiting(&self) -> impl Iterator<Item = (usize, &[usize])> {
        self.tags.iter().map(|(slot, obligations)| (*slot, obligations.as_slice()))
    }
}

/// Measures tests one after the other; what is covered is no longer looked for.
#[derive(Clone, Debug)]
pub struct Measurement {
    net: Net,
    dense: Dense,
    sight: Sight,
    tags: Tags,
    bases: Vec<Base>,
    coverage: SuiteCoverage,
    /// Whether each test is to show all that it covers.
    every_test: bool,
    open: Open,
    test: usize,
    run: TestCoverage,
    /// Whether the test has left what the model is for, or may have.
    outside: bool,
    risks: Risks,
}

/// The obligations that are looked for in a test; a tag is a position in this list, so that
/// sets of tags shrink as coverage grows.
#[derive(Clone, Debug, Default)]
struct Open {
    obligations: Vec<usize>,
    /// For each obligation its tag.
    tags: Vec<Option<u32>>,
    /// The tags still looked for, as a list and as a set.
    active: Vec<usize>,
    alive: Vec<u64>,
}

impl Open {
    fn new(obligations: Vec<usize>, total: usize) -> Open {
        let mut open = Open { tags: vec![None; total], obligations, ..Open::default() };
        for (tag, &obligation) in open.obligations.iter().enumerate() {
            open.tags[obligation] = Some(tag as u32);
        }
        open.renew();
        open
    }

    fn renew(&mut self) {
        let count = self.obligations.len();
        self.active = (0..count).collect();
        self.alive = vec![0; count.div_ceil(64).max(1)];
        (0..count).for_each(|tag| self.alive[tag / 64] |= 1 << (tag % 64));
    }

    fn is_alive(&self, tag: usize) -> bool {
        self.alive[tag / 64] >> (tag % 64) & 1 != 0
    }

    fn remove(&mut self, tag: usize) {
        self.alive[tag / 64] &= !(1 << (tag % 64));
    }

    fn forget_covered(&mut self) {
        let alive = &self.alive;
        self.active.retain(|tag| alive[tag / 64] >> (tag % 64) & 1 != 0);
    }
}

impl Measurement {
    /// A measurement of the given obligations in which nothing is covered yet.
    pub fn new(
        system: &System,
        obligations: &[Obligation],
        masking: Masking,
        oracle: &Oracle,
    ) -> Measurement {
        let net = Net::new(system, masking, &oracle.monitored(system));
        let bases = obligations.iter().map(|obligation| Base::new(&net.program, obligation));
        let total = obligations.len();
        let mut measurement = Measurement {
            dense: Dense::of(net.program.clone()),
            sight: Sight::new(&net),
            tags: Tags::new(&net),
            bases: bases.collect(),
            coverage: SuiteCoverage::none(total),
            every_test: false,
            open: Open::new((0..total).collect(), total),
            test: 0,
            run: TestCoverage::default(),
            outside: false,
            risks: Risks::new(&net.program),
            net,
        };
        measurement.tags.clear(total);
        measurement
    }

    /// Looks for every obligation in every test, so that [`TestCoverage::covered`] is a test's
    /// whole row of the matrix.
    pub fn of_every_test(mut self) -> Measurement {
        self.every_test = true;
        self
    }

    /// What the tests so far achieved.
    pub fn coverage(&self) -> &SuiteCoverage {
        &self.coverage
    }

    /// What the test that is running has covered so far.
    pub fn covered_here(&self) -> &[usize] {
        &self.run.covered
    }

    /// Whether nothing that the test does counts any more.
    pub fn is_outside(&self) -> bool {
        self.outside
    }

    /// How many tests were ended.
    pub fn tests(&self) -> usize {
        self.test
    }

    /// The evaluator with the values of the last step.
    pub fn dense(&self) -> &Dense {
        &self.dense
    }

    /// Runs a whole test from the initial state.
    pub fn run_test(&mut self, steps: &[Vec<Value>]) -> TestCoverage {
        self.begin();
        for inputs in steps {
            if self.step(inputs).is_err() {
                break;
            }
        }
        self.end()
    }

    /// Starts a test from the initial state.
    pub fn begin(&mut self) {
        self.dense.reset();
        self.begin_here();
    }

    /// Starts a test in a state in which no tags wait.
    pub fn begin_at(&mut self, state: &SimState) {
        self.dense.restore(state);
        self.begin_here();
    }

    /// Starts a test that goes on from where an earlier one was.
    pub fn resume(&mut self, checkpoint: &Checkpoint) {
        self.dense.restore(&checkpoint.state);
        self.begin_here();
        for (slot, obligations) in &checkpoint.tags {
            for &obligation in obligations {
                if let Some(tag) = self.open.tags[obligation]
                    && self.open.is_alive(tag as usize)
                {
                    self.tags.put(*slot, tag as usize);
                }
            }
        }
    }

    fn begin_here(&mut self) {
        self.run = TestCoverage::default();
        self.outside = false;
        let total = self.coverage.total();
        if self.every_test {
            self.open.renew();
        } else if self.open.active.len() * 4 < self.open.obligations.len() * 3 {
            // Numbering anew takes a look at all obligations: only when it pays.
            self.open = Open::new(self.coverage.uncovered().collect(), total);
        }
        self.tags.clear(self.open.obligations.len());
    }

    /// Where the run is, to be taken up by [`Measurement::resume`].
    pub fn checkpoint(&self) -> Checkpoint {
        let waiting = |slot: usize| {
            let obligations: Vec<usize> =
                self.alive_in(slot).map(|tag| self.open.obligations[tag]).collect();
            (!obligations.is_empty()).then_some((slot, obligations))
        };
        let slots = 0..self.net.program.delays().len();
        Checkpoint { state: self.dense.state(), tags: slots.filter_map(waiting).collect() }
    }

    /// Does one step of a test.
    pub fn step(&mut self, inputs: &[Value]) -> Result<Vec<Breach>, RuntimeError> {
        let step = self.dense.steps_done() + 1;
        let breaches = match self.dense.step(inputs) {
            Ok(breaches) => breaches,
            Err(error) => {
                self.run.error = Some(error);
                return Err(error);
            }
        };
        self.run.steps += 1;
        self.run.breaches.extend(breaches.iter().map(|&breach| (step, breach)));
        // Whatever happens from here on happens in no run.
        self.outside |= self.dense.is_outside(&breaches) || self.risks.are_met(&self.dense);
        if self.outside {
            return Ok(breaches);
        }
        self.sight.look(&self.net, &self.dense);
        self.see_waiting_tags();
        self.see_bases();
        self.tags.advance(&self.net, &self.sight, fact::DELAYED, &self.open.alive);
        Ok(breaches)
    }

    fn now(&self) -> TestMoment {
        TestMoment { test: self.test, step: self.dense.steps_done() }
    }

    /// Covers what waited in a delay that is now visible.
    fn see_waiting_tags(&mut self) {
        let now = self.now();
        for slot in 0..self.net.program.delays().len() {
            let pre = self.net.program.delays()[slot].pre;
            if self.sight.has(pre, fact::VISIBLE) {
                let seen: Vec<usize> = self.alive_in(slot).collect();
                seen.into_iter().for_each(|tag| self.cover(tag, now));
            }
        }
    }

    /// Covers what is exercised and visible in this step, and lets the tags of the rest start.
    fn see_bases(&mut self) {
        let now = self.now();
        for index in 0..self.open.active.len() {
            let tag = self.open.active[index];
            let obligation = self.open.obligations[tag];
            let base = self.bases[obligation];
            if !self.open.is_alive(tag) || !base.holds(&self.dense, &self.sight) {
                continue;
            }
            self.coverage.statuses[obligation].reached.get_or_insert(now);
            match base.tagged {
                Some(node) if !self.sight.has(node, fact::VISIBLE) => {
                    if self.sight.has(node, fact::DELAYED) {
                        self.tags.start(node, tag);
                    }
                }
                _ => self.cover(tag, now),
            }
        }
        self.open.forget_covered();
    }

    fn cover(&mut self, tag: usize, now: TestMoment) {
        let obligation = self.open.obligations[tag];
        self.open.remove(tag);
        self.coverage.statuses[obligation].covered.get_or_insert(now);
        self.run.covered.push(obligation);
    }

    /// The tags still looked for that wait in a delay.
    fn alive_in(&self, slot: usize) -> impl Iterator<Item = usize> {
        ones(self.tags.waiting(slot)).filter(|tag| self.open.is_alive(*tag))
    }

    /// Ends a test and says what it did.
    pub fn end(&mut self) -> TestCoverage {
        let now = self.now();
        for slot in 0..self.net.program.delays().len() {
            let alive: Vec<usize> = self.alive_in(slot).collect();
            for tag in alive {
                let obligation = self.open.obligations[tag];
                self.coverage.statuses[obligation].pending.get_or_insert(now);
            }
        }
        self.test += 1;
        std::mem::take(&mut self.run)
    }
}

/// The matrix of a suite: which tests cover which obligations.
pub fn matrix<'t>(
    system: &System,
    obligations: &[Obligation],
    masking: Masking,
    oracle: &Oracle,
    tests: impl IntoIterator<Item = &'t [Vec<Value>]>,
) -> CoverageMatrix {
    let mut measurement = Measurement::new(system, obligations, masking, oracle).of_every_test();
    let mut row = |test: &[Vec<Value>]| {
        let covered = measurement.run_test(test).covered;
        covered.into_iter().map(|position| position as u32).collect()
    };
    CoverageMatrix { tests: tests.into_iter().map(&mut row).collect() }
}
