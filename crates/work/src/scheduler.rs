//! The scheduler: has tasks done, until the result of each is in the store.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use provoke_base::{Control, Error, ErrorCode, Event, Progress};
use provoke_store::{Key, Store, StoreError};
use serde::{Deserialize, Serialize};

use crate::executor::Executor;
use crate::hq::Tasks;
use crate::ledger::unusable;
use crate::local::LocalWorkers;
use crate::reports::Reports;
use crate::slurm::Array;
use crate::spec::{JobSpec, make_folder};
use crate::task::{self, Chunk, Task};

/// A task that was begun so often without an end is given up.
const MAX_TRIES: usize = 3;
/// So many rounds in which nothing was even begun end the run.
const MAX_IDLE_ROUNDS: usize = 2;
/// How many reasons of failed workers are told.
const MAX_REASONS: usize = 3;
/// How much longer a task may take than the one before it, which had less effort.
const EFFORT_GROWTH: f64 = 8.0;
/// How a worker's report of a fault in the program itself begins.
const INTERNAL: &str = "internal error: ";

/// Workers that are to be asked.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Workers {
    /// Who they are.
    pub executor: Executor,
    /// The program that a worker runs, with `worker` and where to work as its arguments.
    pub program: PathBuf,
    /// How many work at a time on this machine.
    pub count: usize,
    /// The folder that file names in a request are relative to.
    pub folder: PathBuf,
}

/// How tasks of one kind are done together.
pub struct TaskBatch<'a> {
    /// What is done, for people.
    pub name: &'a str,
    /// How many seconds a task takes, as long as nothing was measured.
    pub seconds: f64,
    /// Whether each task is a chunk of its own, because some take very long.
    pub alone: bool,
}

/// A task that no worker could do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FailedTask {
    /// The name under which its result would be kept.
    pub key: Key,
    /// What the last worker said.
    pub reason: String,
}

/// Has the tasks of one task of work done by workers.
pub struct Scheduler {
    workers: Workers,
    store: PathBuf,
    /// How many work at a time.
    count: usize,
    /// The workers on this machine, who are kept from batch to batch.
    local: Arc<LocalWorkers>,
    control: Control,
    reports: RefCell<Reports>,
}

impl Scheduler {
    /// Makes sure that the workers can be asked, and leaves the request where they find it.
    pub fn new(
        workers: &Workers,
        request: &impl Serialize,
        store: &Path,
        control: &Control,
    ) -> Result<Scheduler, Error> {
        let count = match &workers.executor {
            Executor::Local => workers.count,
            Executor::Slurm(options) => options.require_commands()?,
            Executor::Hq(_) => Tasks::require_command()?,
        };
        make_folder(store)?;
        let store = std::fs::canonicalize(store).map_err(|error| {
            let message = format!("{}: {error}", store.display());
            Error::new(ErrorCode::StoreUnusable, message).hint("name another folder")
        })?;
        JobSpec::new(workers.folder.clone(), request).leave(&store)?;
        let local = Arc::new(LocalWorkers::new(&workers.program, &store, count));
        let (workers, control) = (workers.clone(), control.clone());
        Ok(Scheduler { workers, store, count, local, control, reports: RefCell::default() })
    }

    /// Has the tasks done that are not in the store, which is read again, and tells what nobody
    /// could do. It may be cancelled; then some are left that are neither.
    pub fn complete(
        &self,
        store: &mut Store,
        batch: &TaskBatch<'_>,
        tasks: &[Task],
    ) -> Result<Vec<FailedTask>, Error> {
        let mut round = Round::new(self, batch, tasks);
        round.adopt(store)?;
        loop {
            let missing = round.missing(store)?;
            if missing.is_empty() || self.control.is_cancelled() {
                return Ok(round.failed(store));
            }
            round.submit(store, &missing)?;
        }
    }

    /// Like [`Scheduler::complete`], for work that is worth nothing unless all of it is done.
    pub fn complete_all(
        &self,
        store: &mut Store,
        batch: &TaskBatch<'_>,
        tasks: &[Task],
    ) -> Result<(), Error> {
        let failed = self.complete(store, batch, tasks)?;
        let Some(first) = failed.first() else { return Ok(()) };
        let (count, all, reason) = (failed.len(), tasks.len(), &first.reason);
        Err(self.ended(format!("{}: {count} of {all} were not done: {reason}", batch.name)))
    }

    /// An end before everything is done; nothing is lost by it.
    fn ended(&self, message: String) -> Error {
        let store = self.store.display();
        let hint = format!("what was done is in {store}; the same command goes on from there");
        Error::new(ErrorCode::WorkersLost, message).hint(hint)
    }
}

/// A batch on its way.
struct Round<'s> {
    scheduler: &'s Scheduler,
    batch: &'s TaskBatch<'s>,
    tasks: &'s [Task],
    rounds: usize,
    /// How many rounds have led to nothing at all.
    idle_rounds: usize,
    /// How often each was begun before this batch: an earlier run's troubles do not count.
    before: BTreeMap<String, usize>,
}

impl<'s> Round<'s> {
    fn new(scheduler: &'s Scheduler, batch: &'s TaskBatch<'s>, tasks: &'s [Task]) -> Round<'s> {
        let mut reports = scheduler.reports.borrow_mut();
        reports.refresh(&scheduler.store);
        reports.failures.clear();
        let before = reports.started.clone();
        Round { scheduler, batch, tasks, rounds: 0, idle_rounds: 0, before }
    }

    /// Waits for workers that an earlier run of the command has left.
    fn adopt(&mut self, store: &mut Store) -> Result<(), Error> {
        if let Executor::Slurm(_) = self.scheduler.workers.executor
            && let Some(array) = Array::left_in(&self.scheduler.store)
        {
            let words = array.words();
            let note = format!("waiting for what an earlier run left: {words}");
            self.scheduler.control.tell(Event::Note(note));
            self.wait(store, Submission::Slurm(array))?;
        }
        Ok(())
    }

    /// What is not done, without what is given up.
    fn missing(&self, store: &mut Store) -> Result<Vec<&'s Task>, Error> {
        store.refresh().map_err(|error| self.unusable(&error))?;
        let reports = self.scheduler.reports.borrow();
        let tries = |task: &Task| {
            let key = task.key.to_string();
            let count = |of: &BTreeMap<String, usize>| of.get(&key).copied();
            count(&reports.started).unwrap_or(0) - count(&self.before).unwrap_or(0)
        };
        let open = |task: &&Task| !store.contains(&task.key) && tries(task) < MAX_TRIES;
        let mut missing: Vec<&Task> = self.tasks.iter().filter(open).collect();
        // The longest first: what is begun last should be short.
        let seconds = |task: &&Task| {
            let earlier = task.after.and_then(|key| reports.seconds.get(&key.to_string()));
            std::cmp::Reverse(earlier.map_or(0, |seconds| (seconds * 1e6) as u64))
        };
        missing.sort_by_key(seconds);
        Ok(missing)
    }

    fn failed(&self, store: &Store) -> Vec<FailedTask> {
        let reports = self.scheduler.reports.borrow();
        if self.scheduler.control.is_cancelled() {
            return Vec::new();
        }
        let reason =
            reports.failures.last().cloned().unwrap_or_else(|| {
                format!("workers began it {MAX_TRIES} times and never ended it")
            });
        let missing = self.tasks.iter().filter(|task| !store.contains(&task.key));
        missing.map(|task| FailedTask { key: task.key, reason: reason.clone() }).collect()
    }

    /// One round: a plan, workers, and patience.
    fn submit(&mut self, store: &mut Store, missing: &[&Task]) -> Result<(), Error> {
        let size = self.size(missing);
        let chunks = task::chunks(missing, size);
        let plan = self.write_plan(&chunks)?;
        let (done, begun) = (store.len(), self.begun());
        let (scheduler, workers) = (self.scheduler, &self.scheduler.workers);
        let submission = match &workers.executor {
            Executor::Local => {
                scheduler.local.give(chunks);
                Submission::Local(Arc::clone(&scheduler.local))
            }
            Executor::Slurm(options) => {
                let array = Array::submit(workers, &scheduler.store, options, &plan, chunks.len());
                Submission::Slurm(array.map_err(|refused| scheduler.ended(refused))?)
            }
            Executor::Hq(folder) => {
                let tasks = Tasks::submit(workers, &scheduler.store, folder.as_deref(), &plan);
                Submission::Hq(tasks.map_err(|refused| scheduler.ended(refused))?)
            }
        };
        self.rounds += 1;
        self.wait(store, submission)?;
        self.tell_failures();
        let is_idle = store.len() == done && self.begun() == begun;
        self.idle_rounds = if is_idle { self.idle_rounds + 1 } else { 0 };
        if self.idle_rounds >= MAX_IDLE_ROUNDS && !self.scheduler.control.is_cancelled() {
            let reports = scheduler.reports.borrow();
            let reason = reports.failures.last().map_or("no worker began to work", |last| last);
            return Err(scheduler.ended(reason.to_string()));
        }
        Ok(())
    }

    /// How many tasks a chunk has. What a worker died of is not to take others with it.
    fn size(&self, missing: &[&Task]) -> usize {
        if self.rounds > 0 {
            return 1;
        }
        let start_seconds = self.scheduler.workers.executor.start_seconds();
        if self.batch.alone {
            let before = missing.iter().filter_map(|task| task.after);
            let seconds = self.average(before) * EFFORT_GROWTH;
            return task::least(seconds, start_seconds);
        }
        let seconds = self.average(self.tasks.iter().map(|task| task.key));
        task::size(missing.len(), seconds, self.scheduler.count, start_seconds)
    }

    /// How many seconds tasks of these keys took on average, as far as that was measured.
    fn average(&self, keys: impl Iterator<Item = Key>) -> f64 {
        let reports = self.scheduler.reports.borrow();
        let measured: Vec<f64> =
            keys.filter_map(|key| reports.seconds.get(&key.to_string()).copied()).collect();
        match measured.is_empty() {
            true => self.batch.seconds,
            false => measured.iter().sum::<f64>() / measured.len() as f64,
        }
    }

    fn begun(&self) -> usize {
        self.scheduler.reports.borrow().started.values().sum()
    }

    /// Waits until all is done, or nobody is left who could do it.
    fn wait(&mut self, store: &mut Store, mut submission: Submission) -> Result<(), Error> {
        let keys: Vec<Key> = self.tasks.iter().map(|task| task.key).collect();
        let mut pause = Duration::from_millis(5);
        loop {
            // Asked before the store is read: what was done meanwhile is in it then.
            let over = submission.is_over();
            store.refresh().map_err(|error| self.unusable(&error))?;
            submission.reports(&self.scheduler.store, &mut self.scheduler.reports.borrow_mut());
            let done = keys.iter().filter(|key| store.contains(key)).count();
            if over || done == keys.len() || self.scheduler.control.is_cancelled() {
                self.scheduler.control.tell(Event::ProgressEnded);
                if !over {
                    self.dismiss(submission, done == keys.len());
                }
                return Ok(());
            }
            self.scheduler.control.tell(Event::Progress(Progress::Tasks {
                name: self.batch.name.to_string(),
                done,
                total: keys.len(),
                workers: Some(submission.words()),
            }));
            submission.pause(pause);
            pause = (pause * 2).min(submission.patience());
        }
    }

    /// Ends workers that nobody needs: on a cluster those that have nothing left to do, here those
    /// that have.
    fn dismiss(&self, mut submission: Submission, complete: bool) {
        match (&submission, complete) {
            (Submission::Local(local), true) => local.take_back(),
            (_, true) | (Submission::Local(_), false) => submission.end(),
            (_, false) => self.scheduler.control.warn(format!(
                "{} go on without this command; the same command waits for them again",
                submission.words()
            )),
        }
    }

    fn tell_failures(&self) {
        let reports = self.scheduler.reports.borrow();
        let mut told: Vec<&String> = Vec::new();
        for failure in &reports.failures {
            if !told.contains(&failure) {
                told.push(failure);
            }
        }
        let control = &self.scheduler.control;
        for failure in told.iter().take(MAX_REASONS) {
            if failure.contains(INTERNAL) {
                control.tell(Event::WorkerFault(failure.to_string()));
            }
            control.warn(format!("{failure}; what is missing is tried again"));
        }
    }

    /// Writes the plan under a name of its own: tasks of an earlier one may still be waiting.
    fn write_plan(&self, chunks: &[Chunk]) -> Result<PathBuf, Error> {
        let folder = crate::folder(&self.scheduler.store);
        let mut number = 1;
        loop {
            let path = folder.join(format!("plan-{number}.jsonl"));
            let failed = |error: std::io::Error| {
                let message = format!("cannot write {}: {error}", path.display());
                let hint = "check the folder and the space left on the disk";
                Error::new(ErrorCode::CannotWrite, message).hint(hint)
            };
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(failed(error)),
                Ok(mut file) => {
                    let text: String = chunks.iter().map(Chunk::line).collect();
                    return match file.write_all(text.as_bytes()) {
                        Ok(()) => Ok(path),
                        Err(error) => {
                            let _ = std::fs::remove_file(&path);
                            Err(failed(error))
                        }
                    };
                }
            }
        }
    }

    fn unusable(&self, error: &StoreError) -> Error {
        unusable(&self.scheduler.store, error)
    }
}

/// Workers that were given a plan.
enum Submission {
    Local(Arc<LocalWorkers>),
    Slurm(Array),
    Hq(Tasks),
}

impl Submission {
    fn is_over(&mut self) -> bool {
        match self {
            Submission::Local(local) => local.is_over(),
            Submission::Slurm(array) => array.is_over(),
            Submission::Hq(tasks) => tasks.is_over(),
        }
    }

    fn words(&self) -> String {
        match self {
            Submission::Local(local) => local.words(),
            Submission::Slurm(array) => array.words(),
            Submission::Hq(tasks) => tasks.words(),
        }
    }

    fn end(&mut self) {
        match self {
            Submission::Local(local) => local.end(),
            Submission::Slurm(array) => array.end(),
            Submission::Hq(tasks) => tasks.end(),
        }
    }

    fn reports(&self, store: &Path, into: &mut Reports) {
        match self {
            Submission::Local(local) => local.take_reports(into),
            _ => into.refresh(store),
        }
    }

    /// Waits a little before looking again.
    fn pause(&self, time: Duration) {
        match self {
            Submission::Local(local) => local.wait(time),
            _ => std::thread::sleep(time),
        }
    }

    /// How long to wait before looking again; a cluster's commands are not to be asked too often.
    fn patience(&self) -> Duration {
        match self {
            Submission::Local(_) => Duration::from_millis(50),
            _ => Duration::from_secs(1),
        }
    }
}
