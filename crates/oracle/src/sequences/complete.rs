//! From tests to stochastic tests: sequences behind them, and probabilities.

use std::collections::BTreeSet;

use provoke_stochastic::estimate::obstacle as not_simulated;
use provoke_uppaal::Network;
use provoke_zones::obstacle;

use crate::probability::chance::{ChanceEffort, count, probabilities};
use crate::sequences::follow::{Arena, ZoneFollower};
use crate::sequences::uio::{UioGoal, UioSearch};
use crate::tester::alphabet::alphabet;
use crate::tester::cone::{Influence, restricted};
use crate::tester::interface::{Act, Interface, What};
use crate::timed_tests::timed_test::{TimedTest, Uio};

/// How tests are completed.
#[derive(Clone, Copy, Debug)]
pub struct CompletionSettings {
    /// The longest sequence that is searched for.
    pub length: usize,
    /// How probabilities are found.
    pub effort: ChanceEffort,
}

impl CompletionSettings {
    /// What is needed to know which part of the network matters; nothing is estimated.
    pub fn without_estimates() -> CompletionSettings {
        let effort = ChanceEffort { runs: 1, width: 1.0, alpha: 0.05, seed: 0, jobs: 1 };
        CompletionSettings { length: 1, effort }
    }
}

/// Completes tests of one network.
pub struct Completer<'n> {
    interface: Interface<'n>,
    influence: Influence,
    observed: Vec<usize>,
    settings: CompletionSettings,
}

/// Runs by which sequences of the same length are compared.
const WEIGHING: u64 = 400;

impl<'n> Completer<'n> {
    /// Completes tests that see these variables.
    pub fn new(
        network: &'n Network,
        observe: &[String],
        settings: CompletionSettings,
    ) -> Result<Completer<'n>, String> {
        if let Some(reason) = not_simulated(network) {
            return Err(reason.text);
        }
        let interface = Interface::new(network);
        let observed = interface.cells(observe)?;
        Ok(Completer { interface, influence: Influence::new(network), observed, settings })
    }

    /// The names of the network.
    pub fn interface(&self) -> &Interface<'n> {
        &self.interface
    }

    /// The variables that can be seen.
    pub fn observed(&self) -> &[usize] {
        &self.observed
    }

    /// The variables that processes write.
    pub fn written(&self, processes: &BTreeSet<usize>) -> BTreeSet<usize> {
        self.influence.written(processes)
    }

    /// The part of the network that a test depends on.
    pub fn cone(&self, test: &TimedTest) -> Result<BTreeSet<usize>, String> {
        let mut cells: Vec<usize> = Vec::new();
        for (name, _) in test.steps_with(None).iter().flat_map(|step| &step.out) {
            cells.push(self.interface.cell(name)?);
        }
        for (name, _) in test.uios.iter().flat_map(|uio| &uio.steps).flat_map(|step| &step.out) {
            cells.push(self.interface.cell(name)?);
        }
        let target = test.target.as_ref().map(|name| self.interface.location(name)).transpose()?;
        let processes: Vec<usize> = target.into_iter().map(|(process, _)| process).collect();
        Ok(self.influence.cone(&cells, &processes))
    }

    /// The same test with sequences and probabilities.
    pub fn complete(&self, test: &TimedTest) -> Result<TimedTest, String> {
        let wrong = |what: String| format!("test `{}`: {what}", test.name);
        let cone = self.cone(test).map_err(wrong)?;
        let network = restricted(self.interface.network, &cone);
        let mut done = test.clone();
        done.remark = None;
        if done.uios.is_empty() {
            self.search(&network, &cone, &mut done).map_err(wrong)?;
        }
        self.weigh(&network, &mut done).map_err(wrong)?;
        Ok(done)
    }

    fn weigh(&self, network: &Network, test: &mut TimedTest) -> Result<(), String> {
        let first = self.interface.acts(&test.steps)?;
        let effort = self.settings.effort;
        let mut alone = None;
        for index in 0..test.uios.len() {
            let acts = self.interface.acts(&test.steps_with(Some(&test.uios[index])))?;
            let (test_only, joint) = probabilities(network, &acts, first.len(), effort)
                .map_err(|fault| fault.message)?;
            alone.get_or_insert(test_only);
            test.uios[index].joint = Some(joint);
        }
        if alone.is_none() {
            let found = probabilities(network, &first, first.len(), effort);
            alone = Some(found.map_err(|fault| fault.message)?.0);
        }
        test.probability = alone;
        Ok(())
    }

    /// Finds what tells the end of a test from other locations.
    fn search(
        &self,
        network: &Network,
        cone: &BTreeSet<usize>,
        test: &mut TimedTest,
    ) -> Result<(), String> {
        let Some(target) = &test.target else {
            test.remark = Some("no desired final location, so no sequence".to_string());
            return Ok(());
        };
        if let Some((_, what)) = obstacle::obstacle(network) {
            test.remark = Some(format!("no sequence: zones cannot follow {what}"));
            return Ok(());
        }
        let (process, location) = self.interface.location(target)?;
        let acts = self.interface.acts(&test.steps)?;
        let reaches = |channel: u32| self.influence.matters(channel, cone);
        let alphabet = alphabet(&self.interface, cone, reaches);
        let written = self.influence.written(cone);
        let seen: BTreeSet<usize> =
            self.observed.iter().copied().filter(|cell| written.contains(cell)).collect();
        let observed: Vec<usize> = seen.into_iter().collect();
        let channels = |acts: &[What]| -> Vec<u32> {
            acts.iter()
                .filter_map(|what| match what {
                    What::Send(channel) => Some(*channel),
                    _ => None,
                })
                .collect()
        };
        let whats: Vec<What> = acts.iter().map(|act| act.what).chain(alphabet.clone()).collect();
        let arena = Arena::new(network, channels(&whats).into_iter());
        let mut follower = ZoneFollower::new(&arena);
        let context = follower.acts(&acts).map_err(|fault| fault.message)?;
        let here =
            |set: &crate::sequences::follow::Set| follower.location(set, process) == location;
        if !context.iter().any(here) {
            let why = if context.is_empty() {
                "no run of the model shows these outputs".to_string()
            } else {
                format!("no run that shows these outputs ends in {target}")
            };
            test.remark = Some(why);
            return Ok(());
        }
        let effort = self.settings.effort;
        let mut weigh = |behind: &[Act]| {
            let all: Vec<Act> = acts.iter().chain(behind).cloned().collect();
            let counted = count(network, &all, acts.len(), 0..WEIGHING, effort)?;
            Ok(counted.all as f64 / counted.first.max(1) as f64)
        };
        let locations = network.processes[process].locations.len();
        let length = self.settings.length;
        let wanted = UioGoal {
            process,
            location,
            locations,
            alphabet: &alphabet,
            observed: &observed,
            length,
        };
        let sequences = UioSearch::new(&mut follower, wanted, &mut weigh)
            .run(&context)
            .map_err(|fault| fault.message)?;
        let name = |location: &usize| self.interface.location_name(process, *location);
        for found in &sequences.found {
            test.uios.push(Uio {
                kind: found.kind,
                steps: found.acts.iter().map(|act| self.interface.step(act)).collect(),
                excludes: found.excludes.iter().map(name).collect(),
                joint: None,
            });
        }
        if !sequences.left.is_empty() {
            let left: Vec<String> = sequences.left.iter().map(name).collect();
            test.remark = Some(format!(
                "no sequence of up to {length} steps tells {target} from {}",
                left.join(", ")
            ));
        }
        Ok(())
    }
}
