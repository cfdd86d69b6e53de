//! Where completed tests meet a system: each test with each of its sequences comes to a verdict.

use std::sync::Mutex;

use provoke_uppaal::Network;

use crate::mutants::mutant::TimedMutant;
use crate::sequences::complete::{Completer, CompletionSettings};
use crate::tester::automaton::TestedNetwork;
use crate::tester::cone::restricted;
use crate::tester::interface::Interface;
use crate::timed_tests::timed_test::{TimedSuite, TimedTest};
use crate::verdict::rule::VerdictRule;
use crate::verdict::score::{Bench, ScoredOracle};
use crate::verdict::session::{OracleVerdict, RepeatedSession};
use crate::verdict::subject::{ConnectedSystem, SimulatedSystem, SystemUnderTest};

/// A system that is tested.
pub enum TestedSystem<'n> {
    /// From a network, which may be another one than the model's.
    Simulated(&'n Network),
    /// Behind a line.
    Connected(Box<ConnectedSystem<'n>>),
}

/// A test, by its position, with one of its sequences, if it has any.
pub type Variant = (usize, Option<usize>);

/// A completed suite, ready to be run on systems.
pub struct TestStand<'n> {
    suite: &'n TimedSuite,
    interface: Interface<'n>,
    completer: Completer<'n>,
    variants: Vec<Variant>,
}

impl<'n> TestStand<'n> {
    /// A stand for a suite that was completed for a network.
    pub fn new(network: &'n Network, suite: &'n TimedSuite) -> Result<TestStand<'n>, String> {
        let completer =
            Completer::new(network, &suite.observe, CompletionSettings::without_estimates())?;
        let tests = suite.tests.iter().enumerate();
        let variants = tests.flat_map(|(at, test)| sequences(test).map(move |uio| (at, uio)));
        let variants = variants.collect();
        Ok(TestStand { suite, interface: Interface::new(network), completer, variants })
    }

    /// What tests can do to the model's network, and see of it.
    pub fn interface(&self) -> &Interface<'n> {
        &self.interface
    }

    /// Each test with each of its sequences, in order.
    pub fn variants(&self) -> &[Variant] {
        &self.variants
    }

    /// Runs a test on a system until there is a verdict by a rule.
    pub fn judge(
        &self,
        (index, uio): Variant,
        system: &mut TestedSystem<'_>,
        rule: VerdictRule,
        seed: u64,
    ) -> Result<OracleVerdict, String> {
        let test = &self.suite.tests[index];
        let model = restricted(self.interface.network, &self.completer.cone(test)?);
        let with = uio.map(|uio| &test.uios[uio]);
        let observed = self.completer.observed_in(test)?;
        let mut session = RepeatedSession::new(&self.interface, &model, test, with, observed)?;
        let mut judged = |subject: &mut dyn SystemUnderTest| session.run(subject, rule, test, with);
        match system {
            TestedSystem::Connected(subject) => judged(subject.as_mut()),
            TestedSystem::Simulated(network) => {
                let acts = self.interface.acts(&test.steps_with(with))?;
                let whats: Vec<_> = acts.iter().map(|act| act.what).collect();
                let tested = TestedNetwork::new(network, &whats);
                let seed = seed ^ ((index as u64 + 1) << 20) ^ uio.unwrap_or(0) as u64;
                judged(&mut SimulatedSystem::new(&tested, seed))
            }
        }
    }

    /// A trial of mutants of the network, each simulated and judged by an oracle.
    pub fn trial(&self, oracle: ScoredOracle) -> MutantTrial<'_> {
        MutantTrial { stand: self, oracle, free: Mutex::default() }
    }
}

/// The sequences of a test, or none.
fn sequences(test: &TimedTest) -> impl Iterator<Item = Option<usize>> + use<> {
    let count = test.uios.len();
    (0..count.max(1)).map(move |at| (count > 0).then_some(at))
}

/// A suite that mutants are run on, by several threads if need be.
pub struct MutantTrial<'s> {
    stand: &'s TestStand<'s>,
    oracle: ScoredOracle,
    /// Whoever tries a mutant takes a bench that is free.
    free: Mutex<Vec<Bench<'s>>>,
}

impl MutantTrial<'_> {
    /// The first test that fails on a mutant, by its position.
    pub fn killer(&self, mutant: &TimedMutant, seed: u64) -> Result<Option<usize>, String> {
        let TestStand { suite, interface, completer, .. } = self.stand;
        let taken = self.free.lock().expect("no panic").pop();
        let mut bench = taken.map_or_else(|| Bench::new(completer, interface, suite), Ok)?;
        let seed = seed ^ (mutant.id as u64) << 32;
        let system = mutant.apply(interface.network);
        let tally = bench.run(&system, Some(mutant.process), self.oracle, seed, false);
        self.free.lock().expect("no panic").push(bench);
        Ok(tally?.failed)
    }
}
