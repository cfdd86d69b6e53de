//! Survivors: proven equivalent, killed by a new test, or unknown.

use std::collections::BTreeMap;

use provoke_base::Random;
use provoke_base::parallel::in_parallel;
use provoke_base::rounds::AnswerLedger;
use provoke_model::{System, Value, VarId};
use provoke_solve::certificate::{Certificate, ProvenLemmas};
use provoke_solve::engine::{Backend, Engine};
use provoke_solve::{Effort, Limit, Reading};

use crate::facts::learn_lemmas;
use crate::miter::Miter;
use crate::miter_search::{MiterSearch, MiterVerdict};
use crate::mutant::Mutant;
use crate::random_inputs::RandomInputs;
use crate::reference::{self, MutantRunEnd};
use crate::score::{KillMoment, MutantFate, ScoreOptions, TestInputs, score};

/// What is known of a mutant that survived.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SurvivorFinding {
    /// No run of any length shows a difference in what is monitored.
    Equivalent {
        /// The engine that proved it.
        engine: String,
        /// The length of its window.
        k: usize,
        /// What others need to check it, where that can be said.
        certificate: Option<Certificate>,
    },
    /// A new test kills it.
    Killed {
        /// The position among the new tests.
        test: usize,
        /// The step that shows it, counted from 1.
        step: usize,
    },
    /// A run makes it divide by zero, and no test was found that kills it otherwise: it is invalid.
    Faulted {
        /// The step, counted from 1.
        step: usize,
    },
    /// None of that was found.
    Unknown {
        /// Why, in a few words.
        reason: String,
        /// In this many first steps there is no difference.
        depth: usize,
    },
}

/// What is known of all survivors, and the tests that tell it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SurvivorFindings {
    /// In the order of the survivors.
    pub of: Vec<SurvivorFinding>,
    /// Tests that kill some of them, each confirmed by simulation.
    pub tests: Vec<TestInputs>,
}

impl SurvivorFindings {
    /// Whether a test may still kill it.
    fn is_open(&self, at: usize) -> bool {
        matches!(self.of[at], SurvivorFinding::Unknown { .. } | SurvivorFinding::Faulted { .. })
    }

    /// Notes a run that divides by zero, and the first of them only.
    fn note_fault(&mut self, at: usize, step: usize) {
        if let SurvivorFinding::Unknown { .. } = self.of[at] {
            self.of[at] = SurvivorFinding::Faulted { step };
        }
    }

    /// Notes an answer; the mutant again if it is still open.
    fn note(&mut self, at: usize, answer: MutantAnswer) -> Option<usize> {
        let found = match answer {
            MutantAnswer::Proof { engine, k, certificate } => {
                SurvivorFinding::Equivalent { engine, k, certificate }
            }
            MutantAnswer::Fault { step, kill_is_open } => {
                self.note_fault(at, step);
                return kill_is_open.then_some(at);
            }
            MutantAnswer::Test(test) => {
                let step = test.len();
                self.tests.push(test);
                SurvivorFinding::Killed { test: self.tests.len() - 1, step }
            }
            MutantAnswer::Nothing { reason, depth } => {
                if let SurvivorFinding::Unknown { .. } = self.of[at] {
                    self.of[at] = SurvivorFinding::Unknown { reason, depth };
                }
                return Some(at);
            }
        };
        self.of[at] = found;
        None
    }

    /// Notes what tests do to mutants, and keeps the tests that kill one, as far as they must go.
    fn keep_killers(
        &mut self,
        tests: &[TestInputs],
        fates: impl Iterator<Item = (usize, MutantFate)>,
    ) {
        let mut needed: BTreeMap<usize, (usize, Vec<usize>)> = BTreeMap::new();
        for (at, fate) in fates {
            match fate {
                MutantFate::Killed(KillMoment { test, step }) => {
                    let (steps, killed) = needed.entry(test).or_default();
                    *steps = step.max(*steps);
                    killed.push(at);
                    self.of[at] = SurvivorFinding::Killed { test, step };
                }
                MutantFate::Faulted(moment) => self.note_fault(at, moment.step),
                MutantFate::Survived => {}
            }
        }
        for (from, (steps, killed)) in needed {
            for at in killed {
                if let SurvivorFinding::Killed { test, .. } = &mut self.of[at] {
                    *test = self.tests.len();
                }
            }
            self.tests.push(tests[from][..steps].to_vec());
        }
    }
}

/// Looks for proofs and tests.
pub struct SurvivorSearch<'a> {
    /// The original.
    pub system: &'a System,
    /// What is compared.
    pub monitored: &'a [VarId],
    /// Runs of the original, from which lemmas are learnt.
    pub tests: &'a [TestInputs],
    /// Where solvers come from.
    pub backend: &'a Backend,
    /// Which engine decides.
    pub engine: Engine,
    /// What may be done to prove facts about the original.
    pub learning: Limit,
    /// Little for each mutant first, then more for those that are left.
    pub efforts: &'a [Effort],
    /// Where random numbers start.
    pub seed: u64,
    /// How many threads work.
    pub jobs: usize,
    /// What is known already, or asked for.
    pub ledger: &'a dyn AnswerLedger<Mutant, MutantAnswer>,
}

/// So many mutants are decided before their tests are run on the others. Not the number of
/// jobs, so that the result does not depend on it.
const WAVE: usize = 16;
/// How many times a few random tests are run first, and how long they are.
const FLIGHTS: usize = 24;
const FLIGHT_STEPS: usize = 64;

/// What solvers say of a mutant with an effort. It depends on the system, the mutant, the tests, the
/// effort and the seed, and on nothing else, so it can be kept and used again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MutantAnswer {
    /// It is equivalent.
    Proof {
        /// The engine that proved it.
        engine: String,
        /// The length of its window.
        k: usize,
        /// What others need to check it, where that can be said.
        certificate: Option<Certificate>,
    },
    /// A test kills it.
    Test(TestInputs),
    /// It divides by zero.
    Fault {
        /// The step, counted from 1.
        step: usize,
        /// Whether more effort may find a test that kills it without that.
        kill_is_open: bool,
    },
    /// None of that.
    Nothing {
        /// Why, in a few words.
        reason: String,
        /// In this many first steps there is no difference.
        depth: usize,
    },
}

impl SurvivorSearch<'_> {
    /// Decides each survivor. `progress` is told how many are left; `stop` ends it early.
    pub fn run(
        &self,
        survivors: &[&Mutant],
        stop: &(dyn Fn() -> bool + Sync),
        progress: &mut dyn FnMut(usize),
    ) -> SurvivorFindings {
        let unknown = SurvivorFinding::Unknown { reason: "not tried".to_string(), depth: 0 };
        let mut found = SurvivorFindings { of: vec![unknown; survivors.len()], tests: Vec::new() };
        if let Some(facts) = self
            .ledger
            .recall_lemmas()
            .and_then(|text| ProvenLemmas::read(text.lines(), self.system))
            && self.serve(&facts, stop)
        {
            return found;
        }
        self.simulate(survivors, &mut found, stop);
        let mut open: Vec<usize> = (0..survivors.len()).filter(|at| found.is_open(*at)).collect();
        if open.is_empty() || stop() {
            return found;
        }
        let tests = [self.tests, &found.tests].concat();
        let facts = learn_lemmas(self.system, &tests, self.backend, self.learning);
        if self.serve(&facts, stop) {
            return found;
        }
        // Whoever is stopped early knows less than others would.
        if !stop() {
            self.ledger.keep_lemmas(&|| facts.write(), facts.shared().map(AsRef::as_ref));
        }
        for round in 0..self.efforts.len() {
            let mut waiting = std::mem::take(&mut open);
            let mutants: Vec<&Mutant> = waiting.iter().map(|at| survivors[*at]).collect();
            self.ledger.prepare(&mutants, round);
            while !waiting.is_empty() && !stop() {
                let rest = waiting.split_off(waiting.len().min(WAVE));
                let answers = in_parallel(self.jobs, waiting.len(), |at| {
                    let mutant = survivors[waiting[at]];
                    let known = self.ledger.recall(mutant, round);
                    known.unwrap_or_else(|| self.ask(mutant, &facts, round, stop))
                });
                let known = found.tests.len();
                for (at, answer) in waiting.into_iter().zip(answers) {
                    open.extend(found.note(at, answer));
                }
                waiting = self.drop_killed(survivors, &mut found, known, &mut open, rest);
                progress(open.len() + waiting.len());
            }
            open.extend(waiting);
            open.sort_unstable();
        }
        found
    }

    /// Whether this run was only there for what others ask for, which is done then.
    fn serve(&self, facts: &ProvenLemmas, stop: &(dyn Fn() -> bool + Sync)) -> bool {
        self.ledger.serve(&|mutant, round| self.ask(mutant, facts, round, stop))
    }

    /// Runs random tests, and keeps those that kill something.
    fn simulate(
        &self,
        survivors: &[&Mutant],
        found: &mut SurvivorFindings,
        stop: &(dyn Fn() -> bool + Sync),
    ) {
        let drawer = RandomInputs::new(self.system);
        let mut random = Random::for_part(self.seed, "survivors");
        let mut open: Vec<usize> = (0..survivors.len()).collect();
        for _ in 0..FLIGHTS {
            if open.is_empty() || stop() {
                return;
            }
            let mut test = |hold: usize| {
                let start = match hold % 2 {
                    0 => &[][..],
                    _ => start(self.tests, &mut random),
                };
                drawer.test(&mut random, start, FLIGHT_STEPS, hold)
            };
            let tests: Vec<TestInputs> = (0..8).map(&mut test).collect();
            let mutants: Vec<&Mutant> = open.iter().map(|at| survivors[*at]).collect();
            let options =
                ScoreOptions { monitored: self.monitored, matrix: false, jobs: self.jobs };
            let scores = score(self.system, &mutants, &tests, &options, &|_| {});
            let fates = open.iter().copied().zip(scores.iter().map(|score| score.fate));
            found.keep_killers(&tests, fates);
            open.retain(|at| found.is_open(*at));
        }
    }

    /// Runs the tests behind the first `known` on the mutants that are left: one test may kill
    /// many.
    fn drop_killed(
        &self,
        survivors: &[&Mutant],
        found: &mut SurvivorFindings,
        known: usize,
        open: &mut Vec<usize>,
        waiting: Vec<usize>,
    ) -> Vec<usize> {
        let left: Vec<usize> = open.iter().chain(&waiting).copied().collect();
        let mutants: Vec<&Mutant> = left.iter().map(|at| survivors[*at]).collect();
        let options = ScoreOptions { monitored: self.monitored, matrix: false, jobs: self.jobs };
        let new = &found.tests[known..];
        if new.is_empty() {
            return waiting;
        }
        let scores = score(self.system, &mutants, new, &options, &|_| {});
        for (at, score) in left.into_iter().zip(scores) {
            match score.fate {
                MutantFate::Killed(KillMoment { test, step }) => {
                    found.of[at] = SurvivorFinding::Killed { test: known + test, step };
                }
                MutantFate::Faulted(moment) => found.note_fault(at, moment.step),
                MutantFate::Survived => {}
            }
        }
        open.retain(|at| found.is_open(*at));
        waiting.into_iter().filter(|at| found.is_open(*at)).collect()
    }

    fn ask(
        &self,
        mutant: &Mutant,
        facts: &ProvenLemmas,
        round: usize,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> MutantAnswer {
        if stop() {
            return MutantAnswer::Nothing { reason: "stopped".to_string(), depth: 0 };
        }
        let (effort, learns) = (self.efforts[round], round + 1 == self.efforts.len());
        let miter = Miter::new(self.system, mutant, self.monitored);
        let SurvivorSearch { system, tests, backend, engine, seed, .. } = *self;
        let search = MiterSearch { system, tests, backend, engine, seed };
        let decided = |reading| search.decide(&mutant.id, &miter, facts, (effort, reading), learns);
        let answer = match decided(Reading::Possible) {
            MiterVerdict::Alike { engine, k, certificate, .. } => {
                return MutantAnswer::Proof { engine, k, certificate };
            }
            MiterVerdict::Unknown { reason, depth, .. } => {
                return MutantAnswer::Nothing { reason, depth };
            }
            MiterVerdict::Differ(test) => self.confirm(mutant, test),
        };
        let MutantAnswer::Fault { step, .. } = answer else { return answer };
        // Another run may tell them apart in a step in which both have values.
        match decided(Reading::Known) {
            MiterVerdict::Differ(test) => match self.confirm(mutant, test) {
                MutantAnswer::Test(test) => MutantAnswer::Test(test),
                _ => MutantAnswer::Fault { step, kill_is_open: true },
            },
            MiterVerdict::Alike { .. } => MutantAnswer::Fault { step, kill_is_open: false },
            MiterVerdict::Unknown { .. } => MutantAnswer::Fault { step, kill_is_open: true },
        }
    }

    /// A test is believed after it was run.
    fn confirm(&self, mutant: &Mutant, mut test: TestInputs) -> MutantAnswer {
        let mutated = mutant.apply(self.system);
        match reference::run(self.system, &mutated, &test, self.monitored) {
            MutantRunEnd::Killed(step) => {
                test.truncate(step);
                MutantAnswer::Test(test)
            }
            MutantRunEnd::Faulted(step) => MutantAnswer::Fault { step, kill_is_open: true },
            MutantRunEnd::Alike => {
                let reason = "a difference rests on an undefined value".to_string();
                MutantAnswer::Nothing { reason, depth: 0 }
            }
        }
    }
}

/// The beginning of one of the tests, from which something new may come.
fn start<'t>(tests: &'t [TestInputs], random: &mut Random) -> &'t [Vec<Value>] {
    let Some(last) = tests.len().checked_sub(1) else { return &[] };
    let test = &tests[random.below(last + 1)];
    &test[..random.below(test.len() + 1)]
}
