//! Mutants that other processes run.

use std::path::Path;

use provoke_base::{Error, ErrorCode};
use provoke_mutate::{Mutant, Score};
use provoke_store::{RunIdentity, Store};
use provoke_work::{RoundLedger, Served, Task, TaskBatch, WorkerLoop};
use serde_json::{Value as Json, json};

use super::records::{Answers, read_scores, scores_key, show_scores};

/// So many mutants are run by one worker: they share the run of the original.
const BLOCK: usize = 256;
/// How long a block takes, as long as nothing was measured.
const BLOCK_SECONDS: f64 = 1.0;

/// What becomes of mutants that workers run; `None` if the user ended it.
pub(super) fn scores(
    ledger: &RoundLedger<Answers<'_>>,
    mutants: &[&Mutant],
) -> Result<Option<Vec<Score>>, Error> {
    let task = |(at, block): (usize, &[&Mutant])| Task {
        key: scores_key(block),
        spec: json!({"scores": at}),
        after: None,
    };
    let tasks: Vec<Task> = mutants.chunks(BLOCK).enumerate().map(task).collect();
    let batch = TaskBatch { name: "running mutants", seconds: BLOCK_SECONDS, alone: false };
    ledger.complete_all(&batch, &tasks, |store| known_scores(store, mutants))
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
    identity: &RunIdentity,
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

fn not_there(what: &Json) -> Error {
    let message = format!("the plan asks for {what}, which is not there");
    Error::new(ErrorCode::PlanMismatch, message)
}
