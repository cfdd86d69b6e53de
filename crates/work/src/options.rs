//! Who does work that can be divided, as it is chosen.

use std::path::PathBuf;

use provoke_base::{Control, Error};
use serde::{Deserialize, Serialize};

use crate::cases::{CaseRunner, command_identity};
use crate::scheduler::Workers;

/// Who does work that needs no solver, and where it is kept.
#[derive(Serialize, Deserialize, Clone, Debug, Default)]
#[serde(default)]
pub struct WorkerOptions {
    /// How many threads work; as many as there are cores if nothing is said.
    pub jobs: Option<u32>,
    /// Who works, if it is not this process.
    #[serde(skip)]
    pub workers: Option<Workers>,
    /// Where workers keep what they found.
    pub store: Option<PathBuf>,
}

impl WorkerOptions {
    /// What a worker chooses for itself: it works alone.
    pub fn alone() -> WorkerOptions {
        WorkerOptions { jobs: Some(1), ..WorkerOptions::default() }
    }

    /// How many threads work.
    pub fn threads(&self) -> usize {
        threads(self.jobs)
    }

    /// Has the cases of a command done by `threads` threads, or by workers that are asked for `request`.
    pub fn runner(
        &self,
        command: &str,
        request: &impl Serialize,
        threads: usize,
        control: &Control,
    ) -> Result<CaseRunner<'static>, Error> {
        let (identity, folder) = (command_identity(command), self.store.as_deref());
        CaseRunner::new(&identity, folder, self.workers.as_ref(), request, threads, control)
    }
}

/// As many threads as asked for, or as there are cores.
pub fn threads(jobs: Option<u32>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    jobs.map_or_else(cores, |jobs| jobs as usize)
}
