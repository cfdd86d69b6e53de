//! `provoke generate`: every obligation gets a test, a proof, or an honest unknown.

use std::io::IsTerminal;
use std::path::Path;
use std::time::{Duration, Instant};

use provoke_base::SourceFile;
use provoke_criteria::{Masking, Obligation, Oracle};
use provoke_model::{Step, Suite, System, TestCase};
use provoke_results::{Generate, SourceResult, TotalsResult, VerdictResult, to_json};
use provoke_solve::engine::Backend;
use provoke_solve::z3::Library;
use provoke_solve::{Limit, Missing};
use provoke_store::{KeyBuilder, Shard};
use provoke_suite::Format;
use provoke_testgen::{
    Effort, Generation, Memory, Method, NoMemory, Options, Outcome as Found, Progress, Source,
    generate,
};

use crate::args::{Fill, GenerateArgs, WorkArgs};
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::remembered::Remembered;
use crate::subject;
use crate::table::aligned;

pub(crate) fn run(args: &GenerateArgs, output: &Output) -> Result<Outcome, Failure> {
    let (file, system) = files::model(&args.model.model, args.model.main.as_deref(), output)?;
    let given = match &args.extend {
        None => Suite::default(),
        Some(path) => given(path, &system, args.work.seed)?,
    };
    let job = Job {
        given,
        oracle: subject::oracle(&system, &args.oracle)?,
        obligations: subject::listed(&system, &args.criterion),
        criterion: args.criterion.words(),
        schema: Generate::SCHEMA,
        masking: args.masking,
        method: args.method,
        work: &args.work,
        shard: args.shard,
        folder: args.output.as_deref(),
        file,
        system,
    };
    let result = job.run(output)?;
    if output.is_json() {
        output.result(&to_json(&result));
    } else {
        output.result(&describe(&result));
    }
    Ok(if result.obligations.unknown == 0 { Outcome::Well } else { Outcome::Inconclusive })
}

/// What is to be generated, for `generate` and `prove` alike.
pub(crate) struct Job<'a> {
    pub(crate) file: SourceFile,
    pub(crate) system: System,
    pub(crate) obligations: Vec<Obligation>,
    pub(crate) oracle: Oracle,
    pub(crate) masking: Masking,
    pub(crate) method: Method,
    pub(crate) criterion: String,
    pub(crate) schema: &'static str,
    pub(crate) work: &'a WorkArgs,
    /// Tests that are kept.
    pub(crate) given: Suite,
    /// The part of the obligations that solvers work on here.
    pub(crate) shard: Option<Shard>,
    pub(crate) folder: Option<&'a Path>,
}

impl Job<'_> {
    /// Does the work, writes what is to be written, and tells the result.
    pub(crate) fn run(&self, output: &Output) -> Result<Generate, Failure> {
        let start = Instant::now();
        let generation = match self.folder {
            None => self.generate(start, &NoMemory, output)?,
            Some(folder) => {
                let memory =
                    Remembered::open(folder, &self.system, self.identity(), self.shard, output)?;
                let generation = self.generate(start, &memory, output)?;
                if let Some(trouble) = memory.trouble() {
                    output.warning(&format!("not everything was kept for resuming: {trouble}"));
                }
                generation
            }
        };
        let suite = self.suite(&generation)?;
        let seconds = (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
        let mut result = self.result(&generation, &suite, seconds);
        if let Some(folder) = self.folder {
            result.suite = self.write(output, folder, &suite, &result)?;
        }
        Ok(result)
    }

    /// What must be equal for the work of an earlier run to be used again.
    fn identity(&self) -> serde_json::Value {
        let model = KeyBuilder::new("provoke/model/1")
            .part("text", self.file.text.as_bytes())
            .part("main", self.system.name.as_bytes())
            .finish();
        let monitored = self.oracle.monitored(&self.system);
        let monitored: Vec<&str> =
            monitored.iter().map(|var| self.system.vars[*var].name.as_str()).collect();
        let mut run = serde_json::json!({
            "version": env!("CARGO_PKG_VERSION"),
            "model": model.to_string(),
            "criterion": self.criterion,
            "obligations": self.obligations.len(),
            "method": self.method.word(),
            "masking": self.masking.word(),
            "monitored": monitored,
            "engine": self.work.engine.word(),
            "seed": self.work.seed,
            "effort": self.work.effort.unwrap_or(10),
        });
        if !self.given.tests.is_empty() {
            let given: Vec<_> = self.given.tests.iter().map(|test| format!("{test:?}")).collect();
            let key = KeyBuilder::new("provoke/given/1").json("tests", &given.into());
            run["given"] = key.finish().to_string().into();
        }
        if let Some(shard) = self.shard {
            run["shard"] = shard.to_string().into();
        }
        run
    }

    fn generate(
        &self,
        start: Instant,
        memory: &dyn Memory,
        output: &Output,
    ) -> Result<Generation, Failure> {
        let backend = match self.method {
            Method::Random => None,
            _ => Some(Backend::new(&Library::load().map_err(|missing| not_found(&missing))?)),
        };
        let options = self.options();
        let stop = || self.work.budget.is_some_and(|budget| start.elapsed() >= budget);
        let mut shown = Shown::new(output, start);
        let mut work = |backend: Option<&Backend>| {
            let progress = &mut |progress| shown.progress(progress);
            generate(&self.system, &self.obligations, &options, backend, memory, &stop, progress)
        };
        let generation = match (&backend, self.work.budget) {
            (Some(backend), Some(budget)) => {
                interrupted_after(backend, budget.saturating_sub(start.elapsed()), || {
                    work(Some(backend))
                })
            }
            (backend, _) => work(backend.as_ref()),
        };
        shown.clear();
        Ok(generation)
    }

    fn options(&self) -> Options {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let units = u64::from(self.work.effort.unwrap_or(10)) * UNIT;
        Options {
            method: self.method,
            masking: self.masking,
            oracle: self.oracle.clone(),
            seed: self.work.seed,
            jobs: self.work.jobs.map_or(cores, |jobs| jobs as usize),
            given: self.given.tests.iter().map(subject::inputs).collect(),
            simulated_steps: units / 20,
            engine: self.work.engine,
            learning: Limit::work(units * 20),
            efforts: rounds(units, self.work.budget.is_some()),
        }
    }

    /// The tests with their expected outputs, computed by the reference interpreter.
    fn suite(&self, generation: &Generation) -> Result<Suite, Failure> {
        let observed = self.oracle.monitored(&self.system);
        let mut suite = Suite::for_system(&self.system, &observed);
        for (index, test) in generation.tests.iter().enumerate() {
            let step = |inputs: &Vec<_>| Step { inputs: inputs.clone(), outputs: Vec::new() };
            let covers = test.covers.iter().map(|o| self.obligations[*o].id.clone());
            suite.tests.push(TestCase {
                name: self.test_name(index),
                covers: covers.collect(),
                steps: test.steps.iter().map(step).collect(),
            });
        }
        subject::expect(&mut suite, &self.system, &self.oracle)?;
        Ok(suite)
    }

    /// Given tests keep their names; new ones are numbered.
    fn test_name(&self, index: usize) -> String {
        if let Some(test) = self.given.tests.get(index) {
            return test.name.clone();
        }
        let taken = |name: &String| self.given.tests.iter().any(|test| test.name == *name);
        let mut name = format!("t{}", index + 1);
        while taken(&name) {
            name.push('\'');
        }
        name
    }

    fn result(&self, generation: &Generation, suite: &Suite, seconds: f64) -> Generate {
        let count = |kind: fn(&Found) -> bool| {
            generation.outcomes.iter().filter(|outcome| kind(outcome)).count()
        };
        let totals = TotalsResult {
            total: self.obligations.len(),
            covered: count(|outcome| matches!(outcome, Found::Covered(_))),
            infeasible: count(|outcome| matches!(outcome, Found::Infeasible(_))),
            unknown: count(|outcome| matches!(outcome, Found::Unknown { .. })),
        };
        let verdicts = self.obligations.iter().zip(&generation.outcomes);
        Generate {
            schema: self.schema,
            model: self.file.name.clone(),
            criterion: self.criterion.clone(),
            method: self.method.word(),
            obligations: totals,
            tests: suite.tests.len(),
            steps: suite.tests.iter().map(|test| test.steps.len()).sum(),
            sources: sources(generation),
            seconds,
            suite: String::new(),
            verdicts: verdicts.map(|(obligation, found)| self.verdict(obligation, found)).collect(),
        }
    }

    fn verdict(&self, obligation: &Obligation, found: &Found) -> VerdictResult {
        let mut result = VerdictResult {
            id: obligation.id.clone(),
            verdict: "unknown",
            test: None,
            engine: None,
            k: None,
            lemmas: None,
            reason: None,
            depth: None,
        };
        match found {
            Found::Covered(test) => {
                result.verdict = "covered";
                result.test = Some(self.test_name(*test));
            }
            Found::Infeasible(proof) => {
                result.verdict = "infeasible";
                result.engine = Some(proof.engine.clone());
                result.k = Some(proof.k);
                result.lemmas = Some(proof.lemmas);
            }
            Found::Unknown { reason, depth } => {
                result.reason = Some(reason.clone());
                result.depth = Some(*depth);
            }
        }
        result
    }

    fn write(
        &self,
        output: &Output,
        folder: &Path,
        suite: &Suite,
        result: &Generate,
    ) -> Result<String, Failure> {
        std::fs::create_dir_all(folder).map_err(|error| {
            let message = format!("cannot make the folder {}: {error}", folder.display());
            Failure::input(message, "choose another folder with -o")
        })?;
        let path = folder.join("suite.json");
        files::write_suite(output, suite, &path, Format::Json)?;
        let verdicts = serde_json::json!({
            "schema": "provoke/verdicts/1", "model": self.system.name,
            "criterion": self.criterion, "verdicts": result.verdicts,
        });
        files::write(output, &folder.join("verdicts.json"), to_json(&verdicts).as_bytes())?;
        Ok(path.display().to_string())
    }
}

/// What each source of tests contributed.
fn sources(generation: &Generation) -> Vec<SourceResult> {
    let contributed = |source: Source| {
        let tests: Vec<_> = generation.tests.iter().filter(|test| test.source == source).collect();
        SourceResult {
            source: source.word(),
            tests: tests.len(),
            steps: tests.iter().map(|test| test.steps.len()).sum(),
            covered: tests.iter().map(|test| test.covers.len()).sum(),
        }
    };
    Source::ALL.into_iter().map(contributed).filter(|result| result.tests > 0).collect()
}

/// One unit of `--effort`, in the solver's own units of work.
const UNIT: u64 = 100_000;

/// Little for each obligation first, then more for those that are left: most are easy, and no
/// one knows beforehand which. With a clock there is no last round but the one it ends.
fn rounds(units: u64, clock: bool) -> Vec<Effort> {
    let last = if clock { units.saturating_mul(1 << 20) } else { units * 8 };
    let mut efforts = Vec::new();
    let (mut work, mut depth, mut k) = (UNIT, 20, 2);
    loop {
        let work_now = work.min(last);
        efforts.push(Effort { depth, k, limit: Limit::work(work_now) });
        if work_now == last {
            return efforts;
        }
        (work, depth, k) = (work * 8, (depth * 2).min(2000), (k * 2).min(64));
    }
}

/// The tests of a suite, over the inputs of the model; what they leave open is drawn at random.
fn given(path: &Path, system: &System, seed: u64) -> Result<Suite, Failure> {
    let mut suite = subject::tests(path, system)?.suite;
    subject::fill(&mut suite, system, Fill::Random, seed);
    Ok(suite)
}

fn not_found(missing: &Missing) -> Failure {
    let tried: Vec<String> =
        missing.tried.iter().map(|(path, why)| format!("{}: {why}", path.display())).collect();
    let message = format!("{} was not found ({})", missing.solver, tried.join("; "));
    Failure::Missing { message, command: missing.command.to_string() }
}

/// Does `work`, stopping its solvers when the time is over.
fn interrupted_after<T>(backend: &Backend, time: Duration, work: impl FnOnce() -> T) -> T {
    let (done, wait) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if wait.recv_timeout(time) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                backend.interrupter.interrupt();
            }
        });
        let result = work();
        drop(done);
        result
    })
}

/// One line on the terminal that changes as the work goes on.
struct Shown<'o> {
    output: &'o Output,
    start: Instant,
    on: bool,
}

impl<'o> Shown<'o> {
    fn new(output: &'o Output, start: Instant) -> Shown<'o> {
        Shown { output, start, on: std::io::stderr().is_terminal() && !output.is_json() }
    }

    fn progress(&mut self, progress: Progress) {
        if self.on {
            let Progress { phase, covered, infeasible, open, .. } = progress;
            let seconds = self.start.elapsed().as_secs();
            self.output.note(&format!(
                "\r{phase}: {covered} covered, {infeasible} infeasible, {open} open, {seconds} s  "
            ));
        }
    }

    fn clear(&mut self) {
        if self.on {
            self.output.note("\r\x1b[K");
        }
    }
}

/// How many unknown obligations are listed.
const SHOWN: usize = 20;

pub(crate) fn describe(result: &Generate) -> String {
    let TotalsResult { total, covered, infeasible, unknown } = result.obligations;
    let mut text = format!(
        "{}: {} {}\n  {covered} covered, {infeasible} infeasible, {unknown} unknown\n  \
         {} tests, {} steps, {} s\n",
        result.model, total, result.criterion, result.tests, result.steps, result.seconds
    );
    if !result.suite.is_empty() {
        text += &format!("  written to {}\n", result.suite);
    }
    let open: Vec<&VerdictResult> =
        result.verdicts.iter().filter(|verdict| verdict.verdict == "unknown").collect();
    if !open.is_empty() {
        let row = |verdict: &&VerdictResult| {
            let reason = verdict.reason.clone().unwrap_or_default();
            let depth = verdict.depth.unwrap_or(0);
            vec![format!("  {}", verdict.id), format!("{reason}; not within {depth} steps")]
        };
        let rows: Vec<Vec<String>> = open.iter().take(SHOWN).map(row).collect();
        text += &format!("\nunknown:\n{}", aligned(&rows));
        if open.len() > SHOWN {
            text += &format!("  ... and {} more; `--format json` lists all\n", open.len() - SHOWN);
        }
        text += "more effort may decide them: --effort N or --budget TIME\n";
    }
    text
}
