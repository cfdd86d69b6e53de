//! What a test covers, by tags or exactly.
//!
//! Tags guide the simulation in both cases, since they say where to look and cost little. With
//! exactness they decide nothing: what counts is what changes when the value is changed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use provoke_criteria::{ExactMeasurement, Measurement, Obligation, SuiteCoverage};
use provoke_model::{System, Value};

use crate::explore::{CoveringTest, ExplorationLimit, StateExplorer};
use crate::generate::StrategyOptions;

/// Says what tests cover.
pub(crate) struct Judge {
    tagged: Measurement,
    exact: Option<ExactMeasurement>,
    steps_found: Arc<AtomicU64>,
}

impl Judge {
    pub(crate) fn new(
        system: &System,
        obligations: &[Obligation],
        options: &StrategyOptions,
    ) -> Judge {
        let StrategyOptions { masking, oracle, .. } = options;
        let exact = options
            .exact
            .map(|exact| ExactMeasurement::new(system, obligations, exact, *masking, oracle));
        let tagged = Measurement::new(system, obligations, *masking, oracle);
        Judge { tagged, exact, steps_found: Arc::clone(&options.steps_found) }
    }

    /// What the tests so far achieved.
    pub(crate) fn coverage(&self) -> &SuiteCoverage {
        self.exact.as_ref().map_or(self.tagged.coverage(), ExactMeasurement::coverage)
    }

    /// The tests of a simulation that cover something.
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
        match self.exact {
            None => found,
            Some(_) => self.confirm(CoveringTest { steps: steps.to_vec(), covered: Vec::new() }),
        }
    }

    /// Whether a test covers something.
    pub(crate) fn covers(&mut self, steps: &[Vec<Value>]) -> bool {
        let covered = match &mut self.exact {
            None => self.tagged.run_test(steps).covered,
            Some(exact) => exact.run_test(steps).covered,
        };
        !covered.is_empty()
    }

    /// What a test covers beyond doubt.
    fn confirm(&mut self, mut found: CoveringTest) -> Option<CoveringTest> {
        if let Some(exact) = &mut self.exact {
            let run = exact.run_test(&found.steps);
            found.steps.truncate(run.steps);
            found.covered = run.covered;
        }
        (!found.covered.is_empty()).then_some(found)
    }
}
