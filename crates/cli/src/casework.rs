//! Independent cases of a command: done here by threads, or elsewhere by workers, and kept as soon
//! as they are done.
//!
//! A command names its cases, kind after kind, and what comes of each. Here that is all. With
//! `--engine` others do them, and the command reads what came of them. A worker repeats the command:
//! kinds that are done it reads, too, until it comes to those of its plan; these it does, and goes on
//! as long as it is given more.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use provoke_store::{Identity, Key, KeyBuilder, Store, StoreError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use crate::engine::{Fleet, Piece, Place, Shift, Stage};
use crate::interrupt::Interrupt;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::progress::ProgressLine;

/// Cases of one kind.
pub(crate) struct Cases<'a, T> {
    /// The kind, in a word: plans name it so.
    pub(crate) name: &'a str,
    /// How long one takes, as long as nothing was measured.
    pub(crate) seconds: f64,
    /// The names under which what comes of them is kept: all that it depends on.
    pub(crate) keys: Vec<Key>,
    /// What is told of a case that was done, if they are not only counted.
    pub(crate) told: Option<&'a Told<'a, T>>,
}

impl<'a, T> Cases<'a, T> {
    /// Cases of which only the number is told.
    pub(crate) fn new(name: &'a str, seconds: f64, keys: Vec<Key>) -> Cases<'a, T> {
        Cases { name, seconds, keys, told: None }
    }

    fn pieces(&self) -> Vec<Piece> {
        let piece = |(at, key): (usize, &Key)| {
            let what = json!({self.name: at});
            Piece { key: *key, what, after: None }
        };
        self.keys.iter().enumerate().map(piece).collect()
    }

    /// The case that a plan asks for.
    fn asked(&self, what: &Json) -> Result<usize, Failure> {
        let at = what[self.name].as_u64().and_then(|at| usize::try_from(at).ok());
        at.filter(|at| *at < self.keys.len()).ok_or_else(|| {
            let message = format!("the plan asks for {what}, which is not there");
            Failure::input(message, AGAIN)
        })
    }
}

/// Tells in a line what came of a case.
type Told<'t, T> = dyn Fn(usize, &T) -> String + Sync + 't;

/// Does a case. If it is told to stop it may end early, and what comes of it means nothing.
pub(crate) type Work<'w, T> =
    dyn Fn(usize, &(dyn Fn() -> bool + Sync)) -> Result<T, Failure> + Sync + 'w;

const AGAIN: &str = "start the command with --engine again";

/// The name of a case of something that has a name itself.
pub(crate) fn key(of: &Key, case: &Json) -> Key {
    KeyBuilder::new("provoke/case/1").part("of", of.bytes()).json("case", case).finish()
}

/// What must be equal for cases of a study to be used again, beside their keys.
pub(crate) fn study(name: &str) -> Identity {
    identity("study", name)
}

/// The same for cases of another command.
pub(crate) fn command(name: &str) -> Identity {
    identity("command", name)
}

fn identity(kind: &str, name: &str) -> Identity {
    let run = json!({kind: name, "version": env!("CARGO_PKG_VERSION")});
    Identity::new(run).volatile(&["seconds"])
}

/// Who does the cases of a command, and where what comes of them is kept.
pub(crate) struct Casework<'a> {
    hands: Hands<'a>,
    desk: Desk<'a>,
}

enum Hands<'a> {
    /// So many threads of this process.
    Threads(usize),
    /// Workers that this process has started, or asked for.
    Fleet(Fleet<'a>),
    /// This process is a worker; what became of its plan so far.
    Worker { shift: &'a mut Shift, identity: Identity, served: Outcome },
}

/// Where cases are done and kept by this process.
struct Desk<'a> {
    kept: Option<Mutex<Kept>>,
    stop: Box<dyn Fn() -> bool + Sync + 'a>,
    start: Instant,
    output: &'a Output,
}

/// What was done.
struct Kept {
    store: Store,
    /// What earlier runs did.
    earlier: BTreeSet<Key>,
    resumed: usize,
}

impl Kept {
    fn new(store: Store) -> Kept {
        let earlier = store.keys().collect();
        Kept { store, earlier, resumed: 0 }
    }

    fn recall<T: DeserializeOwned>(&mut self, key: &Key) -> Option<T> {
        let known = serde_json::from_value(self.store.get(key)?).ok()?;
        self.resumed += usize::from(self.earlier.contains(key));
        Some(known)
    }

    fn keep(&mut self, key: Key, record: &impl Serialize) -> Result<(), Failure> {
        self.store.append(key, &plain(record)).map(drop).map_err(|error| {
            let message = format!("cannot keep what was done: {error}");
            Failure::input(message, "check the folder and the space left on the disk")
        })
    }
}

fn plain(record: &impl Serialize) -> Json {
    serde_json::to_value(record).expect("records are plain data")
}

impl<'a> Casework<'a> {
    /// Cases that this process does itself or, if a place is given, has done there.
    pub(crate) fn new(
        identity: &Identity,
        folder: Option<&Path>,
        place: Option<&Place>,
        jobs: usize,
        interrupt: &'a Interrupt,
        output: &'a Output,
    ) -> Result<Casework<'a>, Failure> {
        let kept = folder.map(|folder| open(folder, identity, output)).transpose()?;
        let hands = match (place, folder) {
            (None, _) => Hands::Threads(jobs),
            (Some(place), Some(folder)) => {
                Hands::Fleet(Fleet::new(place, folder, jobs, interrupt, output)?)
            }
            (Some(_), None) => {
                let message = "--engine needs a folder where workers keep what they find";
                let hint = "name it with --store; on a cluster all machines must see it";
                return Err(Failure::Usage { message: message.into(), hint: hint.into() });
            }
        };
        let stop = Box::new(|| interrupt.came());
        Ok(Casework { hands, desk: Desk { kept, stop, start: Instant::now(), output } })
    }

    /// The cases of a plan that another process has made.
    pub(crate) fn of_worker(
        identity: &Identity,
        shift: &'a mut Shift,
        output: &'a Output,
    ) -> Result<Casework<'a>, Failure> {
        let store = Store::open(shift.store(), identity)
            .map_err(|error| Failure::input(error.to_string(), AGAIN))?;
        let (kept, stop) = (Some(Mutex::new(Kept::new(store))), Box::new(shift.stop()));
        let hands = Hands::Worker { shift, identity: identity.clone(), served: Outcome::Well };
        Ok(Casework { hands, desk: Desk { kept, stop, start: Instant::now(), output } })
    }

    /// How many cases an earlier run did.
    pub(crate) fn resumed(&self) -> usize {
        self.desk.kept().map_or(0, |kept| kept.resumed)
    }

    /// What became of a worker's plan.
    pub(crate) fn served(self) -> Result<Outcome, Failure> {
        let Hands::Worker { shift, served, .. } = self.hands else { return Ok(Outcome::Well) };
        match served {
            Outcome::Well if shift.is_over() => Ok(Outcome::Well),
            Outcome::Well if (self.desk.stop)() => Ok(Outcome::Inconclusive),
            Outcome::Well => Err(Failure::input("the plan asks for what is not there", AGAIN)),
            other => Ok(other),
        }
    }

    /// What comes of each case, now or earlier; nothing for those that the user did not wait
    /// for, and for all of them once a worker has no more to do.
    pub(crate) fn each<T>(
        &mut self,
        cases: &Cases<'_, T>,
        work: &Work<'_, T>,
    ) -> Result<Vec<Option<T>>, Failure>
    where
        T: Serialize + DeserializeOwned + Send,
    {
        let nothing = || cases.keys.iter().map(|_| None).collect();
        match &mut self.hands {
            Hands::Threads(jobs) => return self.desk.here(*jobs, cases, work),
            Hands::Fleet(fleet) => {
                let stage = Stage { name: cases.name, seconds: cases.seconds, alone: false };
                let kept = self.desk.kept.as_mut().expect("a fleet has a store");
                let store = &mut kept.get_mut().expect("no panic").store;
                fleet.complete_all(store, &stage, &cases.pieces())?;
            }
            Hands::Worker { shift, identity, served } => {
                if shift.begins_with(cases.name) {
                    *served = serve(shift, identity, cases, work)?;
                }
                if *served != Outcome::Well || shift.is_over() {
                    return Ok(nothing());
                }
            }
        }
        self.desk.known(cases)
    }

    /// What comes of all cases; nothing if [`Casework::each`] says nothing of one.
    pub(crate) fn all<T>(
        &mut self,
        cases: &Cases<'_, T>,
        work: &Work<'_, T>,
    ) -> Result<Option<Vec<T>>, Failure>
    where
        T: Serialize + DeserializeOwned + Send,
    {
        Ok(self.each(cases, work)?.into_iter().collect())
    }
}

impl Desk<'_> {
    fn kept(&self) -> Option<MutexGuard<'_, Kept>> {
        self.kept.as_ref().map(|kept| kept.lock().expect("no panic"))
    }

    /// What others did.
    fn known<T: DeserializeOwned>(&self, cases: &Cases<'_, T>) -> Result<Vec<Option<T>>, Failure> {
        let mut kept = self.kept().expect("others leave it in a store");
        kept.store.refresh().map_err(|error| Failure::input(error.to_string(), AGAIN))?;
        let found: Vec<Option<T>> = cases.keys.iter().map(|key| kept.recall(key)).collect();
        let missing = found.iter().filter(|found| found.is_none()).count();
        match missing {
            1.. if !(self.stop)() => {
                let (all, name) = (found.len(), cases.name);
                Err(Failure::input(format!("{name}: {missing} of {all} are not done"), AGAIN))
            }
            _ => Ok(found),
        }
    }

    /// Does what is not done yet, on so many threads.
    fn here<T>(
        &self,
        jobs: usize,
        cases: &Cases<'_, T>,
        work: &Work<'_, T>,
    ) -> Result<Vec<Option<T>>, Failure>
    where
        T: Serialize + DeserializeOwned + Send,
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
            jobs => std::thread::scope(|scope| (0..jobs).for_each(|_| drop(scope.spawn(each)))),
        }
        progress.into_inner().expect("no panic").line.clear();
        match failure.into_inner().expect("no panic") {
            Some(failure) => Err(failure),
            None => Ok(found.into_inner().expect("no panic")),
        }
    }

    /// What comes of a case, now or earlier; nothing if the user ended it before.
    fn one<T: Serialize + DeserializeOwned>(
        &self,
        at: usize,
        cases: &Cases<'_, T>,
        work: &Work<'_, T>,
        progress: &Mutex<Progress<'_, T>>,
    ) -> Result<Option<T>, Failure> {
        let known = self.kept().and_then(|mut kept| kept.recall(&cases.keys[at]));
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
        if let Some(mut kept) = self.kept() {
            kept.keep(cases.keys[at], &done)?;
        }
        progress.lock().expect("no panic").tell(at, &done, self.start.elapsed());
        Ok(Some(done))
    }
}

/// How far cases are, for people.
struct Progress<'c, T> {
    cases: &'c Cases<'c, T>,
    done: usize,
    line: ProgressLine<'c>,
    output: &'c Output,
}

impl<'c, T> Progress<'c, T> {
    fn new(desk: &'c Desk<'_>, cases: &'c Cases<'c, T>) -> Progress<'c, T> {
        let output = desk.output;
        Progress { cases, done: 0, line: ProgressLine::new(output, desk.start), output }
    }

    fn tell(&mut self, at: usize, record: &T, elapsed: Duration) {
        self.done += 1;
        let (done, count, seconds) = (self.done, self.cases.keys.len(), elapsed.as_secs());
        match self.cases.told {
            Some(told) => {
                let told = told(at, record);
                self.output.note(&format!("[{done}/{count}, {seconds} s] {told}\n"));
            }
            None => {
                let name = self.cases.name;
                self.line.show_text(|_| format!("{name}: {done} of {count}, {seconds} s"));
            }
        }
    }
}

fn open(folder: &Path, identity: &Identity, output: &Output) -> Result<Mutex<Kept>, Failure> {
    let wrong = |error: StoreError| {
        let message = format!("{}: {error}", folder.display());
        Failure::input(message, "choose another folder, or remove this one")
    };
    let store = Store::open(folder, identity).map_err(wrong)?;
    for damage in store.damage() {
        output.warning(&format!("{damage}; what is lost is done again"));
    }
    Ok(Mutex::new(Kept::new(store.writing_to("cases").map_err(wrong)?)))
}

/// Does the cases of a plan.
fn serve<T: Serialize>(
    shift: &mut Shift,
    identity: &Identity,
    cases: &Cases<'_, T>,
    work: &Work<'_, T>,
) -> Result<Outcome, Failure> {
    let stop = shift.stop();
    shift.work_on(cases.name, identity, &mut |what| {
        let at = cases.asked(what)?;
        let done = work(at, &stop)?;
        Ok((!stop()).then(|| (cases.keys[at], plain(&done))))
    })
}
