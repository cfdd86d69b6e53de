//! What `study` does: many cases side by side, finished ones kept.

mod ledger;
mod studied;
mod work;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use provoke_criteria::{Criterion, Host, Masking};
use provoke_store::{Key, KeyBuilder};
use provoke_study::{Case, Cell, Cells, Form, Outcome};
use serde_json::json;

use crate::args::{StudyArgs, WorkArgs};
use crate::engine::{Fleet, Piece, Place, Shift, Stage};
use crate::interrupt::Interrupt;
use crate::outcome::{Failure, Outcome as Ended};
use crate::output::Output;
use crate::study::ledger::Ledger;
pub(crate) use crate::study::studied::{Studied, Subjects};

/// How each case is treated.
pub(crate) struct Settings {
    pub(crate) work: WorkArgs,
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
    place: Option<Place>,
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
        let work = WorkArgs { budget: args.budget, effort, jobs: Some(1), ..WorkArgs::default() };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Settings {
            work: WorkArgs { seed: args.seed, ..work },
            suites: suites.into(),
            mutants: mutants as usize,
            kill,
            kill_budget: None,
            jobs: args.jobs.map_or(cores, |jobs| jobs as usize),
            place: args.place.place().cloned(),
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
        KeyBuilder::new("provoke/study/1")
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
    let interrupt = Interrupt::listen();
    let folder = &settings.store;
    let mut ledger = Ledger::open(folder, study, cases.len(), output)?;
    if let Some(place) = &settings.place {
        settings.refuse_budget()?;
        let fleet = Fleet::new(place, folder, settings.jobs, &interrupt, output)?;
        let stage = Stage { name: "cases", seconds: CASE_SECONDS, alone: false };
        fleet.complete_all(ledger.store(), &stage, &pieces(settings, subjects, cases))?;
    }
    let plan = Plan {
        settings,
        subjects,
        cases,
        interrupt: &interrupt,
        start: Instant::now(),
        next: AtomicUsize::new(0),
        ledger: Mutex::new(ledger),
        failure: Mutex::new(None),
    };
    let mut done: Vec<(usize, Outcome)> = std::thread::scope(|scope| {
        let workers = settings.jobs.min(cases.len()).max(1);
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(|| plan.work())).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    if let Some(failure) = plan.failure.into_inner().expect("no thread panicked") {
        return Err(failure);
    }
    done.sort_by_key(|(at, _)| *at);
    let cell = |(at, outcome): (usize, Outcome)| Cell { case: cases[at].clone(), outcome };
    let cells = Cells(done.into_iter().map(cell).collect());
    let resumed = plan.ledger.into_inner().expect("no thread panicked").finish();
    Ok(Done { cells, resumed, cases: cases.len() })
}

/// How long a case takes, as long as nothing was measured.
const CASE_SECONDS: f64 = 10.0;

/// The cases, as work for others.
fn pieces(settings: &Settings, subjects: &Subjects, cases: &[Case]) -> Vec<Piece> {
    let piece = |(at, case): (usize, &Case)| {
        let key = settings.key(case, subjects.of(&case.model, case.group.form));
        Piece { key, what: json!({"case": at}), after: None }
    };
    cases.iter().enumerate().map(piece).collect()
}

/// Does a worker's part.
pub(crate) fn serve(
    study: &'static str,
    settings: &Settings,
    subjects: &Subjects,
    cases: &[Case],
    shift: &mut Shift,
) -> Result<Ended, Failure> {
    let stop = shift.stop();
    shift.work(&ledger::identity(study), &mut |what| {
        let at = what["case"].as_u64().and_then(|at| usize::try_from(at).ok());
        let Some(case) = at.and_then(|at| cases.get(at)) else {
            let message = format!("the plan asks for {what}, which is not there");
            return Err(Failure::input(message, "start the command with --engine again"));
        };
        let studied = subjects.of(&case.model, case.group.form);
        let outcome = work::outcome(case, studied, settings, &stop)?;
        let record = serde_json::to_value(outcome).expect("outcomes are plain data");
        Ok((!stop()).then(|| (settings.key(case, studied), record)))
    })
}

/// The cases, and who does the next one.
struct Plan<'a> {
    settings: &'a Settings,
    subjects: &'a Subjects,
    cases: &'a [Case],
    interrupt: &'a Interrupt,
    start: Instant,
    next: AtomicUsize,
    ledger: Mutex<Ledger<'a>>,
    /// The first thing that went wrong; it ends the study.
    failure: Mutex<Option<Failure>>,
}

impl<'a> Plan<'a> {
    /// Does case after case.
    fn work(&self) -> Vec<(usize, Outcome)> {
        let mut done = Vec::new();
        loop {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let failed = self.failure.lock().expect("no thread panicked").is_some();
            if at >= self.cases.len() || failed {
                return done;
            }
            match self.one(&self.cases[at]) {
                Ok(Some(outcome)) => done.push((at, outcome)),
                Ok(None) => {}
                Err(failure) => {
                    self.failure.lock().expect("no thread panicked").get_or_insert(failure);
                }
            }
        }
    }

    /// What came of a case, now or earlier; None if the user ended it before.
    fn one(&self, case: &Case) -> Result<Option<Outcome>, Failure> {
        let studied = self.subjects.of(&case.model, case.group.form);
        let key = self.settings.key(case, studied);
        if let Some(known) = self.ledger().recall(&key) {
            return Ok(Some(known));
        }
        let stop = || self.interrupt.came();
        if stop() {
            return Ok(None);
        }
        let outcome = work::outcome(case, studied, self.settings, &stop)?;
        if stop() {
            return Ok(None);
        }
        self.ledger().keep(key, case, &outcome, self.start.elapsed())?;
        Ok(Some(outcome))
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger<'a>> {
        self.ledger.lock().expect("no thread panicked")
    }
}
