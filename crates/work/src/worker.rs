//! What a worker does: task after task, until there are no more or its time is up.

use std::iter::Peekable;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use provoke_base::{Control, Error, ErrorCode, Event};
use provoke_store::{Key, RunIdentity, Store, StoreError};
use serde_json::Value as Json;

use crate::ledger::unusable;
use crate::reports::{Report, ReportSink};
use crate::task::{Chunk, PlannedTask};

/// Where the lines of a plan come from.
pub type PlanLines = Box<dyn Iterator<Item = std::io::Result<String>> + Send>;

/// Does a task: its result with the key it is kept under, or nothing if it was cut short.
pub type TaskFn<'a, E> = dyn FnMut(&Json) -> Result<Option<(Key, Json)>, E> + 'a;

/// How far a worker came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Served {
    /// It did all that it was given.
    All,
    /// Its time was up, or somebody ended it.
    CutShort,
}

/// The loop of a worker: it takes tasks from a plan, does them and keeps their results.
pub struct WorkerLoop {
    store: PathBuf,
    lines: Peekable<PlanLines>,
    reports: ReportSink,
    control: Control,
    start: Instant,
    limit: Option<Duration>,
    /// How long the longest task took.
    longest: Duration,
}

impl WorkerLoop {
    /// A worker on the store of a scheduler. `fed` says that its reports go to the process that gives it
    /// lines, `limit` how long it may work.
    pub fn new(
        store: &Path,
        lines: PlanLines,
        fed: bool,
        limit: Option<Duration>,
        control: &Control,
    ) -> WorkerLoop {
        let reports = match fed {
            true => ReportSink::Feeder,
            // Without a file nobody hears of it, and the work goes on.
            false => ReportSink::in_file(store, &host()).unwrap_or(ReportSink::Feeder),
        };
        let (start, longest) = (Instant::now(), Duration::ZERO);
        let (lines, control) = (lines.peekable(), control.clone());
        WorkerLoop { store: store.into(), lines, reports, control, start, limit, longest }
    }

    /// The folder of the store.
    pub fn store(&self) -> &Path {
        &self.store
    }

    /// Who watches it.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// Whether the specification of the next task has a member: the tasks of a line are alike.
    pub fn begins_with(&mut self, member: &str) -> bool {
        self.lines.peek().is_some_and(|line| is_about(member, line))
    }

    /// Whether there is nothing left to do; waits for whoever feeds it.
    pub fn is_over(&mut self) -> bool {
        self.lines.peek().is_none()
    }

    /// Tells whether the worker has to end, in the middle of a task.
    pub fn stop(&self) -> impl Fn() -> bool + Sync + use<> {
        let (control, start, limit) = (self.control.clone(), self.start, self.limit);
        move || control.is_cancelled() || limit.is_some_and(|limit| start.elapsed() >= limit)
    }

    fn left(&self) -> Option<Duration> {
        self.limit.map(|limit| limit.saturating_sub(self.start.elapsed()))
    }

    /// Whether another task may begin: there must be time for one that is as long as any.
    fn may_begin(&self) -> bool {
        !self.control.is_cancelled() && self.left().is_none_or(|left| left > self.longest)
    }

    /// Says why this worker cannot go on.
    pub fn tell_failure(&mut self, reason: &str) {
        self.reports.tell(&Report::Failed(format!("{}: {reason}", host())));
    }

    /// Does all tasks of all lines.
    pub fn work<E: From<Error>>(
        &mut self,
        identity: &RunIdentity,
        perform: &mut TaskFn<'_, E>,
    ) -> Result<Served, E> {
        self.work_while(|_| true, identity, perform)
    }

    /// Does all tasks of the next lines that say something about a member.
    pub fn work_on<E: From<Error>>(
        &mut self,
        member: &str,
        identity: &RunIdentity,
        perform: &mut TaskFn<'_, E>,
    ) -> Result<Served, E> {
        self.work_while(|line| is_about(member, line), identity, perform)
    }

    fn work_while<E: From<Error>>(
        &mut self,
        wanted: impl Fn(&std::io::Result<String>) -> bool,
        identity: &RunIdentity,
        perform: &mut TaskFn<'_, E>,
    ) -> Result<Served, E> {
        let mut store = self.open(identity).map_err(|error| unusable(&self.store, &error))?;
        while let Some(line) = self.lines.next_if(&wanted) {
            let line = line.map_err(|error| mismatch(error.to_string()))?;
            let chunk = Chunk::read(&line).map_err(mismatch)?;
            for task in &chunk.tasks {
                if !self.may_begin() {
                    return Ok(Served::CutShort);
                }
                self.task(task, &mut store, perform)?;
            }
            self.reports.tell(&Report::Next);
        }
        store.sync().map_err(|error| unusable(&self.store, &error))?;
        Ok(Served::All)
    }

    fn open(&self, identity: &RunIdentity) -> Result<Store, StoreError> {
        let name = format!("worker-{}-{}", host(), std::process::id());
        Store::open(&self.store, identity)?.writing_to(&name)
    }

    fn task<E: From<Error>>(
        &mut self,
        task: &PlannedTask,
        store: &mut Store,
        perform: &mut TaskFn<'_, E>,
    ) -> Result<(), E> {
        let key: Key = task
            .key
            .parse()
            .map_err(|error| mismatch(format!("a task of the plan: `{}`: {error}", task.key)))?;
        // A task that is started again after its node failed has done a part already.
        if store.contains(&key) {
            return Ok(());
        }
        self.reports.tell(&Report::Started(task.key.clone()));
        self.control.tell(Event::TaskStarted(task.key.clone()));
        let start = Instant::now();
        let Some((found, record)) = perform(&task.spec)? else { return Ok(()) };
        if found != key {
            let why = "the plan was made for another model, suite or version";
            return Err(mismatch(why.to_string()).into());
        }
        store.append(key, &record).map_err(|error| unusable(&self.store, &error))?;
        self.longest = self.longest.max(start.elapsed());
        self.reports.tell(&Report::Did(task.key.clone(), start.elapsed().as_secs_f64()));
        Ok(())
    }
}

fn is_about(member: &str, line: &std::io::Result<String>) -> bool {
    let chunk = line.as_ref().ok().and_then(|line| Chunk::read(line).ok());
    let first = chunk.and_then(|chunk| chunk.tasks.into_iter().next());
    first.is_some_and(|task| task.spec.get(member).is_some())
}

fn mismatch(message: String) -> Error {
    Error::new(ErrorCode::PlanMismatch, message)
}

/// The name of this machine, as far as a file may be called so.
fn host() -> String {
    let told = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let name: String = told.trim().chars().filter(|c| plain(*c)).take(40).collect();
    if name.is_empty() { "here".to_string() } else { name }
}
