//! Which faults a suite finds: tests on systems simulated from mutants.

use std::collections::BTreeSet;

use provoke_uppaal::Network;
use serde::{Deserialize, Serialize};

use crate::sequences::complete::Completer;
use crate::tester::automaton::TestedNetwork;
use crate::tester::cone::restricted;
use crate::tester::interface::Interface;
use crate::timed_tests::timed_test::{Probability, TimedSuite, TimedTest, Uio};
use crate::verdict::rule::VerdictRule;
use crate::verdict::session::{OracleVerdict, RepeatedSession};
use crate::verdict::subject::SimulatedSystem;

/// How a test is judged.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ScoredOracle {
    /// One run of a test whose outputs are certain, without a sequence behind it.
    Simple,
    /// Repeated runs with sequences.
    Stochastic(VerdictRule),
}

/// What came of the tests on one system.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// The first test that failed.
    pub failed: Option<usize>,
    /// How many verdicts were failures.
    pub failures: usize,
    /// How many verdicts there were.
    pub verdicts: usize,
    /// How many of them were flagged as not reliable.
    pub unreliable: usize,
    /// Verdicts that could not be given, such as when time stops.
    pub errors: usize,
    /// Runs in all.
    pub runs: u64,
}

/// One test with one of its sequences, ready to be run on any system.
struct Case<'n> {
    test: usize,
    uio: Option<usize>,
    cone: BTreeSet<usize>,
    session: RepeatedSession<'n>,
}

/// A suite, ready to be run on systems simulated from networks.
pub struct Bench<'n> {
    suite: &'n TimedSuite,
    cases: Vec<Case<'n>>,
}

/// Whether an output comes in every run.
pub fn is_certain(probability: &Probability) -> bool {
    match probability.exact {
        Some(p) => p == 1.0,
        None => probability.successes == probability.runs,
    }
}

impl<'n> Bench<'n> {
    /// A bench for a completed suite.
    pub fn new(
        completer: &'n Completer<'n>,
        interface: &'n Interface<'n>,
        suite: &'n TimedSuite,
    ) -> Result<Bench<'n>, String> {
        let mut cases = Vec::new();
        for (index, test) in suite.tests.iter().enumerate() {
            let cone = completer.cone(test)?;
            let network = restricted(interface.network, &cone);
            let observed = completer.observed_in(test)?;
            let variants = if test.uios.is_empty() {
                vec![None]
            } else {
                (0..test.uios.len()).map(Some).collect()
            };
            for uio in variants {
                let with = uio.map(|uio| &test.uios[uio]);
                let session =
                    RepeatedSession::new(interface, &network, test, with, observed.clone())?;
                cases.push(Case { test: index, uio, cone: cone.clone(), session });
            }
        }
        Ok(Bench { suite, cases })
    }

    /// Whether a test has to do with a process.
    pub fn concerns(&self, process: usize) -> bool {
        self.cases.iter().any(|case| case.cone.contains(&process))
    }

    /// Runs the tests that have to do with a process (all, if none is given) on a system. With
    /// `all`, those behind the first failure, too.
    pub fn run(
        &mut self,
        system: &Network,
        process: Option<usize>,
        oracle: ScoredOracle,
        seed: u64,
        all: bool,
    ) -> Result<Tally, String> {
        let mut tally = Tally::default();
        for (index, case) in self.cases.iter_mut().enumerate() {
            if process.is_some_and(|process| !case.cone.contains(&process)) {
                continue;
            }
            let test = &self.suite.tests[case.test];
            let seed = seed ^ (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let Some(verdict) = case.run(test, system, oracle, seed)? else { continue };
            tally.verdicts += 1;
            tally.runs += verdict.runs();
            match &verdict {
                OracleVerdict::Pass(decided) | OracleVerdict::Fail(decided) => {
                    tally.unreliable += usize::from(decided.unreliable);
                }
                OracleVerdict::Error { .. } => tally.errors += 1,
                OracleVerdict::Illegal { .. } => {}
            }
            // A system in which time stops does not do what it should.
            if verdict.failed() || matches!(verdict, OracleVerdict::Error { .. }) {
                tally.failures += 1;
                tally.failed.get_or_insert(case.test);
                if !all {
                    break;
                }
            }
        }
        Ok(tally)
    }
}

impl Case<'_> {
    fn run(
        &mut self,
        test: &TimedTest,
        system: &Network,
        oracle: ScoredOracle,
        seed: u64,
    ) -> Result<Option<OracleVerdict>, String> {
        let system = restricted(system, &self.cone);
        match oracle {
            ScoredOracle::Simple => {
                // Each test once, however many sequences it has.
                let first = self.uio.is_none_or(|uio| uio == 0);
                if !first || !test.probability.as_ref().is_some_and(is_certain) {
                    return Ok(None);
                }
                let whats = self.session.whats();
                let tested = TestedNetwork::new(&system, &whats[..test.steps.len()]);
                Ok(Some(self.session.once(&mut SimulatedSystem::new(&tested, seed))))
            }
            ScoredOracle::Stochastic(rule) => {
                let uio: Option<&Uio> = self.uio.map(|uio| &test.uios[uio]);
                let tested = TestedNetwork::new(&system, &self.session.whats());
                let mut subject = SimulatedSystem::new(&tested, seed);
                self.session.run(&mut subject, rule, test, uio).map(Some)
            }
        }
    }
}
