//! Exact measurement: run again with the value changed and compare what is monitored.
//!
//! Instead of a run per change, all changed runs walk beside the original one, each as no
//! more than its difference from it; runs in the same state are one run.

use provoke_model::{System, Value};
use provoke_sim::{
    Breach, CompactValue, Dense, Divergence, Force, NodeId, Replay, Risks, RuntimeError,
};
use rustc_hash::FxHashMap;

use crate::base::Base;
use crate::coverage::{SeenEffect, SuiteCoverage, TestCoverage, TestMoment};
use crate::masking::Masking;
use crate::net::{Net, Sight};
use crate::obligation::Obligation;
use crate::oracle::Oracle;

/// What is changed in exact measurement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ExactChange {
    /// The value at the one step where the base holds.
    Step,
    /// The value at all steps: the expression is held at the opposite of the outcome (seed
    /// 004, equation 1: strong mutation by a constant).
    Stuck,
}

provoke_base::words!(ExactChange {
    Step = "step",
    Stuck = "stuck",
});

/// A run that differs from the original, for the sake of these obligations.
#[derive(Clone, Debug)]
struct Variant {
    divergence: Divergence,
    /// Each with the step in which its value was changed; 0 while that is held.
    obligations: Vec<(usize, usize)>,
}

impl Variant {
    /// The obligations that it is for.
    fn positions(&self) -> impl Iterator<Item = usize> {
        self.obligations.iter().map(|(obligation, _)| *obligation)
    }
}

/// An expression held at a value through whole tests.
#[derive(Clone, Debug)]
struct Held {
    force: Force,
    variant: Variant,
    /// Whether the changed run had no value at some step and was given up.
    ended: bool,
}

/// Where a test is, with all its changed runs: from equal situations it goes on equally.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Situation {
    started: bool,
    memory: Vec<CompactValue>,
    variants: Vec<(Divergence, Vec<usize>)>,
    held: Vec<(Divergence, bool)>,
    reached: Vec<bool>,
}

/// Measures tests one after the other, exactly.
#[derive(Clone, Debug)]
pub struct ExactMeasurement {
    exact: ExactChange,
    dense: Dense,
    net: Net,
    sight: Sight,
    replay: Replay,
    bases: Vec<Base>,
    /// Whether an obligation is still looked for.
    open: Vec<bool>,
    /// The step of this test in which its base held first.
    reached: Vec<Option<usize>>,
    every_test: bool,
    /// Whether it is not looked for in any test.
    left_out: Vec<bool>,
    variants: Vec<Variant>,
    held: Vec<Held>,
    coverage: SuiteCoverage,
    test: usize,
    run: TestCoverage,
    /// Whether the test has left what the model is for, or may have.
    outside: bool,
    risks: Risks,
}

impl ExactMeasurement {
    /// A measurement of the given obligations in which nothing is covered yet.
    pub fn new(
        system: &System,
        obligations: &[Obligation],
        exact: ExactChange,
        masking: Masking,
        oracle: &Oracle,
    ) -> ExactMeasurement {
        let net = Net::new(system, masking, &oracle.monitored(system));
        let bases: Vec<Base> =
            obligations.iter().map(|obligation| Base::new(&net.program, obligation)).collect();
        let held = if exact == ExactChange::Stuck { held(&bases) } else { Vec::new() };
        ExactMeasurement {
            exact,
            dense: Dense::of(net.program.clone()),
            sight: Sight::new(&net),
            risks: Risks::new(&net.program),
            replay: Replay::new(net.program.clone(), &net.monitored),
            net,
            open: vec![true; bases.len()],
            reached: vec![None; bases.len()],
            every_test: false,
            left_out: vec![false; bases.len()],
            variants: Vec::new(),
            held,
            coverage: SuiteCoverage::none(bases.len()),
            bases,
            test: 0,
            run: TestCoverage::default(),
            outside: false,
        }
    }

    /// Looks for every obligation in every test, so that [`TestCoverage::covered`] is a test's
    /// whole row of the matrix.
    pub fn of_every_test(mut self) -> ExactMeasurement {
        self.every_test = true;
        self
    }

    /// What the tests so far achieved.
    pub fn coverage(&self) -> &SuiteCoverage {
        &self.coverage
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
        self.outside = false;
        self.variants.clear();
        for held in &mut self.held {
            held.variant.divergence = Divergence::default();
            held.ended = false;
        }
        if self.every_test {
            self.open.iter_mut().zip(&self.left_out).for_each(|(open, out)| *open = !out);
        }
        self.reached.fill(None);
    }

    /// Does one step of a test.
    pub fn step(&mut self, inputs: &[Value]) -> Result<Vec<Breach>, RuntimeError> {
        let breaches = match self.dense.step(inputs) {
            Ok(breaches) => breaches,
            Err(error) => {
                self.run.error = Some(error);
                return Err(error);
            }
        };
        self.run.steps += 1;
        let step = self.run.steps;
        self.run.breaches.extend(breaches.iter().map(|&breach| (step, breach)));
        // Whatever happens from here on happens in no run.
        self.outside |= self.dense.is_outside(&breaches) || self.risks.are_met(&self.dense);
        if self.outside {
            return Ok(breaches);
        }
        self.sight.look(&self.net, &self.dense);
        self.repeat_step();
        Ok(breaches)
    }

    /// Ends a test and says what it did.
    pub fn end(&mut self) -> TestCoverage {
        let now = self.now();
        let held = self.held.iter().filter(|held| !held.ended).map(|held| &held.variant);
        for variant in self.variants.iter().chain(held) {
            if !variant.divergence.is_empty() {
                for &(obligation, _) in variant.obligations.iter().filter(|(o, _)| self.open[*o]) {
                    self.coverage.statuses[obligation].pending.get_or_insert(now);
                }
            }
        }
        self.test += 1;
        std::mem::take(&mut self.run)
    }

    /// All that the rest of the test depends on.
    pub fn situation(&self) -> Situation {
        let variants = self.variants.iter();
        let held = self.held.iter().map(|held| (held.variant.divergence.clone(), held.ended));
        Situation {
            started: self.dense.steps_done() > 0,
            memory: self.dense.memory().to_vec(),
            variants: variants.map(|v| (v.divergence.clone(), v.positions().collect())).collect(),
            held: held.collect(),
            reached: self.reached.iter().map(Option::is_some).collect(),
        }
    }

    fn now(&self) -> TestMoment {
        TestMoment { test: self.test, step: self.dense.steps_done() }
    }

    fn repeat_step(&mut self) {
        let hits = self.hits();
        match self.exact {
            ExactChange::Step => self.repeat_variants(hits),
            ExactChange::Stuck => self.repeat_held(),
        }
    }

    /// The obligations whose base holds now and has to become visible, by expression.
    fn hits(&mut self) -> Vec<(NodeId, usize)> {
        let mut hits = Vec::new();
        for obligation in 0..self.bases.len() {
            let base = self.bases[obligation];
            if !self.open[obligation] || !base.holds(&self.dense, &self.sight) {
                continue;
            }
            let now = self.now();
            self.reached[obligation].get_or_insert(now.step);
            self.coverage.statuses[obligation].reached.get_or_insert(now);
            match base.tagged {
                Some(_) => hits.push((base.node, obligation)),
                None => self.cover(obligation, now.step),
            }
        }
        hits.sort_unstable();
        hits
    }

    /// Goes on with the runs that were changed before, and starts those changed now.
    fn repeat_variants(&mut self, hits: Vec<(NodeId, usize)>) {
        let mut next = Merged::default();
        for mut variant in std::mem::take(&mut self.variants) {
            variant.obligations.retain(|(obligation, _)| self.open[*obligation]);
            self.repeat(variant, None, &mut next);
        }
        for same in hits.chunk_by(|one, other| one.0 == other.0) {
            let node = same[0].0;
            let now = self.dense.steps_done();
            let open = same.iter().map(|hit| hit.1).filter(|&o| self.open[o]);
            let obligations = open.map(|obligation| (obligation, now)).collect();
            let value = self.dense.cell(node).as_bool().expect("a base that holds is known");
            let variant = Variant { divergence: Divergence::default(), obligations };
            let force = Force { node, value: CompactValue::Bool(!value) };
            self.repeat(variant, Some(&force), &mut next);
        }
        self.variants = next.variants;
    }

    fn repeat(&mut self, variant: Variant, force: Option<&Force>, next: &mut Merged) {
        if variant.obligations.is_empty() {
            return;
        }
        let Some(changed) = self.replay.step(&self.dense, &variant.divergence, force) else {
            return;
        };
        if changed.seen.is_some() {
            variant
                .obligations
                .into_iter()
                .for_each(|(obligation, since)| self.cover(obligation, since));
        } else if !changed.divergence.is_empty() {
            next.add(changed.divergence, variant.obligations);
        }
    }

    fn repeat_held(&mut self) {
        for index in 0..self.held.len() {
            let held = &mut self.held[index];
            let wanted = held.variant.positions().any(|o| self.open[o]);
            if !wanted || held.ended {
                continue;
            }
            let Held { force, variant, .. } = held;
            match self.replay.step(&self.dense, &variant.divergence, Some(force)) {
                None => held.ended = true,
                Some(changed) => {
                    variant.divergence = changed.divergence;
                    if changed.seen.is_some() {
                        self.cover_reached(index);
                    }
                }
            }
        }
    }

    /// Covers what a held expression shows, as far as the base has held in this test: with
    /// unknown inputs a difference can come first.
    fn cover_reached(&mut self, held: usize) {
        for position in 0..self.held[held].variant.obligations.len() {
            let (obligation, _) = self.held[held].variant.obligations[position];
            if let Some(since) = self.reached[obligation] {
                self.cover(obligation, since);
            }
        }
    }

    fn cover(&mut self, obligation: usize, changed_at: usize) {
        let now = self.now();
        if std::mem::take(&mut self.open[obligation]) {
            self.coverage.statuses[obligation].covered.get_or_insert(now);
            self.run.covered.push(obligation);
            self.run.effects.push(SeenEffect { obligation, changed_at, seen_at: now.step });
        }
    }

    /// Looks for an obligation no more.
    pub fn leave_out(&mut self, obligation: usize) {
        self.open[obligation] = false;
        self.left_out[obligation] = true;
    }
}

/// Runs in the same state are the same from there on.
#[derive(Default)]
struct Merged {
    variants: Vec<Variant>,
    positions: FxHashMap<Divergence, usize>,
}

impl Merged {
    fn add(&mut self, divergence: Divergence, obligations: Vec<(usize, usize)>) {
        match self.positions.get(&divergence) {
            None => {
                self.positions.insert(divergence.clone(), self.variants.len());
                self.variants.push(Variant { divergence, obligations });
            }
            Some(&position) => {
                let known = &mut self.variants[position].obligations;
                known.extend(obligations);
                // Changed in several steps, the first of them counts.
                known.sort_unstable();
                known.dedup_by_key(|(obligation, _)| *obligation);
            }
        }
    }
}

/// The expressions to be held, each once for each constant.
fn held(bases: &[Base]) -> Vec<Held> {
    let observable = bases.iter().enumerate().filter(|(_, base)| base.tagged.is_some());
    let mut keyed: Vec<(NodeId, bool, usize)> =
        observable.map(|(obligation, base)| (base.node, !base.outcome, obligation)).collect();
    keyed.sort_unstable();
    let same = keyed.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1));
    let group = |group: &[(NodeId, bool, usize)]| Held {
        force: Force { node: group[0].0, value: CompactValue::Bool(group[0].1) },
        variant: Variant {
            divergence: Divergence::default(),
            obligations: group.iter().map(|entry| (entry.2, 0)).collect(),
        },
        ended: false,
    };
    same.map(group).collect()
}
