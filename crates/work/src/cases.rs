//! Independent cases: done here by threads, or elsewhere by workers, and kept as soon as they are done.
//!
//! A command names its cases, kind after kind, and how each is done. Where workers are asked, they do
//! the cases and the command reads the results. A worker goes the same way: kinds that are done it
//! reads, too, until it comes to those of its plan; these it does, and goes on as long as it is given
//! more.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use provoke_base::parallel::on_threads;
use provoke_base::{Control, Error, ErrorCode, Event, Progress as ProgressEvent};
use provoke_store::{Key, KeyBuilder, RunIdentity, Store};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use crate::ledger::{Ledger, plain};
use crate::scheduler::{Scheduler, TaskBatch, Workers};
use crate::task::Task;
use crate::worker::{Served, WorkerLoop};

/// Cases of one kind.
pub struct Cases<'a, T> {
    /// The kind, in a word: plans name it so.
    pub name: &'a str,
    /// How many seconds one takes, as long as nothing was measured.
    pub seconds: f64,
    /// The names under which their results are kept: all that these depend on.
    pub keys: Vec<Key>,
    /// The line for people about a case that was done, if cases are not only counted.
    pub line: Option<&'a CaseLine<'a, T>>,
}

impl<'a, T> Cases<'a, T> {
    /// Cases that are only counted.
    pub fn new(name: &'a str, seconds: f64, keys: Vec<Key>) -> Cases<'a, T> {
        Cases { name, seconds, keys, line: None }
    }

    fn tasks(&self) -> Vec<Task> {
        let task = |(at, key): (usize, &Key)| {
            let spec = json!({self.name: at});
            Task { key: *key, spec, after: None }
        };
        self.keys.iter().enumerate().map(task).collect()
    }

    /// The case that a plan asks for.
    fn asked(&self, spec: &Json) -> Result<usize, Error> {
        let at = spec[self.name].as_u64().and_then(|at| usize::try_from(at).ok());
        at.filter(|at| *at < self.keys.len())
            .ok_or_else(|| mismatch(format!("the plan asks for {spec}, which is not there")))
    }
}

/// Says in a line what came of a case.
pub type CaseLine<'t, T> = dyn Fn(usize, &T) -> String + Sync + 't;

/// Does a case. If it is told to stop it may end early, and its result means nothing.
pub type CaseFn<'w, T, E> = dyn Fn(usize, &(dyn Fn() -> bool + Sync)) -> Result<T, E> + Sync + 'w;

fn mismatch(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::PlanMismatch, message)
}

/// The key of a case of something that has a key itself.
pub fn case_key(of: &Key, case: &Json) -> Key {
    KeyBuilder::of_this_build("provoke/case/1").part("of", of.bytes()).json("case", case).finish()
}

/// What must be equal for cases of a study to be used again, beside their keys.
pub fn study_identity(name: &str) -> RunIdentity {
    identity("study", name)
}

/// The same for cases of another command.
pub fn command_identity(name: &str) -> RunIdentity {
    identity("command", name)
}

fn identity(kind: &str, name: &str) -> RunIdentity {
    let run = json!({kind: name, "version": env!("CARGO_PKG_VERSION")});
    RunIdentity::new(run).volatile(&["seconds"])
}

/// Has cases done, and keeps their results.
pub struct CaseRunner<'a> {
    source: Source<'a>,
    context: CaseContext<'a>,
}

/// Where the results of cases come from.
enum Source<'a> {
    /// So many threads of this process.
    Threads(usize),
    /// Workers that are asked.
    Scheduler(Box<Scheduler>),
    /// This process is a worker; how far it came with its plan.
    Worker { worker: &'a mut WorkerLoop, identity: RunIdentity, served: Served },
}

/// Where cases are done and kept by this process.
struct CaseContext<'a> {
    ledger: Option<Mutex<Ledger>>,
    stop: Box<dyn Fn() -> bool + Sync + 'a>,
    start: Instant,
    control: Control,
}

impl<'a> CaseRunner<'a> {
    /// Cases that this process does itself or, if workers are given, has done by them: `request` is
    /// what they are asked.
    pub fn new(
        identity: &RunIdentity,
        folder: Option<&Path>,
        workers: Option<&Workers>,
        request: &impl Serialize,
        jobs: usize,
        control: &Control,
    ) -> Result<CaseRunner<'a>, Error> {
        let open = |folder| Ledger::open(folder, identity, "cases", control).map(Mutex::new);
        let ledger = folder.map(open).transpose()?;
        let source = match (workers, folder) {
            (None, _) => Source::Threads(jobs),
            (Some(workers), Some(folder)) => {
                Source::Scheduler(Box::new(Scheduler::new(workers, request, folder, control)?))
            }
            (Some(_), None) => {
                let message = "workers need a folder where they keep what they find";
                return Err(Error::new(ErrorCode::StoreNeeded, message));
            }
        };
        let (control, asked) = (control.clone(), control.clone());
        let stop = Box::new(move || asked.is_cancelled());
        let context = CaseContext { ledger, stop, start: Instant::now(), control };
        Ok(CaseRunner { source, context })
    }

    /// The cases of a plan that another process has made.
    pub fn of_worker(
        identity: &RunIdentity,
        worker: &'a mut WorkerLoop,
    ) -> Result<CaseRunner<'a>, Error> {
        let store =
            Store::open(worker.store(), identity).map_err(|error| mismatch(error.to_string()))?;
        let (ledger, stop) = (Some(Mutex::new(Ledger::new(store))), Box::new(worker.stop()));
        let (start, control) = (Instant::now(), worker.control().clone());
        let source = Source::Worker { worker, identity: identity.clone(), served: Served::All };
        Ok(CaseRunner { source, context: CaseContext { ledger, stop, start, control } })
    }

    /// How many cases an earlier run did.
    pub fn resumed(&self) -> usize {
        self.context.ledger().map_or(0, |ledger| ledger.resumed())
    }

    /// How far a worker came with its plan.
    pub fn served(self) -> Result<Served, Error> {
        let Source::Worker { worker, served, .. } = self.source else { return Ok(Served::All) };
        match served {
            Served::All if worker.is_over() => Ok(Served::All),
            Served::All if (self.context.stop)() => Ok(Served::CutShort),
            Served::All => Err(mismatch("the plan asks for what is not there")),
            Served::CutShort => Ok(Served::CutShort),
        }
    }

    /// The result of each case, found now or earlier; nothing for those that were cancelled, and for
    /// all of them once a worker has no more to do.
    pub fn each<T, E>(
        &mut self,
        cases: &Cases<'_, T>,
        work: &CaseFn<'_, T, E>,
    ) -> Result<Vec<Option<T>>, E>
    where
        T: Serialize + DeserializeOwned + Send,
        E: From<Error> + Send,
    {
        let nothing = || cases.keys.iter().map(|_| None).collect();
        match &mut self.source {
            Source::Threads(jobs) => return self.context.here(*jobs, cases, work),
            Source::Scheduler(scheduler) => {
                let batch = TaskBatch { name: cases.name, seconds: cases.seconds, alone: false };
                let ledger = self.context.ledger.as_mut().expect("workers have a store");
                let store = ledger.get_mut().expect("no panic").store();
                scheduler.complete_all(store, &batch, &cases.tasks())?;
            }
            Source::Worker { worker, identity, served } => {
                if worker.begins_with(cases.name) {
                    *served = serve(worker, identity, cases, work)?;
                }
                if *served != Served::All || worker.is_over() {
                    return Ok(nothing());
                }
            }
        }
        Ok(self.context.known(cases)?)
    }

    /// The results of all cases; nothing if [`CaseRunner::each`] has none for one of them.
    pub fn all<T, E>(
        &mut self,
        cases: &Cases<'_, T>,
        work: &CaseFn<'_, T, E>,
    ) -> Result<Option<Vec<T>>, E>
    where
        T: Serialize + DeserializeOwned + Send,
        E: From<Error> + Send,
    {
        Ok(self.each(cases, work)?.into_iter().collect())
    }
}

impl CaseContext<'_> {
    fn ledger(&self) -> Option<MutexGuard<'_, Ledger>> {
        self.ledger.as_ref().map(|ledger| ledger.lock().expect("no panic"))
    }

    /// What others did.
    fn known<T: DeserializeOwned>(&self, cases: &Cases<'_, T>) -> Result<Vec<Option<T>>, Error> {
        let mut ledger = self.ledger().expect("workers have a store");
        ledger.store().refresh().map_err(|error| mismatch(error.to_string()))?;
        let found: Vec<Option<T>> = cases.keys.iter().map(|key| ledger.recall(key)).collect();
        let missing = found.iter().filter(|found| found.is_none()).count();
        match missing {
            1.. if !(self.stop)() => {
                let (all, name) = (found.len(), cases.name);
                Err(mismatch(format!("{name}: {missing} of {all} are not done")))
            }
            _ => Ok(found),
        }
    }

    /// Does what is not done yet, on so many threads.
    fn here<T, E>(
        &self,
        jobs: usize,
        cases: &Cases<'_, T>,
        work: &CaseFn<'_, T, E>,
    ) -> Result<Vec<Option<T>>, E>
    where
        T: Serialize + DeserializeOwned + Send,
        E: From<Error> + Send,
    {
        let count = cases.keys.len();
        let (next, failure) = (AtomicUsize::new(0), Mutex::new(None));
        let found: Mutex<Vec<Option<T>>> = Mutex::new((0..count).map(|_| None).collect());
        let progress = Mutex::new(Progress::new(self, cases));
        let each = || {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                if at >= count || failure.lock().expect("no panic").is_some() {
                    return;
                }
                match self.one(at, cases, work, &progress) {
                    Ok(done) => found.lock().expect("no panic")[at] = done,
                    Err(wrong) => drop(failure.lock().expect("no panic").get_or_insert(wrong)),
                }
            }
        };
        match jobs.min(count) {
            // A program that is loaded into this process may only like its first thread.
            0 | 1 => each(),
            jobs => drop(on_threads(0..jobs, |_| each())),
        }
        self.control.tell(Event::ProgressEnded);
        match failure.into_inner().expect("no panic") {
            Some(failure) => Err(failure),
            None => Ok(found.into_inner().expect("no panic")),
        }
    }

    /// What comes of a case, now or earlier; nothing if the user ended it before.
    fn one<T: Serialize + DeserializeOwned, E: From<Error>>(
        &self,
        at: usize,
        cases: &Cases<'_, T>,
        work: &CaseFn<'_, T, E>,
        progress: &Mutex<Progress<'_, T>>,
    ) -> Result<Option<T>, E> {
        let known = self.ledger().and_then(|mut ledger| ledger.recall(&cases.keys[at]));
        if let Some(known) = known {
            progress.lock().expect("no panic").done += 1;
            return Ok(Some(known));
        }
        if (self.stop)() {
            return Ok(None);
        }
        let done = work(at, &self.stop)?;
        if (self.stop)() {
            return Ok(None);
        }
        if let Some(mut ledger) = self.ledger() {
            ledger.keep(cases.keys[at], &done)?;
        }
        progress.lock().expect("no panic").tell(at, &done, self.start.elapsed());
        Ok(Some(done))
    }
}

/// How far cases are, for people.
struct Progress<'c, T> {
    cases: &'c Cases<'c, T>,
    done: usize,
    control: &'c Control,
}

impl<'c, T> Progress<'c, T> {
    fn new(context: &'c CaseContext<'_>, cases: &'c Cases<'c, T>) -> Progress<'c, T> {
        Progress { cases, done: 0, control: &context.control }
    }

    fn tell(&mut self, at: usize, record: &T, elapsed: Duration) {
        self.done += 1;
        let (done, total) = (self.done, self.cases.keys.len());
        self.control.tell(match self.cases.line {
            Some(line) => {
                let (line, seconds) = (line(at, record), elapsed.as_secs());
                Event::Note(format!("[{done}/{total}, {seconds} s] {line}"))
            }
            None => {
                let name = self.cases.name.to_string();
                Event::Progress(ProgressEvent::Tasks { name, done, total, workers: None })
            }
        });
    }
}

/// Does the cases of a plan.
fn serve<T: Serialize, E: From<Error>>(
    worker: &mut WorkerLoop,
    identity: &RunIdentity,
    cases: &Cases<'_, T>,
    work: &CaseFn<'_, T, E>,
) -> Result<Served, E> {
    let stop = worker.stop();
    worker.work_on(cases.name, identity, &mut |spec| {
        let at = cases.asked(spec)?;
        let done = work(at, &stop)?;
        Ok((!stop()).then(|| (cases.keys[at], plain(&done))))
    })
}
