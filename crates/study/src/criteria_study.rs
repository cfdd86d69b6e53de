//! The studies of criteria and of methods: many cases side by side, and the tables that they fill.

mod options;
mod scoring;
mod subjects;

use std::time::{Duration, Instant};

use provoke_base::{Control, Error, ErrorCode};
use provoke_coverage::WorkOptions;
use provoke_criteria::{Criterion, Host, Masking};
use provoke_results::{Schema, Study, StudyWord, TableResult};
use provoke_store::{Key, KeyBuilder};
use provoke_work::{CaseRunner, Cases};
use serde_json::json;

use crate::anatomy::Anatomy;
use crate::case::{ModelForm, StudyCase, incremental_cases, observability_cases};
use crate::cells::{StudyCell, StudyCells};
pub use crate::criteria_study::options::{
    CriteriaOptions, IncrementalOptions, ObservabilityOptions,
};
use crate::criteria_study::subjects::{StudyModel, Subjects};
use crate::outcome::{CaseOutcome, MonitoredSet};
use crate::placement::Placement;
use crate::request::StudyRequest;
use crate::table::Table;
use crate::tables;

/// Compares criteria with and without observability, on models in several shapes: tables 4 to 16 of the
/// paper. If it is cancelled, the tables are of the cases that are done, and `interrupted` says so; the
/// same call goes on from there.
///
/// ```
/// use provoke_base::Control;
/// use provoke_files::ModelText;
/// use provoke_testgen::GenerationMethod;
/// use provoke_study::{CriteriaOptions, ModelForm, ObservabilityOptions, Placement, observability};
///
/// let text = "node door(open, key: bool) returns (unlocked: bool);
///             let unlocked = open or (false -> pre unlocked and not key); tel";
/// let folder = std::env::temp_dir().join(format!("provoke-study-{}", std::process::id()));
/// let options = ObservabilityOptions {
///     study: CriteriaOptions {
///         models: vec![ModelText::new("door", text)],
///         quick: true,
///         place: Placement::in_folder(&folder),
///         ..CriteriaOptions::default()
///     },
///     forms: vec![ModelForm::Given],
///     method: GenerationMethod::Random,
///     ..ObservabilityOptions::default()
/// };
///
/// let ended_early = Control::new();
/// ended_early.cancel();
/// let partial = observability(&options, &ended_early).expect("tables without rows");
/// assert!(partial.interrupted);
/// assert_eq!((partial.cases, partial.done), (12, 0));
///
/// let whole = observability(&options, &Control::new()).expect("all tables");
/// assert!(!whole.interrupted);
/// assert_eq!((whole.done, whole.resumed), (12, 0));
/// # std::fs::remove_dir_all(&folder).expect("the folder is there");
/// ```
pub fn observability(options: &ObservabilityOptions, control: &Control) -> Result<Study, Error> {
    let start = Instant::now();
    let plan = Plan::of_observability(options, control)?;
    let done = plan.run(&StudyRequest::Observability(options.clone()), control)?;
    let anatomies: Vec<Anatomy> = plan.subjects.all.iter().map(StudyModel::anatomy).collect();
    let tables = tables::observability(&done.cells, &anatomies);
    plan.written(&done, &tables, start)
}

/// Compares incremental with regular generation: tables 6.1 to 6.5 of the thesis. If it is cancelled, the
/// tables are of the cases that are done, and `interrupted` says so; the same call goes on from there.
pub fn incremental(options: &IncrementalOptions, control: &Control) -> Result<Study, Error> {
    let start = Instant::now();
    let plan = Plan::of_incremental(options, control)?;
    let done = plan.run(&StudyRequest::Incremental(options.clone()), control)?;
    let tables = tables::incremental(&done.cells);
    plan.written(&done, &tables, start)
}

/// How long a case takes, as long as nothing was measured.
const CASE_SECONDS: f64 = 10.0;

/// What a study consists of.
pub(crate) struct Plan<'o> {
    study: StudyWord,
    place: &'o Placement,
    /// How many suites or runs, and mutants.
    numbers: [u32; 2],
    settings: Settings,
    subjects: Subjects,
    cases: Vec<StudyCase>,
}

/// The cases that are done.
struct Done {
    cells: StudyCells,
    /// How many of the cells an earlier run did.
    resumed: usize,
}

impl<'o> Plan<'o> {
    /// The cases of the study of observability.
    pub(crate) fn of_observability(
        options: &'o ObservabilityOptions,
        control: &Control,
    ) -> Result<Plan<'o>, Error> {
        let study = &options.study;
        let numbers = study.numbers([10, 100], [50, 500]);
        let mut settings = Settings::new(study, numbers[0], numbers[1]);
        (settings.kill, settings.kill_budget) = (options.kill, options.kill_budget);
        let subjects = Subjects::read(&study.models, study.quick, &options.forms, control)?;
        let criteria = match options.criteria.is_empty() {
            true => Criterion::ALL.to_vec(),
            false => options.criteria.clone(),
        };
        let models = subjects.all.iter().map(|studied| (studied.model.as_str(), studied.form));
        let cases = observability_cases(models, &options.masking, &criteria, options.method);
        let (word, place) = (StudyWord::Observability, &study.place);
        Ok(Plan { study: word, place, numbers, settings, subjects, cases })
    }

    /// The cases of the study of incremental generation.
    pub(crate) fn of_incremental(
        options: &'o IncrementalOptions,
        control: &Control,
    ) -> Result<Plan<'o>, Error> {
        let study = &options.study;
        let numbers = study.numbers([3, 100], [10, 250]);
        let settings = Settings::new(study, 1, numbers[1]);
        let subjects = Subjects::read(&study.models, study.quick, &[ModelForm::Given], control)?;
        let cases = incremental_cases(&subjects.models(), options.criterion, numbers[0].into());
        let (word, place) = (StudyWord::Incremental, &study.place);
        Ok(Plan { study: word, place, numbers, settings, subjects, cases })
    }

    /// Works on all cases that are not done yet.
    fn run(&self, request: &StudyRequest, control: &Control) -> Result<Done, Error> {
        self.place.make_folder()?;
        if self.place.workers.is_some() {
            self.settings.refuse_budget()?;
        }
        let mut runner = self.place.runner(request, self.place.threads(), control)?;
        let cells = self.cells(&mut runner)?;
        Ok(Done { cells, resumed: runner.resumed() })
    }

    /// What comes of each case, as far as they were done.
    pub(crate) fn cells(&self, runner: &mut CaseRunner<'_>) -> Result<StudyCells, Error> {
        let studied = |case: &StudyCase| self.subjects.of(&case.model, case.group.form);
        let keys = self.cases.iter().map(|case| self.settings.key(case, studied(case))).collect();
        let line = |at: usize, outcome: &CaseOutcome| line(&self.cases[at], outcome);
        let all = Cases { line: Some(&line), ..Cases::new("case", CASE_SECONDS, keys) };
        let outcomes = runner.each(&all, &|at, stop| {
            let case = &self.cases[at];
            scoring::outcome(case, studied(case), &self.settings, stop)
        })?;
        let cell = |(case, outcome): (&StudyCase, Option<CaseOutcome>)| {
            outcome.map(|outcome| StudyCell { case: case.clone(), outcome })
        };
        Ok(StudyCells(self.cases.iter().zip(outcomes).filter_map(cell).collect()))
    }

    /// Writes the tables, and says what they are.
    fn written(&self, done: &Done, tables: &[Table], start: Instant) -> Result<Study, Error> {
        let result = self.result(done, tables, start);
        let csv = |table: &Table| (format!("{}.csv", table.file_stem()), table.csv());
        let raw = tables::raw(&done.cells);
        let mut files: Vec<_> = tables.iter().chain(&raw).map(csv).collect();
        files.push(("study.md".to_string(), page(tables, &result)));
        self.place.write(&files)?;
        Ok(result)
    }

    fn result(&self, done: &Done, tables: &[Table], start: Instant) -> Study {
        let (work, [suites, mutants]) = (&self.settings.work, self.numbers);
        Study {
            schema: Schema::default(),
            study: self.study,
            models: self.subjects.models().into_iter().map(String::from).collect(),
            suites,
            mutants,
            effort: work.budget.is_none().then(|| work.effort.unwrap_or(10)),
            budget_seconds: work.budget.map(|budget| budget.as_secs_f64()),
            seed: work.seed,
            cases: self.cases.len(),
            done: done.cells.0.len(),
            resumed: done.resumed,
            left_out: self.subjects.left_out.clone(),
            seconds: (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0,
            folder: self.place.folder.display().to_string(),
            interrupted: done.cells.0.len() < self.cases.len(),
            tables: tables.iter().map(table_result).collect(),
        }
    }
}

fn table_result(table: &Table) -> TableResult {
    TableResult {
        number: table.number.to_string(),
        title: table.title.to_string(),
        file: format!("{}.csv", table.file_stem()),
        columns: table.columns.clone(),
        rows: table.rows.clone(),
    }
}

/// How each case is treated.
struct Settings {
    work: WorkOptions,
    /// How many suites are drawn.
    suites: u64,
    /// How many mutants they are run on.
    mutants: usize,
    /// Whether survivors are decided.
    kill: bool,
    /// How long that may take, if not as long as a case.
    kill_budget: Option<Duration>,
}

impl Settings {
    fn new(options: &CriteriaOptions, suites: u32, mutants: u32) -> Settings {
        let effort = match (options.effort, options.budget, options.quick) {
            (None, None, true) => Some(1),
            (effort, ..) => effort,
        };
        let (budget, seed) = (options.budget, options.seed);
        // The cases are the jobs; each of them has one thread.
        let work = WorkOptions { budget, effort, seed, jobs: Some(1), ..WorkOptions::default() };
        let (suites, mutants) = (suites.into(), mutants as usize);
        Settings { work, suites, mutants, kill: false, kill_budget: None }
    }

    /// What a clock ends on one machine need not be what it ends on another.
    fn refuse_budget(&self) -> Result<(), Error> {
        match self.work.budget.or(self.kill_budget) {
            None => Ok(()),
            Some(_) => {
                let message = "a budget is this machine's clock, and others do the work";
                Err(Error::new(ErrorCode::BudgetWithWorkers, message))
            }
        }
    }

    /// Whether the survivors of a case are decided: those of the strongest criterion, on the
    /// model as it is written.
    fn decides_survivors(&self, case: &StudyCase) -> bool {
        let omcdc = Criterion { host: Host::Mcdc, observable: true };
        let plain = case.group.form == ModelForm::Given && case.group.masking == Masking::Strict;
        self.kill && plain && case.criterion == omcdc
    }

    /// The name under which what comes of a case is kept: all that it depends on.
    fn key(&self, case: &StudyCase, studied: &StudyModel) -> Key {
        let StudyCase { group, criterion, method, run, .. } = case;
        let milliseconds = |time: Duration| time.as_millis() as u64;
        let budget = self.work.budget.map(milliseconds);
        let kill = self.decides_survivors(case);
        let kill_budget = self.kill_budget.filter(|_| kill).map(milliseconds);
        let (form, masking) = (group.form.word(), group.masking.word());
        KeyBuilder::of_this_build("provoke/study/1")
            .part("name", &studied.model)
            .part("model", &studied.file.text)
            .json("case", &json!([form, masking, criterion.word(), method.word(), run]))
            .json(
                "settings",
                &json!({
                    "suites": self.suites, "mutants": self.mutants, "seed": self.work.seed,
                    "effort": self.work.effort.unwrap_or(10), "budget_ms": budget,
                    "kill": kill, "kill_budget_ms": kill_budget,
                }),
            )
            .finish()
    }
}

/// A case and what came of it, in a line.
fn line(case: &StudyCase, outcome: &CaseOutcome) -> String {
    let StudyCase { model, group, criterion, method, run } = case;
    let totals = &outcome.obligations;
    let what = format!("{model} ({group}), {criterion}, {} {}", method.word(), run + 1);
    let Some(covered) = totals.percent(totals.covered) else {
        return format!("{what}: it asks for nothing");
    };
    let percent = |seen| outcome.rate(seen).map_or("no".into(), |rate| format!("{rate:.2} %"));
    let late = if outcome.cut_short { ", out of time" } else { "" };
    format!(
        "{what}: {covered:.2} % of {} covered, {} tests, {} killed by outputs, {} by all, \
         {:.1} s{late}",
        totals.total,
        outcome.tests,
        percent(MonitoredSet::Outputs),
        percent(MonitoredSet::Maximum),
        outcome.seconds,
    )
}

/// All tables as one page.
fn page(tables: &[Table], result: &Study) -> String {
    let mut page = format!("# Study: {}\n\n{}\n", result.study, settings(result));
    result.left_out.iter().for_each(|what| page += &format!("\n{what}\n"));
    tables.iter().for_each(|table| page += &format!("\n{}", table.markdown()));
    page
}

/// What a reader has to know to do it again.
fn settings(result: &Study) -> String {
    let Study { models, done, cases, suites, mutants, seed, .. } = result;
    let work = match (result.budget_seconds, result.effort) {
        (Some(seconds), _) => format!("{seconds} s for each case"),
        (None, effort) => format!("effort {}", effort.unwrap_or(0)),
    };
    let (models, version) = (models.len(), env!("CARGO_PKG_VERSION"));
    format!(
        "{models} models, {done} of {cases} cases; {suites} suites or runs of each, up to \
         {mutants} mutants, {work}, seed {seed}, provoke {version}."
    )
}
