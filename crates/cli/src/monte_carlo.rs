//! Random runs that other processes do, kept by ranges of their numbers.
//!
//! A run's random numbers come from its number, so it does not matter who does it: outcomes are
//! counted in the order of the numbers, and the answer is that of one process.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use provoke_base::{Control, SourceFile};
use provoke_stochastic::{Elsewhere, Told};
use provoke_store::{Identity, Key, KeyBuilder, Store};
use provoke_work::{Scheduler, Served, Task, TaskBatch, WorkerLoop};
use serde_json::{Value as Json, json};

use crate::args::TimedEstimateArgs;
use crate::outcome::Failure;
use crate::workers;

/// So many runs are one task.
const RANGE: u64 = 1_000;
/// How long a task takes, as long as nothing was measured.
const RANGE_SECONDS: f64 = 0.5;
/// How many tasks are planned at a time, if it is not known how many there will be: at first few,
/// then a part of what was needed so far.
const FEW: u64 = 16;

/// An estimate asks for at most so many at once, and for all of the last ones.
const MOST_AT_ONCE: u64 = 16_384;

/// Who does the runs, and what came of them.
pub(crate) struct Handed {
    scheduler: Scheduler,
    store: RefCell<Store>,
    failure: RefCell<Option<Failure>>,
    failed: Arc<AtomicBool>,
}

impl Handed {
    /// Those who do the runs, if the user wants that.
    pub(crate) fn new(
        args: &TimedEstimateArgs,
        file: &SourceFile,
        control: &Control,
    ) -> Result<Option<Handed>, Failure> {
        let Some(place) = args.place.executor() else { return Ok(None) };
        let Some(folder) = &args.place.store else {
            return Err(Failure::Usage {
                message: "--workers needs a folder where workers keep what they find".to_string(),
                hint: "name it with --store; on a cluster all machines must see it".to_string(),
            });
        };
        let scheduler = workers::scheduler(place, folder, args.place.jobs(), control)?;
        let store = Store::open(folder, &identity(file, args)).map_err(|error| {
            let message = format!("{}: {error}", folder.display());
            Failure::input(message, "choose another folder with --store, or remove this one")
        })?;
        Ok(Some(Handed {
            scheduler,
            store: RefCell::new(store),
            failure: RefCell::new(None),
            failed: Arc::default(),
        }))
    }

    /// The runs for one of the questions.
    pub(crate) fn question(&self, at: usize, args: &TimedEstimateArgs) -> Asked<'_> {
        Asked { handed: self, at, expected: args.runs }
    }

    /// Set when others do not work any more.
    pub(crate) fn failed(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.failed)
    }

    /// Why others could not work.
    pub(crate) fn failure(&self) -> Result<(), Failure> {
        self.failure.borrow_mut().take().map_or(Ok(()), Err)
    }
}

/// The runs for a question.
pub(crate) struct Asked<'h> {
    handed: &'h Handed,
    at: usize,
    /// How many runs there will be, if that is known.
    expected: Option<u64>,
}

impl Asked<'_> {
    fn task(&self, range: u64) -> Task {
        let what = json!({"question": self.at, "range": range});
        Task { key: key(self.at, range), spec: what, after: None }
    }

    /// Makes sure that a range is done, and those that will be needed after it.
    fn prepare(&self, range: u64) -> Result<(), Failure> {
        let Handed { scheduler, store, .. } = self.handed;
        let mut store = store.borrow_mut();
        if store.contains(&key(self.at, range)) {
            return Ok(());
        }
        let end = match self.expected {
            Some(runs) => (runs + MOST_AT_ONCE).div_ceil(RANGE).max(range + 1),
            None => range + (range / 2).max(FEW),
        };
        let tasks: Vec<Task> = (range..end).map(|range| self.task(range)).collect();
        let stage = TaskBatch { name: "random runs", seconds: RANGE_SECONDS, alone: false };
        Ok(scheduler.complete_all(&mut store, &stage, &tasks)?)
    }

    /// What the runs of a range gave, and whether it was all of them.
    fn range(&self, range: u64) -> Result<(Vec<Told>, bool), Failure> {
        self.prepare(range)?;
        let record = self.handed.store.borrow().get(&key(self.at, range));
        let told = record.as_ref().and_then(read).unwrap_or_default();
        let whole = told.len() as u64 == RANGE;
        Ok((told, whole))
    }
}

impl Elsewhere for Asked<'_> {
    fn runs(&self, numbers: Range<u64>) -> Vec<Told> {
        let mut all = Vec::new();
        for range in numbers.start / RANGE..=(numbers.end - 1) / RANGE {
            let (told, whole) = match self.range(range) {
                Ok(told) => told,
                Err(failure) => {
                    self.handed.failed.store(true, Ordering::SeqCst);
                    self.handed.failure.borrow_mut().get_or_insert(failure);
                    return all;
                }
            };
            let inside = |(at, _): &(u64, Told)| numbers.contains(&(range * RANGE + at));
            all.extend((0..).zip(told).filter(inside).map(|(_, told)| told));
            if !whole {
                break;
            }
        }
        all
    }
}

fn key(question: usize, range: u64) -> Key {
    KeyBuilder::of_this_build("provoke/runs/1")
        .json("range", &json!([question, range, RANGE]))
        .finish()
}

/// What must be equal for runs to be used again.
fn identity(file: &SourceFile, args: &TimedEstimateArgs) -> Identity {
    let model = KeyBuilder::new("provoke/network/1")
        .part("text", file.text.as_bytes())
        .json("queries", &json!(args.query))
        .finish();
    let version = env!("CARGO_PKG_VERSION");
    let (model, seed) = (model.to_string(), args.seed);
    Identity::new(json!({
        "command": "timed estimate", "version": version, "model": model, "seed": seed,
    }))
}

/// Does a worker's part.
pub(crate) fn serve(
    worker: &mut WorkerLoop,
    file: &SourceFile,
    args: &TimedEstimateArgs,
    runs: &mut dyn FnMut(usize, Range<u64>) -> Option<Vec<Told>>,
) -> Result<Served, Failure> {
    worker.work(&identity(file, args), &mut |what| {
        let question = what["question"].as_u64().and_then(|at| usize::try_from(at).ok());
        let range = what["range"].as_u64().filter(|range| *range < u64::MAX / RANGE - 1);
        let found = question.zip(range).and_then(|(question, range)| {
            let told = runs(question, range * RANGE..(range + 1) * RANGE)?;
            Some((key(question, range), show(&told)))
        });
        found.map(Some).ok_or_else(|| {
            let message = format!("the plan asks for {what}, which is not there");
            Failure::input(message, "start the command with --workers again")
        })
    })
}

fn show(told: &[Told]) -> Json {
    let stuck: Vec<usize> = (0..told.len()).filter(|at| told[*at].stuck).collect();
    let values: Vec<u64> = told.iter().map(|told| told.value).collect();
    json!({"values": values, "steps": told.iter().map(|told| told.steps).collect::<Vec<_>>(), "stuck": stuck})
}

/// The runs that a record holds; `None` for what holds none.
fn read(record: &Json) -> Option<Vec<Told>> {
    let numbers = |name: &str| -> Option<Vec<u64>> {
        record[name].as_array()?.iter().map(Json::as_u64).collect()
    };
    let (values, steps, stuck) = (numbers("values")?, numbers("steps")?, numbers("stuck")?);
    let told = |((value, steps), at)| Told { value, steps, stuck: stuck.contains(&at) };
    let equal = values.len() == steps.len();
    equal.then(|| values.into_iter().zip(steps).zip(0..).map(told).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_read_as_they_are_written() {
        let told = [(1, 5, false), (f64::to_bits(-0.1), 0, true)]
            .map(|(value, steps, stuck)| Told { value, steps, stuck });
        assert_eq!(read(&show(&told)).as_deref(), Some(&told[..]));
        assert_eq!(read(&json!({"values": [1], "steps": [], "stuck": []})), None);
    }
}
