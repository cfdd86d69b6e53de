//! What a worker does: piece after piece, until there are no more or its time is up.

use std::iter::Peekable;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use provoke_store::{Identity, Key, Store, StoreError};
use serde_json::Value as Json;

use crate::crash;
use crate::engine::chunk::{Chunk, Ordered};
use crate::engine::report::{Report, Told};
use crate::interrupt::Interrupt;
use crate::outcome::{Failure, Outcome};

/// Where the lines of a plan come from.
pub(crate) type Lines = Box<dyn Iterator<Item = std::io::Result<String>> + Send>;

/// Does a piece: what comes of it with the key it is kept under, or nothing if it was cut short.
pub(crate) type Perform<'a> = dyn FnMut(&Json) -> Result<Option<(Key, Json)>, Failure> + 'a;

/// A worker at work.
pub(crate) struct Shift {
    store: PathBuf,
    lines: Peekable<Lines>,
    told: Told,
    interrupt: Interrupt,
    start: Instant,
    limit: Option<Duration>,
    /// How long the longest piece took.
    longest: Duration,
}

impl Shift {
    pub(crate) fn new(store: &Path, lines: Lines, fed: bool, limit: Option<Duration>) -> Shift {
        let told = match fed {
            true => Told::Feeder,
            // Without a file nobody hears of it, and the work goes on.
            false => Told::in_file(store, &host()).unwrap_or(Told::Feeder),
        };
        let (start, longest) = (Instant::now(), Duration::ZERO);
        let interrupt = Interrupt::listen();
        let lines = lines.peekable();
        Shift { store: store.into(), lines, told, interrupt, start, limit, longest }
    }

    /// The folder of the store.
    pub(crate) fn store(&self) -> &Path {
        &self.store
    }

    /// Whether the next piece says something about a member: the pieces of a line are alike.
    pub(crate) fn begins_with(&mut self, member: &str) -> bool {
        self.lines.peek().is_some_and(|line| is_about(member, line))
    }

    /// Whether there is nothing left to do; waits for whoever feeds it.
    pub(crate) fn is_over(&mut self) -> bool {
        self.lines.peek().is_none()
    }

    /// Tells whether the worker has to end, in the middle of a piece.
    pub(crate) fn stop(&self) -> impl Fn() -> bool + Sync + use<> {
        let (interrupt, start, limit) = (self.interrupt.clone(), self.start, self.limit);
        move || interrupt.came() || limit.is_some_and(|limit| start.elapsed() >= limit)
    }

    fn left(&self) -> Option<Duration> {
        self.limit.map(|limit| limit.saturating_sub(self.start.elapsed()))
    }

    /// Whether another piece may begin: there must be time for one that is as long as any.
    fn may_begin(&self) -> bool {
        !self.interrupt.came() && self.left().is_none_or(|left| left > self.longest)
    }

    /// Says why this worker cannot go on.
    pub(crate) fn tell_failure(&mut self, reason: &str) {
        self.told.tell(&Report::Failed(format!("{}: {reason}", host())));
    }

    /// Does all pieces of all lines.
    pub(crate) fn work(
        &mut self,
        identity: &Identity,
        perform: &mut Perform<'_>,
    ) -> Result<Outcome, Failure> {
        self.work_while(|_| true, identity, perform)
    }

    /// Does all pieces of the next lines that say something about a member.
    pub(crate) fn work_on(
        &mut self,
        member: &str,
        identity: &Identity,
        perform: &mut Perform<'_>,
    ) -> Result<Outcome, Failure> {
        self.work_while(|line| is_about(member, line), identity, perform)
    }

    fn work_while(
        &mut self,
        wanted: impl Fn(&std::io::Result<String>) -> bool,
        identity: &Identity,
        perform: &mut Perform<'_>,
    ) -> Result<Outcome, Failure> {
        let mut store = self.open(identity).map_err(|error| unusable(&self.store, &error))?;
        while let Some(line) = self.lines.next_if(&wanted) {
            let line = line.map_err(|error| Failure::input(error.to_string(), PLAN_HINT))?;
            let chunk = Chunk::read(&line).map_err(|error| Failure::input(error, PLAN_HINT))?;
            for piece in &chunk.pieces {
                if !self.may_begin() {
                    return Ok(Outcome::Inconclusive);
                }
                self.piece(piece, &mut store, perform)?;
            }
            self.told.tell(&Report::Next);
        }
        store.sync().map_err(|error| unusable(&self.store, &error))?;
        Ok(Outcome::Well)
    }

    fn open(&self, identity: &Identity) -> Result<Store, StoreError> {
        let name = format!("worker-{}-{}", host(), std::process::id());
        Store::open(&self.store, identity)?.writing_to(&name)
    }

    fn piece(
        &mut self,
        piece: &Ordered,
        store: &mut Store,
        perform: &mut Perform<'_>,
    ) -> Result<(), Failure> {
        let key: Key = piece.key.parse().map_err(|error| {
            Failure::input(format!("a piece of the plan: `{}`: {error}", piece.key), PLAN_HINT)
        })?;
        // A task that is started again after its node failed has done a part already.
        if store.contains(&key) {
            return Ok(());
        }
        self.told.tell(&Report::Started(piece.key.clone()));
        crash::on_purpose("worker");
        let start = Instant::now();
        let Some((found, record)) = perform(&piece.what)? else { return Ok(()) };
        if found != key {
            let message = "the plan was made for another model, suite or version".to_string();
            return Err(Failure::input(message, PLAN_HINT));
        }
        store.append(key, &record).map_err(|error| unusable(&self.store, &error))?;
        self.longest = self.longest.max(start.elapsed());
        self.told.tell(&Report::Did(piece.key.clone(), start.elapsed().as_secs_f64()));
        Ok(())
    }
}

fn is_about(member: &str, line: &std::io::Result<String>) -> bool {
    let chunk = line.as_ref().ok().and_then(|line| Chunk::read(line).ok());
    let first = chunk.and_then(|chunk| chunk.pieces.into_iter().next());
    first.is_some_and(|piece| piece.what.get(member).is_some())
}

const PLAN_HINT: &str = "start the command with --engine again: it writes a new plan";

fn unusable(store: &Path, error: &StoreError) -> Failure {
    let message = format!("{}: {error}", store.display());
    Failure::Input { message, hint: error.hint().map(str::to_string) }
}

/// The name of this machine, as far as a file may be called so.
fn host() -> String {
    let told = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let name: String = told.trim().chars().filter(|c| plain(*c)).take(40).collect();
    if name.is_empty() { "here".to_string() } else { name }
}
