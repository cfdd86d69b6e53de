//! The collector: has pieces done, until what comes of each is in the store.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use provoke_store::{Key, Store, StoreError};

use crate::crash;
use crate::engine;
use crate::engine::chunk::{self, Chunk, Piece};
use crate::engine::errand::Errand;
use crate::engine::hq::Tasks;
use crate::engine::local::Crew;
use crate::engine::place::Place;
use crate::engine::report::Reports;
use crate::engine::slurm::Array;
use crate::files;
use crate::interrupt::Interrupt;
use crate::outcome::Failure;
use crate::output::Output;
use crate::progress::ProgressLine;

/// A piece that was begun so often in vain is given up.
const TRIES: usize = 3;
/// So many rounds in which nothing was even begun end the run.
const VAIN_ROUNDS: usize = 2;
/// How many reasons of failed workers are shown.
const SHOWN: usize = 3;

/// Pieces of one kind that are done together.
pub(crate) struct Stage<'a> {
    /// What is done, for people.
    pub(crate) name: &'a str,
    /// How long a piece takes, as long as nothing was measured.
    pub(crate) seconds: f64,
    /// Whether each piece is a chunk of its own, because some take very long.
    pub(crate) alone: bool,
}

/// A piece that nobody could do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Lost {
    pub(crate) key: Key,
    pub(crate) reason: String,
}

/// Workers somewhere, for the pieces of one command.
pub(crate) struct Fleet<'a> {
    place: Place,
    store: PathBuf,
    workers: usize,
    /// The workers on this machine, who are kept from stage to stage.
    crew: Arc<Crew>,
    interrupt: &'a Interrupt,
    output: &'a Output,
    reports: RefCell<Reports>,
}

impl<'a> Fleet<'a> {
    /// Makes sure that the place can be used, and leaves the command where workers find it.
    pub(crate) fn new(
        place: &Place,
        store: &Path,
        jobs: usize,
        interrupt: &'a Interrupt,
        output: &'a Output,
    ) -> Result<Fleet<'a>, Failure> {
        let workers = match place {
            Place::Local => jobs,
            Place::Slurm(options) => options.require_commands()?,
            Place::Hq(_) => Tasks::require_command()?,
        };
        files::make_folder(store)?;
        let store = std::fs::canonicalize(store).map_err(|error| {
            Failure::input(format!("{}: {error}", store.display()), "name another --store")
        })?;
        Errand::of_this_process()?.leave(&store)?;
        let (crew, reports) = (Arc::new(Crew::new(&store, workers)), RefCell::default());
        Ok(Fleet { place: place.clone(), store, workers, crew, interrupt, output, reports })
    }

    /// Has the pieces done that are not in the store, which is read again, and tells what nobody
    /// could do. The user may end it; then some are left that are neither.
    pub(crate) fn complete(
        &self,
        store: &mut Store,
        stage: &Stage<'_>,
        pieces: &[Piece],
    ) -> Result<Vec<Lost>, Failure> {
        let mut round = Round::new(self, stage, pieces);
        round.adopt(store)?;
        loop {
            let missing = round.missing(store)?;
            if missing.is_empty() || self.interrupt.came() {
                return Ok(round.lost(store));
            }
            round.submit(store, &missing)?;
        }
    }

    /// Like [`Fleet::complete`], for work that is worth nothing unless all of it is done.
    pub(crate) fn complete_all(
        &self,
        store: &mut Store,
        stage: &Stage<'_>,
        pieces: &[Piece],
    ) -> Result<(), Failure> {
        let lost = self.complete(store, stage, pieces)?;
        let Some(first) = lost.first() else { return Ok(()) };
        let (count, all, reason) = (lost.len(), pieces.len(), &first.reason);
        Err(self.ended(format!("{}: {count} of {all} were not done: {reason}", stage.name)))
    }

    /// An end before everything is done; nothing is lost by it.
    fn ended(&self, message: String) -> Failure {
        let store = self.store.display();
        let hint = format!("what was done is in {store}; the same command goes on from there");
        Failure::Unreachable { message, hint }
    }
}

/// A stage on its way.
struct Round<'f, 'a> {
    fleet: &'f Fleet<'a>,
    stage: &'f Stage<'f>,
    pieces: &'f [Piece],
    line: ProgressLine<'a>,
    rounds: usize,
    /// How many rounds have led to nothing at all.
    vain: usize,
    /// How often each was begun before this stage: an earlier run's troubles do not count.
    before: BTreeMap<String, usize>,
}

impl<'f, 'a> Round<'f, 'a> {
    fn new(fleet: &'f Fleet<'a>, stage: &'f Stage<'f>, pieces: &'f [Piece]) -> Round<'f, 'a> {
        let mut reports = fleet.reports.borrow_mut();
        reports.refresh(&fleet.store);
        reports.failures.clear();
        let before = reports.started.clone();
        let line = ProgressLine::new(fleet.output, Instant::now());
        Round { fleet, stage, pieces, line, rounds: 0, vain: 0, before }
    }

    /// Waits for workers that an earlier run of the command has left.
    fn adopt(&mut self, store: &mut Store) -> Result<(), Failure> {
        if let Place::Slurm(_) = self.fleet.place
            && let Some(array) = Array::left_in(&self.fleet.store)
        {
            let words = array.words();
            self.fleet.output.note(&format!("waiting for what an earlier run left: {words}\n"));
            self.wait(store, Submission::Slurm(array))?;
        }
        Ok(())
    }

    /// What is not done, without what is given up.
    fn missing(&self, store: &mut Store) -> Result<Vec<&'f Piece>, Failure> {
        store.refresh().map_err(|error| self.unusable(&error))?;
        let reports = self.fleet.reports.borrow();
        let tries = |piece: &Piece| {
            let key = piece.key.to_string();
            let count = |of: &BTreeMap<String, usize>| of.get(&key).copied();
            count(&reports.started).unwrap_or(0) - count(&self.before).unwrap_or(0)
        };
        let open = |piece: &&Piece| !store.contains(&piece.key) && tries(piece) < TRIES;
        let mut missing: Vec<&Piece> = self.pieces.iter().filter(open).collect();
        // The longest first: what is begun last should be short.
        let seconds = |piece: &&Piece| {
            let earlier = piece.after.and_then(|key| reports.seconds.get(&key.to_string()));
            std::cmp::Reverse(earlier.map_or(0, |seconds| (seconds * 1e6) as u64))
        };
        missing.sort_by_key(seconds);
        Ok(missing)
    }

    fn lost(&self, store: &Store) -> Vec<Lost> {
        let reports = self.fleet.reports.borrow();
        if self.fleet.interrupt.came() {
            return Vec::new();
        }
        let reason = reports
            .failures
            .last()
            .cloned()
            .unwrap_or_else(|| format!("workers began it {TRIES} times and never ended it"));
        let missing = self.pieces.iter().filter(|piece| !store.contains(&piece.key));
        missing.map(|piece| Lost { key: piece.key, reason: reason.clone() }).collect()
    }

    /// One round: a plan, workers, and patience.
    fn submit(&mut self, store: &mut Store, missing: &[&Piece]) -> Result<(), Failure> {
        let size = self.size(missing);
        let chunks = chunk::chunks(missing, size);
        let plan = self.write_plan(&chunks)?;
        let (done, begun) = (store.len(), self.begun());
        let fleet = self.fleet;
        let submission = match &fleet.place {
            Place::Local => {
                fleet.crew.give(chunks);
                Submission::Local(Arc::clone(&fleet.crew))
            }
            Place::Slurm(options) => {
                let array = Array::submit(&fleet.store, options, &plan, chunks.len());
                Submission::Slurm(array.map_err(|refused| fleet.ended(refused))?)
            }
            Place::Hq(folder) => {
                let tasks = Tasks::submit(&fleet.store, folder.as_deref(), &plan);
                Submission::Hq(tasks.map_err(|refused| fleet.ended(refused))?)
            }
        };
        self.rounds += 1;
        self.wait(store, submission)?;
        self.tell_failures();
        self.vain = if store.len() > done || self.begun() > begun { 0 } else { self.vain + 1 };
        if self.vain >= VAIN_ROUNDS && !self.fleet.interrupt.came() {
            let reports = fleet.reports.borrow();
            let reason = reports.failures.last().map_or("no worker began to work", |last| last);
            return Err(fleet.ended(reason.to_string()));
        }
        Ok(())
    }

    /// How many pieces a chunk has. What a worker died of is not to take others with it.
    fn size(&self, missing: &[&Piece]) -> usize {
        if self.stage.alone || self.rounds > 0 {
            return 1;
        }
        let reports = self.fleet.reports.borrow();
        let measured: Vec<f64> = self
            .pieces
            .iter()
            .filter_map(|piece| reports.seconds.get(&piece.key.to_string()).copied())
            .collect();
        let seconds = match measured.is_empty() {
            true => self.stage.seconds,
            false => measured.iter().sum::<f64>() / measured.len() as f64,
        };
        chunk::size(missing.len(), seconds, self.fleet.workers)
    }

    fn begun(&self) -> usize {
        self.fleet.reports.borrow().started.values().sum()
    }

    /// Waits until all is done, or nobody is left who could do it.
    fn wait(&mut self, store: &mut Store, mut submission: Submission) -> Result<(), Failure> {
        let keys: Vec<Key> = self.pieces.iter().map(|piece| piece.key).collect();
        let mut pause = Duration::from_millis(5);
        loop {
            // Asked before the store is read: what was done meanwhile is in it then.
            let over = submission.is_over();
            store.refresh().map_err(|error| self.unusable(&error))?;
            submission.reports(&self.fleet.store, &mut self.fleet.reports.borrow_mut());
            let done = keys.iter().filter(|key| store.contains(key)).count();
            if over || done == keys.len() || self.fleet.interrupt.came() {
                self.line.clear();
                if !over {
                    self.dismiss(submission, done == keys.len());
                }
                return Ok(());
            }
            let (name, all, who) = (self.stage.name, keys.len(), submission.words());
            self.line.show_text(|elapsed| {
                format!("{name}: {done} of {all}, {who}, {} s", elapsed.as_secs())
            });
            submission.pause(pause);
            pause = (pause * 2).min(submission.patience());
        }
    }

    /// Ends workers that nobody needs: on a cluster those that have nothing left to do, here those
    /// that have.
    fn dismiss(&self, mut submission: Submission, complete: bool) {
        match (&submission, complete) {
            (Submission::Local(crew), true) => crew.take_back(),
            (_, true) | (Submission::Local(_), false) => submission.end(),
            (_, false) => self.fleet.output.warning(&format!(
                "{} go on without this command; the same command waits for them again",
                submission.words()
            )),
        }
    }

    fn tell_failures(&self) {
        let reports = self.fleet.reports.borrow();
        let mut told: Vec<&String> = Vec::new();
        for failure in &reports.failures {
            if !told.contains(&failure) {
                told.push(failure);
            }
        }
        for failure in told.iter().take(SHOWN) {
            if failure.contains(crash::INTERNAL) && crash::note(failure) {
                crash::tell(self.fleet.output, failure);
            }
            self.fleet.output.warning(&format!("{failure}; what is missing is tried again"));
        }
    }

    /// Writes the plan under a name of its own: tasks of an earlier one may still be waiting.
    fn write_plan(&self, chunks: &[Chunk]) -> Result<PathBuf, Failure> {
        let folder = engine::folder(&self.fleet.store);
        let mut number = 1;
        loop {
            let path = folder.join(format!("plan-{number}.jsonl"));
            let failed = |error: std::io::Error| {
                let message = format!("cannot write {}: {error}", path.display());
                Failure::input(message, "check the folder and the space left on the disk")
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

    fn unusable(&self, error: &StoreError) -> Failure {
        let message = format!("{}: {error}", self.fleet.store.display());
        Failure::Input { message, hint: error.hint().map(str::to_string) }
    }
}

/// Workers that were given a plan.
enum Submission {
    Local(Arc<Crew>),
    Slurm(Array),
    Hq(Tasks),
}

impl Submission {
    fn is_over(&mut self) -> bool {
        match self {
            Submission::Local(crew) => crew.is_over(),
            Submission::Slurm(array) => array.is_over(),
            Submission::Hq(tasks) => tasks.is_over(),
        }
    }

    fn words(&self) -> String {
        match self {
            Submission::Local(crew) => crew.words(),
            Submission::Slurm(array) => array.words(),
            Submission::Hq(tasks) => tasks.words(),
        }
    }

    fn end(&mut self) {
        match self {
            Submission::Local(crew) => crew.end(),
            Submission::Slurm(array) => array.end(),
            Submission::Hq(tasks) => tasks.end(),
        }
    }

    fn reports(&self, store: &Path, into: &mut Reports) {
        match self {
            Submission::Local(crew) => crew.take_reports(into),
            _ => into.refresh(store),
        }
    }

    /// Waits a little before looking again.
    fn pause(&self, time: Duration) {
        match self {
            Submission::Local(crew) => crew.wait(time),
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
