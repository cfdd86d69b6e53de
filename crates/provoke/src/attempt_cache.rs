//! What solvers found, kept in the folder of the results: the same command goes on where an
//! interrupted one was, and others may do the work meanwhile.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

use provoke_base::{Control, Error, ErrorCode};
use provoke_criteria::Obligation;
use provoke_store::{Identity, Key, KeyBuilder, Shard, Store};
use provoke_testgen::{Attempt, Effort, Facts, Memory};
use provoke_work::{FailedTask, Scheduler, Task, TaskBatch};
use serde_json::{Value as Json, json};

use crate::attempt_records::{Attempts, facts_key, key};
use crate::certificates;

/// How long a first attempt takes, as long as nothing was measured.
const USUAL_SECONDS: f64 = 0.5;

/// Attempts in a store on disk.
pub(crate) struct Remembered<'a> {
    attempts: Attempts<'a>,
    store: Mutex<Store>,
    shard: Shard,
    /// Who works, if it is not this process.
    scheduler: Option<Mutex<Scheduler>>,
    /// Attempts that nobody could make, and why.
    lost: Mutex<BTreeMap<Key, String>>,
    /// The first thing that went wrong while writing; the run itself goes on.
    trouble: Mutex<Option<String>>,
    /// Why others do not work any more, which ends the run.
    failure: Mutex<Option<Error>>,
}

impl<'a> Remembered<'a> {
    /// Opens or creates the store in a folder. `run` is what must be equal for attempts to be
    /// used again.
    pub(crate) fn open(
        folder: &Path,
        attempts: Attempts<'a>,
        run: Json,
        shard: Option<Shard>,
        control: &Control,
    ) -> Result<Remembered<'a>, Error> {
        let wrong = |error: provoke_store::StoreError| {
            let message = format!("{}: {error}", folder.display());
            Error::new(ErrorCode::StoreUnusable, message)
                .hint("choose another folder, or remove this one")
        };
        let store = Store::open(folder, &Identity::new(run)).map_err(wrong)?;
        for damage in store.damage() {
            control.warn(format!("{damage}; what is lost is done again"));
        }
        let store = store.writing_to("run").map_err(wrong)?;
        Ok(Remembered {
            attempts,
            store: Mutex::new(store),
            shard: shard.unwrap_or(Shard::WHOLE),
            scheduler: None,
            lost: Mutex::default(),
            trouble: Mutex::default(),
            failure: Mutex::default(),
        })
    }

    /// Leaves the attempts to others.
    pub(crate) fn handed_to(mut self, scheduler: Scheduler) -> Remembered<'a> {
        self.scheduler = Some(Mutex::new(scheduler));
        self
    }

    /// What went wrong while writing.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.trouble.lock().expect("no thread panicked").clone()
    }

    /// Why others could not work.
    pub(crate) fn failure(&self) -> Result<(), Error> {
        self.failure.lock().expect("no thread panicked").take().map_or(Ok(()), Err)
    }
}

impl Memory for Remembered<'_> {
    fn is_ours(&self, obligation: &Obligation) -> bool {
        // By the id alone, so that adding obligations moves none of the others.
        let key = KeyBuilder::new("provoke/share/1").part("obligation", obligation.id.as_bytes());
        self.shard.takes(&key.finish())
            && self.failure.lock().expect("no thread panicked").is_none()
    }

    fn recall(&self, obligation: &Obligation, effort: Effort) -> Option<Attempt> {
        let key = key(obligation, effort);
        if let Some(reason) = self.lost.lock().expect("no thread panicked").get(&key) {
            let reason = format!("no worker could do it: {reason}");
            return Some(Attempt::Nothing { reason, depth: 0, cut_short: true });
        }
        let store = self.store.lock().expect("no thread panicked");
        self.attempts.read(&store.get(&key)?, &store)
    }

    fn keep(&self, obligation: &Obligation, effort: Effort, attempt: &Attempt) {
        let record = self.attempts.record(attempt);
        let mut store = self.store.lock().expect("no thread panicked");
        if let Err(error) = store.append(key(obligation, effort), &record) {
            let mut trouble = self.trouble.lock().expect("no thread panicked");
            trouble.get_or_insert(error.to_string());
        }
    }

    fn keep_facts(&self, facts: &Facts) {
        let mut store = self.store.lock().expect("no thread panicked");
        if let Some(shared) = facts.shared() {
            certificates::keep_shared(&mut store, shared);
        }
        if self.scheduler.is_some() && !store.contains(&facts_key()) {
            // Where they cannot be kept, workers find them themselves.
            let _ = store.append(facts_key(), &json!({"facts": facts.write()}));
        }
    }

    fn prepare(&self, open: &[&Obligation], efforts: &[Effort], round: usize) {
        let Some(scheduler) = &self.scheduler else { return };
        let task = |obligation: &&Obligation| Task {
            key: key(obligation, efforts[round]),
            spec: json!({"obligation": obligation.id, "round": round}),
            after: round.checked_sub(1).map(|before| key(obligation, efforts[before])),
        };
        let tasks: Vec<Task> = open.iter().map(task).collect();
        // Most obligations are easy: little for all of them first, then the others one by one.
        let name = format!("solving, round {}", round + 1);
        let stage = TaskBatch { name: &name, seconds: USUAL_SECONDS, alone: round > 0 };
        let mut store = self.store.lock().expect("no thread panicked");
        let scheduler = scheduler.lock().expect("no thread panicked");
        match scheduler.complete(&mut store, &stage, &tasks) {
            Ok(lost) => {
                let lost = lost.into_iter().map(|FailedTask { key, reason }| (key, reason));
                self.lost.lock().expect("no thread panicked").extend(lost);
            }
            Err(failure) => {
                self.failure.lock().expect("no thread panicked").get_or_insert(failure);
            }
        }
    }
}
