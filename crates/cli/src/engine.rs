//! Work that is done by other processes, here or on a cluster.
//!
//! A heavy command consists of *pieces*, each with the key under which what comes of it is kept.
//! It hands those that are missing to a [`Fleet`], which writes them into a plan, one line for
//! each chunk, and has workers (`provoke worker`) do them: processes on this machine, or tasks of
//! Slurm or HyperQueue. A worker repeats the command up to the point where pieces are known, and
//! appends what comes of each to a segment of its own in the store. Whatever is killed, lost or
//! done twice, what is left to do is the plan minus the stored keys.
//!
//! ```text
//! store/store.json, store/segments/    what is done
//! store/engine/errand.json             the command, for workers
//! store/engine/plan-1.jsonl            one line for each chunk
//! store/engine/reports-HOST.jsonl      what workers started and did, and how long it took
//! ```

mod chunk;
mod errand;
mod fleet;
mod hq;
mod local;
mod place;
mod report;
mod shift;
mod slurm;

use std::path::{Path, PathBuf};

pub(crate) use chunk::Piece;
pub(crate) use errand::Errand;
pub(crate) use fleet::{Fleet, Lost, Stage};
pub(crate) use place::Place;
pub(crate) use shift::{Lines, Shift};

/// Where everything about workers is, in the folder of a store.
fn folder(store: &Path) -> PathBuf {
    store.join("engine")
}
