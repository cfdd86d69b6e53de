//! Runs that nobody has looked at yet, to be judged by what wrong values change in them.

use provoke_model::Value;
use provoke_sim::LANES;

use super::{BATCHES, BURST, LONGEST, MAX_VALUES, RunBatch, StateExplorer};

/// Of so many runs one is given.
const FLOWN: usize = 8;

impl StateExplorer<'_> {
    /// A round of batches as exploring has them, without a look at what they cover. Of the runs
    /// that are not too long every eighth is given, from the first step.
    pub fn fly(&mut self, jobs: usize, stop: &(dyn Fn() -> bool + Sync)) -> Vec<Vec<Vec<Value>>> {
        let batches: Vec<RunBatch> = (0..BATCHES).map(|_| self.plan()).collect();
        let mut flown = Vec::new();
        for result in self.simulate(batches, &[], jobs, stop) {
            self.steps += result.steps.max((LANES * BURST) as u64) * self.weight;
            for (lane, run) in result.runs.into_iter().enumerate() {
                if lane % FLOWN == 0 && !run.inputs.is_empty() {
                    let mut steps = self.prefix(run.place);
                    steps.extend_from_slice(&run.inputs);
                    flown.extend((steps.len() <= LONGEST).then_some(steps));
                }
                if self.values < MAX_VALUES {
                    self.keep(run.state, run.place, &run.inputs);
                }
            }
        }
        flown
    }
}
