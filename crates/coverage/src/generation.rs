//! Obligations become tests and proofs.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use provoke_base::rounds::{AnswerLedger, NoLedger};
use provoke_base::{Control, Error, ErrorCode, Event, Random, SourceFile};
use provoke_criteria::{Counting, ExactChange, Masking, Measurement, Obligation, Oracle, Scan};
use provoke_files::{Model, ModelText};
use provoke_files::{make_folder, suite_files, write_together};
use provoke_model::{Suite, System, Value};
use provoke_mutate::MutationOperator;
use provoke_results::{
    CountingWord, ExactWord, Generate, MaskingWord, MethodWord, Prove, ProverWord, ReductionWord,
    Schema, Settings, Verdicts, Word, to_json,
};
use provoke_sim::LANES;
use provoke_solve::certificate::Sheet;
use provoke_solve::engine::{Backend, Engine, SolverChoice};
use provoke_solve::{Effort, Limit, MissingSolver};
use provoke_store::{KeyBuilder, RunIdentity, Shard};
use provoke_suite::Format;
use provoke_testgen::{
    Attempt, CandidateValues, EvidenceRule, GenerationMethod, GenerationProgress, GenerationResult,
    InputFill, ObligationVerdict, Quest, StrategyOptions, generate as search,
};
use provoke_work::{RoundLedger, RoundWorker, Scheduler, Served, WorkerLoop};

use crate::assumptions::{self, require_runs};
use crate::attempt_records::Attempts;
use crate::certificates;
use crate::design::{DesignFindings, ERRORS, decide_design_errors};
use crate::exclusion;
use crate::expectations::check_expectations;
use crate::input_json::Rows;
use crate::limits::Limits;
use crate::mutation::{MutationAnalysis, mutation_result};
use crate::numbers::{self, numbers_result};
use crate::options::{
    CoverageTarget, GenerateOptions, MachineNumbers, MutateOptions, Reduction, WorkOptions,
};
use crate::progress::{tell, tell_errors, tell_properties};
use crate::request::{CoverageRequest, model_text};
use crate::stoppable::stoppable;
use crate::suite_assembly::TestsFound;
use crate::tests::{self, suite_text};

/// What stands for a criterion where nothing but the model's own properties is decided.
const PROPERTY: &str = "property";

/// What is to be done with a model.
pub struct GenerationJob<'a> {
    /// The text of the model, with the assumptions behind it.
    pub file: SourceFile,
    /// What the model does.
    pub system: System,
    /// What tests or proofs are searched for.
    pub obligations: Vec<Obligation>,
    /// Why an obligation is left out, for each one that is.
    pub(crate) excluded: Vec<Option<String>>,
    pub(crate) oracle: Oracle,
    /// When an operand counts as masked.
    pub masking: Masking,
    /// Which wrong values count alone.
    pub(crate) exact: Option<ExactChange>,
    /// Whether tags decide.
    pub as_published: bool,
    fill: InputFill,
    fallback: bool,
    /// How mutants are killed, where they are asked for.
    mutants: Option<MutateOptions>,
    /// The machine's numbers, where design errors are asked for.
    errors: Option<MachineNumbers>,
    /// How tests are searched for.
    pub method: GenerationMethod,
    pub(crate) criterion: String,
    pub(crate) counting: Counting,
    /// How much work is done, and by whom.
    pub work: &'a WorkOptions,
    /// Tests that are kept.
    pub(crate) given: Suite,
    /// How the suite is made smaller.
    pub(crate) reduction: Option<Reduction>,
    /// The part of the obligations that solvers work on here.
    pub(crate) shard: Option<Shard>,
    pub(crate) folder: Option<&'a Path>,
    /// What workers are asked for, if there are any.
    request: Option<CoverageRequest>,
    /// When the work began.
    start: Instant,
    /// The steps of all tests found so far.
    steps_found: Arc<AtomicU64>,
}

impl<'a> GenerationJob<'a> {
    /// What options ask for, with tests that are kept.
    fn prepare(
        model: &Model,
        given: Option<Suite>,
        options: &'a GenerateOptions,
    ) -> Result<GenerationJob<'a>, Error> {
        model.refuse_choices("a suite")?;
        refuse_what_yices_lacks(&options.work)?;
        only_observable(&options.targets, options.exact)?;
        only_published(options)?;
        let Model { file, system } = options.work.numbers.of(model.clone())?;
        let mut job = GenerationJob::new(file, system, &options.work);
        job.given = given.unwrap_or_default();
        numbers::label(&mut job.given, &job.system)?;
        job.obligations =
            tests::listed(&job.file, &job.system, &options.targets, options.counting)?;
        job.excluded = exclusion::reasons(&job.obligations, &options.exclude)?;
        job.oracle = tests::oracle(&job.system, &options.oracle)?;
        let words: Vec<&str> = options.targets.iter().map(|target| target.word()).collect();
        job.criterion = words.join(",");
        job.counting = options.counting;
        job.masking = options.masking;
        job.exact = options.exact;
        job.as_published = options.as_published;
        (job.fill, job.fallback) = (options.fill, options.fallback);
        job.mutants = options.targets.contains(&CoverageTarget::Mutants).then(|| killing(options));
        job.errors = options.targets.contains(&CoverageTarget::Errors).then_some(options.numbers);
        job.method = options.method;
        job.reduction = options.reduction;
        job.shard = options.shard;
        job.folder = options.folder.as_deref();
        if options.work.workers.is_some() {
            let given =
                (!job.given.tests.is_empty()).then(|| suite_text(&job.given)).transpose()?;
            let options = options.clone();
            job.request = Some(CoverageRequest::Generate { model: job.text(), given, options });
        }
        Ok(job)
    }

    /// The model's own properties, each to be violated or proven.
    fn of_properties(
        model: &Model,
        errors: Option<MachineNumbers>,
        folder: Option<&'a Path>,
        work: &'a WorkOptions,
    ) -> Result<GenerationJob<'a>, Error> {
        refuse_what_yices_lacks(work)?;
        let Model { file, system } = work.numbers.of(model.clone())?;
        let mut job = GenerationJob::new(file, system, work);
        job.errors = errors;
        job.obligations = match tests::properties(&job.file, &job.system) {
            Err(_) if errors.is_some() => Vec::new(),
            properties => properties?,
        };
        job.criterion = PROPERTY.to_string();
        job.folder = folder;
        if work.workers.is_some() {
            job.request = Some(CoverageRequest::Prove { model: job.text(), work: work.clone() });
        }
        Ok(job)
    }

    fn text(&self) -> ModelText {
        model_text(&self.file, &self.system, self.work)
    }

    /// The usual way to work on a model, with nothing to be done yet.
    pub fn new(file: SourceFile, system: System, work: &'a WorkOptions) -> GenerationJob<'a> {
        GenerationJob {
            file,
            system,
            obligations: Vec::new(),
            excluded: Vec::new(),
            oracle: Oracle::Outputs,
            masking: Masking::Strict,
            exact: None,
            as_published: false,
            fill: InputFill::Random,
            fallback: true,
            mutants: None,
            errors: None,
            method: GenerationMethod::Hybrid,
            criterion: String::new(),
            counting: Counting::Published,
            work,
            given: Suite::default(),
            reduction: None,
            shard: None,
            folder: None,
            request: None,
            start: Instant::now(),
            steps_found: Arc::default(),
        }
    }

    /// Does the work, writes what is to be written, and tells the result.
    fn run(&self, control: &Control) -> Result<GenerateOutcome, Error> {
        if self.work.workers.is_some() {
            self.refuse_what_others_cannot()?;
        }
        let start = self.start;
        self.warn_of_assumptions(control)?;
        let generation = match self.work.store.as_deref().or(self.folder) {
            None => {
                without_store(self.work)?;
                self.generate(start, control, &NoLedger)?
            }
            Some(folder) => {
                let (attempts, identity) = (self.attempts(), RunIdentity::new(self.identity()?));
                let mut ledger =
                    RoundLedger::open(folder, attempts, &identity, self.shard, control)?;
                if let Some(workers) = &self.work.workers {
                    let scheduler = Scheduler::new(workers, &self.request, folder, control)?;
                    ledger = ledger.handed_to(scheduler);
                }
                let generation = self.generate(start, control, &ledger)?;
                ledger.failure()?;
                if let Some(trouble) = ledger.trouble() {
                    control.warn(format!("not everything was kept for resuming: {trouble}"));
                }
                generation
            }
        };
        self.warn_of_trouble(&generation, control);
        let mut found = TestsFound::new(self, generation)?;
        let mut suite = found.suite(self)?;
        if let Some(machine) = self.system.numbers {
            let computed = self.as_computed(&suite)?;
            numbers::confirm(&computed, &self.exact_model()?.system, machine)?;
        }
        let seconds = || (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
        let mut result = found.result(self, &suite, seconds());
        let unknown = result.properties.map_or(0, |properties| properties.unknown);
        result.interrupted = control.is_cancelled() && result.obligations.open() + unknown > 0;
        let expected = check_expectations(&self.given, &self.system);
        (result.expectations, result.differences) = (expected.totals, expected.differences);
        let mut sheet = found.certificates(self);
        let mut mutants = None;
        if let Some(options) = &self.mutants {
            let options = self.left_of(options);
            let model = Model { file: self.file.clone(), system: self.system.clone() };
            let mut analysis = MutationAnalysis::new(model, suite, &options, control)?;
            let statuses = analysis.run(control)?;
            analysis.state(&statuses, &mut sheet);
            let killed = mutation_result(&options, &analysis, &statuses);
            suite = analysis.suite;
            result.note_mutants(&killed);
            result.seconds = seconds();
            mutants = Some(to_json(&killed));
        }
        let mut runs = None;
        if let Some(numbers) = self.errors {
            let exact = self.exact_model()?;
            let found = self.decide_errors(&exact, numbers, control)?;
            runs = Some(found.suite(&exact.system));
            let errors = found.result(&exact.file, &exact.system, numbers);
            result.interrupted |= control.is_cancelled() && errors.unknown > 0;
            result.errors = Some(errors);
        }
        if let Some(folder) = self.folder {
            let certificates = self.certificates(&sheet);
            result.suite = self.write(folder, &suite, &result, certificates, mutants)?;
            if let (Some(runs), Some(errors)) = (&runs, &mut result.errors) {
                errors.suite = write_error_runs(folder, runs)?;
            }
        }
        Ok(GenerateOutcome { result, suite })
    }

    /// Decides the design errors with the time that is left.
    fn decide_errors(
        &self,
        exact: &Model,
        numbers: MachineNumbers,
        control: &Control,
    ) -> Result<DesignFindings, Error> {
        let left = |budget: Duration| budget.saturating_sub(self.start.elapsed());
        let work = WorkOptions { budget: self.work.budget.map(left), ..self.work.clone() };
        decide_design_errors(exact, &numbers.limits(), &work, control)
    }

    /// The suite with what the model computes, whatever given tests expect.
    fn as_computed<'s>(&self, suite: &'s Suite) -> Result<Cow<'s, Suite>, Error> {
        let mut suite = Cow::Borrowed(suite);
        if !self.given.tests.is_empty() {
            tests::expect(suite.to_mut(), &self.system, &self.oracle)?;
        }
        Ok(suite)
    }

    /// The model in exact numbers.
    fn exact_model(&self) -> Result<Model, Error> {
        if self.system.numbers.is_none() {
            return Ok(Model { file: self.file.clone(), system: self.system.clone() });
        }
        self.text()
            .read(&self.work.assume)
            .map_err(|_| Error::new(ErrorCode::Internal, "the model cannot be read again"))
    }

    /// Says where assertions are undefined, and where they end runs.
    fn warn_of_assumptions(&self, control: &Control) -> Result<(), Error> {
        let backend = self.backend()?;
        let time = self.work.budget.map(|budget| budget / 20);
        let backend = backend.as_ref().map(|backend| (backend, time));
        let warnings = assumptions::warnings(&self.file, &self.system, backend);
        warnings.into_iter().for_each(|warning| control.warn(warning));
        Ok(())
    }

    /// Makes the attempts that a worker is asked for.
    fn serve(&self, worker: &mut WorkerLoop) -> Result<Served, Error> {
        let stop = worker.stop();
        let identity = RunIdentity::new(self.identity()?);
        let goals: Vec<Quest> = self.obligations.iter().flat_map(Quest::all).collect();
        let asked = RoundWorker::new(self.attempts(), goals.iter().collect(), identity, worker);
        self.search(&asked, &stop, &mut |_| {})?;
        asked.done()
    }

    fn attempts(&self) -> Attempts<'_> {
        Attempts { rows: Rows(&self.system), efforts: rounds(self.work) }
    }

    /// A shard is a way to divide the work by hand, and attempts that a clock ends cannot be
    /// compared.
    fn refuse_what_others_cannot(&self) -> Result<(), Error> {
        refuse_budget(self.work)?;
        match self.shard {
            None => Ok(()),
            Some(_) => {
                let message = "a share of the work is chosen, and workers divide it themselves";
                Err(Error::new(ErrorCode::ShardWithWorkers, message))
            }
        }
    }

    /// What must be equal for the work of an earlier run to be used again. What is not the
    /// default is added, so that the folders of simpler runs stay what they are.
    fn identity(&self) -> Result<serde_json::Value, Error> {
        let model = KeyBuilder::new("provoke/model/1")
            .part("text", self.file.text.as_bytes())
            .part("main", self.system.name.as_bytes())
            .finish();
        let mut run = serde_json::json!({
            "version": env!("CARGO_PKG_VERSION"),
            "model": model.to_string(),
            "criterion": self.criterion,
            "obligations": self.obligations.len(),
            "method": self.method.word(),
            "masking": self.masking.word(),
            "monitored": self.monitored(),
            "engine": self.work.prover.word(),
            "seed": self.work.seed,
            "effort": self.work.effort.unwrap_or(10),
        });
        if !self.given.tests.is_empty() {
            let key = KeyBuilder::new("provoke/given/2").part("tests", suite_text(&self.given)?);
            run["given"] = key.finish().to_string().into();
        }
        if !self.work.assume.is_empty() {
            run["assumptions"] = self.work.assume.clone().into();
        }
        if let Some(numbers) = numbers_result(self.system.numbers) {
            run["numbers"] = serde_json::json!(numbers);
        }
        let excluded: Vec<&str> = self.excluded_ids().collect();
        if !excluded.is_empty() {
            run["excluded"] = excluded.into();
        }
        if self.work.solver != SolverChoice::default() {
            run["solver"] = self.work.solver.word().into();
        }
        if let Some(exact) = self.exact {
            run["exact"] = exact.word().into();
        }
        if let Some(MutateOptions { sample: Some(sample), .. }) = &self.mutants {
            run["sample"] = (*sample).into();
        }
        if self.as_published {
            run["as_published"] = true.into();
        }
        if self.fill != InputFill::Random {
            run["fill"] = self.fill.word().into();
        }
        if !self.fallback {
            run["fallback"] = false.into();
        }
        if let Some(shard) = self.shard {
            run["shard"] = shard.to_string().into();
        }
        Ok(run)
    }

    fn monitored(&self) -> Vec<String> {
        let monitored = self.oracle.monitored(&self.system);
        monitored.iter().map(|var| self.system.vars[*var].name.clone()).collect()
    }

    fn excluded_ids(&self) -> impl Iterator<Item = &str> {
        let positions = (0..self.obligations.len()).filter(|position| !self.is_sought(*position));
        positions.map(|position| self.obligations[position].id.as_str())
    }

    /// Whether a test is searched for.
    pub(crate) fn is_sought(&self, position: usize) -> bool {
        !matches!(self.excluded.get(position), Some(Some(_)))
    }

    pub(crate) fn generate(
        &self,
        start: Instant,
        control: &Control,
        ledger: &dyn AnswerLedger<Quest, Attempt>,
    ) -> Result<GenerationResult, Error> {
        let mut limits = Limits::new(control, start, self.work.budget);
        if self.work.budget.is_some() {
            limits = limits.reserving(&self.steps_found, self.cost_of_a_step());
        }
        let stop = || limits.are_reached();
        let generation =
            self.search(ledger, &stop, &mut |progress| match self.criterion.as_str() {
                PROPERTY => tell_properties(control, &progress),
                ERRORS => tell_errors(control, &progress),
                _ => tell(control, progress),
            });
        control.tell(Event::ProgressEnded);
        limits.warn();
        generation
    }

    /// The work itself, without a word about it.
    pub fn search(
        &self,
        ledger: &dyn AnswerLedger<Quest, Attempt>,
        stop: &(dyn Fn() -> bool + Sync),
        progress: &mut dyn FnMut(GenerationProgress),
    ) -> Result<GenerationResult, Error> {
        let backend = self.backend()?;
        let sought: Vec<Obligation> = (0..self.obligations.len())
            .filter(|position| self.is_sought(*position))
            .map(|position| self.obligations[position].clone())
            .collect();
        let options = self.options();
        stoppable(backend.as_ref(), stop, || {
            let backend = backend.as_ref();
            if let Some(backend) = backend {
                require_runs(&self.file, &self.system, self.work, backend)?;
            }
            Ok(search(&self.system, &sought, &options, backend, ledger, stop, progress))
        })
    }

    /// The chosen solver, unless none is needed.
    fn backend(&self) -> Result<Option<Backend>, Error> {
        if self.method == GenerationMethod::Random {
            return Ok(None);
        }
        backend(self.work).map(Some)
    }

    /// How much is simulated before solvers start; with a clock, as much as it leaves time for.
    fn simulated_steps(&self, units: u64) -> u64 {
        let by_clock = self.work.budget.map_or(0, |time| time.as_secs() * STEPS_PER_SECOND);
        by_clock.max(units * 2)
    }

    /// What shows that an observable obligation is fulfilled.
    pub(crate) fn evidence(&self) -> EvidenceRule {
        match self.as_published {
            true => EvidenceRule::Tags,
            false => EvidenceRule::Effects {
                step: self.exact != Some(ExactChange::Stuck),
                stuck: self.exact != Some(ExactChange::Step),
            },
        }
    }

    fn options(&self) -> StrategyOptions {
        let units = u64::from(self.work.effort.unwrap_or(10)) * UNIT;
        StrategyOptions {
            method: self.method,
            masking: self.masking,
            oracle: self.oracle.clone(),
            evidence: self.evidence(),
            fill: self.fill,
            fallback: self.fallback,
            seed: self.work.seed,
            jobs: self.work.threads(),
            given: self.given.tests.iter().map(tests::inputs).collect(),
            simulated_steps: self.simulated_steps(units),
            engine: self.work.prover,
            learning: learning(self.work),
            efforts: rounds(self.work),
            steps_found: Arc::clone(&self.steps_found),
        }
    }

    /// What a step of a test costs when the search is over: what it covers is looked at once more,
    /// with those of other tests, which tests are needed is decided by it, and its outputs are computed.
    fn cost_of_a_step(&self) -> Duration {
        let GenerationJob { system, obligations, masking, oracle, .. } = self;
        let (pool, mut random) = (CandidateValues::new(system), Random::new(self.work.seed));
        let mut scan = Scan::new(system, obligations, *masking, oracle);
        if scan.is_exact() {
            return self.cost_of_a_measured_step(&pool.row(&mut random));
        }
        // As different as tests are: what a test costs depends on how much it covers.
        let tests: Vec<[Vec<Value>; 1]> = (0..LANES).map(|_| [pool.row(&mut random)]).collect();
        let together: Vec<&[Vec<Value>]> = tests.iter().map(<[_; 1]>::as_slice).collect();
        let timed = |_| {
            let start = Instant::now();
            scan.tests(&together);
            start.elapsed() * 2 / LANES as u32
        };
        // The quickest: others may have been disturbed.
        [(); 3].map(timed).into_iter().min().unwrap_or_default()
    }

    /// The same where every test is measured alone.
    fn cost_of_a_measured_step(&self, row: &[Value]) -> Duration {
        let GenerationJob { system, obligations, masking, oracle, .. } = self;
        let mut measurement = Measurement::new(system, obligations, *masking, oracle);
        let timed = |_| {
            measurement.begin();
            let start = Instant::now();
            let _ = measurement.step(row);
            let _ = provoke_sim::run(system, [row]);
            start.elapsed()
        };
        [(); 3].map(timed).into_iter().min().unwrap_or_default()
    }

    /// What the user should know before reading the result.
    fn warn_of_trouble(&self, generation: &GenerationResult, control: &Control) {
        let failed = |found: &&ObligationVerdict| matches!(found, ObligationVerdict::Unknown { reason, .. } if is_failure(reason));
        let mut failures = generation.outcomes.iter().filter(failed);
        if let Some(ObligationVerdict::Unknown { reason, .. }) = failures.next() {
            let count = 1 + failures.count();
            let advice = match self.work.memory {
                Some(_) => "more memory for the solver may help",
                None => "the same command tries them again",
            };
            control.warn(format!(
                "the solver's trouble leaves {count} obligations unknown ({reason}); {advice}"
            ));
        }
        let assumes =
            !self.system.assumptions.is_empty() && self.method == GenerationMethod::Random;
        if assumes && generation.tests.is_empty() {
            control.warn(
                "simulation found no test inside the assumptions; the hybrid method asks a solver \
                 whether there is a run at all",
            );
        }
        for test in &self.given.tests {
            let inputs = tests::inputs(test);
            if let Some(step) = tests::first_outside(&self.system, &inputs) {
                let name = &test.name;
                control.warn(format!(
                    "test `{name}` leaves the assumptions in step {step}; it is kept as it is, and \
                     nothing counts from there on"
                ));
            }
        }
    }

    fn write(
        &self,
        folder: &Path,
        suite: &Suite,
        result: &Generate,
        certificates: String,
        mutants: Option<String>,
    ) -> Result<String, Error> {
        make_folder(folder)?;
        let path = folder.join("suite.json");
        let mut files = suite_files(suite, &path, Format::Json, false)?;
        let mut listed = result.verdicts.clone();
        // The suite beside them has the runs.
        for property in listed.iter_mut().filter_map(|verdict| verdict.property.as_mut()) {
            property.counterexample = None;
        }
        let verdicts = Verdicts {
            schema: Schema::default(),
            model: self.system.name.clone(),
            criterion: self.criterion.clone(),
            assumptions: self.work.assume.clone(),
            verdicts: listed,
            errors: result.errors.clone(),
            exact: result.exact,
        };
        let settings = to_json(&self.settings(result));
        let others = [
            ("verdicts.json", to_json(&verdicts)),
            ("model.lus", self.model_text().to_string()),
            ("settings.json", settings),
            (certificates::FILE, certificates),
        ];
        files.extend(others.map(|(name, text)| (folder.join(name), text.into_bytes())));
        files.extend(mutants.map(|text| (folder.join("mutants.json"), text.into_bytes())));
        // Verdicts speak of the tests beside them: none is written without the other.
        write_together(&files)?;
        Ok(path.display().to_string())
    }

    /// What the proofs leave behind.
    fn certificates(&self, sheet: &Sheet) -> String {
        let (node, assumed) = (&self.system.name, &self.work.assume);
        certificates::file(self.model_text(), node, self.system.numbers, assumed, sheet)
    }

    /// The same options, with the time that is left.
    fn left_of(&self, options: &MutateOptions) -> MutateOptions {
        let mut options = options.clone();
        let left = |budget: Duration| budget.saturating_sub(self.start.elapsed());
        options.work.budget = self.work.budget.map(left);
        options
    }

    /// The text of the model, without the assumptions that stand behind it.
    fn model_text(&self) -> &str {
        before_assumptions(&self.file.text, &self.work.assume)
    }

    /// What was asked for, for whoever reads the folder later.
    fn settings(&self, result: &Generate) -> Settings {
        let budget = self.work.budget;
        Settings {
            schema: Schema::default(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            model: self.file.name.clone(),
            main: self.system.name.clone(),
            criterion: self.criterion.clone(),
            model_sha256: provoke_store::sha256(self.model_text().as_bytes()),
            counting: CountingWord::of(self.counting.word()),
            method: MethodWord::of(self.method.word()),
            masking: MaskingWord::of(self.masking.word()),
            monitored: self.monitored(),
            exact: self.exact.map(|exact| ExactWord::of(exact.word())),
            as_published: self.as_published,
            engine: ProverWord::of(self.work.prover.word()),
            solver: result.solver,
            seed: self.work.seed,
            effort: if budget.is_none() { Some(self.work.effort.unwrap_or(10)) } else { None },
            budget_seconds: budget.map(|budget| budget.as_secs_f64()),
            reduction: ReductionWord::of(self.reduction.map_or("none", Reduction::word)),
            assumptions: self.work.assume.clone(),
            numbers: numbers_result(self.system.numbers),
            shard: self.shard.map(|shard| shard.to_string()),
            tests_before_reduction: result.tests_before_reduction,
            seconds: result.seconds,
            interrupted: result.interrupted,
        }
    }
}

/// A change has to be observed somewhere: with a criterion that asks for no such thing, changed values would
/// have no meaning.
pub(crate) fn only_observable(
    targets: &[CoverageTarget],
    exact: Option<ExactChange>,
) -> Result<(), Error> {
    let is_visible =
        |target: &&CoverageTarget| matches!(target, CoverageTarget::Criterion(c) if c.observable);
    let hidden = targets.iter().find(|target| !is_visible(target));
    let (Some(exact), Some(hidden)) = (exact, hidden) else { return Ok(()) };
    let message = format!("exact {exact}: `{hidden}` is not an observable criterion");
    Err(match hidden {
        CoverageTarget::Criterion(_) => {
            Error::new(ErrorCode::CriterionNotObservable, message).hint(format!("o{hidden}"))
        }
        CoverageTarget::Properties | CoverageTarget::Mutants | CoverageTarget::Errors => {
            Error::input(message, format!("ask for {hidden} in a run of their own"))
        }
    })
}

/// Whether a criterion asks for something to be observed.
fn observes(targets: &[CoverageTarget]) -> bool {
    let observable =
        |target: &CoverageTarget| matches!(target, CoverageTarget::Criterion(c) if c.observable);
    targets.iter().any(observable)
}

/// How mutants are killed or proven equivalent for a suite that is generated.
fn killing(options: &GenerateOptions) -> MutateOptions {
    MutateOptions {
        operators: MutationOperator::ALL.to_vec(),
        sample: options.sample,
        oracle: options.oracle.clone(),
        equivalence: true,
        kill: true,
        work: WorkOptions { workers: None, ..options.work.clone() },
        ..MutateOptions::default()
    }
}

/// Effects are what really happens: there is one reading of that. Others are of tags.
fn only_published(options: &GenerateOptions) -> Result<(), Error> {
    let GenerateOptions { as_published, masking, exact, .. } = options;
    match (as_published, exact) {
        (true, Some(exact)) => {
            let message = format!("exact {exact}: published are tags, and no values are changed");
            Err(Error::input(message, "choose one of them"))
        }
        (false, _) if *masking != Masking::Strict && observes(&options.targets) => {
            let message = format!("masking {masking} is a reading of tags, and effects are graded");
            Err(Error::new(ErrorCode::MaskingNotGraded, message))
        }
        _ => Ok(()),
    }
}

/// The part of a text that assumptions stand behind, a line for each.
pub(crate) fn before_assumptions<'t>(text: &'t str, assumptions: &[String]) -> &'t str {
    let behind: usize = assumptions.iter().map(|assumption| assumption.len() + 1).sum();
    &text[..text.len() - behind]
}

/// Work that others do has to be kept somewhere.
pub(crate) fn without_store(work: &WorkOptions) -> Result<(), Error> {
    match work.workers {
        None => Ok(()),
        Some(_) => {
            let message = "workers need a folder where they keep what they find";
            Err(Error::new(ErrorCode::StoreNeeded, message))
        }
    }
}

/// Writes the runs that reach design errors; says where.
fn write_error_runs(folder: &Path, runs: &Suite) -> Result<String, Error> {
    let path = folder.join("errors.json");
    write_together(&suite_files(runs, &path, Format::Json, false)?)?;
    Ok(path.display().to_string())
}

/// What a clock ends on one machine need not be what it ends on another.
pub(crate) fn refuse_budget(work: &WorkOptions) -> Result<(), Error> {
    match (&work.workers, work.budget) {
        (Some(_), Some(_)) => {
            let message = "the time limit is this machine's clock, and others do the work";
            Err(Error::new(ErrorCode::BudgetWithWorkers, message))
        }
        _ => Ok(()),
    }
}

/// The chosen solver.
pub fn backend(work: &WorkOptions) -> Result<Backend, Error> {
    let backend = Backend::find(work.solver).map_err(|missing| unusable(&missing))?;
    if let (Some(library), Some(megabytes)) = (&backend.library, work.memory) {
        library.limit_memory(megabytes);
    }
    Ok(backend)
}

pub(crate) fn refuse_what_yices_lacks(work: &WorkOptions) -> Result<(), Error> {
    match work {
        WorkOptions { solver: SolverChoice::Yices, .. } if work.prover == Engine::Pdr => {
            Err(Error::new(ErrorCode::ProverNotInSolver, "only z3 has the prover pdr"))
        }
        WorkOptions { solver: SolverChoice::Yices, memory: Some(_), .. } => {
            Err(Error::new(ErrorCode::MemoryNotLimited, "only z3's memory can be limited"))
        }
        _ => Ok(()),
    }
}

/// With a clock, so many steps are simulated for each second of it: of large models a machine
/// does two or three times as many.
const STEPS_PER_SECOND: u64 = 40_000;

/// What part of the clock goes into facts about the whole system, at most.
const LEARNING_PERCENT: u32 = 30;

/// One unit of `--effort`, in the solver's own units of work.
pub(crate) const UNIT: u64 = 100_000;

/// What may be done to prove facts about the whole system; with a clock, a share of it.
pub fn learning(work: &WorkOptions) -> Limit {
    match work.budget {
        None => Limit::work(u64::from(work.effort.unwrap_or(10)) * UNIT * 20),
        Some(budget) => Limit::time(budget * LEARNING_PERCENT / 100),
    }
}

/// Little for each obligation first, then more for those that are left: most are easy, and no
/// one knows beforehand which. With a clock there is no last round but the one it ends.
pub fn rounds(work: &WorkOptions) -> Vec<Effort> {
    let (units, clock) = (u64::from(work.effort.unwrap_or(10)) * UNIT, work.budget.is_some());
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

/// Whether a reason says that the solver itself is in trouble.
fn is_failure(reason: &str) -> bool {
    reason.starts_with("solver failed") || reason.starts_with("solver out of memory")
}

fn unusable(missing: &MissingSolver) -> Error {
    let tried: Vec<String> =
        missing.tried.iter().map(|(path, why)| format!("{}: {why}", path.display())).collect();
    let message = format!("no usable {} was found ({})", missing.solver, tried.join("; "));
    Error::new(ErrorCode::ToolMissing, message).hint(missing.command)
}

/// Tests and proofs, and what became of each obligation.
#[derive(Clone, Debug)]
pub struct GenerateOutcome {
    /// What became of each obligation, as programs read it.
    pub result: Generate,
    /// The tests, with what is expected of what is monitored.
    pub suite: Suite,
}

/// What became of each property.
#[derive(Clone, Debug)]
pub struct ProveOutcome {
    /// All of it, as programs read it.
    pub result: Prove,
    /// A run for each property that is violated.
    pub counterexamples: Suite,
}

/// Generates tests and proofs for what the options ask for. `given` are tests that are kept. A call that
/// was cancelled gives what was found until then.
pub fn generate(
    model: &Model,
    given: Option<Suite>,
    options: &GenerateOptions,
    control: &Control,
) -> Result<GenerateOutcome, Error> {
    GenerationJob::prepare(model, given, options)?.run(control)
}

/// Does a worker's part of [`generate`].
pub(crate) fn serve_generate(
    model: &Model,
    given: Option<Suite>,
    options: &GenerateOptions,
    worker: &mut WorkerLoop,
) -> Result<Served, Error> {
    GenerationJob::prepare(model, given, options)?.serve(worker)
}

/// Proves the model's own properties, or finds runs that violate them, and decides design errors for the
/// numbers of a machine. Results are written into `folder`.
pub fn prove(
    model: &Model,
    errors: Option<MachineNumbers>,
    folder: Option<&Path>,
    work: &WorkOptions,
    control: &Control,
) -> Result<ProveOutcome, Error> {
    let GenerateOutcome { result, suite } =
        GenerationJob::of_properties(model, errors, folder, work)?.run(control)?;
    Ok(ProveOutcome { result: Prove::from(result), counterexamples: suite })
}

/// Does a worker's part of [`prove`].
pub(crate) fn serve_prove(
    model: &Model,
    work: &WorkOptions,
    worker: &mut WorkerLoop,
) -> Result<Served, Error> {
    GenerationJob::of_properties(model, None, None, work)?.serve(worker)
}
