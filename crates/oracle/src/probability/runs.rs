//! Random runs of a network under test.

use provoke_stochastic::RandomSimulator;
use provoke_stochastic::event::{RunEnd, run};
use provoke_uppaal::machine::Computed;
use provoke_uppaal::network::{RunBound, RunMeasure};

use crate::tester::automaton::TestedNetwork;

/// Does runs of one test on one network.
pub struct Runner<'t> {
    tested: &'t TestedNetwork,
    simulator: RandomSimulator<'t>,
    tester: usize,
    bound: RunBound,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TestRunEnd {
    /// All steps were done, or nobody wanted to see more.
    Through,
    /// Time could not go on.
    Stuck,
}

impl<'t> Runner<'t> {
    /// A runner of a test.
    pub fn new(tested: &'t TestedNetwork) -> Runner<'t> {
        Runner {
            tested,
            simulator: RandomSimulator::new(&tested.network),
            tester: tested.network.processes.len() - 1,
            bound: RunBound { measure: RunMeasure::Time, limit: tested.time, runs: None },
        }
    }

    /// Does one run. `look` sees locations and variables behind every step, counted from 0, and says
    /// whether to go on.
    pub fn run(
        &mut self,
        seed: (u64, u64),
        mut look: impl FnMut(usize, &[u32], &[i64]) -> bool,
    ) -> Computed<TestRunEnd> {
        let (tester, tested) = (self.tester, self.tested);
        let all = tested.done[tested.done.len() - 1];
        let mut seen = 0;
        let end = run(&mut self.simulator, &self.bound, seed, |simulator, _| {
            let machine = &simulator.machine;
            let done = tested.done[machine.locations[tester] as usize];
            while seen < done {
                seen += 1;
                if !look(seen - 1, &machine.locations, &machine.cells) {
                    return Ok(true);
                }
            }
            Ok(seen == all)
        })?;
        Ok(if end == RunEnd::Hit { TestRunEnd::Through } else { TestRunEnd::Stuck })
    }
}
