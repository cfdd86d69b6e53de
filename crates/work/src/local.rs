//! Workers as processes on this machine, each fed line by line. They stay until the command ends:
//! what a worker has loaded and learned serves all stages.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::reports::{Report, Reports};
use crate::task::Chunk;

/// Workers, and what they have still to do.
pub(crate) struct LocalWorkers {
    most: usize,
    shared: Arc<Shared>,
    feeders: Mutex<Vec<JoinHandle<()>>>,
}

struct Shared {
    /// What is started as a worker.
    program: PathBuf,
    store: PathBuf,
    work: Mutex<Work>,
    /// There is more to do, less, or nothing any more.
    changed: Condvar,
    reports: Mutex<Reports>,
    /// All processes that were started, the dead among them.
    processes: Mutex<Vec<Process>>,
}

#[derive(Default)]
struct Work {
    waiting: VecDeque<Chunk>,
    /// How many chunks are being done.
    begun: usize,
    /// There will be no more.
    ended: bool,
}

impl Work {
    fn is_done(&self) -> bool {
        self.waiting.is_empty() && self.begun == 0
    }
}

type Process = Arc<Mutex<Child>>;

impl LocalWorkers {
    /// At most so many workers, who are started when there is something to do.
    pub(crate) fn new(program: &Path, store: &Path, most: usize) -> LocalWorkers {
        let shared = Arc::new(Shared {
            program: program.into(),
            store: store.into(),
            work: Mutex::default(),
            changed: Condvar::new(),
            reports: Mutex::default(),
            processes: Mutex::default(),
        });
        LocalWorkers { most, shared, feeders: Mutex::default() }
    }

    /// Gives them more to do.
    pub(crate) fn give(&self, chunks: Vec<Chunk>) {
        let mut feeders = self.feeders.lock().expect("no panic");
        let wanted = chunks.len().min(self.most);
        self.shared.work().waiting.extend(chunks);
        self.shared.changed.notify_all();
        while feeders.len() < wanted {
            let shared = Arc::clone(&self.shared);
            feeders.push(std::thread::spawn(move || shared.feed()));
        }
    }

    /// Whether all is done that was given, or has failed.
    pub(crate) fn is_over(&self) -> bool {
        self.shared.work().is_done()
    }

    /// Waits until then, but no longer than this.
    pub(crate) fn wait(&self, at_most: Duration) {
        let busy = |work: &mut Work| !work.is_done();
        drop(self.shared.changed.wait_timeout_while(self.shared.work(), at_most, busy));
    }

    pub(crate) fn words(&self) -> String {
        format!("{} workers", self.shared.work().begun)
    }

    /// Takes back what nobody has begun.
    pub(crate) fn take_back(&self) {
        self.shared.work().waiting.clear();
    }

    /// Ends the workers; the task that each of them is at is lost.
    pub(crate) fn end(&self) {
        self.take_back();
        self.shared.work().ended = true;
        self.shared.changed.notify_all();
        if !self.is_over() {
            for process in self.shared.processes.lock().expect("no panic").iter() {
                // One that has ended already cannot be killed, and need not be.
                let _ = process.lock().expect("no panic").kill();
            }
        }
        let mut feeders = self.feeders.lock().expect("no panic");
        feeders.drain(..).for_each(|feeder| feeder.join().expect("feeders do not panic"));
    }

    /// What the workers have told since this was asked last.
    pub(crate) fn take_reports(&self, into: &mut Reports) {
        let told = std::mem::take(&mut *self.shared.reports.lock().expect("no panic"));
        into.failures.extend(told.failures);
        into.seconds.extend(told.seconds);
        told.started.into_iter().for_each(|(key, n)| *into.started.entry(key).or_default() += n);
    }
}

impl Drop for LocalWorkers {
    fn drop(&mut self) {
        self.end();
    }
}

impl Shared {
    /// Feeds one worker after the other: a new one when the last has died.
    fn feed(&self) {
        let mut worker = None;
        while let Some(chunk) = self.next() {
            let started = match worker.take() {
                Some(worker) => Ok(worker),
                None => Worker::start(self),
            };
            match started.and_then(|worker: Worker| worker.give(&chunk, self)) {
                Ok(alive) => worker = Some(alive),
                Err(reason) => self.note(Report::Failed(reason)),
            }
            self.work().begun -= 1;
            self.changed.notify_all();
        }
        if let Some(worker) = worker {
            worker.dismiss();
        }
    }

    /// The next chunk, as soon as there is one; `None` if there will be no more.
    fn next(&self) -> Option<Chunk> {
        let idle = |work: &mut Work| work.waiting.is_empty() && !work.ended;
        let mut work = self.changed.wait_while(self.work(), idle).expect("no panic");
        let chunk = work.waiting.pop_front()?;
        work.begun += 1;
        Some(chunk)
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().expect("no panic")
    }

    fn note(&self, report: Report) {
        self.reports.lock().expect("no panic").note(report);
    }
}

/// A process that does what it is given.
struct Worker {
    process: Process,
    given: ChildStdin,
    told: BufReader<ChildStdout>,
}

impl Worker {
    fn start(shared: &Shared) -> Result<Worker, String> {
        // Held until the process is known: whoever ends them all sees this one, or it sees that.
        let mut processes = shared.processes.lock().expect("no panic");
        if shared.work().ended {
            return Err("ended".to_string());
        }
        let mut child = Command::new(&shared.program)
            .args(["worker", "--plan", "-", "--store"])
            .arg(&shared.store)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("a worker cannot be started: {error}"))?;
        let given = child.stdin.take().expect("a pipe");
        let told = BufReader::new(child.stdout.take().expect("a pipe"));
        let process = Arc::new(Mutex::new(child));
        processes.push(Arc::clone(&process));
        Ok(Worker { process, given, told })
    }

    /// Gives a line, and waits until it is done.
    fn give(mut self, chunk: &Chunk, shared: &Shared) -> Result<Worker, String> {
        // A worker that has ended says why on the other pipe.
        let _ = self.given.write_all(chunk.line().as_bytes());
        let mut line = String::new();
        while self.told.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
            match Report::read(&line) {
                Some(Report::Next) => return Ok(self),
                Some(Report::Failed(reason)) => return Err(self.ended(Some(reason))),
                Some(report) => shared.note(report),
                None => {}
            }
            line.clear();
        }
        Err(self.ended(None))
    }

    /// Why it ended, in words.
    fn ended(self, reason: Option<String>) -> String {
        drop(self.given);
        let status = self.process.lock().expect("no panic").wait();
        reason.unwrap_or_else(|| match status {
            Ok(status) => format!("a worker ended early: {status}"),
            Err(error) => format!("a worker is lost: {error}"),
        })
    }

    fn dismiss(self) {
        drop(self.given);
        let _ = self.process.lock().expect("no panic").wait();
    }
}
