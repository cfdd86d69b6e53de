//! What a test shows, by tags or by changed values.
//!
//! Tags guide the simulation in both cases, since they say where to look and cost little. Where effects
//! count they decide nothing: what counts is what differs when the value is wrong.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use provoke_criteria::{ExactChange, ExactMeasurement, Measurement, Obligation};
use provoke_model::{System, Value};

use crate::explore::{CoveringTest, ExplorationLimit, StateExplorer};
use crate::generate::{EvidenceRule, StrategyOptions};

/// How many steps a test goes on with its last inputs, so that a difference that is on its way
/// arrives.
const MORE_STEPS: usize = 16;

/// Says what tests show.
pub(crate) struct Judge {
    tagged: Measurement,
    effects: Option<Effects>,
    steps_found: Arc<AtomicU64>,
}

/// What wrong values change.
struct Effects {
    /// Those looked for: values wrong in one step, and values that are always wrong.
    measured: Vec<(ExactChange, ExactMeasurement)>,
    /// Whether an obligation is one that an effect has to show.
    observable: Vec<bool>,
}

impl Judge {
    pub(crate) fn new(
        system: &System,
        obligations: &[Obligation],
        options: &StrategyOptions,
    ) -> Judge {
        let StrategyOptions { masking, oracle, .. } = options;
        let effects = Effects::new(system, obligations, options);
        let tagged = Measurement::new(system, obligations, *masking, oracle);
        Judge { tagged, effects, steps_found: Arc::clone(&options.steps_found) }
    }

    /// Whether a test shows all that is asked of an obligation.
    pub(crate) fn is_covered(&self, position: usize) -> bool {
        match &self.effects {
            Some(effects) if effects.observable[position] => effects.is_shown(position),
            _ => self.is_tagged(position),
        }
    }

    /// Whether tags show it.
    pub(crate) fn is_tagged(&self, position: usize) -> bool {
        self.tagged.coverage().is_covered(position)
    }

    /// Whether a wrong value was seen, in one step or always.
    pub(crate) fn shows(&self, change: ExactChange, position: usize) -> bool {
        let effects = self.effects.iter().flat_map(|effects| &effects.measured);
        let mut of_kind = effects.filter(|(kind, _)| *kind == change);
        of_kind.any(|(_, measured)| measured.coverage().is_covered(position))
    }

    /// The positions of what is not covered.
    pub(crate) fn uncovered(&self) -> impl Iterator<Item = usize> {
        (0..self.tagged.coverage().total()).filter(|position| !self.is_covered(*position))
    }

    /// Looks no more for what no test can show.
    pub(crate) fn leave_out(&mut self, position: usize) {
        let measured = self.effects.iter_mut().flat_map(|effects| &mut effects.measured);
        measured.for_each(|(_, measurement)| measurement.leave_out(position));
    }

    /// The tests of a simulation that show something.
    pub(crate) fn explore(
        &mut self,
        explorer: &mut StateExplorer<'_>,
        exploration: ExplorationLimit,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Vec<CoveringTest> {
        let mut found = Vec::new();
        let steps_found = Arc::clone(&self.steps_found);
        explorer.explore(&mut self.tagged, exploration, stop, |test| {
            steps_found.fetch_add(test.steps.len() as u64, Ordering::Relaxed);
            found.push(test);
        });
        found.into_iter().filter_map(|found| self.confirm(found)).collect()
    }

    /// Runs a test that was found elsewhere, and lets simulation go on from there.
    pub(crate) fn adopt(
        &mut self,
        explorer: &mut StateExplorer<'_>,
        steps: &[Vec<Value>],
    ) -> Option<CoveringTest> {
        let found = explorer.adopt(&mut self.tagged, steps);
        self.steps_found.fetch_add(steps.len() as u64, Ordering::Relaxed);
        match self.effects {
            None => found,
            Some(_) => {
                let covered = found.map_or_else(Vec::new, |found| found.covered);
                self.confirm(CoveringTest { steps: steps.to_vec(), covered })
            }
        }
    }

    /// What a test shows that stays as it is.
    pub(crate) fn keep(
        &mut self,
        explorer: &mut StateExplorer<'_>,
        steps: &[Vec<Value>],
    ) -> Vec<usize> {
        let tagged = explorer.adopt(&mut self.tagged, steps);
        self.steps_found.fetch_add(steps.len() as u64, Ordering::Relaxed);
        let mut covered = tagged.map_or_else(Vec::new, |found| found.covered);
        if let Some(effects) = &mut self.effects {
            covered = together(covered, effects.positions_shown(steps).0);
        }
        covered
    }

    /// What a plain run shows, if it shows an effect.
    pub(crate) fn effects_of(&mut self, steps: Vec<Vec<Value>>) -> Option<CoveringTest> {
        let effects = self.effects.as_mut()?;
        let longer = prolonged(&steps);
        let (shown, needed) = effects.positions_shown(&longer);
        if shown.is_empty() {
            return None;
        }
        self.tagged.run_test(&longer[..needed]);
        self.steps_found.fetch_add(needed as u64, Ordering::Relaxed);
        Some(CoveringTest { steps: longer[..needed].to_vec(), covered: shown })
    }

    /// What a test shows beyond doubt.
    fn confirm(&mut self, found: CoveringTest) -> Option<CoveringTest> {
        let Some(effects) = &mut self.effects else {
            return (!found.covered.is_empty()).then_some(found);
        };
        let CoveringTest { mut steps, covered } = found;
        let longer = prolonged(&steps);
        let (shown, needed) = effects.positions_shown(&longer);
        // What tags show is shown in the steps that there were.
        let needed = if covered.is_empty() { needed } else { needed.max(steps.len()) };
        let covered = together(covered, shown);
        steps.extend_from_slice(&longer[steps.len()..]);
        steps.truncate(needed);
        (!covered.is_empty()).then_some(CoveringTest { steps, covered })
    }
}

/// A test that goes on with its last inputs.
fn prolonged(steps: &[Vec<Value>]) -> Vec<Vec<Value>> {
    let last = steps.last().into_iter();
    let held = last.flat_map(|row| std::iter::repeat_n(row.clone(), MORE_STEPS));
    steps.iter().cloned().chain(held).collect()
}

impl Effects {
    fn new(
        system: &System,
        obligations: &[Obligation],
        options: &StrategyOptions,
    ) -> Option<Effects> {
        let EvidenceRule::Effects { step, stuck } = options.evidence else { return None };
        let observable: Vec<bool> =
            obligations.iter().map(|obligation| obligation.tagged().is_some()).collect();
        let wanted = [(step, ExactChange::Step), (stuck, ExactChange::Stuck)];
        let measured = wanted.into_iter().filter(|(wanted, _)| *wanted).map(|(_, change)| {
            let StrategyOptions { masking, oracle, .. } = options;
            let mut measured = ExactMeasurement::new(system, obligations, change, *masking, oracle);
            let hosts = (0..observable.len()).filter(|position| !observable[*position]);
            hosts.for_each(|position| measured.leave_out(position));
            (change, measured)
        });
        let measured = measured.collect();
        observable.contains(&true).then_some(Effects { measured, observable })
    }

    fn is_shown(&self, position: usize) -> bool {
        self.measured.iter().any(|(_, measured)| measured.coverage().is_covered(position))
    }

    /// The obligations of which a test is the first to show an effect, and how many steps it needs
    /// for them.
    fn positions_shown(&mut self, steps: &[Vec<Value>]) -> (Vec<usize>, usize) {
        let (mut shown, mut needed) = (Vec::new(), 0);
        for (_, measured) in &mut self.measured {
            for effect in measured.run_test(steps).effects {
                shown.push(effect.obligation);
                needed = needed.max(effect.seen_at);
            }
        }
        shown.sort_unstable();
        shown.dedup();
        (shown, needed)
    }
}

/// What tags cover and what is shown. A test stays for tags alone, since they say that something was
/// exercised on a way to a monitored variable.
fn together(mut covered: Vec<usize>, shown: Vec<usize>) -> Vec<usize> {
    covered.extend(shown);
    covered.sort_unstable();
    covered.dedup();
    covered
}
