//! Mutants that other processes run and decide.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

use provoke_mutate::{Answer, Effort, Memory, Mutant, Score, Solve};
use provoke_store::{Identity, Key, Store};
use provoke_work::{FailedTask, Scheduler, Served, Task, TaskBatch, WorkerLoop};
use serde_json::{Value as Json, json};

use super::records::{answer_key, read_answer, read_scores, scores_key, show_answer, show_scores};
use crate::attempt_records::facts_key;
use crate::certificates;
use crate::input_json::Rows;
use provoke_base::{Error, ErrorCode};

/// So many mutants are run by one worker: they share the run of the original.
const BLOCK: usize = 256;
/// How long a block and a first answer take, as long as nothing was measured.
const BLOCK_SECONDS: f64 = 1.0;
const ANSWER_SECONDS: f64 = 0.5;

/// Who runs and decides the mutants, and what came of it.
pub(super) struct RemoteMutants<'a> {
    rows: Rows<'a>,
    efforts: Vec<Effort>,
    store: Mutex<Store>,
    scheduler: Mutex<Scheduler>,
    lost: Mutex<BTreeMap<Key, String>>,
    failure: Mutex<Option<Error>>,
}

impl<'a> RemoteMutants<'a> {
    pub(super) fn new(
        rows: Rows<'a>,
        efforts: Vec<Effort>,
        store: Store,
        scheduler: Scheduler,
    ) -> RemoteMutants<'a> {
        RemoteMutants {
            rows,
            efforts,
            store: Mutex::new(store),
            scheduler: Mutex::new(scheduler),
            lost: Mutex::default(),
            failure: Mutex::default(),
        }
    }

    /// What becomes of mutants; `None` if the user ended it.
    pub(super) fn scores(&self, mutants: &[&Mutant]) -> Result<Option<Vec<Score>>, Error> {
        let task = |(at, block): (usize, &[&Mutant])| {
            let what = json!({"scores": at});
            Task { key: scores_key(block), spec: what, after: None }
        };
        let tasks: Vec<Task> = mutants.chunks(BLOCK).enumerate().map(task).collect();
        let stage = TaskBatch { name: "running mutants", seconds: BLOCK_SECONDS, alone: false };
        let mut store = self.store.lock().expect("no thread panicked");
        let scheduler = self.scheduler.lock().expect("no thread panicked");
        scheduler.complete_all(&mut store, &stage, &tasks)?;
        Ok(known_scores(&store, mutants))
    }

    /// Why others could not work.
    pub(super) fn failure(&self) -> Result<(), Error> {
        self.failure.lock().expect("no thread panicked").take().map_or(Ok(()), Err)
    }
}

impl Memory for RemoteMutants<'_> {
    fn recall(&self, mutant: &Mutant, round: usize) -> Option<Answer> {
        let nothing = |reason| Some(Answer::Nothing { reason, depth: 0 });
        if self.failure.lock().expect("no thread panicked").is_some() {
            return nothing("stopped".to_string());
        }
        let key = answer_key(mutant, self.efforts[round]);
        if let Some(reason) = self.lost.lock().expect("no thread panicked").get(&key) {
            return nothing(format!("no worker could do it: {reason}"));
        }
        let store = self.store.lock().expect("no thread panicked");
        read_answer(&store.get(&key)?, self.rows, &store)
    }

    fn keep_facts(&self, facts: &dyn Fn() -> String, shared: Option<&str>) {
        let mut store = self.store.lock().expect("no thread panicked");
        if let Some(shared) = shared {
            certificates::keep_shared(&mut store, shared);
        }
        if !store.contains(&facts_key()) {
            // Where they cannot be kept, workers find them themselves.
            let _ = store.append(facts_key(), &json!({"facts": facts()}));
        }
    }

    fn prepare(&self, open: &[&Mutant], round: usize) {
        let key = |mutant: &Mutant, round: usize| answer_key(mutant, self.efforts[round]);
        let task = |mutant: &&Mutant| Task {
            key: key(mutant, round),
            spec: json!({"mutant": mutant.id, "round": round}),
            after: round.checked_sub(1).map(|before| key(mutant, before)),
        };
        let tasks: Vec<Task> = open.iter().map(task).collect();
        let name = format!("deciding survivors, round {}", round + 1);
        let stage = TaskBatch { name: &name, seconds: ANSWER_SECONDS, alone: round > 0 };
        let mut store = self.store.lock().expect("no thread panicked");
        let scheduler = self.scheduler.lock().expect("no thread panicked");
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

/// The scores in a store, if they are all there.
fn known_scores(store: &Store, mutants: &[&Mutant]) -> Option<Vec<Score>> {
    let block = |block: &[&Mutant]| read_scores(&store.get(&scores_key(block))?, block.len());
    let all: Option<Vec<Vec<Score>>> = mutants.chunks(BLOCK).map(block).collect();
    all.map(|blocks| blocks.concat())
}

/// The scores that a worker decides survivors by.
pub(super) fn scores_in(folder: &Path, mutants: &[&Mutant]) -> Result<Vec<Score>, Error> {
    let store = Store::read(folder)
        .map_err(|error| Error::new(ErrorCode::StoreUnusable, error.to_string()))?;
    known_scores(&store, mutants).ok_or_else(|| {
        let message = "not all mutants were run yet".to_string();
        Error::new(ErrorCode::PlanMismatch, message)
    })
}

/// Runs blocks of mutants for another process, as long as it asks for them.
pub(super) fn serve_scores(
    worker: &mut WorkerLoop,
    identity: &Identity,
    mutants: &[&Mutant],
    score: impl Fn(&[&Mutant]) -> Vec<Score>,
) -> Result<Served, Error> {
    worker.work_on("scores", identity, &mut |what| {
        let at = what["scores"].as_u64().and_then(|at| usize::try_from(at).ok());
        let block = at.and_then(|at| mutants.chunks(BLOCK).nth(at));
        let block = block.ok_or_else(|| not_there(what))?;
        Ok(Some((scores_key(block), show_scores(&score(block)))))
    })
}

/// Answers about mutants for another process.
pub(super) struct Serving<'a> {
    pub(super) rows: Rows<'a>,
    pub(super) efforts: Vec<Effort>,
    pub(super) identity: Identity,
    pub(super) survivors: Vec<&'a Mutant>,
    pub(super) worker: Mutex<&'a mut WorkerLoop>,
    pub(super) done: Mutex<Option<Result<Served, Error>>>,
}

impl Serving<'_> {
    fn perform(
        &self,
        what: &Json,
        solve: &Solve<'_>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<(Key, Json)>, Error> {
        let mutant = self.survivors.iter().find(|mutant| what["mutant"] == mutant.id.as_str());
        let round = what["round"].as_u64().and_then(|round| usize::try_from(round).ok());
        let round = round.filter(|round| *round < self.efforts.len());
        let (Some(mutant), Some(round)) = (mutant, round) else { return Err(not_there(what)) };
        let answer = solve(mutant, round);
        let key = answer_key(mutant, self.efforts[round]);
        Ok((!stop()).then(|| (key, show_answer(&answer, self.rows))))
    }
}

impl Memory for Serving<'_> {
    fn recall_facts(&self) -> Option<String> {
        let worker = self.worker.lock().expect("no thread panicked");
        let record = Store::read(worker.store()).ok()?.get(&facts_key())?;
        record["facts"].as_str().map(String::from)
    }

    fn serve(&self, solve: &Solve<'_>) -> bool {
        let mut worker = self.worker.lock().expect("no thread panicked");
        let stop = worker.stop();
        let mut perform = |what: &Json| self.perform(what, solve, &stop);
        *self.done.lock().expect("no thread panicked") =
            Some(worker.work(&self.identity, &mut perform));
        true
    }
}

fn not_there(what: &Json) -> Error {
    let message = format!("the plan asks for {what}, which is not there");
    Error::new(ErrorCode::PlanMismatch, message)
}
