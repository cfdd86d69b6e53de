//! Goals that are decided in rounds of effort, with answers in a store: found by this process, by earlier
//! runs of it, or by workers.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard};

use provoke_base::rounds::{AnswerFn, AnswerLedger};
use provoke_base::{Control, Error, ErrorCode};
use provoke_store::{Key, KeyBuilder, RunIdentity, Shard, Store};
use serde_json::{Value as Json, json};

use crate::ledger::Ledger;
use crate::scheduler::{FailedTask, Scheduler, TaskBatch};
use crate::task::Task;
use crate::worker::{Served, WorkerLoop};

/// How long a first answer takes, as long as nothing was measured.
const USUAL_SECONDS: f64 = 0.5;

/// How answers about goals of one kind are kept.
pub trait GoalRecords: Sync {
    /// What is decided.
    type Goal: Sync;
    /// What is found out about it.
    type Answer;
    /// What the goals are called in plans: `obligation`.
    const MEMBER: &'static str;
    /// What is done in a round, for people.
    const WORK: &'static str;

    /// The name of a goal.
    fn id<'g>(&self, goal: &'g Self::Goal) -> &'g str;
    /// What the answer of a round is kept under: all that it depends on beside the run.
    fn key(&self, goal: &Self::Goal, round: usize) -> Key;
    /// How many rounds there are.
    fn rounds(&self) -> usize;
    /// An answer as it is kept; nothing for one that was cut short.
    fn record(&self, answer: &Self::Answer) -> Option<Json>;
    /// The answer that a record of a store holds; `None` for what is not one.
    fn read(&self, record: &Json, store: &Store) -> Option<Self::Answer>;
    /// The answer about a goal that nobody could decide.
    fn unanswered(&self, reason: String) -> Self::Answer;
}

/// The answers of a run in a store on disk.
pub struct RoundLedger<R> {
    records: R,
    store: Mutex<Store>,
    shard: Shard,
    /// Who works, if it is not this process.
    scheduler: Option<Mutex<Scheduler>>,
    /// Answers that nobody could find, and why.
    lost: Mutex<BTreeMap<Key, String>>,
    /// The first thing that went wrong while writing; the run itself goes on.
    trouble: Mutex<Option<String>>,
    /// Why others do not work any more, which ends the run.
    failure: Mutex<Option<Error>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no thread panicked")
}

impl<R: GoalRecords> RoundLedger<R> {
    /// Opens or creates the store in a folder. `identity` is what must be equal for answers to be used
    /// again; of the goals, `shard` are decided here.
    pub fn open(
        folder: &Path,
        records: R,
        identity: &RunIdentity,
        shard: Option<Shard>,
        control: &Control,
    ) -> Result<RoundLedger<R>, Error> {
        let store = Ledger::open(folder, identity, "run", control)?.into_store();
        Ok(RoundLedger {
            records,
            store: Mutex::new(store),
            shard: shard.unwrap_or(Shard::WHOLE),
            scheduler: None,
            lost: Mutex::default(),
            trouble: Mutex::default(),
            failure: Mutex::default(),
        })
    }

    /// Leaves the goals to others.
    pub fn handed_to(mut self, scheduler: Scheduler) -> RoundLedger<R> {
        self.scheduler = Some(Mutex::new(scheduler));
        self
    }

    /// What went wrong while writing.
    pub fn trouble(&self) -> Option<String> {
        locked(&self.trouble).clone()
    }

    /// Why others could not work.
    pub fn failure(&self) -> Result<(), Error> {
        locked(&self.failure).take().map_or(Ok(()), Err)
    }

    /// Has tasks done that belong to no round, and gives what `read` finds in the store then.
    pub fn complete_all<T>(
        &self,
        batch: &TaskBatch<'_>,
        tasks: &[Task],
        read: impl FnOnce(&Store) -> T,
    ) -> Result<T, Error> {
        let mut store = locked(&self.store);
        if let Some(scheduler) = &self.scheduler {
            locked(scheduler).complete_all(&mut store, batch, tasks)?;
        }
        Ok(read(&store))
    }
}

impl<R: GoalRecords> AnswerLedger<R::Goal, R::Answer> for RoundLedger<R> {
    fn is_ours(&self, goal: &R::Goal) -> bool {
        // By the id alone, so that adding goals moves none of the others.
        let key = KeyBuilder::new("provoke/share/1").part(R::MEMBER, self.records.id(goal));
        self.shard.takes(&key.finish()) && locked(&self.failure).is_none()
    }

    fn recall(&self, goal: &R::Goal, round: usize) -> Option<R::Answer> {
        if locked(&self.failure).is_some() {
            return Some(self.records.unanswered("stopped".to_string()));
        }
        let key = self.records.key(goal, round);
        if let Some(reason) = locked(&self.lost).get(&key) {
            return Some(self.records.unanswered(format!("no worker could do it: {reason}")));
        }
        let store = locked(&self.store);
        self.records.read(&store.get(&key)?, &store)
    }

    fn keep(&self, goal: &R::Goal, round: usize, answer: &R::Answer) {
        let Some(record) = self.records.record(answer) else { return };
        if let Err(error) = locked(&self.store).append(self.records.key(goal, round), &record) {
            locked(&self.trouble).get_or_insert(error.to_string());
        }
    }

    fn keep_lemmas(&self, lemmas: &dyn Fn() -> String, shared: Option<&str>) {
        let mut store = locked(&self.store);
        if let Some(shared) = shared {
            keep_shared(&mut store, shared);
        }
        if self.scheduler.is_some() && !store.contains(&lemmas_key()) {
            // Where they cannot be kept, workers find them themselves.
            let _ = store.append(lemmas_key(), &json!({"facts": lemmas()}));
        }
    }

    fn prepare(&self, left: &[&R::Goal], round: usize) {
        let Some(scheduler) = &self.scheduler else { return };
        let task = |goal: &&R::Goal| Task {
            key: self.records.key(goal, round),
            spec: json!({R::MEMBER: self.records.id(goal), "round": round}),
            after: round.checked_sub(1).map(|before| self.records.key(goal, before)),
        };
        let tasks: Vec<Task> = left.iter().map(task).collect();
        // Most goals are easy: little for all of them first, then the others one by one.
        let name = format!("{}, round {}", R::WORK, round + 1);
        let batch = TaskBatch { name: &name, seconds: USUAL_SECONDS, alone: round > 0 };
        let (mut store, scheduler) = (locked(&self.store), locked(scheduler));
        match scheduler.complete(&mut store, &batch, &tasks) {
            Ok(lost) => {
                let lost = lost.into_iter().map(|FailedTask { key, reason }| (key, reason));
                locked(&self.lost).extend(lost);
            }
            Err(failure) => {
                locked(&self.failure).get_or_insert(failure);
            }
        }
    }
}

/// Answers for the store of another process.
pub struct RoundWorker<'a, R: GoalRecords> {
    records: R,
    goals: Vec<&'a R::Goal>,
    identity: RunIdentity,
    worker: Mutex<&'a mut WorkerLoop>,
    /// How it ended; `None` if nothing was asked for.
    done: Mutex<Option<Result<Served, Error>>>,
}

impl<'a, R: GoalRecords> RoundWorker<'a, R> {
    /// A worker that can be asked for these goals.
    pub fn new(
        records: R,
        goals: Vec<&'a R::Goal>,
        identity: RunIdentity,
        worker: &'a mut WorkerLoop,
    ) -> RoundWorker<'a, R> {
        RoundWorker { records, goals, identity, worker: Mutex::new(worker), done: Mutex::new(None) }
    }

    /// How it ended.
    pub fn done(self) -> Result<Served, Error> {
        self.done.into_inner().expect("no thread panicked").unwrap_or(Ok(Served::All))
    }

    /// The result of a task, unless it was cut short.
    fn perform(
        &self,
        spec: &Json,
        answer: &AnswerFn<'_, R::Goal, R::Answer>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<(Key, Json)>, Error> {
        let goal = self.goals.iter().find(|goal| spec[R::MEMBER] == self.records.id(goal));
        let round = spec["round"].as_u64().and_then(|round| usize::try_from(round).ok());
        let round = round.filter(|round| *round < self.records.rounds());
        let (Some(goal), Some(round)) = (goal, round) else {
            let message = format!("the plan asks for {spec}, which is not there");
            return Err(Error::new(ErrorCode::PlanMismatch, message));
        };
        let record = self.records.record(&answer(goal, round)).filter(|_| !stop());
        Ok(record.map(|record| (self.records.key(goal, round), record)))
    }
}

impl<R: GoalRecords> AnswerLedger<R::Goal, R::Answer> for RoundWorker<'_, R> {
    fn is_ours(&self, _: &R::Goal) -> bool {
        false
    }

    fn recall_lemmas(&self) -> Option<String> {
        let worker = locked(&self.worker);
        let record = Store::read(worker.store()).ok()?.get(&lemmas_key())?;
        record["facts"].as_str().map(String::from)
    }

    fn serve(&self, answer: &AnswerFn<'_, R::Goal, R::Answer>) -> bool {
        let mut worker = locked(&self.worker);
        let stop = worker.stop();
        let mut perform = |spec: &Json| self.perform(spec, answer, &stop);
        *locked(&self.done) = Some(worker.work(&self.identity, &mut perform));
        true
    }
}

/// What lemmas about the whole system are kept under.
fn lemmas_key() -> Key {
    KeyBuilder::of_this_build("provoke/facts/2").finish()
}

/// Keeps what the certificates of a run share, once.
fn keep_shared(store: &mut Store, text: &str) {
    let key = shared_key(text);
    if !text.is_empty() && !store.contains(&key) {
        // Where it cannot be kept, a resumed run has fewer certificates and the same verdicts.
        let _ = store.append(key, &json!({"lemmas": text}));
    }
}

/// What a text that certificates share is kept under.
pub fn shared_key(text: &str) -> Key {
    KeyBuilder::new("provoke/lemmas/1").part("text", text.as_bytes()).finish()
}
