//! Which faults of a network the rules find, with and without sequences (RQ1 to RQ3).

use std::sync::{Mutex, OnceLock};

use provoke_oracle::mutants::{Amount, TimedChange, TimedMutant, TimedOperator, mutants};
use provoke_oracle::mutants::{MutantStatus, known};
use provoke_oracle::probability::ChanceEffort;
use provoke_oracle::sequences::CompletionSettings;
use provoke_oracle::tester::ranges;
use provoke_oracle::timed_tests::{GenerationRequest, TimedMethod, generate};
use provoke_oracle::verdict::{Bench, ScoredOracle, Tally};
use provoke_oracle::{Completer, Interface, TimedSuite};
use provoke_uppaal::Network;
use serde::{Deserialize, Serialize};

/// A network with a completed suite.
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) network: Network,
    /// The suite with its probabilities.
    pub(crate) suite: TimedSuite,
    faults: OnceLock<Faults>,
    extent: Extent,
}

/// The faults of a network, and what is known of each.
pub(crate) struct Faults {
    pub(crate) mutants: Vec<TimedMutant>,
    pub(crate) known: Vec<MutantStatus>,
}

/// How much is done.
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    /// Random runs for each probability.
    pub(crate) runs: u64,
    /// Every how manyth mutant is taken.
    pub(crate) every: usize,
    /// By which part ranges are changed.
    pub(crate) by: f64,
    pub(crate) seed: u64,
}

/// A suite that is not complete yet: its tests have neither sequences nor probabilities.
pub(crate) fn generated(network: &Network, seed: u64) -> Result<TimedSuite, String> {
    let observe = Interface::new(network).usual_outputs();
    let wanted = GenerationRequest { method: TimedMethod::Edge, tests: 0, length: 12, seed };
    Ok(generate(network, &observe, wanted)?.suite)
}

/// Completes tests of a suite.
pub(crate) fn completer<'n>(
    network: &'n Network,
    suite: &TimedSuite,
    extent: Extent,
) -> Result<Completer<'n>, String> {
    let effort =
        ChanceEffort { runs: extent.runs, width: 1.0, alpha: 0.05, seed: extent.seed, jobs: 1 };
    Completer::new(network, &suite.observe, CompletionSettings { length: 10, effort })
}

impl Subject {
    /// A network with a suite that is complete.
    pub(crate) fn new(name: &str, network: Network, suite: TimedSuite, extent: Extent) -> Subject {
        Subject { name: name.to_string(), network, suite, faults: OnceLock::new(), extent }
    }

    /// Its faults.
    pub(crate) fn faults(&self) -> &Faults {
        self.faults.get_or_init(|| {
            let kinds = [
                TimedOperator::Restrict,
                TimedOperator::Widen,
                TimedOperator::Shift,
                TimedOperator::Target,
            ];
            let all = mutants(&self.network, &kinds, Amount::Part(self.extent.by));
            let mutants: Vec<TimedMutant> = all.into_iter().step_by(self.extent.every).collect();
            let interface = Interface::new(&self.network);
            let seen = self.suite.observe.iter().filter_map(|name| interface.cell(name).ok());
            let known = known(&self.network, &mutants, &seen.collect::<Vec<_>>());
            Faults { mutants, known }
        })
    }

    /// What is tried with an oracle: the network itself so often, and all faults that are some.
    pub(crate) fn trials(&self, oracle: ScoredOracle, seeds: u64) -> Vec<Trial> {
        let mut trials = match oracle {
            ScoredOracle::Simple => Vec::new(),
            ScoredOracle::Stochastic(..) => vec![Trial::Timing],
        };
        trials.extend((0..seeds).map(Trial::Valid));
        let known = self.faults().known.iter().enumerate();
        let others = known.filter(|(_, known)| !matches!(known, MutantStatus::Duplicate(_)));
        trials.extend(others.map(|(index, _)| Trial::Faulty(index)));
        trials
    }

    /// The faults of RQ1: for each error, qualification that ends earlier, and later, by these parts of
    /// its range; or after one poll less, and more.
    pub(crate) fn timing_faults(&self, earlier: f64, later: f64) -> Vec<[TimedMutant; 2]> {
        let mut found = Vec::new();
        for process in 0..self.network.processes.len() {
            let Some(range) = ranges(&self.network, process).into_iter().find(|r| r.width() > 0)
            else {
                continue;
            };
            let fault = |part: f64| {
                let high = (part * range.width() as f64).round() as i64;
                let change =
                    TimedChange::Range { edge: range.edge, clock: range.clock, low: 0, high };
                let operator =
                    if high < 0 { TimedOperator::Restrict } else { TimedOperator::Widen };
                TimedMutant { id: 0, operator, process, change, text: String::new() }
            };
            found.push([fault(-earlier), fault(later)]);
        }
        if found.is_empty() {
            let counts = mutants(&self.network, &[TimedOperator::Count], Amount::Units(1));
            let qualifies = |m: &&TimedMutant| m.text.contains("NotQualified -> DetectedQualified");
            let all: Vec<&TimedMutant> = counts.iter().filter(qualifies).collect();
            found = all
                .chunks(2)
                .filter(|c| c.len() == 2)
                .map(|c| [c[0].clone(), c[1].clone()])
                .collect();
        }
        found
    }
}

/// What is tried on a network.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Trial {
    /// The faults of timing.
    Timing,
    /// The network itself, with these random numbers.
    Valid(u64),
    /// One of its faults.
    Faulty(usize),
}

/// What came of it.
#[derive(Serialize, Deserialize)]
pub(crate) enum Tried {
    Timing(Timing),
    Suite(Tally),
}

/// What became of the faults of timing.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Timing {
    pub(crate) errors: usize,
    pub(crate) detected: usize,
    pub(crate) missed: usize,
    pub(crate) false_alarms: usize,
}

/// What tests of a network are run with.
pub(crate) struct Tools<'s> {
    subject: &'s Subject,
    completer: Completer<'s>,
    interface: Interface<'s>,
}

impl<'s> Tools<'s> {
    pub(crate) fn new(subject: &'s Subject) -> Result<Tools<'s>, String> {
        let settings = CompletionSettings::without_estimates();
        let completer = Completer::new(&subject.network, &subject.suite.observe, settings)?;
        Ok(Tools { subject, completer, interface: Interface::new(&subject.network) })
    }

    /// RQ1: for each error, the shortest test that a valid system passes in about half of all runs,
    /// on the valid system and on two faulty ones.
    fn timing(&self, oracle: ScoredOracle, earlier: f64, later: f64) -> Result<Timing, String> {
        let faults = self.subject.timing_faults(earlier, later);
        let (network, suite) = (&self.subject.network, &self.subject.suite);
        let mut found = Timing::default();
        for (index, pair) in faults.iter().enumerate() {
            let name = &network.processes[pair[0].process].name;
            let fair = |test: &&provoke_oracle::TimedTest| {
                let own = test.target.as_ref().is_some_and(|t| t.starts_with(&format!("{name}.")));
                own && test.probability.is_some_and(|p| (p.point() - 0.5).abs() < 0.1)
            };
            let Some(test) = suite.tests.iter().filter(fair).min_by_key(|test| test.steps.len())
            else {
                continue;
            };
            found.errors += 1;
            let alone = TimedSuite { tests: vec![test.clone()], ..suite.clone() };
            let mut bench = Bench::new(&self.completer, &self.interface, &alone)?;
            let seed = self.subject.extent.seed ^ ((index as u64 + 1) << 40);
            let valid = bench.run(network, None, oracle, seed, true)?;
            found.false_alarms += usize::from(valid.failures > 0);
            for (number, fault) in pair.iter().enumerate() {
                let system = fault.apply(network);
                let seed = seed ^ (number as u64 + 1) << 32;
                let tally = bench.run(&system, None, oracle, seed, true)?;
                match tally.failures {
                    0 => found.missed += 1,
                    _ => found.detected += 1,
                }
            }
        }
        Ok(found)
    }
}

/// The suites of a network, ready to be run; whoever runs one takes a bench that is free.
pub(crate) struct Benches<'t> {
    tools: &'t Tools<'t>,
    free: Mutex<Vec<Bench<'t>>>,
}

impl<'t> Benches<'t> {
    pub(crate) fn new(tools: &'t Tools<'t>) -> Benches<'t> {
        Benches { tools, free: Mutex::default() }
    }

    /// What comes of a trial; faults of timing are earlier and later by these parts.
    pub(crate) fn tried(
        &self,
        oracle: ScoredOracle,
        trial: Trial,
        (earlier, later): (f64, f64),
    ) -> Result<Tried, String> {
        let subject = self.tools.subject;
        Ok(match trial {
            Trial::Timing => Tried::Timing(self.tools.timing(oracle, earlier, later)?),
            Trial::Valid(seed) => {
                Tried::Suite(self.run(oracle, &subject.network, None, 1000 + seed)?)
            }
            Trial::Faulty(index) => {
                let mutant = &subject.faults().mutants[index];
                let seed = subject.extent.seed ^ ((mutant.id as u64) << 24);
                let system = mutant.apply(&subject.network);
                Tried::Suite(self.run(oracle, &system, Some(mutant.process), seed)?)
            }
        })
    }

    /// Runs the suite: all of it, or up to the first failure in a process that is at fault.
    fn run(
        &self,
        oracle: ScoredOracle,
        system: &Network,
        process: Option<usize>,
        seed: u64,
    ) -> Result<Tally, String> {
        let known = self.free.lock().expect("no panic").pop();
        let Tools { subject, completer, interface } = self.tools;
        let mut bench = match known {
            Some(bench) => bench,
            None => Bench::new(completer, interface, &subject.suite)?,
        };
        let tally = bench.run(system, process, oracle, seed, process.is_none());
        self.free.lock().expect("no panic").push(bench);
        tally
    }
}
