//! Numbered work, such as random runs, that workers do: a task is a range of numbers.

use std::cell::RefCell;
use std::ops::Range;
use std::path::Path;

use provoke_base::{Control, Error, ErrorCode};
use provoke_store::{Key, KeyBuilder, RunIdentity, Store};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::ledger::{plain, unusable};
use crate::scheduler::{Scheduler, TaskBatch, Workers};
use crate::task::Task;
use crate::worker::{Served, WorkerLoop};

/// How many seconds a range takes, as long as nothing was measured.
const RANGE_SECONDS: f64 = 0.5;
/// How many tasks are planned at a time, if it is not known how many there will be: at first few,
/// then a part of what was needed so far.
const FEW: u64 = 16;

/// Workers that do numbered work in series, such as the random runs for each of several questions, and
/// what came of it.
pub struct RangeRunner {
    name: &'static str,
    scheduler: Scheduler,
    store: RefCell<Store>,
}

impl RangeRunner {
    /// So many numbers are one task.
    pub const SIZE: u64 = 1_000;

    /// Work of this name that workers do, who are asked for `request` and keep what they find in a folder.
    pub fn new(
        name: &'static str,
        identity: &RunIdentity,
        folder: Option<&Path>,
        workers: &Workers,
        request: &impl Serialize,
        control: &Control,
    ) -> Result<RangeRunner, Error> {
        let Some(folder) = folder else {
            let message = "workers need a folder where they keep what they find";
            return Err(Error::new(ErrorCode::StoreNeeded, message));
        };
        let scheduler = Scheduler::new(workers, request, folder, control)?;
        let store = Store::open(folder, identity).map_err(|error| unusable(folder, &error))?;
        Ok(RangeRunner { name, scheduler, store: RefCell::new(store) })
    }

    /// What a range of a series came to, the first range being 0; nothing if it was cancelled. The ranges
    /// behind it are prepared, too, up to the number `end` of the series or, if that is not known, some.
    pub fn range<T: DeserializeOwned>(
        &self,
        series: usize,
        range: u64,
        end: Option<u64>,
    ) -> Result<Option<T>, Error> {
        let mut store = self.store.borrow_mut();
        if !store.contains(&key(series, range)) {
            let end = match end {
                Some(end) => end.div_ceil(RangeRunner::SIZE).max(range + 1),
                None => range + (range / 2).max(FEW),
            };
            let tasks: Vec<Task> = (range..end).map(|range| task(series, range)).collect();
            let batch = TaskBatch { name: self.name, seconds: RANGE_SECONDS, alone: false };
            self.scheduler.complete_all(&mut store, &batch, &tasks)?;
        }
        let record = store.get(&key(series, range));
        Ok(record.and_then(|record| serde_json::from_value(record).ok()))
    }

    /// Does a worker's part: `work` tells what some numbers of a series come to, if there is such a
    /// series.
    pub fn serve<T: Serialize>(
        worker: &mut WorkerLoop,
        identity: &RunIdentity,
        work: &mut dyn FnMut(usize, Range<u64>) -> Option<T>,
    ) -> Result<Served, Error> {
        worker.work(identity, &mut |spec| {
            let series = spec["question"].as_u64().and_then(|at| usize::try_from(at).ok());
            let is_small = |range: &u64| *range < u64::MAX / RangeRunner::SIZE - 1;
            let range = spec["range"].as_u64().filter(is_small);
            let found = series.zip(range).and_then(|(series, range)| {
                let start = range * RangeRunner::SIZE;
                let found = work(series, start..start + RangeRunner::SIZE)?;
                Some((key(series, range), plain(&found)))
            });
            found.map(Some).ok_or_else(|| {
                let message = format!("the plan asks for {spec}, which is not there");
                Error::new(ErrorCode::PlanMismatch, message)
            })
        })
    }
}

fn task(series: usize, range: u64) -> Task {
    let spec = json!({"question": series, "range": range});
    Task { key: key(series, range), spec, after: None }
}

fn key(series: usize, range: u64) -> Key {
    KeyBuilder::of_this_build("provoke/runs/1")
        .json("range", &json!([series, range, RangeRunner::SIZE]))
        .finish()
}
