//! What `study` does: many cases side by side, finished ones kept.

mod ledger;
mod studied;
mod work;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use provoke_criteria::{Criterion, Host, Masking};
use provoke_store::{Key, KeyBuilder};
use provoke_study::{Case, Cell, Cells, Form, Outcome};
use serde_json::json;

use crate::args::{StudyArgs, WorkArgs};
use crate::interrupt::Interrupt;
use crate::outcome::Failure;
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
    folder: &Path,
    settings: &Settings,
    subjects: &Subjects,
    cases: &[Case],
    output: &Output,
) -> Result<Done, Failure> {
    let interrupt = Interrupt::listen();
    let ledger = Ledger::open(folder, study, cases.len(), output)?;
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
