//! Workers as processes on this machine, each fed line by line.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use crate::engine::chunk::Chunk;
use crate::engine::report::{Report, Reports};

/// Workers, and what they have still to do.
pub(super) struct Crew {
    shared: Arc<Shared>,
    feeders: Vec<JoinHandle<()>>,
}

struct Shared {
    store: PathBuf,
    waiting: Mutex<VecDeque<Chunk>>,
    reports: Mutex<Reports>,
    /// All processes that were started, the dead among them.
    processes: Mutex<Vec<Process>>,
    ending: AtomicBool,
}

type Process = Arc<Mutex<Child>>;

impl Crew {
    /// Starts so many workers.
    pub(super) fn start(store: &Path, chunks: Vec<Chunk>, workers: usize) -> Crew {
        let workers = workers.min(chunks.len());
        let shared = Arc::new(Shared {
            store: store.into(),
            waiting: Mutex::new(chunks.into()),
            reports: Mutex::default(),
            processes: Mutex::default(),
            ending: AtomicBool::new(false),
        });
        let feed = |_| {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || shared.feed())
        };
        Crew { feeders: (0..workers).map(feed).collect(), shared }
    }

    /// Whether all lines were taken, and all workers have ended.
    pub(super) fn is_over(&self) -> bool {
        self.feeders.iter().all(JoinHandle::is_finished)
    }

    pub(super) fn words(&self) -> String {
        let busy = self.feeders.iter().filter(|feeder| !feeder.is_finished()).count();
        format!("{busy} workers")
    }

    /// Ends the workers; the piece that each of them is at is lost.
    pub(super) fn end(&mut self) {
        self.shared.ending.store(true, Ordering::SeqCst);
        for process in self.shared.processes.lock().expect("no panic").iter() {
            // One that has ended already cannot be killed, and need not be.
            let _ = process.lock().expect("no panic").kill();
        }
        self.feeders.drain(..).for_each(|feeder| feeder.join().expect("feeders do not panic"));
    }

    /// What the workers have told since this was asked last.
    pub(super) fn take_reports(&self, into: &mut Reports) {
        let told = std::mem::take(&mut *self.shared.reports.lock().expect("no panic"));
        into.failures.extend(told.failures);
        into.seconds.extend(told.seconds);
        told.started.into_iter().for_each(|(key, n)| *into.started.entry(key).or_default() += n);
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
        }
        if let Some(worker) = worker {
            worker.dismiss();
        }
    }

    fn next(&self) -> Option<Chunk> {
        match self.ending.load(Ordering::SeqCst) {
            true => None,
            false => self.waiting.lock().expect("no panic").pop_front(),
        }
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
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut child = Command::new(program)
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
        shared.processes.lock().expect("no panic").push(Arc::clone(&process));
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
