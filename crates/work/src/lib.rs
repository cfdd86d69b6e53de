//! Work in tasks: done by threads, processes or a cluster, and kept as soon as it is done.
//!
//! A heavy command consists of *tasks*, each with the key under which its result is kept in a store. A
//! [`Scheduler`] writes the missing ones into a plan, one line for each chunk, and has workers do them:
//! processes on this machine, or tasks of Slurm or HyperQueue. A worker reads the [`JobSpec`], prepares
//! the same tasks, and appends the result of each to a segment of its own in the store. Whatever is
//! killed, lost or done twice, what is left to do is the plan minus the stored keys. Commands that
//! consist of independent cases, such as studies, leave all of this to a [`CaseRunner`].
//!
//! ```text
//! store/store.json, store/segments/    what is done
//! store/engine/job.json                the specification of the work, for workers
//! store/engine/plan-1.jsonl            one line for each chunk
//! store/engine/reports-HOST.jsonl      what workers started and did, and how long it took
//! ```

mod cases;
mod executor;
mod hq;
mod ledger;
mod local;
mod options;
mod ranges;
mod reports;
mod rounds;
mod scheduler;
mod slurm;
mod spec;
mod task;
mod worker;

use std::path::{Path, PathBuf};

pub use cases::{CaseFn, CaseLine, CaseRunner, Cases, case_key, command_identity, study_identity};
pub use executor::Executor;
pub use ledger::Ledger;
pub use options::{WorkerOptions, threads};
pub use ranges::RangeRunner;
pub use rounds::{GoalRecords, RoundLedger, RoundWorker, shared_key};
pub use scheduler::{FailedTask, Scheduler, TaskBatch, Workers};
pub use slurm::SlurmOptions;
pub use spec::{JobSpec, make_folder};
pub use task::Task;
pub use worker::{PlanLines, Served, TaskFn, WorkerLoop};

/// Where everything about workers is, in the folder of a store.
fn folder(store: &Path) -> PathBuf {
    store.join("engine")
}
