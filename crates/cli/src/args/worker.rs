//! The options of `provoke worker`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use provoke::timed::WorkerOptions;
use provoke_work::Executor;

use super::words::duration;
use crate::outcome::Failure;
use crate::workers;

/// Who works, for commands without solvers of their own.
#[derive(Args)]
pub(crate) struct PlaceArgs {
    /// Number of threads where work can be divided, or of workers with --workers local
    /// [default: number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) jobs: Option<u32>,
    /// Workers: local (processes on this machine), slurm[:tasks=N,throttle=N,time=T,...],
    /// hq[:FOLDER] [default: this process]
    #[arg(long, value_name = "WHO", value_parser = executor)]
    pub(crate) workers: Option<Executor>,
    #[arg(long, hide = true, value_parser = engine)]
    pub(crate) engine: Option<String>,
    /// Result store of the workers [default: the folder of -o, if it is one]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) store: Option<PathBuf>,
}

impl PlaceArgs {
    /// How many work at a time.
    pub(crate) fn jobs(&self) -> usize {
        threads(self.jobs)
    }

    /// What the library is told.
    pub(crate) fn options(&self) -> Result<WorkerOptions, Failure> {
        let workers = self.executor().map(|executor| workers::asked(executor, self.jobs()));
        let (jobs, store) = (self.jobs, self.store.clone());
        Ok(WorkerOptions { jobs, workers: workers.transpose()?, store })
    }

    /// Who does the work, if it is not this process.
    pub(crate) fn executor(&self) -> Option<&Executor> {
        self.workers.as_ref().or(self.store.is_some().then_some(&Executor::Local))
    }
}

/// As many as asked for, or as there are cores.
pub(crate) fn threads(jobs: Option<u32>) -> usize {
    provoke_work::threads(jobs)
}

/// Who works, by a word.
pub(super) fn executor(word: &str) -> Result<Executor, String> {
    let unknown = || Err("workers are local, slurm or hq".to_string());
    Executor::named(word).unwrap_or_else(unknown)
}

/// What `--engine` is called now: it said two things.
pub(super) fn engine(word: &str) -> Result<String, String> {
    let now = if Executor::named(word).is_some() { "--workers" } else { "--prover" };
    Err(format!("--engine is called {now} now: type {now} {word}"))
}

#[derive(Args)]
pub(crate) struct WorkerArgs {
    /// Result store of the command, which also holds the job
    #[arg(long, value_name = "FOLDER", required_unless_present = "explore")]
    pub(crate) store: Option<PathBuf>,
    /// Explore a program that may destroy this process, as standard input says
    #[arg(long, hide = true, conflicts_with = "store")]
    pub(crate) explore: bool,
    /// The plan, one chunk per line, or - for standard input [default: the line in $HQ_ENTRY]
    #[arg(long, value_name = "FILE")]
    pub(crate) plan: Option<PathBuf>,
    /// Index of this worker, from 0
    #[arg(long, value_name = "I", requires = "of")]
    pub(crate) index: Option<usize>,
    /// Number of workers that share the plan
    #[arg(long, value_name = "N", requires = "index")]
    pub(crate) of: Option<usize>,
    /// Stop before this much time has passed
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) limit: Option<Duration>,
}
