//! A worker of `generate` and `prove`: attempts that others ask for.

use std::sync::Mutex;

use provoke_criteria::Obligation;
use provoke_model::System;
use provoke_store::{Identity, Key, Store};
use provoke_testgen::{Attempt, Effort, Facts, Memory, Solve};
use provoke_work::{Served, WorkerLoop};
use serde_json::Value as Json;

use crate::attempt_records::{Attempts, facts_key, key};
use provoke_base::{Error, ErrorCode};

/// Attempts for the store of another process.
pub(crate) struct Serving<'a> {
    pub(crate) attempts: Attempts<'a>,
    pub(crate) obligations: &'a [Obligation],
    pub(crate) efforts: Vec<Effort>,
    pub(crate) identity: Identity,
    pub(crate) worker: Mutex<&'a mut WorkerLoop>,
    /// How it ended; `None` if nothing was asked for.
    pub(crate) done: Mutex<Option<Result<Served, Error>>>,
}

impl Serving<'_> {
    /// What comes of a task, unless it was cut short.
    fn perform(&self, what: &Json, solve: &Solve<'_>) -> Result<Option<(Key, Json)>, Error> {
        let id = what["obligation"].as_str().unwrap_or_default();
        let obligation = self.obligations.iter().find(|obligation| obligation.id == id);
        let round = what["round"].as_u64().and_then(|round| usize::try_from(round).ok());
        let effort = round.and_then(|round| self.efforts.get(round));
        let (Some(obligation), Some(&effort)) = (obligation, effort) else {
            let message = format!("the plan asks for {what}, which this model does not have");
            return Err(Error::new(ErrorCode::PlanMismatch, message));
        };
        Ok(match solve(obligation, effort) {
            Attempt::Nothing { cut_short: true, .. } => None,
            attempt => Some((key(obligation, effort), self.attempts.record(&attempt))),
        })
    }
}

impl Memory for Serving<'_> {
    fn is_ours(&self, _: &Obligation) -> bool {
        false
    }

    fn recall(&self, _: &Obligation, _: Effort) -> Option<Attempt> {
        None
    }

    fn keep(&self, _: &Obligation, _: Effort, _: &Attempt) {}

    fn recall_facts(&self, system: &System) -> Option<Facts> {
        let worker = self.worker.lock().expect("no thread panicked");
        let record = Store::read(worker.store()).ok()?.get(&facts_key())?;
        Facts::read(record["facts"].as_str()?, system)
    }

    fn serve(&self, solve: &Solve<'_>) -> bool {
        let mut worker = self.worker.lock().expect("no thread panicked");
        let done = worker.work(&self.identity, &mut |what| self.perform(what, solve));
        *self.done.lock().expect("no thread panicked") = Some(done);
        true
    }
}
