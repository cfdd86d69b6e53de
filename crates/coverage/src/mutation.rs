//! Mutants run on a suite, and what is found out about the survivors.

mod records;
mod remote;
mod result;
mod stryker;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use provoke_base::rounds::{AnswerLedger, NoLedger};
use provoke_base::{Control, Error, ErrorCode, Event, Progress, SourceFile};
use provoke_criteria::Oracle;
use provoke_files::Model;
use provoke_model::{Step, Suite, System, TestCase, Value, VarId};
use provoke_mutate::{
    KillMoment, Mutant, MutantAnswer, MutantFate, NearMiss, Score, ScoreOptions, SurvivorFinding,
    SurvivorFindings, SurvivorSearch, TestInputs, all_mutants, misses_until, sample, score,
    score_until,
};
use provoke_solve::certificate::{CertifiedVerdict, Sheet};
use provoke_solve::engine::Backend;
use provoke_solve::{Certificate, Effort};
use provoke_store::{KeyBuilder, RunIdentity};
use provoke_work::{RoundLedger, RoundWorker, Scheduler, Served, WorkerLoop};
use serde_json::json;

use crate::assumptions::require_runs;
use crate::expectations::complete_expectations;
use crate::generation::{self, rounds};
use crate::input_json::Rows;
use crate::limits::Limits;
use crate::numbers::{label, numbers_result};
use crate::options::MutateOptions;
use crate::request::{CoverageRequest, model_text};
use crate::stoppable::stoppable;
use crate::tests::{self, suite_text};
use records::Answers;

pub(crate) use result::result as mutation_result;
pub use result::{MutateOutcome, list_mutants, mutate};
pub use stryker::stryker;

/// Does a worker's part of [`mutate`].
pub(crate) fn serve_mutate(
    model: Model,
    suite: Suite,
    options: &MutateOptions,
    worker: &mut WorkerLoop,
) -> Result<Served, Error> {
    let control = worker.control().clone();
    MutationAnalysis::new(model, suite, options, &control)?.serve(worker)
}

/// What is known of mutants elsewhere.
type MutantLedger<'a> = dyn AnswerLedger<Mutant, MutantAnswer> + 'a;

/// A model and its mutants.
pub struct ModelMutants {
    /// The text of the model, with the assumptions behind it.
    pub file: SourceFile,
    /// What the model does.
    pub system: System,
    /// How many mutants there are without a sample.
    pub all: usize,
    /// Those that are wanted.
    pub mutants: Vec<Mutant>,
}

impl ModelMutants {
    /// The mutants of a model that are wanted.
    pub fn new(model: Model, options: &MutateOptions) -> Result<ModelMutants, Error> {
        generation::refuse_what_yices_lacks(&options.work)?;
        model.refuse_choices("mutation")?;
        let Model { file, system } = options.work.numbers.of(model)?;
        let mut found = all_mutants(&system, Some(&file), options.replacements);
        found.retain(|mutant| match options.operators.is_empty() {
            true => mutant.operator.scores(),
            false => options.operators.contains(&mutant.operator),
        });
        let all = found.len();
        let size = options.sample.unwrap_or(all);
        Ok(ModelMutants { file, system, all, mutants: sample(found, size, options.work.seed) })
    }

    /// Those that can be run, by position.
    fn valid(&self) -> Vec<usize> {
        (0..self.mutants.len()).filter(|at| self.mutants[*at].invalid.is_none()).collect()
    }

    fn some(&self, positions: &[usize]) -> Vec<&Mutant> {
        positions.iter().map(|at| &self.mutants[*at]).collect()
    }
}

/// What became of a mutant.
#[derive(Clone, Debug)]
pub enum MutantVerdict {
    /// It is no program to be tested.
    Invalid {
        /// Why.
        reason: String,
        /// Whether that was seen when it ran.
        at_run_time: bool,
    },
    /// A test gives something else than with the original.
    Killed {
        /// The first such test.
        test: String,
        /// The first such step of it, counted from 1.
        step: usize,
        /// All such tests, if that was asked for.
        by: Vec<String>,
    },
    /// No test can tell it from the original.
    Equivalent {
        /// The engine that proved it.
        engine: String,
        /// How many steps its proof looks at.
        k: usize,
        /// What others can check the proof by.
        certificate: Option<Certificate>,
    },
    /// No test kills it.
    Survived {
        /// How near the suite came.
        miss: NearMiss,
        /// What is known beyond that.
        note: String,
    },
}

/// Mutants, a suite, and what one does to the other.
pub struct MutationAnalysis<'a> {
    /// The model and its mutants.
    pub mutated: ModelMutants,
    options: &'a MutateOptions,
    /// The tests, with those that were added.
    pub suite: Suite,
    tests: Vec<TestInputs>,
    oracle: Oracle,
    monitored: Vec<VarId>,
    /// How many tests were added.
    pub added: usize,
    /// Whether somebody ended it before all was decided.
    pub interrupted: bool,
    /// Whether not all mutants met all tests.
    pub cut_short: bool,
    start: Instant,
}

impl<'a> MutationAnalysis<'a> {
    /// The mutants of a model, and a suite over all its inputs.
    pub fn new(
        model: Model,
        mut suite: Suite,
        options: &'a MutateOptions,
        control: &Control,
    ) -> Result<MutationAnalysis<'a>, Error> {
        let start = Instant::now();
        let mutated = ModelMutants::new(model, options)?;
        let system = &mutated.system;
        label(&mut suite, system)?;
        let oracle = tests::oracle(system, &options.oracle)?;
        let monitored = oracle.monitored(system);
        if monitored.is_empty() {
            let message = "nothing is monitored that a fault could change";
            return Err(Error::new(ErrorCode::NothingMonitored, message));
        }
        let tests = suite.tests.iter().map(tests::inputs).collect();
        warn_of_assumptions(system, &suite, control);
        Ok(MutationAnalysis {
            mutated,
            options,
            suite,
            tests,
            oracle,
            monitored,
            added: 0,
            interrupted: false,
            cut_short: false,
            start,
        })
    }

    /// Runs all mutants and, if that is wanted, decides the survivors.
    pub fn run(&mut self, control: &Control) -> Result<Vec<MutantVerdict>, Error> {
        let limits = Limits::new(control, self.start, self.options.work.budget);
        let stop = || limits.are_reached();
        let cut_short = AtomicBool::new(false);
        let stop_running = || {
            let stops = stop();
            cut_short.fetch_or(stops, Ordering::Relaxed);
            stops
        };
        let valid = self.mutated.valid();
        let handed = self.handed(control)?;
        let scores = match &handed {
            None => self.scores(&valid, &stop_running, control),
            Some(handed) => {
                let scores = remote::scores(handed, &self.mutated.some(&valid))?;
                scores.ok_or_else(ended_early)?
            }
        };
        let survived = not_killed(&valid, &scores);
        let survivors = self.mutated.some(&survived);
        let cut_short = cut_short.into_inner();
        let options = self.scoring();
        let near = misses_until(&self.mutated.system, &survivors, &self.tests, &options, &stop);
        let found = match self.options.equivalence || self.options.kill {
            true => {
                let nothing: &MutantLedger<'_> = &NoLedger;
                let ledger = handed.as_ref().map_or(nothing, |handed| handed);
                Some(self.search(&survivors, ledger, &stop, control)?)
            }
            false => None,
        };
        if let Some(handed) = handed {
            handed.failure()?;
        }
        let first_new = self.tests.len();
        let searched = found.as_ref().is_some_and(|(_, interrupted)| *interrupted);
        self.interrupted = searched || (cut_short && control.is_cancelled());
        self.cut_short = cut_short;
        limits.warn();
        if let (Some((found, _)), true) = (&found, self.options.kill) {
            self.add_tests(&found.tests)?;
        }
        let mut statuses: Vec<MutantVerdict> =
            self.mutated.mutants.iter().map(no_program).collect();
        let mut faulted = vec![false; statuses.len()];
        for (at, score) in valid.into_iter().zip(&scores) {
            statuses[at] = self.status(score).unwrap_or_else(|| statuses[at].clone());
            faulted[at] = matches!(score.fate, MutantFate::Faulted(_));
        }
        for (nth, &at) in survived.iter().enumerate() {
            let finding = found.as_ref().map(|(found, _)| &found.of[nth]);
            // It stays invalid, unless a test is found that kills it.
            if faulted[at] && !matches!(finding, Some(SurvivorFinding::Killed { .. })) {
                continue;
            }
            statuses[at] = match (cut_short, finding) {
                (true, None | Some(SurvivorFinding::Unknown { .. })) => {
                    let note = "unknown: stopped before all tests were run".to_string();
                    MutantVerdict::Survived { miss: near[nth], note }
                }
                _ => self.decided(near[nth], finding, first_new),
            };
        }
        Ok(statuses)
    }

    fn scoring(&self) -> ScoreOptions<'_> {
        let jobs = self.options.work.threads();
        ScoreOptions { monitored: &self.monitored, matrix: self.options.matrix, jobs }
    }

    fn scores(
        &self,
        valid: &[usize],
        stop: &(dyn Fn() -> bool + Sync),
        control: &Control,
    ) -> Vec<Score> {
        let (done, total) = (AtomicUsize::new(0), valid.len());
        let progress = |more: usize| {
            let done = done.fetch_add(more, Ordering::Relaxed) + more;
            let name = "running mutants".to_string();
            control.tell(Event::Progress(Progress::Tasks { name, done, total, workers: None }));
        };
        let mutants = self.mutated.some(valid);
        let options = self.scoring();
        let scores =
            score_until(&self.mutated.system, &mutants, &self.tests, &options, &progress, stop);
        control.tell(Event::ProgressEnded);
        scores
    }

    /// Proofs and tests for the survivors, and whether the user ended the search.
    fn search(
        &self,
        survivors: &[&Mutant],
        ledger: &MutantLedger<'_>,
        stop: &(dyn Fn() -> bool + Sync),
        control: &Control,
    ) -> Result<(SurvivorFindings, bool), Error> {
        let work = &self.options.work;
        let backend = generation::backend(work)?;
        require_runs(&self.mutated.file, &self.mutated.system, work, &backend)?;
        let efforts = rounds(work);
        let search = self.search_with(&backend, &efforts, ledger);
        let total = survivors.len();
        let progress = &mut |open: usize| {
            let (name, done) = ("survivors".to_string(), total.saturating_sub(open));
            control.tell(Event::Progress(Progress::Tasks { name, done, total, workers: None }));
        };
        let found = stoppable(Some(&backend), stop, || search.run(survivors, stop, progress));
        control.tell(Event::ProgressEnded);
        if control.is_cancelled() {
            control.warn("interrupted; what is not decided yet is left unknown");
        }
        Ok((found, control.is_cancelled()))
    }

    fn search_with<'s>(
        &'s self,
        backend: &'s Backend,
        efforts: &'s [Effort],
        ledger: &'s MutantLedger<'s>,
    ) -> SurvivorSearch<'s> {
        let work = &self.options.work;
        SurvivorSearch {
            system: &self.mutated.system,
            monitored: &self.monitored,
            tests: &self.tests,
            backend,
            engine: work.prover,
            learning: generation::learning(work),
            efforts,
            seed: work.seed,
            jobs: work.threads(),
            ledger,
        }
    }

    /// Those who work in place of this process, if the user wants that.
    fn handed<'s>(&'s self, control: &Control) -> Result<Option<RoundLedger<Answers<'s>>>, Error> {
        let work = &self.options.work;
        let Some(workers) = &work.workers else { return Ok(None) };
        generation::refuse_budget(work)?;
        let folder = work.store.as_deref().or(self.options.folder.as_deref());
        let Some(folder) = folder else { return generation::without_store(work).map(|()| None) };
        let ModelMutants { file, system, .. } = &self.mutated;
        let request = CoverageRequest::Mutate {
            model: model_text(file, system, work),
            suite: suite_text(&self.suite)?,
            options: self.options.clone(),
        };
        let scheduler = Scheduler::new(workers, &request, folder, control)?;
        let ledger = RoundLedger::open(folder, self.answers(), &self.identity()?, None, control)?;
        Ok(Some(ledger.handed_to(scheduler)))
    }

    fn answers(&self) -> Answers<'_> {
        Answers { rows: Rows(&self.mutated.system), efforts: rounds(&self.options.work) }
    }

    /// What must be equal for the work of others to be used.
    fn identity(&self) -> Result<RunIdentity, Error> {
        let ModelMutants { file, system, mutants, .. } = &self.mutated;
        let work = &self.options.work;
        let ids: Vec<&str> = mutants.iter().map(|mutant| mutant.id.as_str()).collect();
        let monitored: Vec<&str> =
            self.monitored.iter().map(|var| system.vars[*var].name.as_str()).collect();
        let subject = KeyBuilder::new("provoke/mutate/3")
            .part("text", file.text.as_bytes())
            .part("main", system.name.as_bytes())
            .json("mutants", &json!(ids))
            .json("monitored", &json!(monitored))
            .part("tests", suite_text(&self.suite)?)
            .finish();
        let mut run = json!({
            "command": "mutate", "version": env!("CARGO_PKG_VERSION"),
            "subject": subject.to_string(), "matrix": self.options.matrix,
            "engine": work.prover.word(), "solver": work.solver.word(), "seed": work.seed,
            "effort": work.effort.unwrap_or(10),
        });
        if let Some(numbers) = numbers_result(system.numbers) {
            run["numbers"] = json!(numbers);
        }
        Ok(RunIdentity::new(run))
    }

    /// Does a worker's part.
    fn serve(&self, worker: &mut WorkerLoop) -> Result<Served, Error> {
        let valid = self.mutated.valid();
        let mutants = self.mutated.some(&valid);
        let scored = remote::serve_scores(worker, &self.identity()?, &mutants, |block| {
            score(&self.mutated.system, block, &self.tests, &self.scoring(), &|_| {})
        })?;
        if scored != Served::All || !worker.begins_with("mutant") {
            return Ok(scored);
        }
        let scores = remote::scores_in(worker.store(), &mutants)?;
        let (stop, efforts) = (worker.stop(), rounds(&self.options.work));
        let survivors = self.mutated.some(&not_killed(&valid, &scores));
        let asked = RoundWorker::new(self.answers(), survivors.clone(), self.identity()?, worker);
        let backend = generation::backend(&self.options.work)?;
        let search = self.search_with(&backend, &efforts, &asked);
        stoppable(Some(&backend), &stop, || search.run(&survivors, &stop, &mut |_| {}));
        asked.done()
    }

    fn add_tests(&mut self, tests: &[TestInputs]) -> Result<(), Error> {
        let given = self.suite.clone();
        for (number, test) in tests.iter().enumerate() {
            let step = |inputs: &Vec<Value>| Step {
                inputs: inputs.clone(),
                outputs: vec![Value::Unknown; self.suite.outputs.len()],
            };
            let steps = test.iter().map(step).collect();
            let name = format!("kill-{}", number + 1);
            self.suite.tests.push(TestCase { name, steps, ..TestCase::default() });
        }
        self.added = tests.len();
        complete_expectations(&mut self.suite, &given, &self.mutated.system, &self.oracle)
    }

    fn test_name(&self, test: usize) -> String {
        self.suite.tests.get(test).map(|test| test.name.clone()).unwrap_or_default()
    }

    /// What became of a mutant, unless it survived.
    fn status(&self, score: &Score) -> Option<MutantVerdict> {
        Some(match score.fate {
            MutantFate::Killed(KillMoment { test, step }) => {
                let by = score.kills.iter().map(|kill| self.test_name(kill.test)).collect();
                MutantVerdict::Killed { test: self.test_name(test), step, by }
            }
            MutantFate::Faulted(KillMoment { test, step }) => {
                let test = self.test_name(test);
                let reason = format!("no value in test {test}, step {step}");
                MutantVerdict::Invalid { reason, at_run_time: true }
            }
            MutantFate::Survived => return None,
        })
    }

    /// What is known of a survivor; new tests come behind `first_new` others.
    fn decided(
        &self,
        miss: NearMiss,
        finding: Option<&SurvivorFinding>,
        first_new: usize,
    ) -> MutantVerdict {
        let note = match finding {
            None => String::new(),
            Some(SurvivorFinding::Equivalent { engine, k, certificate }) => {
                let (engine, certificate) = (engine.clone(), certificate.clone());
                return MutantVerdict::Equivalent { engine, k: *k, certificate };
            }
            Some(SurvivorFinding::Killed { test, step }) if self.options.kill => {
                let (test, step) = (self.test_name(first_new + test), *step);
                return MutantVerdict::Killed { by: vec![test.clone()], test, step };
            }
            Some(SurvivorFinding::Killed { step, .. }) => {
                format!("a test of {step} steps would kill it")
            }
            Some(SurvivorFinding::Faulted { step }) => {
                let plural = if *step == 1 { "" } else { "s" };
                let reason = format!(
                    "divides by zero in a run of {step} step{plural}; no other test was found"
                );
                return MutantVerdict::Invalid { reason, at_run_time: true };
            }
            Some(SurvivorFinding::Unknown { reason, .. }) => format!("unknown: {reason}"),
        };
        MutantVerdict::Survived { miss, note }
    }

    /// The text of the model, without the assumptions that stand behind it.
    pub fn model_text(&self) -> &str {
        generation::before_assumptions(&self.mutated.file.text, &self.options.work.assume)
    }

    /// The proofs that others can check, in the order of the mutants.
    pub fn certificates(&self, statuses: &[MutantVerdict]) -> Sheet {
        let mut sheet = Sheet::new(&self.mutated.system);
        self.state(statuses, &mut sheet);
        sheet
    }

    /// Adds these proofs to others.
    pub(crate) fn state(&self, statuses: &[MutantVerdict], sheet: &mut Sheet) {
        for (mutant, status) in self.mutated.mutants.iter().zip(statuses) {
            if let MutantVerdict::Equivalent { engine, k, certificate: Some(certificate) } = status
            {
                let (claim, mutant) = (format!("equivalent {}", mutant.id), Some(&mutant.id[..]));
                sheet.state(&CertifiedVerdict {
                    claim: &claim,
                    mutant,
                    engine,
                    k: *k,
                    certificate,
                });
            }
        }
    }

    /// The names of what is monitored.
    pub fn monitored_names(&self) -> Vec<String> {
        let vars = &self.mutated.system.vars;
        self.monitored.iter().map(|var| vars[*var].name.clone()).collect()
    }

    /// The name of the test that came nearest.
    pub fn nearest(&self, miss: &NearMiss) -> Option<(String, usize)> {
        miss.at.map(|KillMoment { test, step }| (self.test_name(test), step))
    }
}

/// The positions of those that no test kills, with those that have no values in some test.
fn not_killed(valid: &[usize], scores: &[Score]) -> Vec<usize> {
    let is_killed = |score: &Score| matches!(score.fate, MutantFate::Killed(_));
    let alive = valid.iter().zip(scores).filter(|(_, score)| !is_killed(score));
    alive.map(|(at, _)| *at).collect()
}

/// Without all scores there is nothing to tell.
fn ended_early() -> Error {
    Error::input("interrupted before all mutants were run", "the same command goes on from there")
}

/// Mutants are judged by runs, which never leave the assumptions.
fn warn_of_assumptions(system: &System, suite: &Suite, control: &Control) {
    let outside = |test: &TestCase| {
        let step = tests::first_outside(system, &tests::inputs(test))?;
        Some((test.name.clone(), step))
    };
    let left: Vec<_> = suite.tests.iter().filter_map(outside).collect();
    if let Some((test, step)) = left.first() {
        let count = left.len();
        control.warn(format!(
            "{count} of the tests leave the assumptions, `{test}` in step {step}: what they do from \
             there on kills nothing"
        ));
    }
}

fn no_program(mutant: &Mutant) -> MutantVerdict {
    let reason = mutant.invalid.map_or("", |invalid| invalid.words()).to_string();
    MutantVerdict::Invalid { reason, at_run_time: false }
}
