//! A stochastic test on a system under test: runs, outcomes, a verdict.

use std::collections::BTreeMap;
use std::ops::Range;

use provoke_stats::ConfidenceInterval;
use provoke_uppaal::Network;

use crate::sequences::complete::Completer;
use crate::sequences::follow::{Arena, ZoneFollower};
use crate::tester::interface::{Act, Interface, What};
use crate::timed_tests::timed_test::{TimedStep, TimedTest, Uio};
use crate::verdict::judge::{Hit, Judge, RepeatedEvidence, RuleDecision, RuleOutcome};
use crate::verdict::rule::VerdictRule;
use crate::verdict::subject::{SeenRun, SystemError, SystemUnderTest};

/// What came of a test.
#[derive(Clone, PartialEq, Debug)]
pub enum OracleVerdict {
    /// The outputs come as often as the model says.
    Pass(RuleDecision),
    /// They do not.
    Fail(RuleDecision),
    /// No run of the model shows these outputs.
    Illegal {
        /// How many runs there were.
        runs: u64,
        /// What was done and seen.
        seen: Vec<TimedStep>,
        /// The step, counted from 0, at which no run of the model fits any more.
        at: usize,
    },
    /// There is no verdict.
    Error {
        /// How many runs there were before.
        runs: u64,
        /// Why.
        trouble: SystemError,
    },
}

impl OracleVerdict {
    /// One word for it.
    pub fn word(&self) -> &'static str {
        match self {
            OracleVerdict::Pass(_) => "pass",
            OracleVerdict::Fail(_) => "fail",
            OracleVerdict::Illegal { .. } => "illegal",
            OracleVerdict::Error { .. } => "error",
        }
    }

    /// Whether it says that the system is faulty.
    pub fn failed(&self) -> bool {
        matches!(self, OracleVerdict::Fail(_) | OracleVerdict::Illegal { .. })
    }

    /// Runs that were needed.
    pub fn runs(&self) -> u64 {
        match self {
            OracleVerdict::Pass(decided) | OracleVerdict::Fail(decided) => decided.runs,
            OracleVerdict::Illegal { runs, .. } | OracleVerdict::Error { runs, .. } => *runs,
        }
    }
}

/// Runs one test with one sequence behind it.
pub struct RepeatedSession<'n> {
    interface: &'n Interface<'n>,
    acts: Vec<Act>,
    split: usize,
    observed: Vec<usize>,
    legal: Legality,
}

/// Which outputs runs of the model can show.
struct Legality {
    arena: Option<Arena>,
    /// Outputs that were looked at before, with where they stop to fit.
    known: BTreeMap<Vec<Vec<i64>>, Option<usize>>,
}

impl<'n> RepeatedSession<'n> {
    /// A session for a test, `uio` being one of its sequences. `network` is the part of the model
    /// that matters. Everything that this part writes and that can be seen is checked.
    pub fn new(
        interface: &'n Interface<'n>,
        network: &Network,
        test: &TimedTest,
        uio: Option<&Uio>,
        observed: Vec<usize>,
    ) -> Result<RepeatedSession<'n>, String> {
        let acts = interface.acts(&test.steps_with(uio))?;
        let sends: Vec<u32> = acts
            .iter()
            .filter_map(|act| match act.what {
                What::Send(channel) => Some(channel),
                _ => None,
            })
            .collect();
        // What zones cannot follow is not checked; what remains are frequencies.
        let follows = provoke_zones::obstacle::obstacle(network).is_none();
        let arena = follows.then(|| Arena::new(network, sends.into_iter()));
        let legal = Legality { arena, known: BTreeMap::new() };
        Ok(RepeatedSession { interface, acts, split: test.steps.len(), observed, legal })
    }

    /// What is done, in order.
    pub fn whats(&self) -> Vec<What> {
        self.acts.iter().map(|act| act.what).collect()
    }

    /// Runs until there is a verdict.
    pub fn run(
        &mut self,
        subject: &mut dyn SystemUnderTest,
        rule: VerdictRule,
        test: &TimedTest,
        uio: Option<&Uio>,
    ) -> Result<OracleVerdict, String> {
        let Some(expected) = &test.probability else {
            return Err(format!("test `{}` has no probability", test.name));
        };
        let joint = uio.and_then(|uio| uio.joint.as_ref());
        let mut judge = Judge::new(rule, expected, joint).map_err(|error| error.to_string())?;
        let whats = self.whats();
        let mut runs = 0;
        while judge.wants_more() {
            let seen = match subject.run(&whats, &self.observed) {
                Ok(seen) => seen,
                Err(trouble) => return Ok(OracleVerdict::Error { runs, trouble }),
            };
            runs += 1;
            let outcome = self.outcome(&seen);
            if outcome.joint != Hit::Met
                && let Some(at) = self.illegal(&seen)?
            {
                return Ok(OracleVerdict::Illegal { runs, seen: self.shown(&seen), at });
            }
            judge.push(outcome).map_err(|error| error.to_string())?;
        }
        let decided = judge.decide().map_err(|error| error.to_string())?;
        Ok(if decided.passed { OracleVerdict::Pass(decided) } else { OracleVerdict::Fail(decided) })
    }

    /// One run of the test alone: what differs from what is written is a failure.
    pub fn once(&self, subject: &mut dyn SystemUnderTest) -> OracleVerdict {
        match subject.run(&self.whats()[..self.split], &self.observed) {
            Err(trouble) => OracleVerdict::Error { runs: 0, trouble },
            Ok(seen) => {
                // One run is judged by what it was seen to do; what is unclear is no failure.
                let passed = self.outcome(&seen).test != Hit::Missed;
                let p = f64::from(u8::from(passed));
                let point = |low: f64| ConfidenceInterval { low, high: low };
                let test = RepeatedEvidence {
                    expected: point(1.0),
                    observed: point(p),
                    successes: u64::from(passed),
                    unclear: 0,
                    runs: 1,
                    suspected: false,
                    differs: !passed,
                };
                let (runs, unreliable, joint, dependent) = (1, false, None, None);
                let decided = RuleDecision { passed, runs, unreliable, test, joint, dependent };
                if passed { OracleVerdict::Pass(decided) } else { OracleVerdict::Fail(decided) }
            }
        }
    }

    fn outcome(&self, seen: &SeenRun) -> RuleOutcome {
        let cell = |step: usize, (cell, wanted): &(usize, i64)| {
            let place = self.observed.iter().position(|known| known == cell);
            place.map_or(Hit::Missed, |place| seen.compared(step, place, *wanted))
        };
        let fits = |step: usize| {
            let out = self.acts[step].out.iter();
            out.map(|wanted| cell(step, wanted)).fold(Hit::Met, Hit::and)
        };
        let whole = |steps: Range<usize>| match steps.end > seen.values.len() {
            true => Hit::Missed,
            false => steps.map(fits).fold(Hit::Met, Hit::and),
        };
        let test = whole(0..self.split);
        RuleOutcome { test, joint: test.and(whole(self.split..self.acts.len())) }
    }

    /// The first step at which no run of the model shows what was seen for sure.
    fn illegal(&mut self, seen: &SeenRun) -> Result<Option<usize>, String> {
        let Some(arena) = &self.legal.arena else { return Ok(None) };
        let clear = seen.unclear.is_empty();
        if let Some(known) = self.legal.known.get(&seen.values).filter(|_| clear) {
            return Ok(*known);
        }
        let mut follower = ZoneFollower::new(arena);
        let mut sets = follower.begin().map_err(|fault| fault.message)?;
        let mut wrong = None;
        for (step, values) in seen.values.iter().enumerate() {
            let all = self.observed.iter().copied().zip(values.iter().copied()).enumerate();
            let sure = all.filter(|(place, _)| seen.alternatives(step, *place).is_none());
            let out = sure.map(|(_, value)| value).collect();
            let act = Act { what: self.acts[step].what, out };
            sets = follower.act(&sets, &act).map_err(|fault| fault.message)?;
            if sets.is_empty() {
                wrong = Some(step);
                break;
            }
        }
        if clear {
            self.legal.known.insert(seen.values.clone(), wrong);
        }
        Ok(wrong)
    }

    fn shown(&self, seen: &SeenRun) -> Vec<TimedStep> {
        let step = |(act, values): (&Act, &Vec<i64>)| {
            let out = self.observed.iter().copied().zip(values.iter().copied()).collect();
            self.interface.step(&Act { what: act.what, out })
        };
        self.acts.iter().zip(&seen.values).map(step).collect()
    }
}

impl Completer<'_> {
    /// The variables that can be seen and that a test's part of the network writes.
    pub fn observed_in(&self, test: &TimedTest) -> Result<Vec<usize>, String> {
        let cone = self.cone(test)?;
        let written = self.written(&cone);
        let named = test.steps.iter().chain(test.uios.iter().flat_map(|uio| &uio.steps));
        let mut found: Vec<usize> = self.observed().to_vec();
        for (name, _) in named.flat_map(|step| &step.out) {
            found.push(self.interface().cell(name)?);
        }
        found.retain(|cell| written.contains(cell));
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }
}
