//! Which faults of a network the rules find, with and without sequences (RQ1 to RQ3).

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use provoke_oracle::alphabet::ranges;
use provoke_oracle::chance::Effort;
use provoke_oracle::complete::Settings;
use provoke_oracle::equivalence::{Known, known};
use provoke_oracle::generate::{Method, Wanted, generate};
use provoke_oracle::mutant::{Amount, Change, Mutant, Operator, mutants};
use provoke_oracle::score::{Bench, Oracle, Tally};
use provoke_oracle::{Completer, Interface, TimedSuite};
use provoke_timed::Network;

/// A network with a completed suite.
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) network: Network,
    /// The suite with probabilities as well as they are known.
    pub(crate) suite: TimedSuite,
    /// The same with intervals as wide as those of the literature.
    wide: TimedSuite,
    faults: OnceLock<Faults>,
    extent: Extent,
}

/// The faults of a network, and what is known of each.
pub(crate) struct Faults {
    pub(crate) mutants: Vec<Mutant>,
    pub(crate) known: Vec<Known>,
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
    pub(crate) jobs: usize,
}

/// Generates and completes a suite.
pub(crate) fn completed(network: &Network, extent: Extent) -> Result<TimedSuite, String> {
    let observe = Interface::new(network).usual_outputs();
    let wanted = Wanted { method: Method::Edge, tests: 0, length: 12, seed: extent.seed };
    let suite = generate(network, &observe, wanted)?.suite;
    let effort = Effort { runs: extent.runs, width: 1.0, alpha: 0.05, seed: extent.seed, jobs: 1 };
    let completer = Completer::new(network, &suite.observe, Settings { length: 10, effort })?;
    let complete = |index: usize| completer.complete(&suite.tests[index]);
    let tests = parallel(extent.jobs, suite.tests.len(), complete)?;
    Ok(TimedSuite { tests, ..suite })
}

impl Subject {
    /// A network with a suite that is complete.
    pub(crate) fn new(name: &str, network: Network, suite: TimedSuite, extent: Extent) -> Subject {
        let mut wide = suite.clone();
        wide.tests.iter_mut().for_each(widen);
        Subject { name: name.to_string(), network, suite, wide, faults: OnceLock::new(), extent }
    }

    /// Its faults.
    pub(crate) fn faults(&self) -> &Faults {
        self.faults.get_or_init(|| {
            let kinds = [Operator::Restrict, Operator::Widen, Operator::Shift, Operator::Target];
            let all = mutants(&self.network, &kinds, Amount::Part(self.extent.by));
            let mutants: Vec<Mutant> = all.into_iter().step_by(self.extent.every).collect();
            let interface = Interface::new(&self.network);
            let seen = self.suite.observe.iter().filter_map(|name| interface.cell(name).ok());
            let known = known(&self.network, &mutants, &seen.collect::<Vec<_>>());
            Faults { mutants, known }
        })
    }

    /// The suite that a rule compares with.
    fn suite_for(&self, half: f64) -> &TimedSuite {
        if half > 0.0 { &self.wide } else { &self.suite }
    }

    /// Runs the suite on the network itself, once for each seed.
    pub(crate) fn valid(
        &self,
        oracle: Oracle,
        half: f64,
        seeds: u64,
    ) -> Result<Vec<Tally>, String> {
        self.on_systems(half, seeds as usize, |bench, index| {
            let seed = 1000 + index as u64;
            bench.run(&self.network, None, oracle, seed, true)
        })
    }

    /// Runs the suite on each fault that is not known to be none.
    pub(crate) fn faulty(
        &self,
        oracle: Oracle,
        half: f64,
        seed: u64,
    ) -> Result<Vec<Option<Tally>>, String> {
        let faults = self.faults();
        self.on_systems(half, faults.mutants.len(), |bench, index| {
            let mutant = &faults.mutants[index];
            let system = mutant.apply(&self.network);
            let seed = seed ^ ((mutant.id as u64) << 24);
            match faults.known[index] {
                Known::Duplicate(_) => Ok(None),
                _ => bench.run(&system, Some(mutant.process), oracle, seed, false).map(Some),
            }
        })
    }

    fn on_systems<T: Send>(
        &self,
        half: f64,
        count: usize,
        one: impl Fn(&mut Bench<'_>, usize) -> Result<T, String> + Sync,
    ) -> Result<Vec<T>, String> {
        let next = AtomicUsize::new(0);
        let found: Mutex<Vec<Option<T>>> = Mutex::new((0..count).map(|_| None).collect());
        let work = || -> Result<(), String> {
            let settings = crate::commands::timed::run::settings();
            let suite = self.suite_for(half);
            let completer = Completer::new(&self.network, &suite.observe, settings)?;
            let interface = Interface::new(&self.network);
            let mut bench = Bench::new(&completer, &interface, suite)?;
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= count {
                    return Ok(());
                }
                let result = one(&mut bench, index)?;
                found.lock().expect("no panic")[index] = Some(result);
            }
        };
        std::thread::scope(|scope| {
            let spawned: Vec<_> = (0..self.extent.jobs).map(|_| scope.spawn(work)).collect();
            spawned.into_iter().try_for_each(|thread| thread.join().expect("no panic"))
        })?;
        Ok(found.into_inner().expect("no panic").into_iter().flatten().collect())
    }

    /// The faults of RQ1: for each error, qualification that ends earlier, and later, by these parts of
    /// its range; or after one poll less, and more.
    pub(crate) fn timing_faults(&self, earlier: f64, later: f64) -> Vec<[Mutant; 2]> {
        let mut found = Vec::new();
        for process in 0..self.network.processes.len() {
            let Some(range) = ranges(&self.network, process).into_iter().find(|r| r.width() > 0)
            else {
                continue;
            };
            let fault = |part: f64| {
                let high = (part * range.width() as f64).round() as i64;
                let change = Change::Range { edge: range.edge, clock: range.clock, low: 0, high };
                let operator = if high < 0 { Operator::Restrict } else { Operator::Widen };
                Mutant { id: 0, operator, process, change, text: String::new() }
            };
            found.push([fault(-earlier), fault(later)]);
        }
        if found.is_empty() {
            let counts = mutants(&self.network, &[Operator::Count], Amount::Units(1));
            let qualifies = |m: &&Mutant| m.text.contains("NotQualified -> DetectedQualified");
            let all: Vec<&Mutant> = counts.iter().filter(qualifies).collect();
            found = all
                .chunks(2)
                .filter(|c| c.len() == 2)
                .map(|c| [c[0].clone(), c[1].clone()])
                .collect();
        }
        found
    }
}

/// What became of the faults of timing.
#[derive(Default)]
pub(crate) struct Timing {
    pub(crate) errors: usize,
    pub(crate) detected: usize,
    pub(crate) missed: usize,
    pub(crate) false_alarms: usize,
}

impl Subject {
    /// RQ1: for each error, the shortest test that a valid system passes in about half of all runs,
    /// on the valid system and on two faulty ones.
    pub(crate) fn timing(
        &self,
        oracle: Oracle,
        half: f64,
        earlier: f64,
        later: f64,
        seed: u64,
    ) -> Result<Timing, String> {
        let faults = self.timing_faults(earlier, later);
        let (network, suite) = (&self.network, self.suite_for(half));
        let settings = crate::commands::timed::run::settings();
        let completer = Completer::new(network, &suite.observe, settings)?;
        let interface = Interface::new(network);
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
            let mut bench = Bench::new(&completer, &interface, &alone)?;
            let seed = seed ^ ((index as u64 + 1) << 40);
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

/// Intervals as wide as those of the literature, in place of what is known better.
fn widen(test: &mut provoke_oracle::TimedTest) {
    let joints = test.uios.iter_mut().filter_map(|uio| uio.joint.as_mut());
    for probability in test.probability.iter_mut().chain(joints) {
        *probability = super::power::expected(probability.point(), 0.05);
    }
}

/// Does numbered work on several threads; results are in order.
fn parallel<T: Send>(
    jobs: usize,
    count: usize,
    one: impl Fn(usize) -> Result<T, String> + Sync,
) -> Result<Vec<T>, String> {
    let next = AtomicUsize::new(0);
    let found: Mutex<Vec<Option<Result<T, String>>>> =
        Mutex::new((0..count).map(|_| None).collect());
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count {
                        return;
                    }
                    let result = one(index);
                    found.lock().expect("no panic")[index] = Some(result);
                }
            });
        }
    });
    found.into_inner().expect("no panic").into_iter().flatten().collect()
}
