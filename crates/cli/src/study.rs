//! What `study` does: many cases side by side, finished ones kept.

mod studied;
mod work;

use std::path::PathBuf;
use std::time::Duration;

use provoke::WorkOptions;
use provoke_criteria::{Criterion, Host, Masking};
use provoke_store::{Key, KeyBuilder};
use provoke_study::{Case, Cell, Cells, Form, Outcome, Seen};
use provoke_work::{CaseRunner, Cases, Executor, Served, WorkerLoop, study_identity};
use serde_json::json;

use crate::args::StudyArgs;
use crate::console;
use crate::outcome::Failure;
use crate::output::Output;
pub(crate) use crate::study::studied::{Studied, Subjects};
use crate::workers;

/// How each case is treated.
pub(crate) struct Settings {
    pub(crate) work: WorkOptions,
    /// How many suites are drawn.
    pub(crate) suites: u64,
    /// How many mutants they are run on.
    pub(crate) mutants: usize,
    /// Whether survivors are decided.
    pub(crate) kill: bool,
    /// How long that may take, if not as long as a case.
    pub(crate) kill_budget: Option<Duration>,
    /// How many cases are worked on at a time.
    jobs: usize,
    /// Who works, if it is not this process.
    place: Option<Executor>,
    /// Where finished cases are kept.
    store: PathBuf,
}

impl Settings {
    /// What the user asked for, or the numbers of the literature; less if it has to be quick.
    pub(crate) fn new(args: &StudyArgs, suites: u32, mutants: u32, kill: bool) -> Settings {
        let effort = match (args.effort, args.budget, args.quick) {
            (None, None, true) => Some(1),
            (effort, ..) => effort,
        };
        // The cases are the jobs; each of them has one thread.
        let work = WorkOptions { budget: args.budget, effort, jobs: Some(1), ..Default::default() };
        Settings {
            work: WorkOptions { seed: args.seed, ..work },
            suites: suites.into(),
            mutants: mutants as usize,
            kill,
            kill_budget: None,
            jobs: args.place.jobs(),
            place: args.place.executor().cloned(),
            store: args.place.store.as_ref().unwrap_or(&args.output).clone(),
        }
    }

    /// What a clock ends on one machine need not be what it ends on another.
    fn refuse_budget(&self) -> Result<(), Failure> {
        match self.work.budget.or(self.kill_budget) {
            None => Ok(()),
            Some(_) => Err(Failure::Usage {
                message: "a budget is this machine's clock, and others do the work".to_string(),
                hint: "measure the work with --effort".to_string(),
            }),
        }
    }

    /// Whether the survivors of a case are decided: those of the strongest criterion, on the
    /// model as it is written.
    fn decides_survivors(&self, case: &Case) -> bool {
        let omcdc = Criterion { host: Host::Mcdc, observable: true };
        let plain = case.group.form == Form::Given && case.group.masking == Masking::Strict;
        self.kill && plain && case.criterion == omcdc
    }

    /// The name under which what comes of a case is kept: all that it depends on.
    fn key(&self, case: &Case, studied: &Studied) -> Key {
        let Case { group, criterion, method, run, .. } = case;
        let milliseconds = |time: Duration| time.as_millis() as u64;
        let budget = self.work.budget.map(milliseconds);
        let kill = self.decides_survivors(case);
        let kill_budget = self.kill_budget.filter(|_| kill).map(milliseconds);
        KeyBuilder::of_this_build("provoke/study/1")
            .part("name", &studied.model)
            .part("model", &studied.file.text)
            .json(
                "case",
                &json!([
                    group.form.word(),
                    group.masking.word(),
                    criterion.word(),
                    method.word(),
                    run
                ]),
            )
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

/// All that was done.
pub(crate) struct Done {
    pub(crate) cells: Cells,
    /// How many of the cells an earlier run did.
    pub(crate) resumed: usize,
    /// How many cells there would be.
    pub(crate) cases: usize,
}

impl Done {
    /// Whether the user ended it early.
    pub(crate) fn interrupted(&self) -> bool {
        self.cells.0.len() < self.cases
    }
}

/// Works on all cases that are not done yet.
pub(crate) fn run(
    study: &'static str,
    settings: &Settings,
    subjects: &Subjects,
    cases: &[Case],
    output: &Output,
) -> Result<Done, Failure> {
    let control = console::control(output);
    let place = settings.place.as_ref();
    if place.is_some() {
        settings.refuse_budget()?;
    }
    let (identity, folder) = (study_identity(study), Some(settings.store.as_path()));
    let mut runner = workers::runner(&identity, folder, place, settings.jobs, &control)?;
    let done = each(&mut runner, settings, subjects, cases)?;
    let cell = |(case, outcome): (&Case, Option<Outcome>)| {
        outcome.map(|outcome| Cell { case: case.clone(), outcome })
    };
    let cells = Cells(cases.iter().zip(done).filter_map(cell).collect());
    Ok(Done { cells, resumed: runner.resumed(), cases: cases.len() })
}

/// Does a worker's part.
pub(crate) fn serve(
    study: &'static str,
    settings: &Settings,
    subjects: &Subjects,
    cases: &[Case],
    worker: &mut WorkerLoop,
) -> Result<Served, Failure> {
    let mut runner = CaseRunner::of_worker(&study_identity(study), worker)?;
    each(&mut runner, settings, subjects, cases)?;
    Ok(runner.served()?)
}

/// How long a case takes, as long as nothing was measured.
const CASE_SECONDS: f64 = 10.0;

/// What comes of each case.
fn each(
    runner: &mut CaseRunner<'_>,
    settings: &Settings,
    subjects: &Subjects,
    cases: &[Case],
) -> Result<Vec<Option<Outcome>>, Failure> {
    let studied = |case: &Case| subjects.of(&case.model, case.group.form);
    let keys = cases.iter().map(|case| settings.key(case, studied(case))).collect();
    let told = |at: usize, outcome: &Outcome| told(&cases[at], outcome);
    let all = Cases { line: Some(&told), ..Cases::new("case", CASE_SECONDS, keys) };
    runner.each(&all, &|at, stop| {
        let case = &cases[at];
        work::outcome(case, studied(case), settings, stop)
    })
}

/// A case and what came of it, in a line.
fn told(case: &Case, outcome: &Outcome) -> String {
    let Case { model, group, criterion, method, run } = case;
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
        percent(Seen::Outputs),
        percent(Seen::Maximum),
        outcome.seconds,
    )
}
