//! The options of `provoke generate`, `prove` and `merge`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use provoke::{Numbers, WorkOptions};
use provoke_criteria::{ExactChange, Masking};
use provoke_solve::engine::{Engine, SolverChoice};
use provoke_store::Shard;
use provoke_testgen::{GenerationMethod, InputFill};
use provoke_work::Executor;

use crate::outcome::Failure;
use crate::workers;

use super::coverage::reducing;
use super::words::{duration, percentage, word};
use super::worker::{engine, executor};
use super::{CriterionArgs, ModelArgs, NumberArgs, ReduceMethod};

/// How much work is done.
#[derive(Args)]
pub(crate) struct WorkArgs {
    /// Total wall-clock time, such as 500ms, 60s or 10m; results are correct but may differ
    /// between runs
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with = "effort")]
    pub(crate) budget: Option<Duration>,
    /// A repeatable measure of work for each obligation: the same seed and effort give the same
    /// result with any number of jobs [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) effort: Option<u32>,
    /// Number of threads [default: number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) jobs: Option<u32>,
    /// Prover that decides obligations: bmc, kind, pdr, explicit, or all
    #[arg(long, value_name = "PROVER", default_value = "all", value_parser = prover)]
    pub(crate) prover: Engine,
    /// Workers: local (processes on this machine), slurm[:tasks=N,throttle=N,time=T,...],
    /// hq[:FOLDER] [default: this process]
    #[arg(long, value_name = "WHO", value_parser = executor)]
    pub(crate) workers: Option<Executor>,
    #[arg(long, hide = true, value_parser = engine)]
    pub(crate) engine: Option<String>,
    /// Result store of the workers [default: the folder of -o]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) store: Option<PathBuf>,
    /// Solver: z3, yices (repeatable only where its time suffices), or portfolio: z3, and yices
    /// where z3 has no answer
    #[arg(long, value_name = "SOLVER", default_value = "z3", value_parser = solver)]
    pub(crate) solver: SolverChoice,
    /// Memory limit of z3; beyond it an obligation stays unknown
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(16..=1_000_000))]
    pub(crate) memory: Option<u32>,
    /// Assumption on the inputs: a Boolean expression over the variables of the main node that holds in
    /// every step, as after `assert`; may be given several times
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub(crate) assume: Vec<String>,
    /// Seed of the random number generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
}

impl WorkArgs {
    /// Who does the work, if it is not this process.
    pub(crate) fn executor(&self) -> Option<&Executor> {
        self.workers.as_ref().or(self.store.is_some().then_some(&Executor::Local))
    }

    /// What the library is told.
    pub(crate) fn options(&self) -> Result<WorkOptions, Failure> {
        let threads = super::threads(self.jobs);
        let workers = self.executor().map(|executor| workers::asked(executor, threads));
        Ok(WorkOptions {
            numbers: Numbers::Exact,
            assume: self.assume.clone(),
            budget: self.budget,
            effort: self.effort,
            jobs: self.jobs,
            prover: self.prover,
            workers: workers.transpose()?,
            store: self.store.clone(),
            solver: self.solver,
            memory: self.memory,
            seed: self.seed,
        })
    }
}

#[derive(Args)]
pub(crate) struct GenerateArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) criterion: CriterionArgs,
    #[command(flatten)]
    pub(crate) numbers: NumberArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
    /// Search method: hybrid, incremental, regular, random
    #[arg(long, value_name = "METHOD", default_value = "hybrid", value_parser = word::<GenerationMethod>)]
    pub(crate) method: GenerationMethod,
    /// When an operand counts as masked: strict, original (as published), short-circuit
    #[arg(long, value_name = "READING", default_value = "strict", value_parser = word::<Masking>)]
    pub(crate) masking: Masking,
    /// Monitored variables: output, maximum, or names separated by commas
    #[arg(long, value_name = "ORACLE", default_value = "output")]
    pub(crate) oracle: String,
    /// Count only effects of this kind: of values wrong in one step, or stuck for the whole test
    #[arg(long, value_name = "MODE", value_parser = word::<ExactChange>)]
    pub(crate) exact: Option<ExactChange>,
    /// Follow tags as the published work does, and grade nothing
    #[arg(long)]
    pub(crate) as_published: bool,
    /// Inputs that the solver leaves open: random, default
    #[arg(long, value_name = "VALUES", default_value = "random", value_parser = word::<InputFill>)]
    pub(crate) fill: InputFill,
    /// With --method incremental, try nothing else where it fails
    #[arg(long)]
    pub(crate) no_fallback: bool,
    /// Take N mutants at random for -c mutants
    #[arg(long, value_name = "N")]
    pub(crate) sample: Option<usize>,
    /// Keep the tests of this suite and add only missing ones
    #[arg(long, value_name = "SUITE")]
    pub(crate) extend: Option<PathBuf>,
    /// Exclude the obligations that match ID, where * stands for any text; requires --because
    #[arg(long, value_name = "ID")]
    pub(crate) exclude: Vec<String>,
    /// Reason for the preceding --exclude
    #[arg(long, value_name = "TEXT")]
    pub(crate) because: Vec<String>,
    /// How to reduce the suite without losing coverage: none, random, greedy, hgs, exact
    #[arg(long, value_name = "METHOD", default_value = "greedy", value_parser = reducing)]
    pub(crate) reduce: ReduceMethod,
    /// Exit 1 if coverage of the obligations neither proven nor excluded, or with -c mutants the share of
    /// mutants killed of those not proven equivalent, is below PERCENT, else exit 0, even if some stay open
    #[arg(long, value_name = "PERCENT", value_parser = percentage)]
    pub(crate) require: Option<f64>,
    /// Solve only shard K of N, such as 2/4
    #[arg(long, value_name = "K/N", requires = "output", value_parser = shard)]
    pub(crate) shard: Option<Shard>,
    /// Output folder for suite.json, verdicts.json and the files that `report` and `explain` need;
    /// the same command continues from there
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct MergeArgs {
    /// The folders that `generate -o` wrote
    #[arg(value_name = "FOLDER", required = true)]
    pub(crate) stores: Vec<PathBuf>,
    /// Exit 5 if a shard is missing or damaged
    #[arg(long)]
    pub(crate) require_complete: bool,
    /// Output folder for the merged results
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
}

#[derive(Args)]
pub(crate) struct ProveArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
    /// Also decide design errors, such as overflows, divisions by zero and ranges that are left
    #[arg(long)]
    pub(crate) errors: bool,
    #[command(flatten)]
    pub(crate) numbers: NumberArgs,
    /// Output folder for suite.json and verdicts.json
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
}

fn solver(word: &str) -> Result<SolverChoice, String> {
    let known: Vec<_> = SolverChoice::ALL.iter().map(|choice| choice.word()).collect();
    SolverChoice::named(word).ok_or_else(|| format!("the solvers are {}", known.join(", ")))
}

fn shard(word: &str) -> Result<Shard, String> {
    word.parse().map_err(|error| format!("{error}"))
}

fn prover(word: &str) -> Result<Engine, String> {
    let known: Vec<_> = Engine::ALL.iter().map(|engine| engine.word()).collect();
    Engine::named(word).ok_or_else(|| format!("the provers are {}", known.join(", ")))
}
