//! What `mutate` does: mutants run on a suite, and what is found out about the survivors.

mod handed;
mod records;

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use provoke_base::{Control, Event, Progress, SourceFile};
use provoke_criteria::Oracle;
use provoke_model::{Step, Suite, System, TestCase, Value, VarId};
use provoke_mutate::{
    Effort, Fate, Finding, Findings, Memory, Miss, Moment, Mutant, NoMemory, Options, Score,
    Search, Test, misses_until, mutants, sample, score, score_until,
};
use provoke_solve::Certificate;
use provoke_solve::certificate::{Sheet, Stated};
use provoke_solve::engine::Backend;
use provoke_store::{Identity, KeyBuilder, Store};
use serde_json::json;

use crate::args::{MutateArgs, WorkArgs, threads};
use crate::files;
use crate::job;
use crate::limits::Limits;
use crate::outcome::Failure;
use crate::output::Output;
use crate::rows::Rows;
use crate::stoppable::stoppable;
use crate::subject;
use crate::workers;
use handed::{Handed, Serving};
use provoke_work::{Served, WorkerLoop};

/// A model and its mutants.
pub(crate) struct Mutated {
    pub(crate) file: SourceFile,
    pub(crate) system: System,
    /// How many mutants there are without a sample.
    pub(crate) all: usize,
    pub(crate) mutants: Vec<Mutant>,
}

impl Mutated {
    /// Reads the model, and chooses the mutants that are wanted.
    pub(crate) fn load(args: &MutateArgs, output: &Output) -> Result<Mutated, Failure> {
        job::refuse_what_yices_lacks(&args.work)?;
        let main = args.model.main.as_deref();
        let (file, system) =
            files::model_assuming(&args.model.model, main, &args.work.assume, output)?;
        let mut found = mutants(&system, Some(&file), args.replacements as usize);
        if !args.operators.is_empty() {
            found.retain(|mutant| args.operators.contains(&mutant.operator));
        }
        let all = found.len();
        let size = args.sample.map_or(all, |size| size as usize);
        Ok(Mutated { file, system, all, mutants: sample(found, size, args.work.seed) })
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
pub(crate) enum Status {
    /// It is no program to be tested; whether that was seen when it ran.
    Invalid { reason: String, at_run_time: bool },
    /// By a test, at a step; by all these, if that was asked for.
    Killed { test: String, step: usize, by: Vec<String> },
    /// Proven so, by an engine with a window.
    Equivalent { engine: String, k: usize, certificate: Option<Certificate> },
    /// How near the suite came, and what is known beyond that.
    Survived { miss: Miss, note: String },
}

/// Mutants, a suite, and what one does to the other.
pub(crate) struct Campaign<'a> {
    pub(crate) mutated: Mutated,
    pub(crate) args: &'a MutateArgs,
    pub(crate) suite: Suite,
    tests: Vec<Test>,
    oracle: Oracle,
    monitored: Vec<VarId>,
    /// How many tests were added.
    pub(crate) added: usize,
    pub(crate) interrupted: bool,
    /// Whether not all mutants met all tests.
    pub(crate) cut_short: bool,
    start: Instant,
}

impl<'a> Campaign<'a> {
    pub(crate) fn load(args: &'a MutateArgs, output: &Output) -> Result<Campaign<'a>, Failure> {
        let start = Instant::now();
        let mutated = Mutated::load(args, output)?;
        let system = &mutated.system;
        let oracle = subject::oracle(system, &args.oracle)?;
        let monitored = oracle.monitored(system);
        if monitored.is_empty() {
            let hint = "`--oracle maximum` monitors every variable";
            return Err(Failure::input("nothing is monitored that a fault could change", hint));
        }
        let path = args.suite.as_deref().ok_or_else(|| without_suite(&args.model.model))?;
        let suite = subject::suite_for(path, system, args.fill, args.work.seed, output)?;
        let tests = suite.tests.iter().map(subject::inputs).collect();
        warn_of_assumptions(system, &suite, output);
        Ok(Campaign {
            mutated,
            args,
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
    pub(crate) fn run(&mut self, control: &Control) -> Result<Vec<Status>, Failure> {
        let limits = Limits::new(control, self.start, self.args.work.budget);
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
                let scores = handed.scores(&self.mutated.some(&valid))?;
                scores.ok_or_else(ended_early)?
            }
        };
        let survived = survived(&valid, &scores);
        let survivors = self.mutated.some(&survived);
        let cut_short = cut_short.into_inner();
        let options = self.options();
        let near = misses_until(&self.mutated.system, &survivors, &self.tests, &options, &stop);
        let found = match self.args.equivalence || self.args.kill {
            true => {
                let memory = handed.as_ref().map_or(&NoMemory as &dyn Memory, |handed| handed);
                Some(self.search(&survivors, memory, &stop, control)?)
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
        if let (Some((found, _)), true) = (&found, self.args.kill) {
            self.add_tests(&found.tests)?;
        }
        let mut statuses: Vec<Status> = self.mutated.mutants.iter().map(no_program).collect();
        for (at, score) in valid.into_iter().zip(&scores) {
            statuses[at] = self.status(score).unwrap_or_else(|| statuses[at].clone());
        }
        for (nth, &at) in survived.iter().enumerate() {
            let finding = found.as_ref().map(|(found, _)| &found.of[nth]);
            statuses[at] = match (cut_short, finding) {
                (true, None | Some(Finding::Unknown { .. })) => {
                    let note = "unknown: stopped before all tests were run".to_string();
                    Status::Survived { miss: near[nth], note }
                }
                _ => self.decided(near[nth], finding, first_new),
            };
        }
        Ok(statuses)
    }

    fn options(&self) -> Options<'_> {
        let jobs = threads(self.args.work.jobs);
        Options { monitored: &self.monitored, matrix: self.args.matrix, jobs }
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
        let options = self.options();
        let scores =
            score_until(&self.mutated.system, &mutants, &self.tests, &options, &progress, stop);
        control.tell(Event::ProgressEnded);
        scores
    }

    /// Proofs and tests for the survivors, and whether the user ended the search.
    fn search(
        &self,
        survivors: &[&Mutant],
        memory: &dyn Memory,
        stop: &(dyn Fn() -> bool + Sync),
        control: &Control,
    ) -> Result<(Findings, bool), Failure> {
        let work = &self.args.work;
        let backend = job::backend(work)?;
        let efforts = efforts(work);
        let search = self.search_with(&backend, &efforts, memory);
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
        memory: &'s dyn Memory,
    ) -> Search<'s> {
        let work = &self.args.work;
        Search {
            system: &self.mutated.system,
            monitored: &self.monitored,
            tests: &self.tests,
            backend,
            engine: work.prover,
            learning: job::learning(work),
            efforts,
            seed: work.seed,
            jobs: threads(work.jobs),
            memory,
        }
    }

    /// Those who work in place of this process, if the user wants that.
    fn handed<'s>(&'s self, control: &Control) -> Result<Option<Handed<'s>>, Failure> {
        let work = &self.args.work;
        let Some(place) = work.executor() else { return Ok(None) };
        job::refuse_budget(work)?;
        let folder = work.store.as_deref().or(self.args.output.as_deref());
        let Some(folder) = folder else { return job::without_store(work).map(|()| None) };
        let scheduler = workers::scheduler(place, folder, threads(work.jobs), control)?;
        let store = Store::open(folder, &self.identity()).map_err(|error| {
            let message = format!("{}: {error}", folder.display());
            Failure::input(message, "choose another folder with --store, or remove this one")
        })?;
        for damage in store.damage() {
            control.warn(format!("{damage}; what is lost is done again"));
        }
        Ok(Some(Handed::new(Rows(&self.mutated.system), efforts(work), store, scheduler)))
    }

    /// What must be equal for the work of others to be used.
    fn identity(&self) -> Identity {
        let Mutated { file, system, mutants, .. } = &self.mutated;
        let work = &self.args.work;
        let ids: Vec<&str> = mutants.iter().map(|mutant| mutant.id.as_str()).collect();
        let monitored: Vec<&str> =
            self.monitored.iter().map(|var| system.vars[*var].name.as_str()).collect();
        let tests: Vec<_> = self.suite.tests.iter().map(|test| format!("{test:?}")).collect();
        let subject = KeyBuilder::new("provoke/mutate/1")
            .part("text", file.text.as_bytes())
            .part("main", system.name.as_bytes())
            .json("mutants", &json!(ids))
            .json("monitored", &json!(monitored))
            .json("tests", &json!(tests))
            .finish();
        Identity::new(json!({
            "command": "mutate", "version": env!("CARGO_PKG_VERSION"),
            "subject": subject.to_string(), "matrix": self.args.matrix,
            "engine": work.prover.word(), "solver": work.solver.word(), "seed": work.seed,
            "effort": work.effort.unwrap_or(10),
        }))
    }

    /// Does a worker's part.
    pub(crate) fn serve(&self, worker: &mut WorkerLoop) -> Result<Served, Failure> {
        let valid = self.mutated.valid();
        let mutants = self.mutated.some(&valid);
        let scored = handed::serve_scores(worker, &self.identity(), &mutants, |block| {
            score(&self.mutated.system, block, &self.tests, &self.options(), &|_| {})
        })?;
        if scored != Served::All || !worker.begins_with("mutant") {
            return Ok(scored);
        }
        let scores = handed::scores_in(worker.store(), &mutants)?;
        let (stop, efforts) = (worker.stop(), efforts(&self.args.work));
        let survivors = self.mutated.some(&survived(&valid, &scores));
        let memory = Serving {
            rows: Rows(&self.mutated.system),
            efforts: efforts.clone(),
            identity: self.identity(),
            survivors,
            worker: Mutex::new(worker),
            done: Mutex::new(None),
        };
        let backend = job::backend(&self.args.work)?;
        let search = self.search_with(&backend, &efforts, &memory);
        stoppable(Some(&backend), &stop, || search.run(&memory.survivors, &stop, &mut |_| {}));
        memory.done.into_inner().expect("no thread panicked").unwrap_or(Ok(Served::All))
    }

    fn add_tests(&mut self, tests: &[Test]) -> Result<(), Failure> {
        for (number, test) in tests.iter().enumerate() {
            let step = |inputs: &Vec<Value>| Step {
                inputs: inputs.clone(),
                outputs: vec![Value::Unknown; self.suite.outputs.len()],
            };
            let steps = test.iter().map(step).collect();
            let name = format!("kill-{}", number + 1);
            self.suite.tests.push(TestCase { name, covers: Vec::new(), steps });
        }
        self.added = tests.len();
        subject::expect(&mut self.suite, &self.mutated.system, &self.oracle)
    }

    fn test_name(&self, test: usize) -> String {
        self.suite.tests.get(test).map(|test| test.name.clone()).unwrap_or_default()
    }

    /// What became of a mutant, unless it survived.
    fn status(&self, score: &Score) -> Option<Status> {
        Some(match score.fate {
            Fate::Killed(Moment { test, step }) => {
                let by = score.kills.iter().map(|kill| self.test_name(kill.test)).collect();
                Status::Killed { test: self.test_name(test), step, by }
            }
            Fate::Faulted(Moment { test, step }) => {
                let test = self.test_name(test);
                let reason = format!("no value in test {test}, step {step}");
                Status::Invalid { reason, at_run_time: true }
            }
            Fate::Survived => return None,
        })
    }

    /// What is known of a survivor; new tests come behind `first_new` others.
    fn decided(&self, miss: Miss, finding: Option<&Finding>, first_new: usize) -> Status {
        let note = match finding {
            None => String::new(),
            Some(Finding::Equivalent { engine, k, certificate }) => {
                let (engine, certificate) = (engine.clone(), certificate.clone());
                return Status::Equivalent { engine, k: *k, certificate };
            }
            Some(Finding::Killed { test, step }) if self.args.kill => {
                let (test, step) = (self.test_name(first_new + test), *step);
                return Status::Killed { by: vec![test.clone()], test, step };
            }
            Some(Finding::Killed { step, .. }) => {
                format!("a test of {step} steps would kill it; --kill adds it")
            }
            Some(Finding::Faulted { step }) => {
                let reason = format!("divides by zero in a run of {step} steps");
                return Status::Invalid { reason, at_run_time: true };
            }
            Some(Finding::Unknown { reason, .. }) => format!("unknown: {reason}"),
        };
        Status::Survived { miss, note }
    }

    /// The text of the model, without the assumptions that stand behind it.
    pub(crate) fn model_text(&self) -> &str {
        job::before_assumptions(&self.mutated.file.text, &self.args.work.assume)
    }

    /// The proofs that others can check, in the order of the mutants.
    pub(crate) fn certificates(&self, statuses: &[Status]) -> Sheet {
        let mut sheet = Sheet::new(&self.mutated.system);
        for (mutant, status) in self.mutated.mutants.iter().zip(statuses) {
            if let Status::Equivalent { engine, k, certificate: Some(certificate) } = status {
                let (claim, mutant) = (format!("equivalent {}", mutant.id), Some(&mutant.id[..]));
                sheet.state(&Stated { claim: &claim, mutant, engine, k: *k, certificate });
            }
        }
        sheet
    }

    /// The names of what is monitored.
    pub(crate) fn monitored_names(&self) -> Vec<String> {
        let vars = &self.mutated.system.vars;
        self.monitored.iter().map(|var| vars[*var].name.clone()).collect()
    }

    /// The name of the test that came nearest.
    pub(crate) fn nearest(&self, miss: &Miss) -> Option<(String, usize)> {
        miss.at.map(|Moment { test, step }| (self.test_name(test), step))
    }
}

/// The positions of those that no test kills.
fn survived(valid: &[usize], scores: &[Score]) -> Vec<usize> {
    let alive = valid.iter().zip(scores).filter(|(_, score)| score.fate == Fate::Survived);
    alive.map(|(at, _)| *at).collect()
}

/// Without all scores there is nothing to tell.
fn ended_early() -> Failure {
    Failure::input("interrupted before all mutants were run", "the same command goes on from there")
}

/// What to do first.
fn without_suite(model: &Path) -> Failure {
    let model = model.display();
    Failure::Usage {
        message: "no SUITE is given to run the mutants on".to_string(),
        hint: format!(
            "make one with `provoke generate {model} -c omcdc -o out`, then type `provoke mutate \
             {model} out/suite.json`; `provoke mutate {model} --list` only shows the mutants"
        ),
    }
}

/// What may be done for one survivor, round by round.
pub(crate) fn efforts(work: &WorkArgs) -> Vec<Effort> {
    let effort = |effort: &provoke_testgen::Effort| {
        let provoke_testgen::Effort { depth, k, limit } = *effort;
        Effort { depth, k, limit }
    };
    job::rounds(work).iter().map(effort).collect()
}

/// Mutants are judged by runs, which never leave the assumptions.
fn warn_of_assumptions(system: &System, suite: &Suite, output: &Output) {
    let outside = |test: &TestCase| {
        let step = subject::first_outside(system, &subject::inputs(test))?;
        Some((test.name.clone(), step))
    };
    let left: Vec<_> = suite.tests.iter().filter_map(outside).collect();
    if let Some((test, step)) = left.first() {
        let count = left.len();
        output.warning(&format!(
            "{count} of the tests leave the assumptions, `{test}` in step {step}: what they do from \
             there on kills nothing"
        ));
    }
}

fn no_program(mutant: &Mutant) -> Status {
    let reason = mutant.invalid.map_or("", |invalid| invalid.words()).to_string();
    Status::Invalid { reason, at_run_time: false }
}
